#!/usr/bin/env bash
# Cross-validates the shipped recipes on 5 folds within a set, grouped by site: token F1, CleanEval's official score,
# page types.
source "$(dirname "$0")/common.sh"
$threshr evaluate --data "$DATA/cleaneval-en-final" --recipe models/cleaneval.toml --folds 5 --metrics token,cleaneval | sed '/^calibration of/,$d'
$threshr evaluate --data "$DATA/l3s-gn1" --recipe models/research.toml --folds 5 --filter none,repeats:3,repeats:3+comments+headings --metrics token | sed '/^calibration of/,$d'
$threshr evaluate --data "$DATA/wcxb-dev" --recipe models/default.toml --folds 5 --filter none,repeats+comments,repeats:3+comments+headings --metrics token --by page_type | sed '/^calibration of/,/^$/d'
