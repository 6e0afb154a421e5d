# Sourced by the scripts of this folder. DATA is the folder that holds the annotated sets (see datasets/README.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
: "${DATA:?set DATA to the folder that holds the annotated sets, see datasets/README.md}"
: "${OUT:=target/results}"
mkdir -p "$OUT"
# THRESHR names a binary that is built already
if [ -n "${THRESHR:-}" ]; then
    threshr=$THRESHR
else
    cargo build --release --quiet
    threshr=target/release/threshr
fi

# Runs a command and says what it cost: wall and CPU seconds, peak memory.
timed() {
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f "cost: %e s wall, %U s user, %M KB peak" "$@"
    else
        time "$@"
    fi
}
