// The framed page. It has no scripts and receives no events: a layer above the page receives mouse events, and this
// module colours the marks of the blocks. The frame fills the view. A scroller with the height of the page scrolls
// the frame.

import { el } from "./labels.js";

// Elements with names hide properties of their document, but not properties of the prototype.
const D = Document.prototype;
const all = (doc, selector) => [...D.querySelectorAll.call(doc, selector)];
const create = (doc, name) => D.createElement.call(doc, name);

const DRAG = 5;
const EDGE = 40;

export class FrameView extends EventTarget {
  constructor(side, name) {
    super();
    this.side = side;
    this.iframe = el("iframe", {
      title: `The page with the labels of ${name}`,
      tabIndex: -1,
      attr: { sandbox: "allow-same-origin", referrerpolicy: "no-referrer" },
    });
    this.iframe.inert = true;
    this.layer = el("div", { className: "layer" });
    this.spacer = el("div", { className: "spacer" });
    this.sticky = el("div", { className: "sticky" }, this.iframe);
    this.scroller = el("div", { className: "scroller" }, this.sticky, this.spacer, this.layer);
    this.message = el("p", { className: "frame-message", hidden: true });
    this.root = el("div", { className: "frame" }, this.message, this.scroller);
    this.marks = [];
    this.ready = false;
    this.scroller.addEventListener("scroll", () => this.follow());
    this.layer.addEventListener("mousedown", (event) => this.press(event));
    this.layer.addEventListener("mousemove", (event) => this.hover(event));
    this.layer.addEventListener("mouseleave", () => this.emit("hover", { block: -1 }));
    this.layer.addEventListener("dblclick", (event) => this.emit("double", { block: this.at(event), event }));
    new ResizeObserver(() => this.measure()).observe(this.scroller);
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  load(address) {
    this.ready = false;
    this.marks = [];
    this.message.hidden = false;
    this.message.textContent = "Loading …";
    return new Promise((resolve) => {
      this.iframe.onload = () => {
        const doc = this.iframe.contentDocument;
        if (!doc || all(doc, "t-b, body *, style").length === 0) return;
        this.iframe.onload = null;
        this.message.hidden = true;
        this.prepare(doc);
        resolve();
      };
      // replaces the page without a new entry in the history
      this.iframe.contentWindow.location.replace(address);
    });
  }

  prepare(doc) {
    this.doc = doc;
    this.view = this.iframe.contentWindow;
    [this.html] = all(doc, "html");
    [this.body] = all(doc, "body");
    for (const mark of all(doc, "t-b")) {
      const block = Number(mark.dataset.b);
      (this.marks[block] ??= []).push(mark);
    }
    // Elements that float over the page would hide text. All are found before the first change, because styles are
    // recomputed after each change.
    const floats = (node) => ["fixed", "sticky"].includes(getComputedStyle(node).position);
    const found = all(doc, "body *:not(t-b)").filter(floats);
    for (const node of found) node.style.setProperty("position", "static", "important");
    this.show();
    this.band = create(doc, "t-r");
    this.box = create(doc, "t-o");
    this.html.append(this.band, this.box);
    this.framed = -1;
    this.plain = false;
    this.ready = true;
    this.scroller.scrollTop = 0;
    this.measure();
    this.findDrawn();
  }

  /** Shows what the styles of the page hide until a script runs: threshr reads these blocks. */
  show() {
    const isHidden = (mark) =>
      !mark.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const hidden = this.marks.flat().filter(isHidden);
    const around = new Set();
    for (const mark of hidden) {
      for (let node = mark.parentElement; node && !around.has(node); node = node.parentElement) around.add(node);
    }
    const changes = [...around].map((node) => {
      const { display, visibility, opacity } = getComputedStyle(node);
      return [node, { display: display === "none" && "revert", visibility: visibility !== "visible" && "visible", opacity: opacity === "0" && "1" }];
    });
    for (const [node, change] of changes) {
      for (const [name, value] of Object.entries(change)) if (value) node.style.setProperty(name, value, "important");
      if (change.display) node.removeAttribute("hidden");
    }
  }

  /** Finds the blocks that are drawn, all at once: each look at a place may cost a layout. */
  findDrawn() {
    this.drawn = new Set();
    const clips = new Map();
    const top = this.view.scrollY;
    const page = { left: 0, top: -top, right: this.html.clientWidth, bottom: Infinity };
    this.marks.forEach((marks, block) => {
      if (marks.some((mark) => this.isSeen(mark, page, clips))) this.drawn.add(block);
    });
  }

  /** Whether a part of a mark is inside the page and inside all elements that cut off what is outside of them. */
  isSeen(mark, page, clips) {
    const boxes = [...mark.getClientRects()];
    if (boxes.length === 0) return false;
    const clip = this.clipOf(mark.parentElement, page, clips);
    return boxes.some((box) => {
      const width = Math.min(box.right, clip.right) - Math.max(box.left, clip.left);
      const height = Math.min(box.bottom, clip.bottom) - Math.max(box.top, clip.top);
      return width > 2 && height > 2;
    });
  }

  /** The part of the page in which the text of an element can be seen; `clips` has the parts that are known. */
  clipOf(node, page, clips) {
    const nodes = [];
    // clipping areas for elements in the flow and for positioned elements
    let around = { flow: page, positioned: page };
    for (; node && node !== this.body && node !== this.html; node = node.parentElement) {
      if (clips.has(node)) {
        around = clips.get(node);
        break;
      }
      nodes.push(node);
    }
    for (const one of nodes.reverse()) {
      const { overflowX, overflowY, position, transform } = getComputedStyle(one);
      const outer = position === "absolute" ? around.positioned : around.flow;
      const flow = overflowX === "visible" && overflowY === "visible" ? outer : inner(one, outer, overflowX, overflowY);
      around = { flow, positioned: position !== "static" || transform !== "none" ? flow : around.positioned };
      clips.set(one, around);
    }
    return around.flow;
  }

  /** Whether another part of the page is drawn over all of a block that is in the view. */
  isCovered(block) {
    const seen = (this.marks[block] ?? []).flatMap((mark) => [...mark.getClientRects()].map((box) => [mark, box]));
    const height = this.scroller.clientHeight;
    const points = seen.filter(([, box]) => box.top >= 0 && box.bottom <= height && box.width > 2).slice(0, 20);
    if (points.length === 0) return false;
    return points.every(([mark, box]) => {
      const above = D.elementsFromPoint.call(this.doc, box.left + box.width / 2, box.top + box.height / 2);
      const own = above.findIndex((node) => mark.contains(node));
      if (own < 0) return true;
      return above.slice(0, own).some((node) => node.closest("t-b") && !mark.contains(node));
    });
  }

  /** Gives the scroller the height of the page. */
  measure() {
    if (!this.ready) return;
    const height = Math.max(this.html.scrollHeight, this.body?.scrollHeight ?? 0);
    this.spacer.style.height = `${Math.max(0, height - this.scroller.clientHeight)}px`;
    this.layer.style.height = `${Math.max(height, this.scroller.clientHeight)}px`;
    this.follow();
    this.frame(this.framed);
  }

  follow() {
    if (!this.ready) return;
    this.view.scrollTo({ left: 0, top: this.scroller.scrollTop, behavior: "instant" });
    this.emit("scroll", { top: this.scroller.scrollTop });
  }

  /** Colours blocks: `look(block)` has label, certainty, by, doubtful, different, selected. */
  paint(blocks, look) {
    for (const block of blocks) {
      const marks = this.marks[block];
      if (!marks) continue;
      const { label, certainty, by, doubtful, different, selected } = look(block);
      for (const mark of marks) {
        mark.dataset.l = label;
        mark.style.setProperty("--a", certainty);
        set(mark, "y", by);
        set(mark, "q", doubtful ? "1" : undefined);
        set(mark, "x", different ? "1" : undefined);
        set(mark, "s", selected);
      }
    }
  }

  paintAll(count, look) {
    this.paint(Array.from({ length: count }, (_, i) => i), look);
  }

  /** Draws a box around a block; -1 for none. */
  frame(block) {
    if (!this.ready) return;
    this.framed = block;
    if (block >= 0 && (!this.isDrawn(block) || this.isCovered(block))) {
      this.box.style.display = "none";
      return;
    }
    const boxes = (this.marks[block] ?? []).flatMap((mark) => [...mark.getClientRects()]);
    if (boxes.length === 0) {
      this.box.style.display = "none";
      return;
    }
    // the scroll position of the view may differ from the scroller
    const top = this.view.scrollY;
    const [left, right] = [Math.min(...boxes.map((b) => b.left)), Math.max(...boxes.map((b) => b.right))];
    const [upper, lower] = [Math.min(...boxes.map((b) => b.top)), Math.max(...boxes.map((b) => b.bottom))];
    Object.assign(this.box.style, {
      display: "block",
      left: `${left - 5}px`,
      top: `${upper + top - 4}px`,
      width: `${right - left + 6}px`,
      height: `${lower - upper + 4}px`,
    });
  }

  /** Whether a block is drawn; the styles of the page may hide it. */
  isDrawn(block) {
    return this.drawn.has(block);
  }

  /** Whether the framed block can be seen in the view. */
  isFramed() {
    return this.ready && this.box.style.display !== "none";
  }

  reveal(block) {
    const mark = this.marks[block]?.find((m) => m.getClientRects().length > 0);
    if (!mark) return;
    const rect = mark.getBoundingClientRect();
    const height = this.scroller.clientHeight;
    if (rect.top < EDGE || rect.bottom > height - EDGE) {
      this.scroller.scrollTop += rect.top - height * 0.35;
      this.follow();
    }
    // the block is in a separately scrolling part of the page
    const after = mark.getBoundingClientRect();
    if (after.top < 0 || after.top > height) {
      mark.scrollIntoView({ block: "center", behavior: "instant" });
      this.scroller.scrollTop = this.view.scrollY;
    }
  }

  /** Scrolls by a share of the height of the view. */
  scroll(share) {
    this.scroller.scrollTop += share * this.scroller.clientHeight;
  }

  point(event) {
    const box = this.scroller.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** The block under the mouse; -1 for none. */
  at(event) {
    if (!this.ready) return -1;
    const { x, y } = this.point(event);
    for (const node of D.elementsFromPoint.call(this.doc, x, y)) {
      const mark = node.closest("t-b");
      if (mark) return Number(mark.dataset.b);
    }
    return this.near(x, y);
  }

  /** The block whose element is under a point, if the element has one block. */
  near(x, y) {
    const node = D.elementFromPoint.call(this.doc, x, y);
    if (!node || node === this.body || node === this.html) return -1;
    const blocks = new Set([...node.querySelectorAll("t-b")].map((m) => m.dataset.b));
    return blocks.size === 1 ? Number([...blocks][0]) : -1;
  }

  hover(event) {
    if (!this.drag) this.emit("hover", { block: this.at(event) });
  }

  press(event) {
    if (event.button !== 0 || !this.ready) return;
    event.preventDefault();
    this.emit("press", {});
    const start = this.point(event);
    const top = this.scroller.scrollTop;
    this.drag = { x: start.x, y: start.y + top, isMoved: false, last: event };
    const move = (e) => this.move(e);
    const up = (e) => {
      window.removeEventListener("mousemove", move);
      window.removeEventListener("mouseup", up);
      clearInterval(timer);
      this.band.style.display = "none";
      const { isMoved } = this.drag;
      const blocks = isMoved ? this.inside(this.rectangle(e)) : [];
      this.drag = null;
      if (isMoved) this.emit("region", { blocks, event: e });
      else this.emit("click", { block: this.at(e), event: e });
    };
    // the page scrolls while the mouse is near an edge of the view
    const timer = setInterval(() => {
      const y = this.point(this.drag.last).y;
      const height = this.scroller.clientHeight;
      if (!this.drag.isMoved || (y > EDGE && y < height - EDGE)) return;
      this.scroller.scrollTop += y <= EDGE ? -24 : 24;
      this.move(this.drag.last);
    }, 30);
    window.addEventListener("mousemove", move);
    window.addEventListener("mouseup", up);
  }

  rectangle(event) {
    const { x, y } = this.point(event);
    const bottom = y + this.scroller.scrollTop;
    return {
      left: Math.min(this.drag.x, x),
      right: Math.max(this.drag.x, x),
      top: Math.min(this.drag.y, bottom),
      bottom: Math.max(this.drag.y, bottom),
    };
  }

  move(event) {
    this.drag.last = event;
    const r = this.rectangle(event);
    if (!this.drag.isMoved && Math.hypot(r.right - r.left, r.bottom - r.top) < DRAG) return;
    this.drag.isMoved = true;
    const place = { display: "block", left: `${r.left}px`, top: `${r.top}px` };
    Object.assign(this.band.style, place, { width: `${r.right - r.left}px`, height: `${r.bottom - r.top}px` });
    this.emit("region-preview", { blocks: this.inside(r) });
  }

  /** The blocks that a rectangle of the page touches. */
  inside(r) {
    const top = this.scroller.scrollTop;
    const touches = (box) =>
      box.left <= r.right && box.right >= r.left && box.top + top <= r.bottom && box.bottom + top >= r.top;
    const found = [];
    this.marks.forEach((marks, block) => {
      if (marks.some((mark) => [...mark.getClientRects()].some(touches))) found.push(block);
    });
    return found;
  }

  /** The blocks of the smallest element around these blocks that has more. */
  grow(blocks) {
    const first = blocks.map((b) => this.marks[b]?.[0]).find(Boolean);
    if (!first) return blocks;
    const own = new Set(blocks);
    for (let node = first.parentElement; node; node = node.parentElement) {
      const inside = new Set([...node.querySelectorAll("t-b")].map((m) => Number(m.dataset.b)));
      const hasAll = blocks.every((b) => inside.has(b) || !this.marks[b]);
      if (hasAll && inside.size > own.size) return [...inside].sort((a, b) => a - b);
    }
    return blocks;
  }

  /** Switches the styles of the page on or off; those of the marks stay. */
  toggleStyles() {
    this.plain = !this.plain;
    const sheets = all(this.doc, "style");
    const own = sheets.findLast((s) => s.hasAttribute("data-threshr"));
    for (const sheet of sheets) if (sheet !== own && sheet.sheet) sheet.sheet.disabled = this.plain;
    for (const node of all(this.doc, "[style], [data-style]")) {
      if (["t-b", "t-r", "t-o"].includes(node.localName)) continue;
      if (this.plain) {
        node.dataset.style = node.getAttribute("style") ?? "";
        node.removeAttribute("style");
      } else if (node.dataset.style !== undefined) {
        node.setAttribute("style", node.dataset.style);
        delete node.dataset.style;
      }
    }
    this.findDrawn();
    this.measure();
    return !this.plain;
  }

  toggleColours() {
    return !this.html.toggleAttribute("data-plain");
  }
}

/** The part of the page in which the inside of an element can be seen. */
function inner(node, outer, overflowX, overflowY) {
  const box = node.getBoundingClientRect();
  const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
  const cut = {
    left: overflowX === "visible" ? outer.left : Math.max(outer.left, box.left),
    right: overflowX === "visible" ? outer.right : Math.min(outer.right, box.right),
    top: overflowY === "visible" ? outer.top : Math.max(outer.top, box.top),
    bottom: overflowY === "visible" ? outer.bottom : Math.min(outer.bottom, box.bottom),
  };
  if (cut.right - cut.left <= 2 || cut.bottom - cut.top <= 2) return cut;
  // scrollable content can be scrolled into view, so it is not clipped
  if (scrolls(overflowX)) Object.assign(cut, { left: -Infinity, right: Infinity });
  if (scrolls(overflowY)) Object.assign(cut, { top: -Infinity, bottom: Infinity });
  return cut;
}

function set(node, name, value) {
  if (value === undefined) delete node.dataset[name];
  else node.dataset[name] = value;
}
