# The scripts in this folder source this file. DATA is the folder of the annotated sets (see datasets/README.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
: "${DATA:?set DATA to the folder that holds the annotated sets, see datasets/README.md}"
: "${OUT:=target/results}"
mkdir -p "$OUT"
# THRESHR is an existing binary, if any
if [ -z "${THRESHR:-}" ]; then
    cargo build --release --quiet
    THRESHR=target/release/threshr
fi
threshr=$THRESHR

# Runs a command and prints its costs: wall-clock and CPU seconds, peak memory.
timed() {
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f "cost: %e s wall, %U s user, %M KB peak" "$@"
    else
        time "$@"
    fi
}

# scores FILE ROW COLUMN: prints number of pages, mean, lower and upper end of the interval from a CSV file of
# `evaluate`.
scores() {
    # quoted values may contain commas; they are not needed
    awk -F, -v row="$2" -v column="$3" '{gsub(/"[^"]*"/, "")} $4 == row && $10 == column {print $11, $12, $13, $14}' "$1"
}
