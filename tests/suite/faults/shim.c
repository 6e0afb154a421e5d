/* Makes one system call on chosen files fail. Loaded by LD_PRELOAD in tests/suite/faults.rs.
 *
 * FAULT_CALL   write, read, fsync or rename
 * FAULT_KIND   short, eintr, eio, enospc or kill (before the call)
 * FAULT_AT     the number of the call, from 1; further calls succeed, but eio and enospc stay
 * FAULT_PATH   calls count only on files whose path contains this text
 * FAULT_FIRED  a file that is made when the fault happens
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static int is_set(const char *name, const char *value) {
    const char *set = getenv(name);
    return set && strcmp(set, value) == 0;
}

static int is_chosen(const char *path) {
    const char *part = getenv("FAULT_PATH");
    return part && path && strstr(path, part);
}

static int is_chosen_fd(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_chosen(path);
}

/* 0: no fault; 1: short; -1: errno is set */
static int fault(void) {
    long at = atol(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
    long number = ++calls;
    int stays = is_set("FAULT_KIND", "eio") || is_set("FAULT_KIND", "enospc");
    if (at == 0 || number < at || (number > at && !stays)) return 0;
    const char *fired = getenv("FAULT_FIRED");
    if (fired) {
        int fd = syscall(SYS_openat, AT_FDCWD, fired, O_CREAT | O_WRONLY, 0644);
        if (fd >= 0) syscall(SYS_close, fd);
    }
    if (is_set("FAULT_KIND", "kill")) syscall(SYS_kill, getpid(), SIGKILL);
    if (is_set("FAULT_KIND", "short")) return 1;
    errno = is_set("FAULT_KIND", "eintr") ? EINTR : is_set("FAULT_KIND", "enospc") ? ENOSPC : EIO;
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    if (is_set("FAULT_CALL", "write") && is_chosen_fd(fd)) {
        int found = fault();
        if (found < 0) return -1;
        if (found > 0 && length > 1) length /= 2;
    }
    return syscall(SYS_write, fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (is_set("FAULT_CALL", "write") && is_chosen_fd(fd) && count > 0) {
        int found = fault();
        if (found < 0) return -1;
        if (found > 0) return syscall(SYS_write, fd, parts[0].iov_base, (parts[0].iov_len + 1) / 2);
    }
    return syscall(SYS_writev, fd, parts, count);
}

ssize_t read(int fd, void *bytes, size_t length) {
    if (is_set("FAULT_CALL", "read") && is_chosen_fd(fd)) {
        int found = fault();
        if (found < 0) return -1;
        if (found > 0 && length > 1) length = 1;
    }
    return syscall(SYS_read, fd, bytes, length);
}

int fsync(int fd) {
    if (is_set("FAULT_CALL", "fsync") && is_chosen_fd(fd) && fault() < 0) return -1;
    return syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to) {
    if (is_set("FAULT_CALL", "rename") && is_chosen(to) && fault() < 0) return -1;
    return syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
