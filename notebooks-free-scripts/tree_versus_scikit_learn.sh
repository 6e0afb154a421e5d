#!/usr/bin/env bash
# Compares our `tree` with scikit-learn's DecisionTreeClassifier on the same columns, rows and weights: block F1 on
# held-out pages. Learned families are excluded, because a table of features does not contain them. Needs python3 with
# numpy and scikit-learn. The exit code is 1 if the F1 of our tree is more than 0.005 below the lowest F1 of five
# seeds of scikit-learn.
source "$(dirname "$0")/common.sh"
python=${PYTHON:-python3}
"$python" -c 'import numpy, sklearn' || { echo "*** SKIPPED: no python3 with scikit-learn here" >&2; exit 0; }
dir=$OUT/scikit; rm -rf "$dir"; mkdir -p "$dir"
cat > "$dir/recipe.toml" <<'TOML'
[features]
set = "all,-words,-attribute_tokens"
neighbours = [1, 2]
[weights]
page = "blocks"
class = "none"
block = "equal"
[labels]
min_aligned = 0.0
[classifier]
name = "tree"
params = { max_depth = 10, min_leaf_rows = 20 }
TOML
status=0
for set in ${SETS:-cleaneval-en-final l3s-gn1}; do
    "$python" - "$DATA/$set" "$dir/$set" <<'PY'
import json, os, sys, zlib
source, out = sys.argv[1:]
for part in ("train", "test"):
    os.makedirs(f"{out}/{part}")
    os.symlink(os.path.realpath(f"{source}/pages"), f"{out}/{part}/pages")
files = {p: open(f"{out}/{p}/gold.jsonl", "w") for p in ("train", "test")}
for line in open(f"{source}/gold.jsonl"):
    # the part of a page depends only on its id
    files["test" if zlib.crc32(json.loads(line)["id"].encode()) % 3 == 0 else "train"].write(line)
PY
    for part in train test; do
        $threshr features "$dir/$set/$part" --features all,-words,-attribute_tokens --neighbours 1,2 --format csv --out "$dir/$set/$part.csv"
    done
    $threshr train --data "$dir/$set/train" --recipe "$dir/recipe.toml" --out "$dir/$set/tree.json"
    $threshr evaluate --data "$dir/$set/test" --model "$dir/$set/tree.json" --overlap allow --metrics block --threshold \
        "$("$python" -c 'import json,math,sys; print(1 / (1 + math.exp(-json.load(open(sys.argv[1]))["calibration"]["b"])))' "$dir/$set/tree.json")" \
        --format json --out "$dir/$set/ours.json"
    "$python" - "$dir/$set" "$set" <<'PY' || status=1
import csv, json, sys
import numpy as np
from sklearn.metrics import f1_score
from sklearn.tree import DecisionTreeClassifier
def read(path):
    with open(path, newline="") as f:
        rows = csv.reader(f); next(rows)
        data = [(r[3] == "1", np.array(r[5:], np.float32)) for r in rows]
    return np.stack([d[1] for d in data]), np.array([d[0] for d in data])
x, y = read(f"{sys.argv[1]}/train.csv"); tx, ty = read(f"{sys.argv[1]}/test.csv")
scores = [f1_score(ty, DecisionTreeClassifier(max_depth=10, min_samples_leaf=20, random_state=s).fit(x, y).predict(tx)) for s in range(5)]
rows = json.load(open(f"{sys.argv[1]}/ours.json"))[0]["rows"]
ours = next(r for r in rows if r["row"] == "tree")["scores"]["block_f1"]["pooled"]
print(f"{sys.argv[2]}: {len(y)} training and {len(ty)} test blocks, {x.shape[1]} columns; block F1 tree {ours:.4f}, scikit-learn {np.mean(scores):.4f} (5 seeds, {min(scores):.4f} to {max(scores):.4f})")
sys.exit(ours < min(scores) - 0.005)
PY
done
exit $status
