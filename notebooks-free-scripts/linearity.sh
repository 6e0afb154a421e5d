#!/usr/bin/env bash
# Measures how CPU time grows with the size of pages from 1 KB to 50 MB, for each type of page; then how alignment
# grows with the gold, and training with the number of rows. Uses one job, and fits an exponent to log time over log
# size. The exit code is 1 if an exponent is above 1.1.
# MODEL is the model (default: the shipped model), PARTS the measurements (pages align train), LARGEST the maximum
# page size in MB.
source "$(dirname "$0")/common.sh"
python=${PYTHON:-python3}
"$python" notebooks-free-scripts/linearity.py "$threshr" "${MODEL:-default}" "$OUT/linearity" "${LARGEST:-50}" \
    ${PARTS:-pages align train}
