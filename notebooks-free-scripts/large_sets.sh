#!/usr/bin/env bash
# Trains on all pages of wcxb-dev (about 380,000 blocks): time and memory of tree and SVM; the error of linfa-svm if
# there are too many rows; equal models for equal seeds.
source "$(dirname "$0")/common.sh"
for classifier in tree svm-rff svm; do
    timed $threshr --force train --data "$DATA/wcxb-dev" --classifier $classifier --out "$OUT/large.$classifier.json"
done
echo '# linfa-svm without sampling: an error'
$threshr --force train --data "$DATA/wcxb-dev" --classifier svm --param sample=false --out "$OUT/no.json" || echo "exit $?"
for classifier in tree svm-rff; do
    $threshr --force train --data "$DATA/wcxb-dev" --classifier $classifier --out "$OUT/again.json" 2>/dev/null
    cmp "$OUT/again.json" "$OUT/large.$classifier.json" && echo "$classifier: the same bytes again"
done
