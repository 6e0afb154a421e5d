#!/usr/bin/env bash
# Scores the systems of CleanEval 2007 and later systems on its final English pages with the official scores, and
# compares the scores with the published scores. Systems that need training are trained on 5 folds by site. With
# arguments, only the named systems run.
# Usage: DATA=folder notebooks-free-scripts/cleaneval_2007.sh [SYSTEM…]
source "$(dirname "$0")/common.sh"
set=$DATA/cleaneval-en-final
# Name; number of folds for systems that need training, otherwise 0; published score with its type: official (text and
# markup; the default), text, or characters (F1)
systems='
keep-everything 0 -
wcc-baseline 0 62.2
wcc-heuristic 0 68.5
wcc-tree 5 52.4
wcc-lm 0 60.6
wcc-genetic 5 -
fiasco 5 63.5
stupidos 5 71.6
genieknows 0 73.6
genieknows 5 73.6
htmlcleaner 0 74.0
kimatu 0 74.3
victor-all 5 73.92
victor-74.5 5 74.5
victor-75.15 5 75.15
mss 5 87.8 text
density-lm 5 -
bte 0 -
text-distribution 0 -
justext 0 -
boilerpipe-article 0 .83 characters
boilerpipe-article+tree2 0 .78 characters
boilerpipe-default 0 -
boilerpipe-largest 0 -
boilerpipe-numwords 0 -
boilerpipe-density 0 -
boilerpipe-canola 0 -
boilerpipe-keep-everything 0 -
oracle 0 -
'
wanted=" $* "
metrics=(--metrics cleaneval,token,character --format csv)

# systems without training, in one run
names=$(awk '$2 == 0 && $1 != "keep-everything" && $1 != "oracle" {print $1}' <<< "$systems")
for name in $names; do
    [ "$wanted" = "  " ] || [[ $wanted = *" $name "* ]] || names=$(grep -vx "$name" <<< "$names" || true)
done
plain=$OUT/cleaneval_2007.csv
$threshr --force evaluate --data "$set" ${names:+--system "$(paste -sd, <<< "$names")"} "${metrics[@]}" --out "$plain" 2> /dev/null

printf '| system | trained | published | official | text | markup | token F1 | characters F1 |\n'
printf '|---|---|---:|---:|---:|---:|---:|---:|\n'
while read -r name folds published kind; do
    [ -n "$name" ] || continue
    [ "$wanted" = "  " ] || [[ $wanted = *" $name "* ]] || continue
    file=$plain row=$name
    if [ "$folds" != 0 ]; then
        file=$OUT/cleaneval_2007.$name.csv options=()
        case $name in
            # the variants of Victor are options of one system
            victor-*) row=victor options=(--system-param "victor.features=${name#victor-}") ;;
        esac
        $threshr --force evaluate --data "$set" --system "$row" "${options[@]}" --folds "$folds" "${metrics[@]}" --out "$file" 2> /dev/null
    fi
    printf '| %s | %s | %s |' "$name" "$([ "$folds" = 0 ] && echo no || echo "$folds folds")" "${published/#-/}${kind:+ $kind}"
    for column in cleaneval cleaneval_text cleaneval_markup token_f1 char_f1; do
        scores "$file" "$row" "$column" | awk -v c="$column" '
            c ~ /^cleaneval/ && $2 <= 1 {$2 *= 100}
            {printf c ~ /^cleaneval/ ? " %.1f |" : " %.3f |", $2}'
    done
    printf '\n'
done <<< "$systems"
