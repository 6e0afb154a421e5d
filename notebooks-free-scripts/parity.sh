#!/usr/bin/env bash
# BoilerPy3 and jusText from the Python registry against our systems of the same name, page by page. The other program's
# text is taken for gold, so that "token F1" is that between the two outputs. jusText runs with its own English list on
# both sides. PYTHON is one that has them: pip install boilerpy3 justext. Usage: DATA=folder PYTHON=python3 parity.sh [SET…]
source "$(dirname "$0")/common.sh"
: "${PYTHON:=python3}"
sets=("$@")
[ ${#sets[@]} -gt 0 ] || sets=(cleaneval-en-final l3s-gn1 fundus-tests)
"$PYTHON" -c 'import justext, json; print("justext.stop_words=" + json.dumps(sorted(justext.get_stoplist("English"))))' \
    > "$OUT/parity_stop_words"
for set in "${sets[@]}"; do
    "$PYTHON" - "$DATA/$set" "$OUT/parity/$set" <<'PYTHON'
import json, logging, os, sys
import justext
from boilerpy3 import extractors
logging.disable(logging.CRITICAL)
source, out = sys.argv[1:]
words = justext.get_stoplist("English")
def peer(name):
    made = getattr(extractors, name)(raise_on_failure=False)
    return lambda html: made.get_content(html)
def good(html):
    paragraphs = justext.justext(html, words)
    return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)
peers = {
    "boilerpipe-article": peer("ArticleExtractor"),
    "boilerpipe-default": peer("DefaultExtractor"),
    "boilerpipe-largest": peer("LargestContentExtractor"),
    "boilerpipe-numwords": peer("NumWordsRulesExtractor"),
    "boilerpipe-canola": peer("CanolaExtractor"),
    "boilerpipe-keep-everything": peer("KeepEverythingExtractor"),
    "justext": good,
}
lines = [json.loads(line) for line in open(f"{source}/gold.jsonl", encoding="utf-8")]
for name, run in peers.items():
    folder = f"{out}/{name}"
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(f"{folder}/pages"):
        os.symlink(os.path.abspath(f"{source}/pages"), f"{folder}/pages")
    with open(f"{folder}/gold.jsonl", "w", encoding="utf-8") as gold:
        for line in lines:
            data = open(f"{source}/{line['file']}", "rb").read()
            try:
                html = data.decode("utf-8")
            except UnicodeDecodeError:
                html = data.decode("cp1252", "replace")
            try:
                text = run(html) or ""
            except Exception as error:  # a page that the peer cannot read is left out
                print(f"{name}: {line['id']}: {error}", file=sys.stderr)
                continue
            kept = {k: line[k] for k in ("id", "file", "url", "encoding") if k in line}
            gold.write(json.dumps({**kept, "gold": text}) + "\n")
PYTHON
    printf '\n## %s\n\n| system | pages | token P | token R | token F1 | interval |\n|---|---:|---:|---:|---:|---|\n' "$set"
    for folder in "$OUT/parity/$set"/*/; do
        system=$(basename "$folder")
        param=()
        [ "$system" = justext ] && param=(--system-param "$(cat "$OUT/parity_stop_words")")
        $threshr evaluate --data "$folder" --system "$system" "${param[@]}" --metrics token --format csv \
            --per-page "$OUT/parity/$set.$system.pages.csv" --out "$OUT/parity/$set.$system.csv"
        p=$(scores "$OUT/parity/$set.$system.csv" "$system" token_p | cut -d' ' -f2)
        r=$(scores "$OUT/parity/$set.$system.csv" "$system" token_r | cut -d' ' -f2)
        scores "$OUT/parity/$set.$system.csv" "$system" token_f1 | awk -v s="$system" -v p="$p" -v r="$r" \
            '{printf "| %s | %d | %.3f | %.3f | %.3f | %.3f–%.3f |\n", s, $1, p, r, $2, $3, $4}'
    done
done
