#!/usr/bin/env bash
# What it gains to know how often a text stands on other pages of the site: 5 folds by site with and without the columns of
# site_repeat, on sets with several pages of a site, with paired intervals. SETS names the sets, ROUNDS the trees of a model.
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
for set in ${SETS:-daniel-pl-zh l3s-gn1 wcxb-dev}; do
    timed $threshr compare --data "$DATA/$set" --folds 5 --recipe "$recipe" --features all all,site_repeat \
        --metrics token,block --out "$OUT/site_repeat-$set"
done
