#!/usr/bin/env bash
# Trees, support vector machines and the logistic model on the first eight families, 5 folds by site, on three sets, between floor and ceiling: token F1 with intervals.
# CLASSIFIERS="tree svm-rff" restricts it.
source "$(dirname "$0")/common.sh"
for set in cleaneval-en-final l3s-gn1 wcxb-dev; do
    for classifier in ${CLASSIFIERS:-tree linfa-tree svm svm-rff logistic}; do
        # linfa-trees takes 50,000 rows; what is beyond is drawn
        extra=(); [ "$classifier" = linfa-tree ] && extra=(--param sample=true)
        echo "# $set $classifier"
        timed $threshr evaluate --data "$DATA/$set" --folds 5 --features shallow+density+container+position+duplicate+group+document+attribute --classifier "$classifier" ${extra[@]+"${extra[@]}"} --metrics token
    done
done
