#!/usr/bin/env bash
# What it gains to know how often a text stands on other pages of the site: 5 folds by site with and without the columns of
# site_repeat, on sets with several pages of a site, with paired intervals; then what counting them first costs a crawl, a WARC file
# of WARC_MB (250) made of annotated pages. SETS names the sets (empty: the cost alone), ROUNDS the trees of a model. Needs python3
# with brotli, and GNU time.
source "$(dirname "$0")/common.sh"
recipe=$OUT/site_repeat.toml
cat > "$recipe" <<TOML
seed = 1
[features]
set = "all"
neighbours = [1]
[weights]
block = "sqrt"
[classifier]
name = "gbt"
params = { rounds = ${ROUNDS:-100}, learning_rate = 0.15, column_share = 0.2 }
[decision]
rule = "nested-f1"
filter = "none"
folds = 2
TOML
for set in ${SETS-daniel-pl-zh l3s-gn1 wcxb-dev}; do
    timed $threshr compare --data "$DATA/$set" --folds 5 --recipe "$recipe" --features all all,site_repeat \
        --metrics token,block --out "$OUT/site_repeat-$set"
done

# one model, with its columns filled and empty, in turn
warc=$OUT/site_repeat.warc.gz model=$OUT/site_repeat.json
${PYTHON:-python3} notebooks-free-scripts/make_warc.py "$warc" "${WARC_MB:-250}" "$DATA"/*/pages
$threshr --force train --data "$DATA/daniel-pl-zh" --recipe "$recipe" --features all,site_repeat --out "$model" --quiet
for _ in 1 2 3; do
    for option in "" --site-stats; do
        rm -f "$OUT/site_repeat.parquet"
        # broken records are expected, so exit code 2 is, too
        # shellcheck disable=SC2086 # no option is no argument
        timed $threshr predict "$warc" --model "$model" --jobs 1 --quiet $option --out "$OUT/site_repeat.parquet" \
            2> "$OUT/site_repeat.log" || [ $? = 2 ]
        [ -s "$OUT/site_repeat.parquet" ] || { cat "$OUT/site_repeat.log" >&2; exit 2; }
        echo "predict ${option:-without --site-stats}: $(grep '^cost' "$OUT/site_repeat.log")"
    done
done
