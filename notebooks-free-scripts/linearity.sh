#!/usr/bin/env bash
# What a page costs as it grows, from 1 KB to 50 MB, shape by shape; then alignment as gold grows, and training as rows grow.
# CPU time of one job, and the exponent fitted to log time over log size. Exit 1 if an exponent is above 1.1. MODEL names the
# model (default: the shipped model), PARTS what is measured (pages align train), LARGEST the largest page in MB.
source "$(dirname "$0")/common.sh"
python=${PYTHON:-python3}
"$python" notebooks-free-scripts/linearity.py "$threshr" "${MODEL:-default}" "$OUT/linearity" "${LARGEST:-50}" \
    ${PARTS:-pages align train}
