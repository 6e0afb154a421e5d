#!/usr/bin/env bash
# Rebuilds models/default.json from its recipe and measures it on the sets that it was not trained on.
# WRITE=1 replaces the shipped file.
source "$(dirname "$0")/common.sh"
sets=(); for s in wcxb-dev fundus-tests readability krdwrd-canola; do sets+=("$DATA/$s"); done
timed $threshr train --data "${sets[@]}" --recipe models/default.toml --out "$OUT/default.json"
if cmp -s "$OUT/default.json" models/default.json; then echo 'the same bytes as models/default.json'; else
    echo 'not the bytes of models/default.json'
    [ "${WRITE:-}" = 1 ] && cp "$OUT/default.json" models/default.json
fi
for set in cleaneval-en-final cleanportaleval l3s-gn1 daniel-pl-zh google-trends-2017-nodes cleaneval-zh-nodes; do
    $threshr evaluate --data "$DATA/$set" --model "$OUT/default.json" --metrics token --overlap skip | sed '/^calibration of/,$d'
done
