// The list of blocks: a listbox for the keyboard and for screen readers.

import { el } from "./labels.js";

export class BlockList extends EventTarget {
  constructor(root) {
    super();
    this.root = root;
    this.rows = [];
    root.addEventListener("click", (event) => this.emit(event, "click"));
    root.addEventListener("dblclick", (event) => this.emit(event, "double"));
    root.addEventListener("mousedown", (event) => {
      // selects a range of rows and no text
      if (event.shiftKey) event.preventDefault();
    });
  }

  emit(event, name) {
    const row = event.target.closest("li");
    if (!row) return;
    this.dispatchEvent(new CustomEvent(name, { detail: { block: Number(row.dataset.b), event } }));
  }

  /** Shows blocks; `look(block)` has what is shown of each. */
  show(blocks, look) {
    this.look = look;
    this.rows = blocks.map((block, index) => {
      const row = el("li", { id: `b${index}`, attr: { role: "option", "data-b": index, "aria-selected": "false" } });
      row.append(
        el("span", { className: "bar" }),
        el("span", { className: "number", textContent: index + 1 }),
        el("span", { className: "body" },
          el("span", { className: "line" },
            el("span", { className: "label" }),
            el("span", { className: "marks" }),
            el("span", { className: "score", textContent: block.score.toFixed(2) }),
          ),
          el("span", { className: "text", textContent: block.text }),
        ),
      );
      return row;
    });
    this.root.replaceChildren(...this.rows);
    this.root.removeAttribute("aria-activedescendant");
    this.root.scrollTop = 0;
    this.update(blocks.map((_, index) => index));
  }

  update(blocks) {
    for (const block of blocks) {
      const row = this.rows[block];
      if (!row) continue;
      const { label, by, doubtful, different, notes, certainty, hidden, text, score } = this.look(block);
      row.dataset.l = label;
      row.dataset.by = by;
      row.toggleAttribute("data-q", doubtful);
      row.toggleAttribute("data-x", different);
      row.style.setProperty("--a", certainty);
      row.querySelector(".label").textContent = label;
      const marks = [doubtful ? "doubtful" : "", hidden ? "not visible" : "", ...notes].filter(Boolean);
      row.querySelector(".score").title = score;
      row.querySelector(".marks").replaceChildren(
        ...marks.map((mark) => el("span", { className: "mark", textContent: mark })),
      );
      const who = by === "person" ? "" : ", by the model";
      row.setAttribute("aria-label", `${block + 1}, ${label}${who}${marks.length ? ", " + marks.join(", ") : ""}: ${text}`);
    }
  }

  /** Shows the selection. */
  select(selected, active, reveal) {
    for (const row of this.root.querySelectorAll("[aria-selected=true], .active")) {
      row.setAttribute("aria-selected", "false");
      row.classList.remove("active");
    }
    for (const block of selected) this.rows[block]?.setAttribute("aria-selected", "true");
    const row = this.rows[active];
    if (!row) {
      this.root.removeAttribute("aria-activedescendant");
      return;
    }
    row.classList.add("active");
    this.root.setAttribute("aria-activedescendant", row.id);
    if (!reveal) return;
    const [view, place] = [this.root.getBoundingClientRect(), row.getBoundingClientRect()];
    const isNear = place.bottom > view.top - place.height && place.top < view.bottom + place.height;
    row.scrollIntoView({ block: isNear ? "nearest" : "center" });
    // the first row is fully visible
    const first = document.elementFromPoint(view.left + 8, view.top + 4)?.closest("#block-list li");
    const cut = first ? view.top - first.getBoundingClientRect().top : 0;
    if (cut <= 1) return;
    const isRoom = row.getBoundingClientRect().bottom + cut <= view.bottom;
    this.root.scrollTop += isRoom ? -cut : first.getBoundingClientRect().height - cut;
  }
}
