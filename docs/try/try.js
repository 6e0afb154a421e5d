// Extracts a page in the browser, and shows it beside its Markdown. Lists, frame and reasons are those of `threshr inspect`.

import { BlockList } from "./assets/blocks.js";
import { Facts, Why } from "./assets/details.js";
import { FrameView } from "./assets/frame.js";
import { Keys } from "./assets/keys.js";
import { $, el, plural } from "./assets/labels.js";
import { lookOf, scoreText } from "./assets/looks.js";
import { say, toast } from "./assets/messages.js";
import { PageModel } from "./assets/page.js";
import { tabs } from "./assets/tabs.js";
import { Engine } from "./engine.js";
import { Options } from "./options.js";

/** The page that opens first. */
const FIRST = "4565";
/** Milliseconds after which a page can be stopped. */
const PATIENCE = 1500;

/** The tabs, with what they show. */
const PANELS = {
  markdown: "Markdown, text or HTML",
  blocks: "blocks with their scores",
  why: "why a block is kept or left out",
  page: "metadata with their sources, page type, quality",
  units: "units",
  posts: "posts of a thread, comments",
};

const engine = new Engine();
const options = new Options();
const frame = new FrameView(0, "the model");
const list = new BlockList($("block-list"));
const why = new Why((_, side, block) => engine.ask("explain", { ...shown.request, block }));
const facts = new Facts();

/** The page to extract: its name, address, and source as bytes or a string. */
let source = null;
/** What is shown: the request and its answer. */
let shown = null;
let model = null;
let pointed = -1;
let isBusy = false;
let isOutdated = false;

// ---- extraction ----

function open(next) {
  source = next;
  banner("");
  refresh();
}

/** Extracts the page with the options. While a page is extracted, only the last change waits. */
async function refresh() {
  isOutdated = true;
  if (isBusy || !source) return;
  isBusy = true;
  while (isOutdated) {
    isOutdated = false;
    await extract(source);
  }
  isBusy = false;
}

async function extract(page) {
  const request = { bytes: page.bytes, model: options.model, options: { ...options.values, ...(page.url ? { url: page.url } : {}) } };
  if (!shown) $("status").textContent = "Loading the engine …";
  const timer = setTimeout(() => {
    $("status").textContent = shown ? "Working …" : "Loading the engine …";
    $("stop").hidden = false;
  }, PATIENCE);
  try {
    const answer = await engine.ask("page", request);
    if (page === source) await show(page, request, answer);
  } catch (error) {
    if (page === source) fail(page, error);
  } finally {
    clearTimeout(timer);
    $("stop").hidden = true;
  }
}

function fail(page, error) {
  $("status").textContent = "";
  banner(`${page.name}: ${error.message}`);
}

async function show(page, request, answer) {
  const before = shown;
  shown = { page, request, answer };
  const isSamePage = before?.answer.frame === answer.frame;
  const side = { ...answer, model: request.model, has_scores: true };
  const next = new PageModel({ page: shown, id: page.name, title: answer.title, url: answer.url, sides: [side] });
  next.addEventListener("selection", ({ detail }) => next === model && showSelection(detail.scroll));
  const { active } = isSamePage ? model : { active: -1 };
  model = next;
  banner("");
  $("page-title").textContent = answer.title || page.name;
  $("page-sub").textContent = answer.url ? `${page.name} · ${answer.url}` : page.name;
  document.title = `${answer.title || page.name} – threshr`;
  $("remark").hidden = !answer.needs_rendering;
  $("remark").textContent = "This page shows nothing until its scripts have run. Save it from the browser, or render it first.";
  options.setThreshold(answer.threshold);
  showOutput();
  showCounts();
  facts.show(model, () => answer);
  if (!isSamePage) await load(answer.frame);
  if (model !== next) return;
  if (isSamePage && before.request.model === request.model) list.update(model.blocks.map((_, block) => block));
  else list.show(model.blocks, look);
  frame.paintAll(model.length, look);
  if (active >= 0) model.select([active], active, { scroll: "none" });
  else showSelection("none");
  // the content is seen at once
  if (!isSamePage) frame.reveal(model.blocks.findIndex((block) => block.kept));
  $("status").textContent = "";
  say(`${answer.title || page.name}: ${model.count().content ?? 0} of ${plural(model.length, "block")} are content`);
  document.body.dataset.ready = `${Number(document.body.dataset.ready ?? 0) + 1}`;
}

/** Shows the page in its frame. The address is that of memory of this window. */
async function load(html) {
  const address = URL.createObjectURL(new Blob([html], { type: "text/html;charset=utf-8" }));
  await frame.load(address);
  URL.revokeObjectURL(address);
}

// ---- what is shown ----

function banner(text) {
  $("banner").hidden = !text;
  $("banner").textContent = text;
}

function look(block) {
  const info = model.blocks[block];
  const selected = block === model.active ? "active" : undefined;
  const hidden = frame.ready && !frame.isDrawn(block);
  return { ...lookOf(info), selected, hidden, notes: info.reason ? [info.reason] : [], score: scoreText(model.sides[0], info), text: info.text };
}

function showOutput() {
  const text = shown?.answer[$("format").value] ?? "";
  $("output").textContent = text;
  const words = text.split(/\s+/).filter(Boolean).length;
  $("size").textContent = $("format").value === "html" ? plural(text.length, "character") : plural(words, "word");
}

function showCounts() {
  const counts = model.count();
  for (const node of $("palette").querySelectorAll(".swatch")) node.querySelector(".count").textContent = counts[node.dataset.l] ?? 0;
  $("list-head").textContent = `${plural(model.length, "block")} · threshold ${model.sides[0].threshold.toFixed(2)}`;
}

let painted = -1;
function showSelection(scroll) {
  frame.paint([painted, model.active].filter((block) => block >= 0 && block < model.length), look);
  painted = model.active;
  list.select(model.selected, model.active, scroll === "both" || scroll === "frame");
  if (model.active >= 0 && scroll !== "none" && scroll !== "frame") frame.reveal(model.active);
  frame.frame(model.active);
  showTip();
  showWhy();
}

function showWhy() {
  if (model && !$("why-panel").hidden) why.show(model, model.active);
}

/** The line below the page: the block under the mouse, else the selected one. */
function showTip() {
  const block = pointed >= 0 ? pointed : (model?.active ?? -1);
  const info = model?.blocks[block];
  $("tip").textContent = info ? `${block + 1} · ${lookOf(info).label} · ${scoreText(model.sides[0], info)} · ${info.path}` : "Select a block to see why it is kept or left out.";
}

// ---- sources ----

async function openFile(file) {
  if (!file) return;
  $("sample").value = "";
  open({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
}

function openHtml(html, url) {
  $("sample").value = "";
  open({ name: "pasted HTML", bytes: html, url });
}

async function openSample(id) {
  const sample = samples.find((one) => one.id === id);
  if (!sample) return;
  $("sample").value = id;
  try {
    const bytes = new Uint8Array(await fetched(`samples/${id}.txt`).then((answer) => answer.arrayBuffer()));
    if ($("sample").value === id) open({ name: `sample ${id}`, bytes, url: sample.url });
  } catch (error) {
    banner(error.message);
  }
}

async function fetched(path) {
  const answer = await fetch(new URL(path, import.meta.url)).catch(() => null);
  if (!answer?.ok) throw new Error(`${path} cannot be read`);
  return answer;
}

let samples = [];
async function readSamples() {
  samples = await (await fetched("samples/index.json")).json();
  for (const type of new Set(samples.map((sample) => sample.page_type))) {
    const ofType = samples.filter((sample) => sample.page_type === type);
    $("sample").append(el("optgroup", { label: type }, ...ofType.map(({ id, title }) => el("option", { value: id, textContent: title }))));
  }
}

function nextSample(by) {
  const at = samples.findIndex(({ id }) => id === $("sample").value);
  const next = samples[(Math.max(at, by > 0 ? -1 : 0) + by + samples.length) % samples.length];
  if (next) openSample(next.id);
}

function showPaste() {
  $("paste-dialog").showModal();
  $("paste-html").select();
}

async function copy() {
  try {
    await navigator.clipboard.writeText($("output").textContent);
    toast("Copied");
  } catch {
    getSelection().selectAllChildren($("output"));
    toast("The text is selected; copy it with Ctrl+C.");
  }
}

// ---- keys and events ----

function move(by) {
  if (!model?.length) return;
  const to = model.active < 0 ? (by > 0 ? 0 : model.length - 1) : model.active + by;
  model.select([Math.max(0, Math.min(model.length - 1, to))]);
}

function nextDoubtful(by) {
  const found = model?.next((block) => model.blocks[block].doubtful, by) ?? -1;
  if (found < 0) return toast("No block of this page is doubtful.");
  model.select([found]);
}

function select(block, scroll) {
  if (model && block >= 0) model.select([block], block, { scroll });
}

const commands = (choose) => [
  { title: "Page", commands: [
    { keys: ["f"], mouse: "drop a file", text: "open a file", run: () => $("file").click() },
    { keys: ["p"], mouse: "Ctrl+V", text: "paste HTML", run: showPaste },
    { keys: ["n"], text: "next sample", run: () => nextSample(1) },
    { keys: ["N"], text: "sample before", run: () => nextSample(-1) },
    { keys: ["c"], text: "copy the Markdown", run: copy },
  ] },
  { title: "Blocks", commands: [
    { keys: ["j", "ArrowDown"], text: "next block", run: () => move(1) },
    { keys: ["k", "ArrowUp"], text: "block before", run: () => move(-1) },
    { keys: ["d"], text: "next doubtful block", run: () => nextDoubtful(1) },
    { keys: ["D"], text: "doubtful block before", run: () => nextDoubtful(-1) },
    { keys: ["+"], text: "raise the threshold", run: () => options.moveThreshold(0.02) },
    { keys: ["-"], text: "lower the threshold", run: () => options.moveThreshold(-0.02) },
    { keys: ["Escape"], text: "select nothing", run: () => model?.select([], -1) },
  ] },
  { title: "View", commands: [
    ...Object.keys(PANELS).map((name, at) => ({ keys: [`${at + 1}`], text: PANELS[name], run: () => choose(name) })),
    { keys: ["v"], text: "styles of the page on or off", run: toggleStyles },
    { keys: ["o"], text: "colours on or off", run: () => frame.toggleColours() },
    { keys: ["?"], text: "this help", run: () => $("help").showModal() },
  ] },
];

function toggleStyles() {
  if (!frame.ready) return;
  toast(frame.toggleStyles() ? "Styles of the page on" : "Styles of the page off");
  list.update(model.blocks.map((_, block) => block));
}

function listen(choose) {
  options.addEventListener("change", refresh);
  $("open").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", () => {
    openFile($("file").files[0]);
    $("file").value = "";
  });
  $("paste").addEventListener("click", showPaste);
  $("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    $("paste-dialog").close();
    openHtml($("paste-html").value, $("paste-url").value || undefined);
  });
  $("sample").addEventListener("change", () => openSample($("sample").value));
  $("format").addEventListener("change", showOutput);
  $("copy").addEventListener("click", copy);
  $("stop").addEventListener("click", () => engine.stop());
  $("help-button").addEventListener("click", () => $("help").showModal());
  $("frames").replaceChildren(el("div", { className: "pane" }, frame.root));
  frame.addEventListener("click", ({ detail }) => select(detail.block, "frame"));
  frame.addEventListener("double", ({ detail }) => detail.block >= 0 && choose("why"));
  frame.addEventListener("hover", ({ detail }) => point(detail.block));
  frame.addEventListener("scroll", () => point(-1));
  list.addEventListener("click", ({ detail }) => select(detail.block, "list"));
  list.addEventListener("double", () => choose("why"));
  facts.addEventListener("unit", ({ detail: [block] }) => select(block, "both"));
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    const text = event.clipboardData.getData("text/plain");
    const html = text.trimStart().startsWith("<") ? text : event.clipboardData.getData("text/html") || text;
    if (html) openHtml(html);
  });
  let entered = 0;
  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  const enter = (event, by) => {
    if (!isFile(event)) return;
    entered = Math.max(0, entered + by);
    $("drop").hidden = entered === 0;
  };
  document.addEventListener("dragenter", (event) => enter(event, 1));
  document.addEventListener("dragleave", (event) => enter(event, -1));
  document.addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    enter(event, -entered);
    openFile(event.dataTransfer.files[0]);
  });
}

function point(block) {
  if (block === pointed) return;
  pointed = block;
  showTip();
}

async function start() {
  const choose = tabs(Object.keys(PANELS), showWhy);
  listen(choose);
  new Keys(commands(choose), $("help"), $("help-body"));
  why.clear();
  showTip();
  try {
    const first = async () => {
      await readSamples();
      // a file may be open by now
      if (!source) await openSample(FIRST);
    };
    await Promise.all([first(), engine.ask("policies").then((policies) => options.setPolicies(policies))]);
  } catch (error) {
    banner(error.message);
  }
}

start();
