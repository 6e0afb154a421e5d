#!/usr/bin/env bash
# The shipped recipes by 5 folds within a set, grouped by site: token F1, CleanEval's official score, page types.
source "$(dirname "$0")/common.sh"
$threshr evaluate --data "$DATA/cleaneval-en-final" --recipe models/cleaneval.toml --folds 5 --metrics token,cleaneval | sed '/^calibration of/,$d'
$threshr evaluate --data "$DATA/l3s-gn1" --recipe models/research.toml --folds 5 --filter none,repeats,repeats+comments --metrics token | sed '/^calibration of/,$d'
$threshr evaluate --data "$DATA/wcxb-dev" --recipe models/research.toml --folds 5 --filter none,repeats --metrics token,snippet --by page_type | sed '/^calibration of/,/^$/d'
