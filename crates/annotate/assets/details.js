// Why a block has its label, the units and posts of a page, and its metadata.

import { $, el } from "./labels.js";

/** Maximum depth of an item of the list of posts. */
const MAX_DEPTH = 8;

const OUTCOMES = {
  kept: "kept",
  below_threshold: "left out: the score is below the threshold",
  left_out: "left out by the policy: it is the headline or the byline",
  beside_post: "left out: it is in a post, but not in its text",
  outside: "left out: outside of the selected elements",
};

const outcome = (value) =>
  typeof value === "string" ? OUTCOMES[value] : `left out by the filter ${value.dropped}`;

const fact = (name, value) => [el("dt", { textContent: name }), el("dd", { textContent: value })];

/** Shows the columns behind the score of a block; `explain(page, side, block)` reads them. */
export class Why {
  constructor(explain) {
    this.explain = explain;
    this.root = $("why-panel");
    this.number = 0;
  }

  clear(text = "Select a block to see why it has its label.") {
    this.number++;
    this.root.replaceChildren(el("p", { className: "note", textContent: text }));
  }

  async show(model, block) {
    const number = ++this.number;
    if (block < 0) return this.clear();
    await new Promise((done) => setTimeout(done, 120));
    if (number !== this.number) return;
    const parts = [el("p", { className: "quote", textContent: model.blocks[block].text })];
    this.root.replaceChildren(...parts, el("p", { className: "note", textContent: "Computing …" }));
    for (const [side, data] of model.sides.entries()) {
      if (data.blocks.length !== model.blocks.length) {
        parts.push(el("p", { className: "note", textContent: `${data.model} cuts the page into other blocks.` }));
        continue;
      }
      try {
        const found = await this.explain(model.page, side, block);
        if (number !== this.number) return;
        parts.push(this.side(data, block, found));
      } catch (error) {
        parts.push(el("p", { className: "note", textContent: error.message }));
      }
    }
    if (number === this.number) this.root.replaceChildren(...parts);
  }

  side(data, block, found) {
    const shown = data.blocks[block];
    const head = el("h3", { textContent: data.model });
    if (found.why_not) return el("section", {}, head, el("p", { textContent: found.why_not }));
    const facts = el("dl", {},
      ...fact("outcome", found.outcome === "kept" || !shown.reason || typeof found.outcome !== "string" ? outcome(found.outcome) : `left out: ${shown.reason}`),
      ...(shown.reason && found.outcome === "kept" ? fact("decided by", shown.reason) : []),
      ...fact("score", `${shown.score.toFixed(3)}, threshold ${data.threshold.toFixed(3)}`),
      ...fact("decision value", `${found.decision.toFixed(2)}, of which base ${found.base.toFixed(2)}`),
      ...fact("path", shown.path),
      ...(shown.class ? fact("class", shown.class) : []));
    const most = Math.max(...found.columns.map((c) => Math.abs(c.by)), 0.001);
    const row = (name, value, by) => {
      const bar = el("span", { className: `by ${by > 0 ? "for" : "against"}` });
      bar.style.setProperty("--w", Math.abs(by) / most);
      return el("tr", {}, el("th", { textContent: name, attr: { scope: "row" } }), el("td", { className: "number", textContent: value }),
        el("td", { className: "number", textContent: `${by > 0 ? "+" : ""}${by.toFixed(3)}` }), el("td", { className: "bars" }, bar));
    };
    const rows = found.columns.map((c) => row(c.column, Number(c.value.toPrecision(4)), c.by));
    if (found.num_other > 0) rows.push(row(`${found.num_other} other columns`, "", found.other));
    const heads = ["column", "value", "adds", ""].map((t) => el("th", { textContent: t, attr: { scope: "col" } }));
    return el("section", {}, head, facts, el("table", { className: "columns" }, el("tr", {}, ...heads), ...rows));
  }
}

/** Shows units, posts and metadata of the page. */
export class Facts extends EventTarget {
  /** `read` gives the details of a page. */
  async show(model, read) {
    this.page = model.page;
    $("units-panel").replaceChildren(el("p", { className: "note", textContent: "Reading …" }));
    this.showPosts(model.posts);
    this.showPage(model, null);
    try {
      const details = await read(model.page);
      if (this.page !== model.page) return;
      this.showUnits(details.units);
      this.showPage(model, details);
    } catch (error) {
      $("units-panel").replaceChildren(el("p", { className: "note", textContent: error.message }));
    }
  }

  showUnits(units) {
    const row = (unit) => {
      const { kind, ...more } = unit.kind;
      const extra = kind === "heading" ? ` ${more.level}` : "";
      const item = el("button", { type: "button", className: unit.kept ? "unit kept" : "unit" },
        el("span", { className: "kind", textContent: kind + extra }),
        el("span", { className: "text", textContent: unit.text }),
        el("span", { className: "score", textContent: unit.score === null ? "" : unit.score.toFixed(2) }));
      item.style.setProperty("--depth", unit.depth);
      const [from, to] = unit.blocks;
      this.selects(item, Array.from({ length: to - from }, (_, i) => from + i));
      return item;
    };
    this.fill("units", units.map(row));
  }

  showPosts(posts) {
    const row = (post, number) => {
      const by = [post.author, post.date].filter(Boolean).join(", ");
      const item = el("button", { type: "button", className: "unit kept" },
        el("span", { className: "kind", textContent: `${number + 1} ${post.kind}` }),
        el("span", { textContent: by }),
        el("span", { className: "text", textContent: post.text }));
      item.style.setProperty("--depth", Math.min(post.depth, MAX_DEPTH));
      this.selects(item, post.blocks);
      return item;
    };
    this.fill("posts", posts.map(row));
  }

  /** A click on an item selects blocks. */
  selects(item, blocks) {
    item.disabled = blocks.length === 0;
    item.addEventListener("click", () => this.dispatchEvent(new CustomEvent("blocks", { detail: blocks })));
  }

  fill(name, rows) {
    const none = el("p", { className: "note", textContent: `The page has no ${name}.` });
    $(`${name}-panel`).replaceChildren(...(rows.length > 0 ? rows : [none]));
  }

  showPage(model, details) {
    const parts = model.sides.map((side) => {
      const kept = side.blocks.filter((b) => b.kept).length;
      const quality = side.quality;
      return el("section", {}, el("h3", { textContent: side.model }), el("dl", {},
        ...fact("blocks", `${kept} of ${side.blocks.length} kept`),
        ...fact("threshold", side.threshold.toFixed(3)),
        ...(side.page_type ? fact("page type", side.page_type) : []),
        ...(quality ? fact("expected F1", `${quality.expected.toFixed(2)} (${quality.low.toFixed(2)} to ${quality.high.toFixed(2)})`) : [])));
    });
    const facts = [...fact("id", model.id), ...(model.url ? fact("address", model.url) : [])];
    if (details) {
      facts.push(...fact("charset", details.encoding));
      const rows = Object.entries(details.metadata).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((one) =>
          el("tr", {}, el("th", { textContent: name.replaceAll("_", " "), attr: { scope: "row" } }), el("td", { textContent: one.value }), el("td", { className: "source", textContent: one.source }))));
      parts.push(el("section", {}, el("h3", { textContent: "Metadata, each with its source" }), el("table", { className: "metadata" }, ...rows)));
    }
    $("page-panel").replaceChildren(el("dl", {}, ...facts), ...parts);
  }
}
