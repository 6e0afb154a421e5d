#!/usr/bin/env bash
# Table 2 of Viveros-Jiménez et al. (2018) in form: the tree filter at depths none, 1 to 5, on CleanEval and L3S-GN1,
# after tree and SVM, cross-validated by site; characters P, R, F1; each depth compared with no filter.
source "$(dirname "$0")/common.sh"
for set in cleaneval-en-final l3s-gn1; do
    for classifier in tree svm-rff; do
        $threshr evaluate --data "$DATA/$set" --folds 5 --classifier "$classifier" \
            --filter none,tree --filter-depth 1,2,3,4,5 --versus none \
            --metrics character,token --format markdown --out "$OUT/tree_filter_$set.$classifier.md"
        printf '\n## %s, %s\n\n' "$set" "$classifier"
        sed '/^calibration of/,/^compared with/{/^compared with/!d}' "$OUT/tree_filter_$set.$classifier.md"
    done
done
