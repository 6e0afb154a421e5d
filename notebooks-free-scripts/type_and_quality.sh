#!/usr/bin/env bash
# Measures page types and quality, as predicted on held-out folds: trains models/default.toml on its sets, and
# generates the tables of docs/results/languages.md. WRITE=1 replaces the CSV files in docs/results/data.
source "$(dirname "$0")/common.sh"
sets=(); for s in wcxb-dev fundus-tests readability krdwrd-canola; do sets+=("$DATA/$s"); done
timed $threshr --force train --data "${sets[@]}" --recipe models/default.toml --out "$OUT/page_level.json" --held-out "$OUT/page_level.csv"
to="$OUT/page_level"
[ "${WRITE:-}" != 1 ] || to=docs/results/data
mkdir -p "$to"
python3 notebooks-free-scripts/type_and_quality_tables.py "$OUT/page_level.csv" --set wcxb-dev --out "$to"
