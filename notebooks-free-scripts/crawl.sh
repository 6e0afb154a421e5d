#!/usr/bin/env bash
# Checks the requirements for crawls on two WARC files of annotated pages (100 MB and 1 GB decompressed): records per
# second, peak memory, equal output for 1 and 2 jobs and after kill -9, and a Parquet file that pyarrow can read. The
# exit code is 1 if a requirement is not met.
# MODEL is the model (default: models/tiny.json), SMALL and LARGE are the sizes in MB. Needs python3 with brotli and
# pyarrow, about 3 GB in OUT, and GNU time.
source "$(dirname "$0")/common.sh"
python=${PYTHON:-python3}
"$python" -c 'import brotli, pyarrow' || { echo "needs: pip install brotli pyarrow" >&2; exit 2; }
[ -x /usr/bin/time ] || { echo "needs GNU time" >&2; exit 2; }
model=${MODEL:-models/tiny.json} small=${SMALL:-100} large=${LARGE:-1024}
dir=$OUT/crawl; mkdir -p "$dir"; rm -f "$dir"/*.parquet*
failed=0
bar() { if [ "$1" = 0 ]; then echo "held: $2"; else echo "FAILED: $2"; failed=1; fi; }
for size in $small $large; do
    # the files are generated once, and again if the script has changed
    [ "$dir/$size.warc.gz" -nt notebooks-free-scripts/make_warc.py ] || "$python" notebooks-free-scripts/make_warc.py "$dir/$size.warc.gz" "$size" "$DATA"/*/pages
done
# run NAME SIZE JOBS: writes NAME.parquet. The files contain corrupt records, so exit code 2 is expected.
run() {
    /usr/bin/time -f "%e %U %S %M" -o "$dir/$1.time" "$threshr" predict "$dir/$2.warc.gz" --model "$model" --jobs "$3" \
        --out "$dir/$1.parquet" ${4:-} 2>"$dir/$1.log" || [ $? = 2 ] || { cat "$dir/$1.log"; exit 2; }
}
# checks that each intact page has a row
report() {
    "$python" - "$dir/$1.parquet" "$dir/$1.time" "$1" "$dir/$2.warc.gz.json" <<'PY'
import json, sys
import pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
# if the command failed, GNU time writes a message before the times
wall, user, system, memory = open(sys.argv[2]).read().splitlines()[-1].split()
failed = table.num_rows - table["error"].null_count
text = sum(len(t) for t in table["text"].to_pylist())
print(f"{sys.argv[3]}: {table.num_rows} rows ({failed} errors), {text / 1e6:.1f} M characters of text, {wall} s wall, "
      f"{float(user) + float(system):.1f} s CPU, {table.num_rows / float(wall):.0f} records/s, {int(memory) / 1024:.0f} MB peak")
whole = json.load(open(sys.argv[4]))["pages"]
if table.num_rows - failed != whole:
    sys.exit(f"{table.num_rows - failed} pages were read; {whole} are whole")
PY
}
peak() { tail -1 "$dir/$1.time" | cut -d' ' -f4; }
run small-2 "$small" 2; report small-2 "$small" || failed=1
run large-1 "$large" 1; report large-1 "$large" || failed=1
run large-2 "$large" 2; report large-2 "$large" || failed=1
bar "$(cmp -s "$dir/large-1.parquet" "$dir/large-2.parquet"; echo $?)" "the same bytes for 1 and 2 jobs"
bar $(($(peak large-2) > $(peak small-2) * 13 / 10)) "peak memory of $large MB within 1.3 of that of $small MB"
# the run is killed three times
for kill in 1 2 3; do
    "$threshr" predict "$dir/$large.warc.gz" --model "$model" --jobs 2 --out "$dir/killed.parquet" --resume 2>/dev/null & pid=$!
    before=$(grep -c '"group"' "$dir/killed.parquet.journal" 2>/dev/null || true)
    while [ "$(grep -c '"group"' "$dir/killed.parquet.journal" 2>/dev/null || true)" -le "${before:-0}" ] 2>/dev/null || [ ! -f "$dir/killed.parquet.journal" ]; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.2
    done
    kill -9 $pid 2>/dev/null || { echo "it ended before it was killed"; failed=1; }
    wait $pid 2>/dev/null || true
done
run killed "$large" 2 --resume
bar "$(cmp -s "$dir/large-1.parquet" "$dir/killed.parquet"; echo $?)" "the same bytes after kill -9, three times"
exit $failed
