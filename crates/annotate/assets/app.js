// The application: joins the lists, the frames, the keys and the saver.

import { get } from "./api.js";
import { BlockList } from "./blocks.js";
import { Facts, Why } from "./details.js";
import { FrameView } from "./frame.js";
import { Keys } from "./keys.js";
import { $, LABELS, byKey, el, isContent, plural } from "./labels.js";
import { PageModel } from "./page.js";
import { PageList } from "./pages.js";
import { Saver } from "./saver.js";

let session;
let model = null;
let frames = [];
let pages;
let brush = null;
let saver;
let opening = 0;
const kept = new Map();
const list = new BlockList($("block-list"));
const why = new Why();
const facts = new Facts();
const isAnnotating = () => session.mode === "annotate";

// ---- messages ----

function say(text) {
  $("live").textContent = "";
  // a change of the text is announced
  requestAnimationFrame(() => ($("live").textContent = text));
}

let toastTimer;
function toast(text) {
  say(text);
  $("hover").textContent = text;
  $("hover").classList.add("toast");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    $("hover").classList.remove("toast");
    $("hover").textContent = "";
  }, 3000);
}

function banner(text, action) {
  $("banner").hidden = !text;
  $("banner").replaceChildren(text ?? "", ...(action ? [el("button", { type: "button", textContent: action.text, onclick: action.run })] : []));
}

function showSaved(state, text, page) {
  $("saved").dataset.state = state;
  $("saved").textContent = text;
  if (state === "error") banner(`The last changes are ${text}. They are kept in this window and sent again.`);
  else if (state === "conflict") banner("This page was changed in another window; the last change here is not saved.", { text: "Load the saved labels", run: () => reload(page) });
  else if (state === "saved") banner(null);
}

function reload(page) {
  saver.forget(page);
  kept.delete(page);
  banner(null);
  openPage(page, true);
}

// ---- looks ----

function look(block) {
  const info = model.blocks[block];
  const by = model.by[block];
  const notes = model.others.filter((o) => o.labels[block] !== model.labels[block]).map((o) => `${o.annotator}: ${o.labels[block]}`);
  if (!isAnnotating()) {
    if (info.score >= model.sides[0].threshold && !info.kept) notes.push("dropped by a filter");
    const other = model.sides[1]?.blocks;
    if (info.different && isSameCut()) notes.push(`${model.sides[1].model}: ${other[block].kept ? "content" : "boilerplate"} ${other[block].score.toFixed(2)}`);
  }
  return {
    label: model.labels[block],
    by: by === "person" ? "person" : undefined,
    certainty: by === "person" ? 1 : info.certainty,
    doubtful: isAnnotating() ? model.isDoubtful(block) : info.doubtful,
    different: model.isDifferent(block),
    selected: block === model.active ? "active" : model.selected.has(block) ? "1" : undefined,
    notes,
    text: info.text,
  };
}

/** How the list shows a block. */
const listed = (block) => ({ ...look(block), hidden: frames[0]?.ready === true && !frames[0].isDrawn(block) });

/** Whether both models cut the page into the same blocks. */
const isSameCut = () => model.sides[1]?.blocks.length === model.length;

/** How the second model looks at a block. */
function otherLook(block) {
  const side = model.sides[1];
  const info = side.blocks[block];
  return {
    label: info.kept ? "content" : "boilerplate",
    certainty: info.certainty,
    doubtful: info.doubtful,
    different: info.different,
    selected: isSameCut() ? look(block).selected : undefined,
  };
}

function paint(blocks) {
  frames[0]?.paint(blocks, look);
  if (isSameCut()) frames[1].paint(blocks, otherLook);
}

// ---- the open page ----

async function openPage(page, isAgain = false) {
  if (page < 0 || (model?.page === page && !isAgain)) return;
  const number = ++opening;
  pages.select(page);
  let data;
  try {
    data = await get(`/api/pages/${page}`);
  } catch (error) {
    if (number !== opening) return;
    model = null;
    list.show([], listed);
    banner(`${pages.entries[page]?.id ?? "The page"}: ${error.message}`);
    return;
  }
  if (number !== opening) return;
  if ($("saved").dataset.state !== "error" && $("saved").dataset.state !== "conflict") banner(null);
  if (saver.isOutdated(page, data.revision)) kept.delete(page);
  saver.setRevision(page, data.revision);
  model = kept.get(page) ?? adopt(new PageModel(data));
  model.others = data.others;
  history.replaceState(null, "", `/?page=${page}`);
  $("page-title").textContent = model.title || model.id;
  $("page-title").title = model.title;
  $("page-sub").textContent = model.url ? `${model.id} · ${model.url}` : model.id;
  document.title = `${model.title || model.id} – threshr`;
  list.show(model.blocks, listed);
  showState();
  why.clear();
  if (!isAnnotating()) facts.show(model);
  await Promise.all(frames.map((frame, side) => frame.load(model.sides[side].frame)));
  if (number !== opening) return;
  frames[0].paintAll(model.length, look);
  if (frames[1]) frames[1].paintAll(model.sides[1].blocks.length, otherLook);
  list.update(model.blocks.map((_, block) => block));
  const first = model.active >= 0 ? model.active : model.next(isAnnotating() ? (b) => model.isDoubtful(b) : (b) => model.isDifferent(b));
  if (first >= 0) model.select([first]);
  else model.select([], -1);
  if (model.isChanged) toast("The page has changed since it was labelled; labels were carried over to it.");
  else say(`${model.title || model.id}, ${plural(model.length, "block")}, ${model.state}`);
  document.body.dataset.ready = page;
  if (document.activeElement === document.body) focusBlocks();
  prefetch();
}

function adopt(created) {
  kept.set(created.page, created);
  let last = [];
  created.addEventListener("selection", ({ detail }) => {
    if (created !== model) return;
    const now = [...created.selected];
    paint(new Set([...last, ...now]));
    last = now;
    list.select(created.selected, created.active, detail.scroll !== "list");
    if (detail.scroll !== "frame" && created.active >= 0) frames[0].reveal(created.active);
    frames.forEach((frame) => frame.frame(frame.side === 0 || isSameCut() ? created.active : -1));
    showPalette();
    if (!isAnnotating() && !$("why-panel").hidden) why.show(created, created.active);
  });
  created.addEventListener("labels", ({ detail }) => {
    if (created !== model) return;
    paint(detail.blocks);
    list.update(detail.blocks);
    showState();
  });
  created.addEventListener("save", () => {
    saver.save(created.page, created.record());
    pages.setState(created.page, created.state);
  });
  return created;
}

/** Reads the next page, so that it opens at once. */
function prefetch() {
  const next = isAnnotating() ? pages.nextToDo() : pages.neighbour(1);
  if (next >= 0) get(`/api/pages/${next}`).catch(() => undefined);
}

function showState() {
  showPalette();
  if (!isAnnotating() || !model) return;
  const doubtful = model.blocks.filter((_, b) => model.isDoubtful(b)).length;
  const names = { new: "labels of the model", draft: "begun", done: "done", skipped: "skipped" };
  $("page-state").textContent = `${names[model.state]}${doubtful > 0 ? ` · ${doubtful} doubtful` : ""}`;
  $("page-state").dataset.state = model.state;
}

// ---- labelling ----

function label(blocks, name) {
  if (!isAnnotating() || !model || blocks.length === 0) return;
  model.set(blocks.map((block) => [block, name]));
  say(`${blocks.length === 1 ? `block ${blocks[0] + 1}` : `${blocks.length} blocks`}: ${name}`);
}

function toggle(blocks) {
  if (!isAnnotating() || !model || blocks.length === 0) return;
  const all = blocks.every((block) => isContent(model.labels[block]) === true);
  label(blocks, all ? "boilerplate" : "content");
}

function setBrush(name) {
  brush = brush === name ? null : name;
  document.body.dataset.brush = brush ?? "";
  showPalette();
  toast(brush ? `Brush ${brush}: click a block or drag over a region. Esc ends it.` : "Brush off");
}

function useLabel(name) {
  if (model && model.selected.size > 0) label([...model.selected], name);
  else if (isAnnotating()) setBrush(name);
}

function finish(state) {
  if (!isAnnotating() || !model) return;
  if (model.state !== state) model.set([], state);
  saySaved(state);
  const next = pages.nextToDo();
  if (next >= 0) openPage(next);
  else toast("All pages of the list are done.");
}

const saySaved = (state) => say(state === "done" ? "page done" : "page skipped");

function step(back) {
  const blocks = back ? model?.undo() : model?.redo();
  if (!blocks) toast(back ? "Nothing to undo" : "Nothing to redo");
  else say(`${back ? "undone" : "redone"}: ${plural(blocks.length, "block")}`);
}

async function copySimilar() {
  if (!isAnnotating() || !model) return;
  const target = model;
  const found = await get(`/api/pages/${model.page}/similar`).catch((error) => ({ error }));
  if (target !== model) return;
  if (!found) return toast("No page of this site is done yet.");
  if (found.error) return toast(found.error.message);
  const changes = found.labels.flatMap((name, block) => (name && name !== model.labels[block] && model.by[block] === "model" ? [[block, name]] : []));
  const changed = model.set(changes);
  const all = found.labels.filter(Boolean).length;
  if (changed.length > 0) model.select(changed, changed[0]);
  toast(`${found.id} (${Math.round(found.similarity * 100)} % the same places) suggests ${plural(all, "label")}; ${changed.length} changed.`);
}

function resetToModel() {
  if (!isAnnotating() || !model) return;
  const changes = model.blocks.flatMap((b, i) => (model.labels[i] !== (b.kept ? "content" : "boilerplate") ? [[i, b.kept ? "content" : "boilerplate"]] : []));
  const changed = model.set(changes);
  toast(`The labels of the model are back on ${plural(changed.length, "block")}.`);
}

// ---- moving ----

function move(by, isExtending) {
  if (!model || model.length === 0) return;
  const to = Math.max(0, Math.min(model.length - 1, model.active < 0 ? (by > 0 ? 0 : model.length - 1) : model.active + by));
  if (isExtending) model.extend(to);
  else model.select([to]);
}

function jump(wanted, by, none) {
  if (!model) return;
  const found = model.next(wanted, by);
  if (found < 0) toast(none);
  else model.select([found]);
}

const nextDoubtful = (by) => jump((b) => (isAnnotating() ? model.isDoubtful(b) : model.blocks[b].doubtful), by, "No doubtful block is left.");
const nextDifferent = (by) => jump((b) => model.isDifferent(b), by, "No block is labelled differently.");

function nextPage(by) {
  const next = pages.neighbour(by);
  if (next < 0) toast(by > 0 ? "This is the last page of the list." : "This is the first page of the list.");
  else openPage(next);
}

let grown = [];
function grow() {
  if (!model || model.selected.size === 0) return;
  const now = [...model.selected];
  const more = frames[0].grow(now);
  if (more.length === now.length) return toast("The whole page is selected.");
  grown.push(now);
  model.select(more, model.active, { scroll: "list" });
  say(`${more.length} blocks selected`);
}

function shrink() {
  const less = grown.pop();
  if (model && less) model.select(less, model.active);
}

function clearSelection() {
  if (brush) return setBrush(brush);
  grown = [];
  model?.select([], -1);
}

// ---- the mouse ----

function clicked({ block, event }, from) {
  if (!model || block < 0) return;
  grown = [];
  if (brush && from === "frame") {
    model.select([block], block, { scroll: "frame" });
    return label([block], brush);
  }
  if (event.shiftKey) model.extend(block, { scroll: from });
  else if (event.ctrlKey || event.metaKey) {
    const blocks = new Set(model.selected);
    if (!blocks.delete(block)) blocks.add(block);
    model.select([...blocks].sort((a, b) => a - b), block, { scroll: from });
  } else if (event.altKey) {
    model.select([block], block, { scroll: from });
    grow();
  } else model.select([block], block, { scroll: from });
}

function dragged({ blocks, event }) {
  if (!model || blocks.length === 0) return;
  const all = event.ctrlKey || event.metaKey ? [...new Set([...model.selected, ...blocks])].sort((a, b) => a - b) : blocks;
  model.select(all, blocks[0], { scroll: "frame" });
  if (brush) label(all, brush);
  else say(`${all.length} blocks selected`);
}

function hovered(block) {
  if ($("hover").classList.contains("toast")) return;
  if (!model || block < 0 || !model.blocks[block]) {
    $("hover").textContent = "";
    return;
  }
  const info = model.blocks[block];
  const by = model.by[block] === "person" || !isAnnotating() ? "" : " by the model";
  $("hover").textContent = `${block + 1} · ${model.labels[block]}${by} · score ${info.score.toFixed(2)}, threshold ${model.sides[0].threshold.toFixed(2)} · ${info.path}`;
}

// ---- the parts of the window ----

function buildPalette() {
  const labels = isAnnotating() ? LABELS : LABELS.slice(0, 2);
  const button = ({ name, key, what }) => {
    const node = el("button", { type: "button", className: "swatch", title: isAnnotating() ? `${what} (${key})` : what, attr: { "data-l": name, "aria-pressed": "false" } },
      el("span", { className: "colour", textContent: isAnnotating() ? key : "" }), el("span", { textContent: name }), el("span", { className: "count" }));
    if (isAnnotating()) node.addEventListener("click", () => useLabel(name));
    else node.disabled = true;
    return node;
  };
  $("palette").replaceChildren(...labels.map(button));
  if (!isAnnotating()) {
    const legend = (text, className) => el("span", { className: `legend ${className}`, textContent: text });
    $("palette").append(legend("doubtful", "doubt"), ...(session.models.length > 1 ? [legend("labelled differently", "different")] : []));
  }
}

function showPalette() {
  const counts = model?.count() ?? {};
  const chosen = new Set([...(model?.selected ?? [])].map((block) => model.labels[block]));
  for (const node of $("palette").querySelectorAll("button")) {
    const name = node.dataset.l;
    node.querySelector(".count").textContent = counts[name] ?? "";
    node.setAttribute("aria-pressed", String(brush === name));
    node.toggleAttribute("data-current", chosen.has(name));
  }
}

function buildActions() {
  const action = (text, key, run, className = "") =>
    el("button", { type: "button", className, onclick: run }, text, el("kbd", { textContent: key }));
  if (isAnnotating()) {
    $("actions").append(
      el("span", { id: "page-state", attr: { role: "status" } }),
      action("Undo", "z", () => step(true)), action("Copy similar", "l", copySimilar), action("Skip", "s", () => finish("skipped")), action("Done", "Enter", () => finish("done"), "primary"),
    );
  } else {
    const what = session.models.length > 1 ? ["Next difference", "e", () => nextDifferent(1)] : ["Next doubtful", "d", () => nextDoubtful(1)];
    $("actions").append(action("Previous page", "N", () => nextPage(-1)), action("Next page", "n", () => nextPage(1)), action(...what, "primary"));
  }
}

function buildTabs() {
  const names = ["blocks", "why", "units", "page"];
  const choose = (chosen) => {
    for (const name of names) {
      $(`tab-${name}`).setAttribute("aria-selected", String(name === chosen));
      $(`tab-${name}`).tabIndex = name === chosen ? 0 : -1;
      $(`${name}-panel`).hidden = name !== chosen;
    }
    if (chosen === "why" && model) why.show(model, model.active);
  };
  for (const [at, name] of names.entries()) {
    $(`tab-${name}`).addEventListener("click", () => choose(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = names[(at + by + names.length) % names.length];
      choose(next);
      $(`tab-${next}`).focus();
    });
  }
  $("tabs").hidden = false;
  choose("blocks");
  return choose;
}

/** Keys go to the list of blocks, which screen readers follow. */
function focusBlocks() {
  $("block-list").focus({ preventScroll: true });
}

function buildFrames() {
  frames = session.models.map((name, side) => new FrameView(side, name));
  for (const frame of frames) {
    const head = frames.length > 1 ? [el("h2", { textContent: session.models[frame.side] })] : [];
    $("frames").append(el("div", { className: "pane" }, ...head, frame.root));
    const isOwn = () => frame.side === 0 || (model && isSameCut());
    frame.addEventListener("press", focusBlocks);
    frame.addEventListener("click", ({ detail }) => isOwn() && clicked(detail, "frame"));
    frame.addEventListener("region", ({ detail }) => isOwn() && dragged(detail));
    frame.addEventListener("hover", ({ detail }) => isOwn() && hovered(detail.block));
    frame.addEventListener("double", ({ detail }) => detail.block >= 0 && toggle([detail.block]));
    frame.addEventListener("scroll", ({ detail }) => {
      for (const other of frames) {
        if (other !== frame && Math.abs(other.scroller.scrollTop - detail.top) > 1) other.scroller.scrollTop = detail.top;
      }
    });
  }
}

function commands(choose) {
  const labelling = {
    title: "Label",
    commands: [
      ...LABELS.map(({ name, key, what }) => ({ keys: [key], text: `${name}: ${what}`, run: () => useLabel(byKey(key).name) })),
      { keys: [" "], mouse: "double click", text: "content or boilerplate, the other one", run: () => toggle([...(model?.selected ?? [])]) },
      { keys: LABELS.map(({ key }) => key.toUpperCase()), text: "brush: clicks and drags label at once (Shift and the key of a label)", run: (event) => setBrush(byKey(event.key.toLowerCase()).name) },
      { keys: ["z", "Ctrl+z"], text: "undo", run: () => step(true) },
      { keys: ["Z", "Ctrl+Z", "Ctrl+y"], text: "do again", run: () => step(false) },
      { keys: ["l"], text: "copy the labels of the most similar page of the site that is done", run: copySimilar },
      { keys: ["r"], text: "back to the labels of the model", run: resetToModel },
    ],
  };
  const selecting = {
    title: "Select",
    commands: [
      { keys: ["j", "ArrowDown"], text: "next block", run: () => move(1) },
      { keys: ["k", "ArrowUp"], text: "block before", run: () => move(-1) },
      { keys: ["J", "Shift+ArrowDown"], mouse: "Shift click", text: "extend the selection down", run: () => move(1, true) },
      { keys: ["K", "Shift+ArrowUp"], text: "extend it up", run: () => move(-1, true) },
      { keys: [], mouse: "drag", text: "select all blocks of a region; with Ctrl add them" , run: () => undefined },
      { keys: ["g"], mouse: "Alt click", text: "grow the selection to the element around it", run: grow },
      { keys: ["G"], text: "shrink it again", run: shrink },
      { keys: ["Ctrl+a"], text: "select all blocks", run: () => model?.select(model.blocks.map((_, i) => i), 0) },
      { keys: ["d"], text: "next doubtful block", run: () => nextDoubtful(1) },
      { keys: ["D"], text: "doubtful block before", run: () => nextDoubtful(-1) },
      { keys: ["e"], text: "next block that another annotator or model labels differently", run: () => nextDifferent(1) },
      { keys: ["E"], text: "such a block before", run: () => nextDifferent(-1) },
      { keys: ["Escape"], text: "end the brush, then clear the selection", run: clearSelection },
    ],
  };
  const paging = {
    title: "Pages",
    commands: [
      ...(isAnnotating() ? [
        { keys: ["Enter"], text: "page done, go on with the next page to do", run: () => finish("done") },
        { keys: ["s"], text: "skip the page", run: () => finish("skipped") },
      ] : []),
      { keys: ["n"], text: "next page of the list", run: () => nextPage(1) },
      { keys: ["N"], text: "page before", run: () => nextPage(-1) },
      { keys: ["/"], text: "search pages", run: () => $("search").focus() },
    ],
  };
  const viewing = {
    title: "View",
    commands: [
      { keys: ["PageDown", "PageUp"], text: "scroll the page", run: (event) => frames[0].scroll(event.key === "PageDown" ? 0.85 : -0.85) },
      { keys: ["v"], text: "styles of the page on or off", run: () => toggleStyles() },
      { keys: ["o"], text: "colours on or off", run: () => frames.forEach((f) => f.toggleColours()) },
      { keys: ["["], text: "list of pages on or off", run: togglePages },
      ...(choose ? [
        { keys: ["1"], text: "blocks", run: () => choose("blocks") },
        { keys: ["2"], text: "why a block has its label", run: () => choose("why") },
        { keys: ["3"], text: "units", run: () => choose("units") },
        { keys: ["4"], text: "metadata, quality, page type", run: () => choose("page") },
      ] : []),
      { keys: ["?"], text: "this help", run: () => $("help").showModal() },
    ],
  };
  return isAnnotating() ? [labelling, selecting, paging, viewing] : [selecting, paging, viewing];
}

function toggleStyles() {
  const isOn = frames.map((frame) => frame.toggleStyles())[0];
  if (model) list.update(model.blocks.map((_, block) => block));
  toast(isOn ? "Styles of the page on" : "Styles of the page off");
}

function togglePages() {
  const isHidden = document.body.toggleAttribute("data-no-pages");
  $("toggle-pages").setAttribute("aria-expanded", String(!isHidden));
}

async function start() {
  const wanted = Number(new URLSearchParams(location.search).get("page") ?? -1);
  try {
    session = await get("/api/session");
  } catch (error) {
    banner(error.status === 401 ? "Open the address that threshr printed. It contains a token, without which nothing is shown." : error.message);
    return;
  }
  document.body.dataset.mode = session.mode;
  saver = new Saver(showSaved);
  pages = new PageList(session);
  buildPalette();
  buildFrames();
  buildActions();
  const choose = isAnnotating() ? null : buildTabs();
  new Keys(commands(choose), $("help"), $("help-body"));
  $("progress").hidden = !isAnnotating();
  if (session.num_pages === 1) togglePages();
  list.addEventListener("click", ({ detail }) => clicked(detail, "list"));
  list.addEventListener("double", ({ detail }) => toggle([detail.block]));
  facts.addEventListener("unit", ({ detail: [from, to] }) => model?.select(Array.from({ length: to - from }, (_, i) => from + i), from));
  // the mouse does not take the keys away from the blocks
  document.addEventListener("mousedown", (event) => {
    if (event.target.closest?.("#palette button, #actions button, #top button")) event.preventDefault();
  });
  pages.addEventListener("open", ({ detail }) => openPage(detail));
  $("toggle-pages").addEventListener("click", togglePages);
  $("help-button").addEventListener("click", () => $("help").showModal());
  await pages.refresh();
  const first = Number.isInteger(wanted) && wanted >= 0 && wanted < session.num_pages ? wanted : isAnnotating() ? pages.nextToDo() : pages.neighbour(1);
  openPage(first >= 0 ? first : 0);
}

start();
