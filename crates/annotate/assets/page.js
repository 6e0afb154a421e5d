// The open page: labels of its blocks, selection, undo. Views listen to its events.

import { labelOf } from "./looks.js";

export class PageModel extends EventTarget {
  constructor(data) {
    super();
    Object.assign(this, {
      page: data.page,
      id: data.id,
      title: data.title,
      url: data.url,
      sides: data.sides,
      blocks: data.sides[0].blocks,
      others: data.others ?? [],
      defect: data.defect ?? null,
      posts: data.sides[0].posts,
      postOf: new Map(data.sides[0].posts.flatMap((post, number) => post.blocks.map((block) => [block, number]))),
      isChanged: data.record?.is_changed ?? false,
      state: data.record?.state ?? "new",
    });
    this.labels = data.record?.labels.slice() ?? this.blocks.map(labelOf);
    this.by = data.record?.by.slice() ?? this.blocks.map(() => "model");
    this.selected = new Set();
    this.active = -1;
    this.anchor = -1;
    this.done = [];
    this.undone = [];
  }

  get length() {
    return this.blocks.length;
  }

  record() {
    return { state: this.state === "new" ? "draft" : this.state, labels: this.labels.slice(), by: this.by.slice() };
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Selects blocks; `active` is the one that moves start from. */
  select(blocks, active = blocks[0] ?? -1, { anchor = active, scroll = "both" } = {}) {
    this.selected = new Set(blocks);
    this.active = active;
    this.anchor = anchor;
    this.emit("selection", { scroll });
  }

  /** Selects from the anchor to a block. */
  extend(to, options = {}) {
    const from = this.anchor < 0 ? to : this.anchor;
    const [a, b] = [Math.min(from, to), Math.max(from, to)];
    const range = Array.from({ length: b - a + 1 }, (_, i) => a + i);
    this.select(range, to, { ...options, anchor: from });
  }

  /** Labels blocks, as one step of undo. Returns the blocks whose label changes or is confirmed. */
  set(changes, state = this.state === "done" || this.state === "skipped" ? "draft" : this.state) {
    const before = { state: this.state, blocks: [], selected: [...this.selected], active: this.active };
    for (const [block, label] of changes) {
      if (this.labels[block] === label && this.by[block] === "person") continue;
      before.blocks.push([block, this.labels[block], this.by[block]]);
      this.labels[block] = label;
      this.by[block] = "person";
    }
    if (state === "new" && before.blocks.length > 0) state = "draft";
    if (before.blocks.length === 0 && state === this.state) return [];
    this.state = state;
    this.done.push(before);
    this.undone = [];
    this.changed(before.blocks.map((b) => b[0]));
    return before.blocks.map((b) => b[0]);
  }

  changed(blocks) {
    this.emit("labels", { blocks });
    this.emit("save");
  }

  undo() {
    return this.swap(this.done, this.undone);
  }

  redo() {
    return this.swap(this.undone, this.done);
  }

  swap(from, to) {
    const step = from.pop();
    if (!step) return null;
    to.push({
      state: this.state,
      blocks: step.blocks.map(([block]) => [block, this.labels[block], this.by[block]]),
      selected: [...this.selected],
      active: this.active,
    });
    for (const [block, label, by] of step.blocks) {
      this.labels[block] = label;
      this.by[block] = by;
    }
    // a page that was begun stays in the file
    this.state = step.state === "new" ? "draft" : step.state;
    this.changed(step.blocks.map((b) => b[0]));
    const blocks = step.blocks.map((b) => b[0]);
    if (blocks.length > 0) this.select(blocks, blocks[0]);
    return blocks;
  }

  /** The post of a block: its number, and for its first block author and date; empty outside posts. */
  postNote(block) {
    const number = this.postOf.get(block);
    if (number === undefined) return "";
    const { author, date, blocks } = this.posts[number];
    const by = block === blocks[0] ? [author, date].filter(Boolean).join(", ") : "";
    return `post ${number + 1}${by && `: ${by}`}`;
  }

  isDoubtful(block) {
    return this.blocks[block].doubtful && this.by[block] === "model" && this.state !== "done";
  }

  /** The blocks with the place in the template of one of these blocks. */
  alike(blocks) {
    const places = new Set([...blocks].map((block) => this.blocks[block].place));
    return this.blocks.flatMap((block, index) => (places.has(block.place) ? [index] : []));
  }

  /** The blocks whose labels are doubtful. */
  doubtful() {
    return this.blocks.flatMap((_, block) => (this.isDoubtful(block) ? [block] : []));
  }

  /** Whether another annotator, or another model, has another label. */
  isDifferent(block) {
    return this.others.some((o) => o.labels[block] !== this.labels[block]) || this.blocks[block].different === true;
  }

  /** The next block after the active one for which `wanted` holds; -1 if there is none. */
  next(wanted, step = 1) {
    for (let n = 1; n <= this.length; n++) {
      const block = (((this.active < 0 && step < 0 ? 0 : this.active) + n * step) % this.length + this.length) % this.length;
      if (wanted(block)) return block;
    }
    return -1;
  }

  count() {
    const counts = {};
    for (const label of this.labels) counts[label] = (counts[label] ?? 0) + 1;
    return counts;
  }
}
