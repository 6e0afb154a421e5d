#!/usr/bin/env bash
# Measures the costs of extraction on one core, stage by stage, compared with html5ever's parser. PEERS is the folder
# of a runner for other tools on the same pages, called as `run.py --data SET --peer NAME…`; PEER_NAMES selects the
# tools. PYTHON is its interpreter.
source "$(dirname "$0")/common.sh"
for set in wcxb-dev cleaneval-en-final l3s-gn1; do
    for model in default fast tiny; do
        echo "$set, $model"
        $threshr bench "$DATA/$set/pages" --model "$model" --quiet
        echo
    done
    if [ -n "${PEERS:-}" ]; then
        # shellcheck disable=SC2086 # several names
        "${PYTHON:-python3}" "$PEERS/run.py" --data "$DATA/$set" --peer ${PEER_NAMES:-resiliparse trafilatura}
    else
        echo "PEERS is not set: no other tools beside it"
    fi
done
