"""Tests of labelling many blocks with few actions, and of the messages in the window."""

import re
import shutil
import signal
import subprocess

import pytest
from application import (
    block_with, click_block, labels, open_at, place, records, shown, texts, until, wait_saved,
)
from conftest import ROOT, THRESHR

POST = """<div class="post post-{n}"><div class=user>User{n}, member since 2001</div>
<div class=text><p>Post {n} says that the old bridge over the river was closed for repairs last summer, and that the
detour through the village takes more than twenty minutes in each direction.</p></div>
<div class=share><a href=/share/{n}>Share post {n}</a></div></div>"""
FORUM = "<!DOCTYPE html><html lang=en><title>The old bridge</title><body><h1>The old bridge</h1>{posts}<footer>Terms of use</footer>"


@pytest.fixture
def folder(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "0.html").write_text(FORUM.format(posts="".join(POST.format(n=n) for n in range(1, 6))))
    (pages / "1.html").write_text(FORUM.format(posts=POST.format(n=7)))
    return pages


def selected(page):
    return [int(b) for b in page.eval_on_selector_all("#block-list [aria-selected=true]", "rows => rows.map(row => row.dataset.b)")]


def active(page):
    return int(page.get_attribute("#block-list", "aria-activedescendant")[1:])


def test_one_key_labels_all_blocks_with_the_same_place(start, page, folder):
    application = start("annotate", folder, "--annotator", "ada")
    open_at(page, application, 0)
    before = labels(page)
    shares = [block_with(page, f"Share post {n}") for n in range(1, 6)]
    click_block(page, shares[2])
    page.keyboard.press("a")
    assert selected(page) == shares
    assert "5 selected" in page.text_content("#list-head")
    page.keyboard.press("t")
    assert [number for number, name in enumerate(labels(page)) if name == "teaser"] == shares
    page.keyboard.press("z")
    assert labels(page) == before
    # the button has the same effect, and G restores the previous selection
    click_block(page, block_with(page, "User1,"))
    page.get_by_role("button", name=re.compile("^All like this")).click()
    assert len(selected(page)) == 5
    page.keyboard.press("G")
    assert selected(page) == [block_with(page, "User1,")]
    wait_saved(page)


def test_the_brush_labels_rows_of_the_list(start, page, folder):
    application = start("annotate", folder)
    open_at(page, application, 0)
    page.keyboard.press("Shift+M")
    page.click("#b3")
    page.click("#b6", modifiers=["Shift"])
    assert [number for number, name in enumerate(labels(page)) if name == "comment"] == [3, 4, 5, 6]
    page.dblclick("#b8")
    assert labels(page)[8] == "comment"
    page.keyboard.press("Escape")
    page.click("#b9")
    assert labels(page)[9] != "comment"


def test_the_score_and_what_decided_are_told(start, page, folder):
    text = "<p>The test of small radios took three weeks, and all of them were bought in shops, so that no maker could choose them.</p>" * 3
    cells = ["<td>$<td>Buy", "<td><a href=/b>Buy</a><td>$10", "<td>–<td>", "<td><a href=/c>Cart</a><td><a href=/d>?</a>"]
    tables = [
        "<table><tr><th>Name<th>Stars<th>Price" + "".join(f"<tr><td>Model {n}{cell}" for n in range(1, 7)) + "</table>"
        for cell in cells
    ]
    (folder / "0.html").write_text(f"<!DOCTYPE html><html lang=en><title>Radios</title><h1>Radios</h1>{text}{text.join(tables)}{text}")
    application = start("annotate", folder)
    open_at(page, application, 0)
    threshold = float(re.search(r"threshold (\d\.\d\d)", page.text_content("#list-head")).group(1))
    rows = page.eval_on_selector_all(
        "#block-list li", "rows => rows.map(row => [row.dataset.l, row.querySelector('.score').title])"
    )
    assert len(rows) == len(labels(page))
    for label, title in rows:
        score = float(re.match(r"score (\d\.\d\d) ", title).group(1))
        if abs(score - threshold) > 0.01:
            assert (score > threshold) == ("≥" in title), title
        # if the label contradicts the score, the title states the reason
        assert (label == "content") == ("≥" in title) or ", but " in title, title
    # a table has cells with high scores and cells with low scores
    assert any(", but the whole table is " in title for _, title in rows)


def test_the_tip_follows_actions_and_scrolling(start, page, tmp_path):
    filler = "".join(f"<p>Paragraph {n} of a page that is long enough to scroll.</p>" for n in range(80))
    (tmp_path / "0.html").write_text(f"<title>t</title>{filler}")
    application = start("annotate", tmp_path)
    open_at(page, application)
    click_block(page, 4)
    for key, name in [("t", "teaser"), ("h", "headline"), ("b", "boilerplate")]:
        page.keyboard.press(key)
        assert page.text_content("#tip").startswith(f"5 · {name}"), name
    at = place(page, 6)
    page.mouse.move(at["x"], at["y"])
    until(page, "document.querySelector('#tip').textContent.startsWith('7 · ')")
    page.mouse.wheel(0, 300)
    until(page, "document.querySelector('#tip').textContent.startsWith('5 · boilerplate')")
    # the tip is below the page and does not cover it
    assert page.locator("#tip").bounding_box()["y"] >= page.locator("#frames").bounding_box()["y"] + 300


def test_a_selected_block_keeps_the_colour_of_its_label(start, page, folder):
    application = start("annotate", folder)
    open_at(page, application, 0)
    colour = """block => { const doc = document.querySelector("iframe").contentDocument;
        const style = doc.defaultView.getComputedStyle(doc.querySelector(`t-b[data-b="${block}"]`));
        return [style.backgroundColor, style.outlineStyle]; }"""
    block = block_with(page, "Share post 2")
    click_block(page, block)
    page.keyboard.press("a")
    page.keyboard.press("h")
    block = block_with(page, "Share post 3")
    chosen = page.evaluate(colour, block)
    page.keyboard.press("Escape")
    free = page.evaluate(colour, block)
    assert chosen[0] == free[0] and (chosen[1], free[1]) == ("solid", "none")


def test_a_hidden_block_is_told(start, page, tmp_path):
    text = "Text that the page hides until somebody asks for it, with some more words."
    styles = ".shut{height:0;overflow:hidden}.away{position:absolute;left:-9999px}.slides{position:relative;height:40px}.slides p{position:absolute;top:0;left:0;margin:0;background:#fff;width:600px}"
    (tmp_path / "0.html").write_text(
        f"<!DOCTYPE html><title>t</title><style>{styles}</style><p>A first story that everybody can read at once.</p>"
        f"<div class=shut><p>Shut. {text}</p></div><div class=away>Away. {text}</div>"
        f"<div class=slides><p>Below. {text}</p><p>Above. {text}</p></div><p>A second story that everybody can read.</p>"
    )
    application = start("annotate", tmp_path)
    open_at(page, application)
    frame = 'getComputedStyle(document.querySelector("iframe").contentDocument.querySelector("t-o")).display'
    for word in ["Shut.", "Away.", "Below."]:
        page.click(f"#b{block_with(page, word)}")
        page.mouse.move(1, 1)
        assert "not visible in the page, press v" in page.text_content("#tip"), word
        assert page.evaluate(frame) == "none", word
        page.keyboard.press("v")
        assert "not visible" not in page.text_content("#tip"), word
        page.keyboard.press("v")
    for word in ["Above.", "A second story"]:
        page.click(f"#b{block_with(page, word)}")
        assert "not visible" not in page.text_content("#tip") and page.evaluate(frame) == "block", word


@pytest.fixture
def doubtful(start, page, folder):
    """An open page with many doubtful blocks, whatever the shipped model is."""
    shutil.copy(ROOT / "datasets/sample/pages/4471.html", folder / "0.html")
    application = start("annotate", folder, "--annotator", "ada")
    open_at(page, application, 0)
    blocks = [int(b) for b in page.eval_on_selector_all("#block-list [data-q]", "rows => rows.map(row => row.dataset.b)")]
    assert len(blocks) >= 3, texts(page)
    return blocks


def test_a_label_goes_on_to_the_next_doubtful_block(page, doubtful):
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    assert active(page) == doubtful[0]
    page.keyboard.press("t")
    assert active(page) == doubtful[1]
    page.keyboard.press("z")
    assert active(page) == doubtful[0]
    page.keyboard.press("A")
    page.keyboard.press("d")
    here = active(page)
    page.keyboard.press("t")
    assert active(page) == here
    assert not page.is_checked("#advance")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert not page.is_checked("#advance")
    # a block that was selected by a click stays selected after it is labelled
    page.check("#advance")
    page.click("#b0")
    page.keyboard.press("t")
    assert active(page) == 0
    wait_saved(page)


def test_the_first_doubtful_block_of_a_fresh_page_is_not_skipped(page, doubtful):
    assert active(page) == doubtful[0]
    page.keyboard.press("d")
    assert active(page) == doubtful[0] and "the first one" in page.text_content("#hover")
    page.keyboard.press("d")
    assert active(page) == doubtful[1]
    page.keyboard.press("D")
    assert active(page) == doubtful[0]
    # after a label, the keys continue with the next doubtful block
    page.keyboard.press("b")
    assert active(page) == doubtful[1]
    page.keyboard.press("d")
    assert active(page) == doubtful[2]


def test_the_end_names_the_next_commands(start, page, folder):
    application = start("annotate", folder, "--annotator", "ada")
    open_at(page, application, 0)
    for _ in range(len(list(folder.glob("*.html")))):
        number = page.get_attribute("body", "data-ready")
        page.keyboard.press("Enter")
        until(page, f"document.body.dataset.ready !== '{number}' || "
            "document.querySelector('#hover').textContent.includes('All pages')")
    assert f"threshr data check {folder}; threshr adapt --data {folder}" in page.text_content("#hover")


def test_blocks_left_to_the_model_are_told(page, folder, doubtful):
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#hover').textContent.includes('of the model')")
    assert f"{len(doubtful)} doubtful blocks keep the labels of the model" in page.text_content("#hover")
    wait_saved(page)
    assert records(folder)[("0.html", "ada")]["state"] == "done"


def test_a_window_goes_on_with_a_new_program(start, page, folder):
    application = start("annotate", folder, "--annotator", "ada")
    open_at(page, application, 0)
    page.click("#b1")
    page.keyboard.press("t")
    wait_saved(page)
    application.kill()
    page.click("#b0")
    page.keyboard.press("m")
    page.wait_for_selector("#banner-address")
    told = page.text_content("#banner")
    assert "not saved: the program does not answer. They are kept" in told and f"--port {application.port}" in told
    page.fill("#banner-address", "http://127.0.0.1:1/#abc")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#banner').textContent.includes('not an address of threshr')")
    again = start("annotate", folder, "--annotator", "ada", "--port", application.port)
    page.fill("#banner-address", again.address)
    page.keyboard.press("Enter")
    wait_saved(page)
    assert not page.is_visible("#banner")
    assert [label["label"] for label in records(folder)[("0.html", "ada")]["labels"][:2]] == ["comment", "teaser"]
    page.keyboard.press("n")
    page.wait_for_selector('body[data-ready="1"]')


def test_a_lost_answer_is_no_conflict(start, page, folder):
    application = start("annotate", folder, "--annotator", "ada")
    open_at(page, application, 0)

    def lose(route):
        if route.request.method == "POST":
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/api/pages/0", lose)
    page.click("#b1")
    page.keyboard.press("t")
    page.wait_for_selector('#saved[data-state="error"]')
    page.unroute("**/api/pages/0")
    page.wait_for_selector('#saved[data-state="saved"], #saved[data-state="conflict"]')
    assert page.get_attribute("#saved", "data-state") == "saved"
    page.keyboard.press("m")
    wait_saved(page)
    assert records(folder)[("0.html", "ada")]["labels"][1]["label"] == "comment"


def test_ctrl_c_tells_what_is_saved(folder, page):
    command = [THRESHR, "annotate", folder, "--annotator", "ada", "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    page.goto(process.stdout.readline().strip())
    page.wait_for_selector("body[data-ready]")
    number = shown(page)
    page.keyboard.press("Enter")
    until(page, f"document.body.dataset.ready !== '{number}'")
    wait_saved(page)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert f"1 page done, saved in {folder / 'annotations.jsonl'}" in told, told


def test_a_damaged_page_has_a_remark(start, page, tmp_path):
    head = 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n'
    # the closing boundary is missing
    (tmp_path / "0.mhtml").write_text(head + "<title>t</title><p>A page that is cut in the middle of its")
    (tmp_path / "1.html").write_text("<title>t</title><p>A page that is complete.</p>")
    application = start("inspect", tmp_path)
    open_at(page, application, 0)
    assert page.text_content("#remark").startswith("The page may be incomplete: ")
    page.keyboard.press("n")
    page.wait_for_selector('body[data-ready="1"]')
    assert not page.is_visible("#remark")


def test_differences_go_on_to_the_next_page(start, page, folder):
    (folder / "0.html").rename(folder / "2.html")
    (folder / "0.html").write_text("<!DOCTYPE html><title>Empty</title><body>")
    application = start("inspect", folder, "--policy", "article", "--against-policy", "full")
    open_at(page, application)
    until(page, "!document.querySelector('#page-count').textContent.includes('read')")
    page.select_option("#order", "name")
    page.click("#page-1")
    page.wait_for_selector('body[data-ready="1"]')
    count = page.locator("#block-list [data-x]").count()
    other = int(page.text_content("#page-2 .differences"))
    assert count >= 1 and int(page.text_content("#page-1 .differences")) == count and other >= 1
    page.keyboard.press("Escape")
    for _ in range(count):
        page.keyboard.press("e")
    assert shown(page) == 1
    page.keyboard.press("e")
    page.wait_for_selector('body[data-ready="2"]')
    until(page, "document.querySelector('#block-list [data-x]').classList.contains('active')")


def test_counts_of_labels_are_shown_in_a_narrow_window(start, page, folder):
    page.set_viewport_size({"width": 1024, "height": 700})
    application = start("annotate", folder)
    open_at(page, application, 0)
    number = labels(page).count("content")
    assert page.inner_text("#palette [data-l=content] .count") == str(number)


def test_the_first_row_of_the_list_is_whole(start, page, folder):
    application = start("annotate", folder)
    page.set_viewport_size({"width": 1280, "height": 460})
    open_at(page, application, 0)
    page.keyboard.press("Escape")
    for step in range(len(labels(page))):
        page.keyboard.press("j")
        cut = page.evaluate(
            """() => { const list = document.querySelector("#block-list"), view = list.getBoundingClientRect();
            return [...list.children].map(row => row.getBoundingClientRect())
              .filter(box => box.top < view.top - 1.5 && box.bottom > view.top + 1.5).length; }"""
        )
        assert cut == 0, step


def test_groups_of_a_report_open_by_keys(page, folder, tmp_path):
    out = tmp_path / "difference.html"
    command = [THRESHR, "diff", "default", "default", folder, "--b-policy", "article", "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    page.goto(out.as_uri())
    assert page.locator(".group").count() >= 1 and page.locator(".group[open]").count() == 0
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    assert page.locator(".group[open]").count() == 1
    assert page.locator(".group").first.get_attribute("open") is not None
