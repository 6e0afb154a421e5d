// The application: joins the lists, the frames, the keys and the saver.

import { get, useAddress } from "./api.js";
import { BlockList } from "./blocks.js";
import { Facts, Why } from "./details.js";
import { FrameView } from "./frame.js";
import { Keys } from "./keys.js";
import { $, LABELS, byKey, el, isContent, plural } from "./labels.js";
import { labelOf, lookOf, scoreText } from "./looks.js";
import { say, toast } from "./messages.js";
import { PageModel } from "./page.js";
import { PageList } from "./pages.js";
import { Saver } from "./saver.js";
import { tabs } from "./tabs.js";

let session;
let model = null;
let frames = [];
let pages;
let brush = null;
/** The block under the mouse; -1 for none. */
let pointed = -1;
/** Whether the selected block was reached by a key for doubtful blocks, or as the first one of its page. */
let isByDoubt = false;
/** Whether the selected block is the one with which the page opened: the first key to the next one stays at it. */
let isFirst = false;
let saver;
let opening = 0;
const kept = new Map();
const list = new BlockList($("block-list"));
const why = new Why((page, side, block) => get(`/api/pages/${page}/explain/${side}/${block}`));
const facts = new Facts();
const isAnnotating = () => session.mode === "annotate";

// ---- messages ----

function banner(text, action) {
  $("banner").hidden = !text;
  delete $("banner").dataset.lost;
  $("banner").replaceChildren(text ?? "", ...(action ? [el("button", { type: "button", textContent: action.text, onclick: action.run })] : []));
}

function showSaved(state, text, page, status) {
  $("saved").dataset.state = state;
  $("saved").textContent = text;
  if (state === "error") showUnsaved(text, status);
  else if (state === "conflict") banner("This page was changed in another window; the last change here is not saved.", { text: "Load the saved labels", run: () => reload(page) });
  else if (state === "saved") banner(null);
}

/** Says that changes are not saved, and how to go on. What is typed into the banner stays. */
function showUnsaved(text, status) {
  const isLost = status === 0 || status === 401;
  const pagesText = plural(saver.unsaved().size, "page");
  const told = `The changes of ${pagesText} are ${text}. They are kept in this window while it is open, and sent again.`;
  if (!isLost) return banner(told);
  if ($("banner").dataset.lost) {
    $("banner-text").textContent = told;
    return;
  }
  banner(null);
  const field = el("input", { id: "banner-address", type: "text", placeholder: "the new address", autocomplete: "off", spellcheck: false, attr: { "aria-label": "The address that threshr printed" } });
  const form = el("form", { onsubmit: (event) => { event.preventDefault(); goOn(field.value); } },
    el("span", {}, "Was it stopped? Start it again with ", el("kbd", { textContent: `--port ${location.port}` }), ", and paste the address that it prints: "),
    field, el("button", { type: "submit", textContent: "Go on" }));
  $("banner").append(el("span", { id: "banner-text", textContent: told }), form);
  $("banner").dataset.lost = "1";
  $("banner").hidden = false;
}

/** Goes on with a program that was started again for the same folder. */
async function goOn(address) {
  if (!useAddress(address)) {
    $("banner-text").textContent = `This is not an address of threshr at port ${location.port}. The changes are not saved.`;
    return;
  }
  try {
    const now = await get("/api/session");
    const isSame = ["mode", "folder", "annotator", "num_pages"].every((name) => now[name] === session[name]);
    const ids = await Promise.all([...saver.unsaved()].map(async (page) => (await get(`/api/pages/${page}`)).id === pages.entries[page].id));
    if (!isSame || ids.includes(false)) {
      $("banner-text").textContent = "The program has other pages or another annotator. The changes are not saved.";
      return;
    }
  } catch (error) {
    $("banner-text").textContent = `The program cannot be used: ${error.message}. The changes are not saved.`;
    return;
  }
  pages.restart();
  saver.restart();
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
  if (info.reason && by !== "person") notes.push(info.reason);
  if (model.postNote(block)) notes.push(model.postNote(block));
  if (!isAnnotating()) {
    const other = model.sides[1]?.blocks;
    if (info.different && isSameCut()) notes.push(`${model.sides[1].model}: ${labelOf(other[block])} ${other[block].score.toFixed(2)}`);
  }
  return {
    label: model.labels[block],
    by: by === "person" ? "person" : undefined,
    certainty: by === "person" ? 1 : info.certainty,
    doubtful: isAnnotating() ? model.isDoubtful(block) : info.doubtful,
    different: model.isDifferent(block),
    selected: block === model.active ? "active" : model.selected.has(block) ? "1" : undefined,
    notes,
    score: whyLabelled(block),
    text: info.text,
  };
}

/** The score of a block, and what gave its label. */
function whyLabelled(block) {
  const isByPerson = model.by[block] === "person";
  const who = !isAnnotating() ? "" : isByPerson ? ", labelled by you" : ", labelled by the model";
  return `${scoreText(model.sides[0], model.blocks[block], isByPerson)}${who}`;
}

/** How the list shows a block. */
const listed = (block) => ({ ...look(block), hidden: frames[0]?.ready === true && !frames[0].isDrawn(block) });

/** Whether both models cut the page into the same blocks. */
const isSameCut = () => model.sides[1]?.blocks.length === model.length;

/** How the second model looks at a block. */
function otherLook(block) {
  const selected = isSameCut() ? look(block).selected : undefined;
  return { ...lookOf(model.sides[1].blocks[block]), selected };
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
    const how = error.status === 0 || error.status === 401 ? ". Start it again, and open the address that it prints." : "";
    banner(`${pages.entries[page]?.id ?? "The page"}: ${error.message}${how}`);
    return;
  }
  if (number !== opening) return;
  if ($("saved").dataset.state !== "error" && $("saved").dataset.state !== "conflict") banner(null);
  if (saver.isOutdated(page, data.revision)) kept.delete(page);
  pointed = -1;
  saver.setRevision(page, data.revision);
  model = kept.get(page) ?? adopt(new PageModel(data));
  model.others = data.others;
  // a program that was started again has other addresses
  model.sides.forEach((side, number) => (side.frame = data.sides[number].frame));
  $("remark").hidden = !model.defect;
  $("remark").textContent = model.defect ? `The page may be incomplete: ${model.defect}` : "";
  history.replaceState(null, "", `/?page=${page}`);
  $("page-title").textContent = model.title || model.id;
  $("page-title").title = model.title;
  $("page-sub").textContent = model.url ? `${model.id} · ${model.url}` : model.id;
  document.title = `${model.title || model.id} – threshr`;
  list.show(model.blocks, listed);
  showState();
  why.clear();
  if (!isAnnotating()) facts.show(model, (page) => get(`/api/pages/${page}/details/0`));
  await Promise.all(frames.map((frame, side) => frame.load(model.sides[side].frame)));
  if (number !== opening) return;
  frames[0].paintAll(model.length, look);
  if (frames[1]) frames[1].paintAll(model.sides[1].blocks.length, otherLook);
  list.update(model.blocks.map((_, block) => block));
  const first = model.active >= 0 ? model.active : model.next(isAnnotating() ? (b) => model.isDoubtful(b) : (b) => model.isDifferent(b));
  if (first >= 0) model.select([first]);
  else model.select([], -1);
  isByDoubt = isAnnotating() && first >= 0 && model.isDoubtful(first);
  isFirst = first >= 0 && (isAnnotating() ? model.isDoubtful(first) : model.isDifferent(first) || model.blocks[first].doubtful);
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
    isByDoubt = false;
    isFirst = false;
    list.select(created.selected, created.active, detail.scroll !== "list");
    if (detail.scroll !== "frame" && created.active >= 0) frames[0].reveal(created.active);
    frames.forEach((frame) => frame.frame(frame.side === 0 || isSameCut() ? created.active : -1));
    showPalette();
    showHead();
    showTip();
    if (!isAnnotating() && !$("why-panel").hidden) why.show(created, created.active);
  });
  created.addEventListener("labels", ({ detail }) => {
    if (created !== model) return;
    isFirst = false;
    paint(detail.blocks);
    list.update(detail.blocks);
    showState();
    showTip();
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
  showHead();
  if (!isAnnotating() || !model) return;
  const doubtful = model.doubtful().length;
  const names = { new: "labels of the model", draft: "begun", done: "done", skipped: "skipped" };
  $("page-state").textContent = `${names[model.state]}${doubtful > 0 ? ` · ${doubtful} doubtful` : ""}`;
  $("page-state").dataset.state = model.state;
}

/** What holds for all blocks of the list. */
function showHead() {
  const parts = [];
  if (model) {
    const { threshold, has_scores: hasScores } = model.sides[0];
    parts.push(plural(model.length, "block"), hasScores ? `threshold ${threshold.toFixed(2)}` : "no scores");
    if (model.selected.size > 0) parts.push(`${model.selected.size} selected`);
  }
  $("list-head").textContent = parts.join(" · ");
}

/** The line below the page: the block under the mouse, else the selected one. */
function showTip() {
  const block = pointed >= 0 ? pointed : (model?.active ?? -1);
  const info = model?.blocks[block];
  if (!info) {
    $("tip").textContent = "";
    return;
  }
  const doubt = look(block).doubtful ? " (doubtful)" : "";
  const isHidden = frames[0].ready && block === model.active && !frames[0].isFramed();
  const hidden = isHidden ? `not visible in the page${frames[0].plain ? "" : ", press v"} · ` : "";
  $("tip").textContent = `${block + 1} · ${hidden}${model.labels[block]}${doubt} · ${whyLabelled(block)} · ${info.path}`;
  $("tip").toggleAttribute("data-hidden", isHidden);
}

// ---- labelling ----

function label(blocks, name) {
  if (!isAnnotating() || !model || blocks.length === 0) return;
  model.set(blocks.map((block) => [block, name]));
  say(`${blocks.length === 1 ? `block ${blocks[0] + 1}` : `${blocks.length} blocks`}: ${name}`);
  if (isByDoubt && isAdvancing()) nextDoubtful(1);
}

const ADVANCE = "threshr-advance";
const isAdvancing = () => localStorage.getItem(ADVANCE) !== "off";

/** Whether a label goes on to the next doubtful block, if the block was reached as one. The browser keeps it. */
function setAdvancing(isOn) {
  localStorage.setItem(ADVANCE, isOn ? "on" : "off");
  $("advance").checked = isOn;
  toast(isOn ? "A label goes on to the next doubtful block." : "A label stays at its block.");
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
  const left = state === "done" ? model.doubtful().length : 0;
  if (model.state !== state) model.set([], state);
  const told = [];
  if (left > 0) told.push(`Page done. ${plural(left, "doubtful block")} ${left === 1 ? "keeps the label" : "keep the labels"} of the model.`);
  const next = pages.nextToDo();
  if (next >= 0) openPage(next);
  else told.push(`All pages of the list are done. Next, in the terminal: ${session.next_commands}`);
  if (told.length > 0) toast(told.join(" "));
  else say(state === "done" ? "page done" : "page skipped");
}

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
  const changes = model.blocks.flatMap((b, i) => (model.labels[i] !== labelOf(b) ? [[i, labelOf(b)]] : []));
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

/** Whether a key to the next block stays at the block with which the page opened, so that this block is not skipped. */
function staysAtFirst(by, wanted) {
  if (!isFirst || by < 0 || !wanted(model.active)) return false;
  const wasByDoubt = isByDoubt;
  model.select([model.active]);
  isByDoubt = wasByDoubt;
  toast("This is the first one of the page.");
  return true;
}

function nextDoubtful(by) {
  if (!model) return;
  const wanted = (b) => (isAnnotating() ? model.isDoubtful(b) : model.blocks[b].doubtful);
  if (staysAtFirst(by, wanted)) return;
  const found = model.next(wanted, by);
  if (found < 0) return toast("No doubtful block is left on this page.");
  model.select([found]);
  isByDoubt = isAnnotating();
}

/** The next block with another label on this page, else on the next page that has one, else from the other end. */
async function nextDifferent(by) {
  if (!model) return;
  const wanted = (block) => model.isDifferent(block);
  if (staysAtFirst(by, wanted)) return;
  const found = model.next(wanted, by);
  const isAhead = found >= 0 && (model.active < 0 || (by > 0 ? found > model.active : found < model.active));
  if (isAhead) return model.select([found]);
  const page = pages.nextDifferent(by);
  if (page < 0) {
    if (found >= 0) model.select([found]);
    else toast("No block is labelled differently on this page.");
    return;
  }
  await openPage(page);
  if (model?.page !== page) return;
  model.select([], -1);
  const first = model.next(wanted, by);
  if (first >= 0) model.select([first]);
  toast(`The ${by > 0 ? "next" : "previous"} page with a difference: ${model.title || model.id}`);
}

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

/** Selects all blocks with the places of the selected ones. */
function selectAlike() {
  if (!model || model.selected.size === 0) return toast("Select a block first.");
  const now = [...model.selected];
  const more = model.alike(now);
  if (more.length === now.length) return toast("No other block of this page has the same place.");
  grown.push(now);
  const wasByDoubt = isByDoubt;
  model.select(more, model.active);
  isByDoubt = wasByDoubt;
  toast(`${plural(more.length, "block")} with the same place ${more.length === 1 ? "is" : "are"} selected.${isAnnotating() ? " The key of a label labels them all." : ""}`);
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
  if (brush) {
    if (event.shiftKey) model.extend(block, { scroll: from });
    else model.select([block], block, { scroll: from });
    return label([...model.selected], brush);
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
  if (block === pointed) return;
  pointed = block;
  showTip();
}

function doubleClicked(block) {
  if (block >= 0 && !brush) toggle([block]);
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
      el("label", { className: "check" },
        el("input", { id: "advance", type: "checkbox", checked: isAdvancing(), attr: { "aria-label": "After a label, next doubtful block" }, onchange: (event) => { setAdvancing(event.target.checked); event.target.blur(); } }),
        el("span", {}, "After a label, next doubtful block", el("kbd", { textContent: "A" }))),
      action("All like this", "a", selectAlike), action("Undo", "z", () => step(true)), action("Copy similar", "l", copySimilar), action("Skip", "s", () => finish("skipped")), action("Done", "Enter", () => finish("done"), "primary"),
    );
  } else {
    const what = session.models.length > 1 ? ["Next difference", "e", () => nextDifferent(1)] : ["Next doubtful", "d", () => nextDoubtful(1)];
    $("actions").append(action("Previous page", "N", () => nextPage(-1)), action("Next page", "n", () => nextPage(1)), action(...what, "primary"));
  }
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
    frame.addEventListener("double", ({ detail }) => isOwn() && doubleClicked(detail.block));
    frame.addEventListener("scroll", ({ detail }) => {
      // another block is under the mouse
      hovered(-1);
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
      { keys: LABELS.map(({ key }) => key.toUpperCase()), text: "brush: clicks and drags label at once, in the list too (Shift and the key of a label)", run: (event) => setBrush(byKey(event.key.toLowerCase()).name) },
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
      { keys: ["a"], text: "select all blocks with the same place: the same elements and classes around them", run: selectAlike },
      { keys: ["G"], text: "the selection before a or g", run: shrink },
      { keys: ["Ctrl+a"], text: "select all blocks", run: () => model?.select(model.blocks.map((_, i) => i), 0) },
      { keys: ["d"], text: "next doubtful block", run: () => nextDoubtful(1) },
      { keys: ["D"], text: "doubtful block before", run: () => nextDoubtful(-1) },
      ...(isAnnotating() ? [{ keys: ["A"], text: "go on to the next doubtful block after a label, on or off", run: () => setAdvancing(!isAdvancing()) }] : []),
      { keys: ["e"], text: "next block that another annotator or model labels differently, also on the pages after this one", run: () => nextDifferent(1) },
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
        { keys: ["4"], text: "posts", run: () => choose("posts") },
        { keys: ["5"], text: "metadata, quality, page type", run: () => choose("page") },
      ] : []),
      { keys: ["?"], text: "this help", run: () => $("help").showModal() },
    ],
  };
  return isAnnotating() ? [labelling, selecting, paging, viewing] : [selecting, paging, viewing];
}

function toggleStyles() {
  const isOn = frames.map((frame) => frame.toggleStyles())[0];
  if (model) {
    list.update(model.blocks.map((_, block) => block));
    if (model.active >= 0) frames[0].reveal(model.active);
    showTip();
  }
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
  const choose = isAnnotating() ? null : tabs(["blocks", "why", "units", "posts", "page"], (chosen) => {
    if (chosen === "why" && model) why.show(model, model.active);
  });
  new Keys(commands(choose), $("help"), $("help-body"));
  $("progress").hidden = !isAnnotating();
  if (session.num_pages === 1) togglePages();
  list.addEventListener("click", ({ detail }) => clicked(detail, "list"));
  list.addEventListener("double", ({ detail }) => doubleClicked(detail.block));
  facts.addEventListener("blocks", ({ detail: blocks }) => model?.select(blocks));
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
