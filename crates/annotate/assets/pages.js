// The list of pages: order, filter, search, progress.

import { get, post } from "./api.js";
import { $, el, plural } from "./labels.js";

const STATES = {
  done: ["✓", "done"],
  draft: ["◐", "begun"],
  skipped: ["–", "skipped"],
};

export class PageList extends EventTarget {
  constructor(session) {
    super();
    this.session = session;
    this.entries = Array.from({ length: session.num_pages }, () => ({}));
    this.rows = new Map();
    this.count = null;
    this.current = -1;
    this.found = null;
    this.pairs = [];
    this.root = $("page-list");
    const filters = [["all", "all pages"]];
    if (session.mode === "annotate") {
      filters.push(["todo", "to do"], ["done", "done"], ["skipped", "skipped"], ["disagree", "disagreements"]);
    }
    if (session.models.length > 1) filters.push(["different", "with differences"]);
    filters.push(["failed", "that cannot be read"]);
    $("filter").append(...filters.map(([value, text]) => el("option", { value, textContent: text })));
    $("filter").addEventListener("change", () => this.filter());
    $("order").addEventListener("change", () => this.render());
    if (session.models.length > 1) {
      $("order").append(el("option", { value: "different", textContent: "by differences" }));
    }
    $("search").addEventListener("input", () => this.search());
    for (const id of ["filter", "order"]) $(id).addEventListener("change", () => $(id).blur());
    this.root.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by || event.shiftKey) return;
      event.preventDefault();
      const page = this.neighbour(by);
      if (page >= 0) this.dispatchEvent(new CustomEvent("open", { detail: page }));
    });
    this.root.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) this.dispatchEvent(new CustomEvent("open", { detail: Number(row.dataset.page) }));
    });
  }

  /** Reads what has changed, until all pages are read. */
  async refresh() {
    clearTimeout(this.timer);
    try {
      const since = this.count === null ? "" : `?since=${this.count}`;
      const changes = await get(`/api/pages${since}`);
      this.count = changes.count;
      this.numRead = changes.num_read;
      for (const entry of changes.pages) {
        this.entries[entry.page] = entry;
        if (entry.doubt > (this.most ?? 0)) this.most = entry.doubt;
      }
      for (const page of this.rows.keys()) this.update(this.entries[page]);
      if (changes.pages.length > 0) this.render();
    } catch {
      // the request is repeated, because the next attempt may succeed
      this.timer = setTimeout(() => this.refresh(), 3000);
      return;
    }
    if (this.numRead < this.entries.length) this.timer = setTimeout(() => this.refresh(), 700);
  }

  setState(page, state) {
    const entry = this.entries[page];
    if (entry.state === state) return;
    entry.state = state;
    this.update(entry);
    this.progress();
    if ($("filter").value !== "all") this.render();
  }

  /** Reads all pages again, from a program that was started again. */
  restart() {
    this.count = null;
    this.refresh();
  }

  async filter() {
    if ($("filter").value === "disagree") await this.readAgreement();
    $("agreement").hidden = $("filter").value !== "disagree";
    this.render();
  }

  async readAgreement() {
    const number = (value) => (value === null ? "–" : value.toFixed(2));
    const { with: pairs } = await get("/api/agreement");
    this.pairs = pairs;
    const box = $("agreement");
    if (pairs.length === 0) {
      box.replaceChildren(el("p", { className: "note", textContent: "No other annotator has labelled these pages. Start threshr annotate with --annotator NAME to be another one." }));
      return;
    }
    const head = el("tr", {}, ...["Cohen's kappa", "blocks", "letters"].map((t) => el("th", { textContent: t, attr: { scope: "col" } })));
    const row = (name, kappa) =>
      el("tr", {}, el("th", { textContent: name, attr: { scope: "row" } }), el("td", { textContent: number(kappa.by_block) }), el("td", { textContent: number(kappa.by_letter) }));
    box.replaceChildren(
      ...pairs.map((pair) =>
        el("table", {},
          el("caption", { textContent: `with ${pair.annotator}: ${plural(pair.num_pages, "page")}, ${plural(pair.num_blocks, "block")}, ${pair.num_different} labelled differently` }),
          head.cloneNode(true), row("content or not", pair.binary), row("all labels", pair.classes)),
      ),
    );
  }

  search() {
    clearTimeout(this.searching);
    this.searching = setTimeout(async () => {
      const text = $("search").value.trim();
      if (!text) {
        this.found = null;
      } else {
        const { pages } = await post("/api/search", { text });
        if ($("search").value.trim() !== text) return;
        this.found = new Set(pages);
      }
      this.render();
    }, 150);
  }

  isShown(entry) {
    if (this.found && !this.found.has(entry.page)) return false;
    switch ($("filter").value) {
      case "todo": return entry.state !== "done" && entry.state !== "skipped" && !entry.error;
      case "done": return entry.state === "done";
      case "skipped": return entry.state === "skipped";
      case "failed": return entry.error !== undefined;
      case "different": return entry.different > 0;
      case "disagree": return this.pairs.some((pair) => pair.pages.some(([page]) => page === entry.page));
      default: return true;
    }
  }

  /** The pages as shown, in order. */
  ordered() {
    const shown = this.entries.filter((entry) => entry.id !== undefined && this.isShown(entry));
    const order = $("order").value;
    const by = (key) => (a, b) => (b[key] ?? -1) - (a[key] ?? -1) || a.page - b.page;
    if (order === "doubt") shown.sort(by("doubt"));
    if (order === "different") shown.sort(by("different"));
    return shown;
  }

  render() {
    this.shown = this.ordered();
    const rows = this.shown.map((entry) => this.row(entry));
    const isSame = this.root.children.length === rows.length && rows.every((row, i) => this.root.children[i] === row);
    if (!isSame) this.root.replaceChildren(...rows);
    const { num_pages: total } = this.session;
    const reading = (this.numRead ?? 0) < total ? ` · ${this.numRead ?? 0} of ${total} read` : "";
    $("page-count").textContent = `${plural(this.shown.length, "page")} shown${reading}`;
    this.progress();
  }

  progress() {
    const count = (state) => this.entries.filter((e) => e.state === state).length;
    const [done, draft, skipped] = ["done", "draft", "skipped"].map(count);
    $("progress-bar").max = this.entries.length;
    $("progress-bar").value = done + skipped;
    $("progress-text").textContent = `${done} done · ${draft} begun · ${skipped} skipped · ${this.entries.length - done - draft - skipped} left`;
  }

  /** The doubt about a page as a share of the greatest one. */
  scaled(doubt) {
    return (doubt ?? 0) / Math.max(this.most ?? 0, 0.01);
  }

  row(entry) {
    let row = this.rows.get(entry.page);
    if (!row) {
      row = el("li", { id: `page-${entry.page}`, attr: { role: "option", "data-page": entry.page, "aria-selected": "false" } },
        el("span", { className: "state", attr: { "aria-hidden": "true" } }),
        el("span", { className: "body" }, el("span", { className: "title" }), el("span", { className: "sub" })),
        el("span", { className: "gauge" }, el("span", { className: "differences" }), el("span", { className: "meter" })));
      this.rows.set(entry.page, row);
      this.update(entry);
    }
    return row;
  }

  update(entry) {
    const row = this.rows.get(entry.page);
    if (!row) return;
    const [sign, text] = STATES[entry.state] ?? [entry.error ? "!" : "", entry.error ? "cannot be read" : "to do"];
    row.title = `${entry.title || ""}\n${entry.id}\n${entry.url ?? ""}`.trim();
    row.dataset.state = entry.state ?? (entry.error ? "failed" : "new");
    row.querySelector(".state").textContent = sign;
    row.querySelector(".title").textContent = entry.title || entry.id;
    row.querySelector(".sub").textContent = entry.error ?? (entry.title ? entry.id : entry.url ?? "");
    const meter = row.querySelector(".meter");
    const doubt = entry.doubt;
    meter.style.setProperty("--a", this.scaled(doubt));
    meter.hidden = doubt === undefined;
    meter.title = doubt === undefined ? "" : `doubt ${doubt.toFixed(2)}; ${entry.kept} of ${entry.blocks} blocks kept`;
    const differences = entry.different > 0 ? plural(entry.different, "difference") : "";
    row.querySelector(".differences").textContent = entry.different > 0 ? entry.different : "";
    row.querySelector(".differences").title = differences;
    row.setAttribute("aria-label", `${entry.title || entry.id}, ${text}${doubt === undefined ? "" : `, doubt ${doubt.toFixed(2)}`}${differences && `, ${differences}`}`);
  }

  select(page) {
    this.rows.get(this.current)?.setAttribute("aria-selected", "false");
    this.current = page;
    const row = this.rows.get(page);
    if (row) {
      row.setAttribute("aria-selected", "true");
      this.root.setAttribute("aria-activedescendant", row.id);
      row.scrollIntoView({ block: "nearest" });
    }
  }

  /** The page `step` places after the current one in the list; -1 at its end. */
  neighbour(step) {
    const at = this.shown.findIndex((entry) => entry.page === this.current);
    if (at < 0) return this.shown[0]?.page ?? -1;
    return this.shown[at + step]?.page ?? -1;
  }

  isDifferent(entry) {
    return entry.different > 0 || this.pairs.some((pair) => pair.pages.some(([page]) => page === entry.page));
  }

  /** The next page of the list with a difference in a direction, then from the other end; -1 if there is no other. */
  nextDifferent(step) {
    const at = this.shown.findIndex((entry) => entry.page === this.current);
    const rest = [...this.shown.slice(at + 1), ...this.shown.slice(0, Math.max(at, 0))];
    if (step < 0) rest.reverse();
    return rest.find((entry) => this.isDifferent(entry))?.page ?? -1;
  }

  /** The next page to do after the current one, then from the begin; -1 if all are done. */
  nextToDo() {
    const at = this.shown.findIndex((entry) => entry.page === this.current);
    const rest = [...this.shown.slice(at + 1), ...this.shown.slice(0, Math.max(at, 0)), ...this.entries];
    const isToDo = (entry) => entry.page !== undefined && entry.page !== this.current && !entry.error && entry.state !== "done" && entry.state !== "skipped";
    return rest.find(isToDo)?.page ?? -1;
  }
}
