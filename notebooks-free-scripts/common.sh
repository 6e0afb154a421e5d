# Sourced by the scripts of this folder. DATA is the folder that holds the annotated sets (see datasets/README.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
: "${DATA:?set DATA to the folder that holds the annotated sets, see datasets/README.md}"
: "${OUT:=target/results}"
mkdir -p "$OUT"
# THRESHR is a binary that is built already, if any
if [ -z "${THRESHR:-}" ]; then
    cargo build --release --quiet
    THRESHR=target/release/threshr
fi
threshr=$THRESHR

# Runs a command and says what it cost: wall and CPU seconds, peak memory.
timed() {
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f "cost: %e s wall, %U s user, %M KB peak" "$@"
    else
        time "$@"
    fi
}

# Of a CSV that `evaluate` wrote: pages, mean, lower and upper end of the interval. scores FILE ROW COLUMN
scores() {
    # what is in quotes may hold commas, and is not needed
    awk -F, -v row="$2" -v column="$3" '{gsub(/"[^"]*"/, "")} $4 == row && $10 == column {print $11, $12, $13, $14}' "$1"
}
