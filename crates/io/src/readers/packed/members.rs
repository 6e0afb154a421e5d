//! Where gzip members may start, and the unpacking of members whose bytes are all there.

use super::{GZIP, has_flags};
use flate2::bufread::GzDecoder;
use memchr::memmem;
use std::io::Read;

/// Bytes that decide whether a member may start: [`GZIP`] and its flags.
const HEAD: usize = GZIP.len() + 1;
/// Bytes that are allocated at a time at least.
const LEAST_GROWTH: usize = 1 << 16;

/// Bounds of reading ahead, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Packed bytes that are read before threads are started. Small files are not worth a thread.
    pub before: u64,
    /// Least size of a job. It takes a few milliseconds, so that a thread is woken seldom.
    pub job: usize,
    /// Maximum size of a job. Longer members are not unpacked ahead.
    pub most_packed: usize,
    /// Maximum size of what a job unpacks.
    pub most_unpacked: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { before: 1 << 20, job: 1 << 19, most_packed: 1 << 21, most_unpacked: 1 << 23 }
    }
}

/// Packed bytes from where a member may start to where another may.
#[derive(Debug)]
pub(super) struct Job {
    /// Position of the first byte in the file.
    pub start: u64,
    pub bytes: Vec<u8>,
}

/// Cuts a file into jobs. Bytes between jobs are in none.
pub(super) struct Cutter {
    sizes: Sizes,
    /// The bytes of the job that is collected, or else the last bytes, which may begin a signature.
    bytes: Vec<u8>,
    /// Position of the first of them.
    start: u64,
    /// Whether a member may start at the first of them.
    is_job: bool,
    /// Where the search for the next start goes on.
    searched: usize,
}

impl Cutter {
    /// For the bytes of a file from a position on.
    pub(super) fn new(position: u64, sizes: Sizes) -> Self {
        Cutter { sizes, bytes: Vec::new(), start: position, is_job: false, searched: 0 }
    }

    /// Adds the next bytes of the file. Returns the jobs that are complete.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Vec<Job> {
        self.bytes.extend_from_slice(bytes);
        let mut jobs = Vec::new();
        while let Some(start) = self.next_start() {
            jobs.extend(self.cut(start));
            (self.is_job, self.searched) = (true, self.sizes.job.max(1));
        }
        self.searched = self.searched.max((self.bytes.len() + 1).saturating_sub(HEAD));
        if !self.is_job || self.bytes.len() > self.sizes.most_packed {
            let searched = self.searched.min(self.bytes.len());
            self.is_job = false;
            self.cut(searched);
            self.searched = 0;
        }
        jobs
    }

    /// Ends the job that is collected, since the file ends.
    pub(super) fn end(&mut self) -> Option<Job> {
        self.searched = 0;
        let job = self.cut(self.bytes.len());
        self.is_job = false;
        job
    }

    /// Where the next member may start, from `searched` on.
    fn next_start(&self) -> Option<usize> {
        let here = self.bytes.get(self.searched..)?;
        let fits = |&at: &usize| here.len() >= at + HEAD && has_flags(&here[at + GZIP.len()..]);
        memmem::find_iter(here, GZIP).find(fits).map(|at| self.searched + at)
    }

    /// Removes bytes from the begin: a job if a member may start there.
    fn cut(&mut self, num_bytes: usize) -> Option<Job> {
        let rest = self.bytes.split_off(num_bytes);
        let bytes = std::mem::replace(&mut self.bytes, rest);
        let start = self.start;
        self.start += num_bytes as u64;
        self.is_job.then_some(Job { start, bytes })
    }
}

/// Complete members without damage, one after the other, and their unpacked bytes.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    /// Where each member starts in the file, and where its unpacked bytes start.
    starts: Vec<(u64, usize)>,
    /// The position after the last member.
    pub end: u64,
    /// The unpacked bytes up to `used`. The rest is room that was used before.
    bytes: Vec<u8>,
    used: usize,
    /// Number of bytes that were read.
    at: usize,
}

impl Unpacked {
    /// Unpacks the members at the begin of a job, up to the first that is damaged, incomplete or too large.
    /// `room` is memory to unpack to.
    pub(super) fn of(job: &Job, room: Vec<u8>, sizes: Sizes) -> Unpacked {
        let mut unpacked = Unpacked { end: job.start, bytes: room, ..Unpacked::default() };
        let mut rest = &job.bytes[..];
        while rest.starts_with(GZIP) && has_flags(&rest[GZIP.len()..]) {
            let mut decoder = GzDecoder::new(rest);
            let Some(used) = unpacked.read_member(&mut decoder, 4 * job.bytes.len(), sizes.most_unpacked)
            else {
                break;
            };
            rest = decoder.into_inner();
            unpacked.starts.push((unpacked.end, unpacked.used));
            unpacked.end = job.start + (job.bytes.len() - rest.len()) as u64;
            unpacked.used = used;
        }
        unpacked
    }

    /// Unpacks one member behind the others. Returns the end of its bytes; `None` if it is not used.
    fn read_member(&mut self, decoder: &mut GzDecoder<&[u8]>, expected: usize, most: usize) -> Option<usize> {
        let mut end = self.used;
        loop {
            if end == self.bytes.len() {
                if end >= most {
                    return None;
                }
                let size = expected.max(LEAST_GROWTH).max(2 * end);
                self.bytes.resize(size.min(most), 0);
            }
            match decoder.read(&mut self.bytes[end..]) {
                Ok(0) => return Some(end),
                Ok(read) => end += read,
                Err(_) => return None,
            }
        }
    }

    /// Whether it has no member.
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Goes to the member that starts at a position in the file; false if none does.
    pub(super) fn go_to(&mut self, position: u64) -> bool {
        let member = self.starts.binary_search_by_key(&position, |&(start, _)| start);
        self.at = member.map_or(self.used, |member| self.starts[member].1);
        member.is_ok()
    }

    /// Copies the next unpacked bytes; 0 at the end.
    pub(super) fn read(&mut self, out: &mut [u8]) -> usize {
        let here = &self.bytes[self.at..self.used];
        let size = here.len().min(out.len());
        out[..size].copy_from_slice(&here[..size]);
        self.at += size;
        size
    }

    /// The memory, for other members.
    pub(super) fn into_room(self) -> Vec<u8> {
        self.bytes
    }
}
