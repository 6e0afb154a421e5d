#!/usr/bin/env bash
# Table 2 of Viveros-Jiménez et al. (2018) for our systems: the tree filter without depth and with depths 1 to 5 after
# Boilerpipe's ArticleExtractor (their system is boilerpipe-article+tree2), after the default model, and after tree
# and SVM by folds; precision, recall and F1 in characters. Each depth is compared with no filter by the Mann-Whitney
# U test (the paper requires 99 %).
# Usage: DATA=folder notebooks-free-scripts/viveros_2018.sh [boilerpipe] [model] [folds]
source "$(dirname "$0")/common.sh"
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(boilerpipe model folds)
depths=(--filter none,tree --filter-depth 1,2,3,4,5 --versus none --metrics character,token --format markdown)
show() {
    printf '\n## %s\n\n' "$1"
    sed '/^calibration of/,/^compared with/{/^compared with/!d}' "$2"
}
for part in "${parts[@]}"; do
    case $part in
        boilerpipe)
            for set in cleaneval-en-final l3s-gn1 fundus-tests; do
                out=$OUT/viveros_boilerpipe_$set.md
                $threshr --force evaluate --data "$DATA/$set" --system boilerpipe-article "${depths[@]}" --out "$out"
                show "boilerpipe-article, $set" "$out"
            done ;;
        model)
            # sets that the default model was not trained on
            for set in cleaneval-en-final l3s-gn1 fundus-tests; do
                out=$OUT/viveros_model_$set.md
                $threshr --force evaluate --data "$DATA/$set" --model default --policy main --overlap skip "${depths[@]}" --out "$out" ||
                    { echo "$set: left out"; continue; }
                show "default model, $set" "$out"
            done ;;
        folds)
            for set in cleaneval-en-final l3s-gn1; do
                for classifier in tree svm-rff; do
                    out=$OUT/viveros_$set.$classifier.md
                    $threshr --force evaluate --data "$DATA/$set" --folds 5 --classifier "$classifier" "${depths[@]}" --out "$out"
                    show "$classifier, 5 folds by site, $set" "$out"
                done
            done ;;
        *) echo "no part $part" >&2; exit 2 ;;
    esac
done
