"""Actions of a user of the application."""

import json
import time


def open_at(page, application, number=None):
    """Opens the application and waits until a page is shown."""
    page.goto(application.address)
    page.wait_for_selector("body[data-ready]")
    if number is not None and shown(page) != number:
        go_to(page, number)


def until(page, condition, seconds=15):
    """Waits until an expression is true. Playwright's own function needs `eval`, which the application forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(50)


def shown(page):
    """The number of the page that is shown."""
    return int(page.get_attribute("body", "data-ready"))


def go_to(page, number):
    """Opens a page by its row in the list."""
    page.click(f"#page-{number}")
    wait_for(page, number)


def wait_for(page, number):
    page.wait_for_selector(f'body[data-ready="{number}"]')


def labels(page):
    """The labels in the list of blocks."""
    return page.eval_on_selector_all("#block-list li", "rows => rows.map(row => row.dataset.l)")


def texts(page):
    """The texts in the list of blocks."""
    return page.eval_on_selector_all("#block-list .text", "all => all.map(one => one.textContent)")


def block_with(page, text):
    """The number of the block with a text."""
    found = [number for number, shown in enumerate(texts(page)) if text in shown]
    assert len(found) == 1, (text, found)
    return found[0]


def wait_saved(page):
    page.wait_for_selector('#saved[data-state="saved"]')


def place(page, block):
    """The middle of the first line of a block in the frame, in the window."""
    return page.evaluate(
        """block => {
          const frame = document.querySelector("iframe");
          const box = frame.getBoundingClientRect();
          const mark = frame.contentDocument.querySelector(`t-b[data-b="${block}"]`);
          const rect = mark.getClientRects()[0];
          return { x: box.left + rect.left + rect.width / 2, y: box.top + rect.top + rect.height / 2,
                   left: box.left + rect.left, right: box.left + rect.right,
                   top: box.top + rect.top, bottom: box.top + rect.bottom };
        }""",
        block,
    )


def click_block(page, block, modifiers=()):
    at = place(page, block)
    for key in modifiers:
        page.keyboard.down(key)
    page.mouse.click(at["x"], at["y"])
    for key in modifiers:
        page.keyboard.up(key)


def records(folder):
    """The latest record of each page and annotator."""
    path = folder / "annotations.jsonl"
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines() if line]
    return {(line["id"], line["annotator"]): line for line in lines}
