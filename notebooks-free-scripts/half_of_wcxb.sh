#!/usr/bin/env bash
# How a change of the recipe or of the program does on sites, sets and languages that training has not seen: recipes are trained
# on half of wcxb-dev's sites and on the three other sets whose licence allows any use, and tested on the other half (policy main)
# and on six other sets (main and article). Token F1; two seeds of one recipe differ by .003 and more.
# Usage: DATA=folder [SEEDS="1 2"] [HALF=0] notebooks-free-scripts/half_of_wcxb.sh [RECIPE…]     without one models/default.toml;
# HALF is the half that is tested on, 1 by default.
source "$(dirname "$0")/common.sh"
recipes=("$@")
[ ${#recipes[@]} -gt 0 ] || recipes=(models/default.toml)
halves=$OUT/halves log=$OUT/half.log
: > "$log"
trap '[ $? = 0 ] || cat "$log" >&2' EXIT
rm -rf "$halves"; mkdir -p "$halves"
python3 - "$DATA/wcxb-dev" "$halves" "${HALF:-1}" <<'PY'
import hashlib, json, os, sys
source, out, tested = sys.argv[1:]
def site(domain):
    parts = domain.split(".")
    # co.uk and its like are no sites
    is_shared = len(parts) > 2 and len(parts[-1]) == 2 and parts[-2] in ("ac", "co", "com", "edu", "gov", "net", "org")
    return ".".join(parts[-3 if is_shared else -2:])
files = {}
for half in ("train", "test"):
    os.makedirs(f"{out}/{half}/wcxb-dev")
    os.symlink(os.path.realpath(f"{source}/pages"), f"{out}/{half}/wcxb-dev/pages")
    files[half] = open(f"{out}/{half}/wcxb-dev/gold.jsonl", "w")
for line in open(f"{source}/gold.jsonl"):
    is_test = int(hashlib.md5(site(json.loads(line)["domain"]).encode()).hexdigest(), 16) % 2 == int(tested)
    files["test" if is_test else "train"].write(line)
PY
unseen=(cleaneval-en-final cleanportaleval l3s-gn1 daniel-pl-zh google-trends-2017-nodes cleaneval-zh-nodes)
measure() { # SET POLICY
    $threshr --force evaluate --data "$1" --model "$OUT/half.json" --policy "$2" --overlap skip --metrics token --quiet --format csv --out "$OUT/half.csv" 2>> "$log"
    # the model's row stands between floor and ceiling
    awk -F, '{gsub(/"[^"]*"/, "")} $4 != "keep-everything" && $4 != "oracle" && $10 == "token_f1" {print $12}' "$OUT/half.csv"
}
printf '| recipe | seed | wcxb-dev, half | unseen, main | unseen, article |'
printf ' %s |' "${unseen[@]}"
printf '\n|---|---:|---:|---:|---:|%s\n' "$(printf -- '---:|%.0s' "${unseen[@]}")"
for recipe in "${recipes[@]}"; do
    for seed in ${SEEDS:-1 2}; do
        $threshr --force train --data "$halves/train/wcxb-dev" "$DATA/fundus-tests" "$DATA/readability" "$DATA/krdwrd-canola" \
            --recipe "$recipe" --seed "$seed" --out "$OUT/half.json" --quiet 2>> "$log"
        {
            measure "$halves/test/wcxb-dev" main
            for policy in main article; do
                for set in "${unseen[@]}"; do measure "$DATA/$set" $policy; done
            done
        } | awk -v recipe="$recipe" -v seed="$seed" '{v[NR] = $1} END {
            for (i = 2; i <= 7; i++) {main += v[i] / 6; article += v[i + 6] / 6}
            printf "| %s | %d | %.3f | %.3f | %.3f |", recipe, seed, v[1], main, article
            for (i = 2; i <= 7; i++) printf " %.3f / %.3f |", v[i], v[i + 6]
            print ""
        }'
    done
done
