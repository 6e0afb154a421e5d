#!/usr/bin/env bash
# Rebuilds the models of models/ from their recipes and measures them on sets that they were not trained on.
# WRITE=1 replaces the shipped files. `research` is trained on every set and is not shipped.
source "$(dirname "$0")/common.sh"
permissive=(wcxb-dev fundus-tests readability krdwrd-canola harvest-a)
all=("${permissive[@]}" cleaneval-en-dev cleaneval-en-final cleaneval-zh-nodes cleanportaleval google-trends-2017-nodes l3s-gn1 daniel-pl-zh)
# Pages whose labels are the scores of the teacher alone.
unlabelled=()
build() {
    local name=${1%.*} file=$1; shift
    local sets=(); for s in "$@"; do sets+=("$DATA/$s"); done
    timed $threshr --force train --data "${sets[@]}" "${unlabelled[@]}" --recipe "models/$name.toml" --out "$OUT/$file"
    if cmp -s "$OUT/$file" "models/$file"; then echo "the same bytes as models/$file"; else
        echo "not the bytes of models/$file"
        [ "${WRITE:-}" != 1 ] || [ "$name" = research ] || cp "$OUT/$file" "models/$file"
    fi
}
build default.bin "${permissive[@]}"
unlabelled=(--unlabelled "$DATA"/{postlight-rules,trafilatura-snippets}/pages)
build fast.bin "${permissive[@]}"
build tiny.json wcxb-dev fundus-tests
unlabelled=()
build cleaneval.json cleaneval-en-dev cleaneval-en-final
build research.json "${all[@]}"
for model in default.bin fast.bin tiny.json; do
    for set in cleaneval-en-final cleanportaleval l3s-gn1 daniel-pl-zh google-trends-2017-nodes cleaneval-zh-nodes; do
        for policy in main article full; do
            echo "$model, policy $policy"
            $threshr evaluate --data "$DATA/$set" --model "$OUT/$model" --policy $policy --metrics token --overlap skip --by lang | sed '/^calibration of/,/^$/d'
        done
    done
done
