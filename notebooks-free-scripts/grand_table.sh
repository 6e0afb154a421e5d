#!/usr/bin/env bash
# Scores all systems, all shipped models and, if their outputs are given, other tools on all shared sets: mean token
# F1, then speed on one core. Systems that need training are trained on folds by site. The shipped models are scored
# on sites that they were not trained on. Existing results are kept, so an interrupted run can be continued.
# Usage: DATA=folder notebooks-free-scripts/grand_table.sh [SET…]
#        SYSTEMS="bte justext": only these systems; MODELS="": no models; FOLDS=0: no training
#        BUDGET=600: maximum CPU time in seconds for training and scoring a system on a set
#        PREDICTIONS=folder: outputs of other tools, SET/TOOL.jsonl (JSON lines with id and text)
#        SPEED="set …": sets on which speed is measured; SPEED="": no speed; ROUNDS: number of rounds
#        (the fastest is used)
source "$(dirname "$0")/common.sh"
sets=("$@")
[ ${#sets[@]} -gt 0 ] || sets=(cleaneval-en-final cleaneval-en-dev cleaneval-zh-nodes l3s-gn1 krdwrd-canola wcxb-dev
    cleanportaleval daniel-pl-zh fundus-tests google-trends-2017-nodes readability)
: "${SYSTEMS=$($threshr systems | awk '$1 == "system" {print $2}' | grep -vx -e keep-everything -e oracle) boilerpipe-article+tree2}"
: "${MODELS=default models/tiny.json}"
: "${FOLDS:=5}" "${BUDGET:=600}" "${PREDICTIONS:=}" "${ROUNDS:=2}"
: "${SPEED=cleaneval-en-final l3s-gn1 wcxb-dev}"
dir=$OUT/grand_table
mkdir -p "$dir"

# `plain`: systems that run without training; `learned`: systems that can be trained.
plain=() learned=()
for system in $SYSTEMS; do
    training=$($threshr systems "${system%%+*}" | awk '$1 == "training" {print $2}')
    [ "$training" = needed ] || plain+=("$system")
    [ "$training" = none ] || [ "$FOLDS" = 0 ] || learned+=("$system")
done
list=$(IFS=,; echo "${plain[*]}")

# measure FILE OPTIONS…: evaluates into a file, unless the file exists. If there is no score, FILE.log contains the
# reason.
measure() {
    local file=$dir/$1.csv status=0
    shift
    if [ -s "$file" ] || grep -qs -e 'CPU time is over' -e 'trained on the sites of all' "$file.log"; then
        return
    fi
    (ulimit -c 0; ulimit -S -t "$BUDGET"
        exec "$threshr" --jobs 1 evaluate "$@" --metrics token --format csv --quiet --out "$file") 2> "$file.log" || status=$?
    case $status in
        0) ;;
        152) echo "CPU time is over $BUDGET s" > "$file.log" ;; # SIGXCPU
        *) grep -q 'trained on the sites of all' "$file.log" || sed "s|^|$file: |" "$file.log" >&2 ;;
    esac
}

for set in "${sets[@]}"; do
    [ -z "$list" ] || BUDGET=unlimited measure "$set.plain" --data "$DATA/$set" --system "$list"
    for model in $MODELS; do
        measure "$set.$(basename "$model" .json)" --data "$DATA/$set" --model "$model" --policy main --overlap skip
    done
    for system in "${learned[@]}"; do
        measure "$set.$system.folds" --data "$DATA/$set" --system "$system" --folds "$FOLDS"
    done
    for file in "${PREDICTIONS:+$PREDICTIONS/$set/}"*.jsonl; do
        [ ! -f "$file" ] || measure "$set.$(basename "$file" .jsonl).other" --data "$DATA/$set" --predictions "$file"
    done
done

# cell SET FILE ROW: prints a cell. A ROW that ends in + matches the row that begins with it, because the row of a
# model also contains its filter. If not all pages are scored, the number of pages follows in brackets. The cell is
# `trained` if fewer than half of the pages are scored, and `> N s` if the CPU time for training did not suffice.
cell() {
    local file=$dir/$1.$2.csv row=$3 all=
    if [ -s "$file" ]; then
        case $row in
            *+) row=$(awk -F, -v b="$row" '{gsub(/"[^"]*"/, "")} index($4 "+", b) == 1 {print $4; exit}' "$file") ;;
        esac
        [ ! -s "$dir/$1.plain.csv" ] || all=$(scores "$dir/$1.plain.csv" oracle token_f1 | cut -d' ' -f1)
        scores "$file" "$row" token_f1 | awk -v all="$all" '
            all != "" && 2 * $1 < all {printf " trained |"; next}
            {printf " %s%s |", substr(sprintf("%.3f", $2), $2 < 1 ? 2 : 1), all != "" && $1 != all ? " (" $1 ")" : ""}'
    elif grep -qs 'trained on the sites of all' "$file.log"; then
        printf ' trained |'
    elif grep -qs 'CPU time is over' "$file.log"; then
        sed -n 's/.*over \(.*\)/ > \1 |/p' "$file.log" | tr -d '\n'
    else
        printf ' – |'
    fi
}

# line NAME FILE ROW: prints a row of the table.
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

# speed SET NAME OPTIONS…: measures the speed on one core, from bytes to text. Prints name, ms per page, pages/s and
# MB/s. If NAME is empty, the names of the rows are used.
speed() {
    local set=$1 name=$2
    shift 2
    for ((round = 0; round < ROUNDS; round++)); do
        "$threshr" --jobs 1 evaluate --data "$DATA/$set" "$@" --overlap allow --metrics token --speed --quiet 2> /dev/null |
            sed -n 's|^speed of \(.*\), CPU.*: \([0-9.]*\) ms/page, \([0-9.]*\) pages/s, \([0-9.]*\) MB/s.*|\1\t\2\t\3\t\4|p' |
            awk -F'\t' -v OFS='\t' -v name="$name" 'name {$1 = name} {print}'
    done
}

[ -n "$SPEED" ] || exit 0
for set in $SPEED; do
    file=$dir/$set.speed
    [ ! -s "$file" ] || continue
    {
        [ -z "$list" ] || speed "$set" '' --system "$list"
        # systems that need training are trained on the first set
        for system in "${learned[@]}"; do
            [[ ",$list," != *",$system,"* ]] || continue
            [ -s "$dir/$system.json" ] ||
                "$threshr" --jobs 1 train --data "$DATA/${SPEED%% *}" --system "$system" --out "$dir/$system.json" --quiet > /dev/null 2>&1
            speed "$set" "$system" --model "$dir/$system.json"
        done
        for model in $MODELS; do
            speed "$set" "our $(basename "$model" .json)" --model "$model"
        done
    } > "$file.part"
    mv "$file.part" "$file"
done
printf '\n| ms per page, pages/s, MB/s |'; printf ' %s |' $SPEED; printf '\n|---|'; printf -- '---|%.0s' $SPEED; printf '\n'
for set in $SPEED; do
    # selects the fastest round of each system
    awk -F'\t' -v OFS='\t' '
        !($1 in least) {names[++n] = $1}
        !($1 in least) || $2 < least[$1] {least[$1] = $2; rest[$1] = $2 ", " $3 ", " $4}
        END {for (i = 1; i <= n; i++) print names[i], rest[names[i]]}' "$dir/$set.speed" > "$dir/$set.speed.best"
done
cut -f 1 "$dir/${SPEED%% *}.speed.best" | while read -r name; do
    printf '| %s |' "$name"
    for set in $SPEED; do
        awk -F'\t' -v name="$name" '$1 == name {printf " %s |", $2}' "$dir/$set.speed.best"
    done
    printf '\n'
done
