#!/usr/bin/env bash
# The grand table: every system and every shipped model on every shared set, with quality and speed on one core.
# Systems that learn are trained on 5 folds by site; the shipped models are measured on sites that they were not trained
# on. Rows that are there already are not made again, so that a run that was stopped goes on.
# Usage: DATA=folder notebooks-free-scripts/grand_table.sh [SET…]
#        SYSTEMS="bte justext" runs these alone; MODELS="" no models; FOLDS=0 nothing that must be trained
source "$(dirname "$0")/common.sh"
sets=("$@")
[ ${#sets[@]} -gt 0 ] || sets=(cleaneval-en-final cleaneval-en-dev cleaneval-zh-nodes l3s-gn1 krdwrd-canola wcxb-dev
    cleanportaleval daniel-pl-zh fundus-tests google-trends-2017-nodes readability)
: "${SYSTEMS=$($threshr systems | awk '$1 == "system" && $2 != "oracle" {print $2}') boilerpipe-article+tree2}"
: "${MODELS=$(ls models/*.json)}"
: "${FOLDS:=5}"
dir=$OUT/grand_table
mkdir -p "$dir"

# Measures one row: row SET NAME OPTIONS…
row() {
    local set=$1 name=$2
    shift 2
    local file=$dir/$set.$name
    if [ ! -s "$file.done" ]; then
        # --bars are not asked for: an error is a row that could not be measured, and says why
        if ! $threshr evaluate --data "$DATA/$set" "$@" --metrics token,character --format csv --out "$file.csv" 2> "$file.log"
        then
            printf '| %s | not measured: %s |\n' "$name" "$(tail -1 "$file.log")"
            return
        fi
        speed "$set" "$name" > "$file.speed"
        echo done > "$file.done"
    fi
    printf '| %s |' "$name"
    local column
    for column in token_p token_r token_f1 char_f1; do
        scores "$file.csv" "$(row_of "$name")" "$column" | awk '{printf " %.3f |", $2}'
    done
    scores "$file.csv" "$(row_of "$name")" token_f1 | awk '{printf " %.3f–%.3f | %d |", $3, $4, $1}'
    cat "$file.speed"
}

# The name that a row has in evaluate's table: a model's has none of the trained systems' ending.
row_of() { echo "${1% by folds}"; }

# Pages and megabytes per second of CPU time; of a system that must be trained, trained on the whole set.
speed() {
    local set=$1 name=$2 options=(--system "$2")
    case $name in
        *' by folds')
            local system=${name% by folds} model=$dir/$set.${name% by folds}.json
            $threshr train --data "$DATA/$set" --system "$system" --out "$model" 2> /dev/null
            options=(--model "$model") ;;
        *) [ -f "models/$name.json" ] && options=(--model "models/$name.json") ;;
    esac
    $threshr --jobs 1 evaluate --data "$DATA/$set" "${options[@]}" --overlap allow --metrics token --speed 2> /dev/null |
        sed -n 's/^speed of .*: .* ms\/page, \([0-9.]*\) pages\/s, \([0-9.]*\) MB\/s.*/ \1 | \2 |/p'
}

for set in "${sets[@]}"; do
    printf '\n## %s\n\n| | token P | token R | token F1 | characters F1 | interval of token F1 | pages | pages/s | MB/s |\n' "$set"
    printf '|---|---:|---:|---:|---:|---|---:|---:|---:|\n'
    for system in $SYSTEMS; do
        training=$($threshr systems "${system%%+*}" | awk '$1 == "training" {print $2}')
        [ "$training" = needed ] || row "$set" "$system" --system "$system"
        [ "$training" = none ] || [ "$FOLDS" = 0 ] || row "$set" "$system by folds" --system "$system" --folds "$FOLDS"
    done
    for model in $MODELS; do
        name=$(basename "$model" .json)
        row "$set" "$name" --model "$model" --overlap skip
    done
done
