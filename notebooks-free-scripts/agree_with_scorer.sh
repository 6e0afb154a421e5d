#!/usr/bin/env bash
# Compares `evaluate` with an independent scorer on the same predictions: token precision, recall and F1, LCS, word
# edit distance, 4-grams, ROUGE-LSum, and pooled snippet scores if the set has snippets.
# SCORER is the folder of the independent scorer (score.py), which needs python3 with numpy and rapidfuzz. The exit
# code is 1 if a mean differs by more than 1e-6.
source "$(dirname "$0")/common.sh"
: "${SCORER:=../shared/tools/peers}"
python=${PYTHON:-python3}
if [ ! -e "$SCORER/score.py" ] || ! "$python" -c 'import numpy, rapidfuzz' 2>/dev/null; then
    echo "*** SKIPPED: score.py, or python3 with numpy and rapidfuzz, is not here" >&2
    exit 0
fi
status=0
for set in ${SETS:-cleaneval-en-final l3s-gn1 daniel-pl-zh}; do
    dir=$OUT/agree.$set; rm -rf "$dir"
    $threshr --force evaluate --data "$DATA/$set" --folds 3 --filter none,tree --metrics token --write-predictions "$dir" --out "$dir.txt"
    set -- "$dir"/*.jsonl
    $threshr --force evaluate --data "$DATA/$set" --predictions "$@" --metrics token,order,shingle,rouge,snippet --format json --out "$dir.ours.json"
    files=(); for f in "$@"; do files+=("$(realpath "$f")"); done
    theirs=$(realpath -m "$dir.theirs.json"); data=$(realpath "$DATA/$set")
    (cd "$SCORER" && PYTHONDONTWRITEBYTECODE=1 "$python" score.py --no-cache --data "$data" --pred "${files[@]}" --json "$theirs") >/dev/null
    "$python" - "$dir.ours.json" "$theirs" "$set" <<'PY' || status=1
import json, sys
ours = {r["row"]: r["scores"] for r in json.load(open(sys.argv[1]))[0]["rows"]}
theirs = json.load(open(sys.argv[2]))
worst, n = 0.0, 0
for row, scores in theirs.items():
    for mine, other in (("token_p", "p"), ("token_r", "r"), ("token_f1", "f1"), ("lcs", "lcs"), ("lev", "lev"), ("sh_p", "sh_p"), ("sh_r", "sh_r"),
                        ("rouge_p", "rouge_p"), ("rouge_r", "rouge_r"), ("rouge_f1", "rouge_f1")):
        worst = max(worst, abs(ours[row][mine]["mean"] - scores[other])); n += 1
    for column in ("sn_p", "sn_r", "sn_acc", "sn_f1"):
        if column in scores:
            worst = max(worst, abs(ours[row][column]["pooled"] - scores[column])); n += 1
print(f"{sys.argv[3]}: {n} means compared, greatest difference {worst:.2e}")
sys.exit(worst > 1e-6)
PY
done
exit $status
