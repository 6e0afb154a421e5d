#!/usr/bin/env bash
# Compares other implementations of Boilerpipe and jusText with our systems of the same name, page by page. The text
# of the other program is used as gold, so "token F1" compares the two outputs. The other programs:
# - java: Boilerpipe 1.2.0 with its parser NekoHTML; only if BOILERPIPE is a class path with boilerpipe, nekohtml,
#   xercesImpl and xml-apis (Debian: libboilerpipe-java, libnekohtml-java, libxerces2-java), and JAVA a JDK
# - boilerpy3: unchanged BoilerPy3, with Python's html.parser
# - boilerpy3-tree: the classes of BoilerPy3 on the tags of a parsed tree (by Resiliparse), as in the Java library
# - boilerpy3-even: unchanged BoilerPy3 on this tree written as HTML: with a body, and with an end tag for every
#   element
# - justext: jusText with its own English stop words, which our system also uses
# Our systems read spaces, words, links and titles like the other program (option `reading`), and use the filter chain
# of the same release.
# PYTHON is a Python with these packages: pip install boilerpy3 justext resiliparse.
# Usage: DATA=folder PYTHON=python3 [BOILERPIPE=class/path] notebooks-free-scripts/parity.sh [SET…]
source "$(dirname "$0")/common.sh"
: "${PYTHON:=python3}" "${JAVA:=java}" "${BOILERPIPE:=}"
sets=("$@")
[ ${#sets[@]} -gt 0 ] || sets=(cleaneval-en-final l3s-gn1 fundus-tests)
"$PYTHON" -c 'import justext, json; print("justext.stop_words=" + json.dumps(sorted(justext.get_stoplist("English"))))' \
    > "$OUT/parity_stop_words"

cat > "$OUT/Boilerpipe.java" <<'JAVA'
import de.l3s.boilerpipe.BoilerpipeExtractor;
import de.l3s.boilerpipe.extractors.*;
import java.nio.file.*;
import java.util.Map;

/** For every page of a folder of UTF-8 pages and every extractor: OUT/EXTRACTOR/PAGE.txt. Arguments: PAGES OUT. */
public class Boilerpipe {
    public static void main(String[] arguments) throws Exception {
        Map<String, BoilerpipeExtractor> extractors = Map.of(
            "article", ArticleExtractor.INSTANCE, "default", DefaultExtractor.INSTANCE,
            "largest", LargestContentExtractor.INSTANCE, "numwords", NumWordsRulesExtractor.INSTANCE,
            "canola", CanolaExtractor.INSTANCE, "keep-everything", KeepEverythingExtractor.INSTANCE);
        for (var extractor : extractors.entrySet()) {
            Path out = Path.of(arguments[1], extractor.getKey());
            Files.createDirectories(out);
            try (var pages = Files.newDirectoryStream(Path.of(arguments[0]))) {
                for (Path page : pages) {
                    String text = extractor.getValue().getText(Files.readString(page));
                    Files.writeString(out.resolve(page.getFileName() + ".txt"), text);
                }
            }
        }
    }
}
JAVA

for set in "${sets[@]}"; do
    out=$OUT/parity/$set
    mkdir -p "$out/utf8"
    # writes the pages in UTF-8, numbered as in the list of the set; a declared encoding is decoded as in a browser
    "$PYTHON" - "$DATA/$set" "$out/utf8" <<'PYTHON'
import json, sys
source, out = sys.argv[1:]
browser = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252",
           "gb2312": "gb18030", "gbk": "gb18030", "iso-8859-9": "cp1254", "shift_jis": "cp932"}
for number, line in enumerate(open(f"{source}/gold.jsonl", encoding="utf-8")):
    page = json.loads(line)
    data = open(f"{source}/{page['file']}", "rb").read()
    for encoding in filter(None, [page.get("encoding"), "utf-8", "cp1252"]):
        encoding = browser.get(encoding.lower(), encoding)
        try:
            text = data.decode(encoding)
            break
        except (UnicodeDecodeError, LookupError):
            text = data.decode("cp1252", "replace")
    open(f"{out}/{number}", "w", encoding="utf-8", newline="").write(text)
PYTHON
    [ -z "$BOILERPIPE" ] || [ -d "$out/java" ] ||
        "$JAVA" -cp "$BOILERPIPE" "$OUT/Boilerpipe.java" "$out/utf8" "$out/java"
    "$PYTHON" - "$DATA/$set" "$out" <<'PYTHON'
import copy, html as escapes, json, logging, os, re, sys
import justext
from boilerpy3 import extractors, parser
from resiliparse.parse.html import HTMLTree, NodeType, traverse_dom
logging.disable(logging.CRITICAL)
source, out = sys.argv[1:]
words = justext.get_stoplist("English")
classes = {"article": "Article", "default": "Default", "largest": "LargestContent", "numwords": "NumWordsRules",
           "canola": "Canola", "keep-everything": "KeepEverything"}
made = {name: getattr(extractors, c + "Extractor")(raise_on_failure=False) for name, c in classes.items()}
parts = ("boilerpy3", "boilerpy3-tree", "boilerpy3-even") + (("java",) if os.path.isdir(f"{out}/java") else ())

# Calls functions for the texts, start tags and end tags of a page's tree.
def walk(html, text, start, end):
    if "</title" not in html.lower():  # a title that is never closed holds the rest of the page: 8 pages of l3s-gn1
        html = re.sub("(?i)<title[^<]*", r"\g<0></title>", html)
    def enter(context):
        node = context.node
        if node.type == NodeType.TEXT:
            text(node)
        elif node.type == NodeType.ELEMENT:
            start(node.tag, {})
            if node.first_child is None:  # then no end is reported
                end(node.tag)
    def leave(context):
        if context.node.type == NodeType.ELEMENT:
            end(context.node.tag)
    traverse_dom(HTMLTree.parse(html).document, enter, leave)

def tree_document(html):
    handler = parser.BoilerpipeBaseParser(raise_on_failure=False)
    walk(html, lambda node: handler.characters(node.text), handler.start_element, handler.end_element)
    return handler.to_text_document()

# Without attributes, which BoilerPy3 does not read, and without scripts and styles, in which its parser does not
# decode character references.
def written_out(html):
    parts = []
    def text(node):
        if node.parent.tag not in ("script", "style"):
            parts.append(escapes.escape(node.text))
    walk(html, text, lambda tag, _: parts.append(f"<{tag}>"), lambda tag: parts.append(f"</{tag}>"))
    return "".join(parts)

def extracted(extractor, document):
    document = copy.deepcopy(document)
    extractor.filter.process(document)
    return document.content

# Yields program, system and text.
def texts(number, html):
    yield "justext", "justext", "\n".join(p.text for p in justext.justext(html, words) if not p.is_boilerplate)
    documents = {"boilerpy3": made["article"].parse_doc(html), "boilerpy3-tree": tree_document(html),
                 "boilerpy3-even": made["article"].parse_doc(written_out(html))}
    for name, extractor in made.items():
        for part in parts:
            if part == "java":
                text = open(f"{out}/java/{name}/{number}.txt", encoding="utf-8", newline="").read()
            else:
                text = extracted(extractor, documents[part])
            yield part, f"boilerpipe-{name}", text

if os.path.exists(f"{out}/done"):
    sys.exit()
files = {}
for number, line in enumerate(open(f"{source}/gold.jsonl", encoding="utf-8")):
    line = json.loads(line)
    html = open(f"{out}/utf8/{number}", encoding="utf-8", newline="").read()
    kept = {k: line[k] for k in ("id", "file", "url", "encoding") if k in line}
    try:
        for part, system, text in texts(number, html):
            folder = f"{out}/{part}.{system}"
            if folder not in files:
                os.makedirs(folder, exist_ok=True)
                if not os.path.lexists(f"{folder}/pages"):
                    os.symlink(os.path.abspath(f"{source}/pages"), f"{folder}/pages")
                files[folder] = open(f"{folder}/gold.jsonl", "w", encoding="utf-8")
            files[folder].write(json.dumps({**kept, "gold": text}) + "\n")
    except Exception as error:  # a page that one of them cannot read is left out
        print(f"{line['id']}: {error}", file=sys.stderr)
open(f"{out}/done", "w").close()
PYTHON
    printf '\n## %s\n\n| other | system | pages | mean F1 | median | equal | without text | mean of the others |\n' "$set"
    printf '|---|---|---:|---:|---:|---:|---:|---:|\n'
    for folder in "$out"/*.*/; do
        peer=$(basename "$folder") system=${folder%/}
        system=${system##*.} peer=${peer%%.*}
        case $system in
            justext) param=(--system-param "$(cat "$OUT/parity_stop_words")") ;;
            boilerpipe-article) param=(--system-param boilerpipe-article.release=1.2.0) ;;
            *) param=() ;;
        esac
        case $peer in
            boilerpy3*) param+=(--system-param "$system.reading=python") ;;
        esac
        $threshr evaluate --data "$folder" --system "$system" "${param[@]}" --metrics token --format csv \
            --force --per-page "${folder%/}.scores.csv" --out "${folder%/}.table.csv" 2> /dev/null
        "$PYTHON" - "$peer" "$system" "$folder" <<'PYTHON'
import csv, json, statistics, sys
peer, system, folder = sys.argv[1:]
rows = csv.DictReader(open(f"{folder.rstrip('/')}.scores.csv", encoding="utf-8"))
score = {row["page"]: float(row["token_f1"]) for row in rows if row["row"] == system}
pages = (json.loads(line) for line in open(f"{folder}/gold.jsonl", encoding="utf-8"))
empty = {page["id"] for page in pages if not page["gold"].strip()}
every = list(score.values())
some = [f1 for page, f1 in score.items() if page not in empty]
equal = sum(f1 > .999999 for f1 in every) / len(every)
print(f"| {peer} | {system} | {len(every)} | {statistics.mean(every):.3f} | {statistics.median(every):.3f} | {equal:.0%} "
      f"| {len(every) - len(some)} | {statistics.mean(some):.3f} |")
PYTHON
    done
done
