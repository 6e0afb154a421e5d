#!/usr/bin/env bash
# Pal 2009: density-lm learns from the first 90 % of a set's pages; the share of wrong chunks on the last 10 %, by lines
# of HTML and by blocks. Sets with markers in the page are read by them; see --gold-format, --markers, --gold-selector.
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
