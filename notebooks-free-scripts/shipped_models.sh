#!/usr/bin/env bash
# Rebuilds the models of models/ from their recipes and measures them on sets that they were not trained on.
# WRITE=1 replaces the shipped files. Afterwards `THRESHR_BLESS=1 cargo test -p threshr-extract --test shipped_model`
# writes models/default.bin anew.
source "$(dirname "$0")/common.sh"
permissive=(wcxb-dev fundus-tests readability krdwrd-canola)
all=("${permissive[@]}" cleaneval-en-dev cleaneval-en-final cleaneval-zh-nodes cleanportaleval google-trends-2017-nodes l3s-gn1 daniel-pl-zh)
build() {
    local name=$1; shift
    local sets=(); for s in "$@"; do sets+=("$DATA/$s"); done
    timed $threshr --force train --data "${sets[@]}" --recipe "models/$name.toml" --out "$OUT/$name.json"
    if cmp -s "$OUT/$name.json" "models/$name.json"; then echo "the same bytes as models/$name.json"; else
        echo "not the bytes of models/$name.json"
        [ "${WRITE:-}" != 1 ] || cp "$OUT/$name.json" "models/$name.json"
    fi
}
build default "${permissive[@]}"
build tiny wcxb-dev fundus-tests
build cleaneval cleaneval-en-dev cleaneval-en-final
build research "${all[@]}"
for model in default tiny; do
    for set in cleaneval-en-final cleanportaleval l3s-gn1 daniel-pl-zh google-trends-2017-nodes cleaneval-zh-nodes; do
        for policy in main article full; do
            echo "$model, policy $policy"
            $threshr evaluate --data "$DATA/$set" --model "$OUT/$model.json" --policy $policy --metrics token --overlap skip --by lang | sed '/^calibration of/,/^$/d'
        done
    done
done
