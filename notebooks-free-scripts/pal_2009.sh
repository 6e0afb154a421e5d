#!/usr/bin/env bash
# Pal 2009: trains density-lm on the first 90 % of a set's pages, and prints the share of wrong chunks on the last 10
# %, for lines of HTML and for blocks. In sets with markers in the pages, the markers are the gold; see --gold-format,
# --markers, --gold-selector.
# Usage: DATA=folder notebooks-free-scripts/pal_2009.sh [SET…]
. "$(dirname "$0")/common.sh"
sets=("$@")
[ ${#sets[@]} -gt 0 ] || sets=(cleaneval-en-final l3s-gn1 krdwrd-canola)
for set in "${sets[@]}"; do
    for unit in line block; do
        model="$OUT/pal-$set-$unit.json"
        timed "$threshr" --force train --system density-lm --system-param "density-lm.unit=$unit" \
            --system-param density-lm.held_out=0.1 --data "$DATA/$set" --out "$model"
        echo "$set, $unit: $("$threshr" model show "$model" | grep '^error rate')"
    done
done
