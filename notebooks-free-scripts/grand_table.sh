#!/usr/bin/env bash
# The grand table: every system, every shipped model and, where their outputs are given, other tools on every shared set:
# mean token F1, then speed on one core. Systems that learn are trained on folds by site; the shipped models are measured
# on sites that they were not trained on. What is measured already is not measured again, so that a run that was
# stopped goes on.
# Usage: DATA=folder notebooks-free-scripts/grand_table.sh [SET…]
#        SYSTEMS="bte justext" these alone; MODELS="" no models; FOLDS=0 nothing that must be trained
#        BUDGET=600: seconds of CPU time that a system may train on a set, else its cell is "time"
#        PREDICTIONS=folder: SET/TOOL.jsonl (JSON lines with id and text) of other tools
#        SPEED="set …": sets on which speed is measured; SPEED="" none
source "$(dirname "$0")/common.sh"
sets=("$@")
[ ${#sets[@]} -gt 0 ] || sets=(cleaneval-en-final cleaneval-en-dev cleaneval-zh-nodes l3s-gn1 krdwrd-canola wcxb-dev
    cleanportaleval daniel-pl-zh fundus-tests google-trends-2017-nodes readability)
: "${SYSTEMS=$($threshr systems | awk '$1 == "system" {print $2}' | grep -vx -e keep-everything -e oracle) boilerpipe-article+tree2}"
: "${MODELS=models/default.json models/tiny.json models/research.json}"
: "${FOLDS:=5}" "${BUDGET:=600}" "${PREDICTIONS:=}"
: "${SPEED=cleaneval-en-final l3s-gn1 wcxb-dev}"
dir=$OUT/grand_table
mkdir -p "$dir"

# Which systems run as they are, and which can be trained.
plain=() learned=()
for system in $SYSTEMS; do
    training=$($threshr systems "${system%%+*}" | awk '$1 == "training" {print $2}')
    [ "$training" = needed ] || plain+=("$system")
    [ "$training" = none ] || [ "$FOLDS" = 0 ] || learned+=("$system")
done
list=$(IFS=,; echo "${plain[*]}")

# Evaluates into a file, if that is not there: measure FILE OPTIONS…; FILE.log says what went wrong.
measure() {
    local file=$dir/$1.csv
    shift
    [ -s "$file" ] || [ -s "$file.log" ] || {
        (ulimit -t "$BUDGET"; $threshr --jobs 1 evaluate "$@" --metrics token --format csv --quiet --out "$file") \
            2> "$file.log" || { [ $? -le 128 ] || echo 'killed: time' > "$file.log"; }
        [ ! -s "$file" ] || : > "$file.log"
    }
}

for set in "${sets[@]}"; do
    [ -z "$list" ] || BUDGET=unlimited measure "$set.plain" --data "$DATA/$set" --system "$list"
    for model in $MODELS; do
        measure "$set.$(basename "$model" .json)" --data "$DATA/$set" --model "$model" --overlap skip
    done
    for system in "${learned[@]}"; do
        measure "$set.$system.folds" --data "$DATA/$set" --system "$system" --folds "$FOLDS"
    done
    for file in "${PREDICTIONS:+$PREDICTIONS/$set/}"*.jsonl; do
        [ ! -f "$file" ] || measure "$set.$(basename "$file" .jsonl).other" --data "$DATA/$set" --predictions "$file"
    done
done

# A cell: cell SET FILE ROW; a ROW that ends in + is one that begins so (a model's row names its filter too).
# In brackets the number of pages where these are not all; `trained` where they are fewer than half.
cell() {
    local file=$dir/$1.$2.csv row=$3 all
    if [ -s "$file" ]; then
        case $row in
            *+) row=$(awk -F, -v b="$row" '{gsub(/"[^"]*"/, "")} index($4 "+", b) == 1 {print $4; exit}' "$file") ;;
        esac
        all=$(scores "$dir/$1.plain.csv" oracle token_f1 | cut -d' ' -f1)
        scores "$file" "$row" token_f1 | awk -v all="$all" '
            all != "" && 2 * $1 < all {printf " trained |"; next}
            {printf " %s%s |", substr(sprintf("%.3f", $2), $2 < 1 ? 2 : 1), all != "" && $1 != all ? " (" $1 ")" : ""}'
    elif grep -q 'trained on the sites of all' "$file.log" 2> /dev/null; then
        printf ' trained |'
    elif grep -q 'killed: time' "$file.log" 2> /dev/null; then
        printf ' time |'
    else
        printf ' – |'
    fi
}

# A line of the table: line NAME FILE ROW
line() {
    printf '| %s |' "$1"
    for set in "${sets[@]}"; do
        cell "$set" "$2" "$3"
    done
    printf '\n'
}

printf '| token F1 |'; printf ' %s |' "${sets[@]}"; printf '\n|---|'; printf -- '---:|%.0s' "${sets[@]}"; printf '\n'
line 'keep-everything' plain keep-everything
for system in "${plain[@]}"; do
    [ "$system" = keep-everything ] || line "$system" plain "$system"
done
for system in "${learned[@]}"; do
    line "$system, $FOLDS folds" "$system.folds" "$system"
done
for tool in $(ls ${PREDICTIONS:+"$PREDICTIONS"/*/} 2> /dev/null | sed -n 's/\.jsonl$//p' | sort -u); do
    line "$tool" "$tool.other" "$tool"
done
for model in $MODELS; do
    name=$(basename "$model" .json)
    line "our $name" "$name" "$name+"
done
line 'oracle' plain oracle

# Speed of what runs without training, on one core: bytes to text.
for set in $SPEED; do
    printf '\n%s:\n\n| | ms a page | pages/s | MB/s |\n|---|---:|---:|---:|\n' "$set"
    for options in "--system $list" $(for model in $MODELS; do echo "--model=$model"; done); do
        # shellcheck disable=SC2086
        $threshr --jobs 1 evaluate --data "$DATA/$set" $options --overlap allow --metrics token --speed --quiet 2> /dev/null |
            sed -n 's|^speed of \(.*\), CPU.*: \([0-9.]*\) ms/page, \([0-9.]*\) pages/s, \([0-9.]*\) MB/s.*|\| \1 \| \2 \| \3 \| \4 \||p'
    done
done
