// CPU time of a page under Node: threshr, defuddle and Readability on the pages of a folder.
//
// Usage: javascript_speed.mjs PACKAGE PEERS FOLDER [ROUNDS] > javascript_speed.csv
// PACKAGE is target/npm/threshr after crates/wasm/build. In PEERS, npm has installed defuddle, @mozilla/readability, linkedom
// and jsdom. FOLDER has the pages.
//
// All programs take the same decoded text and give text or Markdown. The network is never used. Rows alternate in one process,
// and each figure is a median over the rounds. CPU time is user and system time of the process, with the threads of the
// garbage collector and the compiler. The first round warms up and is not counted.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [ours, peers, folder, rounds = "7"] = process.argv.slice(2);
if (!folder) throw new Error("expected PACKAGE, PEERS and FOLDER");
const require = createRequire(resolve(peers, "package.json"));
const { load } = await import(pathToFileURL(resolve(ours, "index.js")).href);
// `defuddle/node` has no export for require, so the file is named
const { Defuddle } = require(resolve(peers, "node_modules/defuddle/dist/node.js"));
const { Readability } = require("@mozilla/readability");
const { JSDOM, VirtualConsole } = require("jsdom");
const { parseHTML } = require("linkedom");

const pages = readdirSync(folder)
  .filter((name) => name.endsWith(".html"))
  .sort()
  .map((name) => readFileSync(join(folder, name)).toString("utf8"));
const url = "https://example.org/page";
const ofLinkedom = (html) => {
  const { document } = parseHTML(html);
  document.styleSheets ??= [];
  if (document.defaultView) document.defaultView.getComputedStyle ??= () => ({ display: "" });
  document.URL = url;
  return document;
};
const ofJsdom = (html) => new JSDOM(html, { url, virtualConsole: new VirtualConsole() });
const [standard, tiny] = [await load(), await load({ model: "tiny" })];

const programs = {
  "threshr, text": (html) => standard.extract(html, { url, parts: [] }).text,
  "threshr, Markdown": (html) => standard.extract(html, { url, parts: ["markdown"] }).markdown,
  "threshr, all parts": (html) => standard.extract(html, { url }).text,
  "threshr, model tiny, text": (html) => tiny.extract(html, { url, parts: [] }).text,
  "defuddle on linkedom, Markdown": async (html) =>
    (await Defuddle(ofLinkedom(html), url, { separateMarkdown: true, useAsync: false })).contentMarkdown,
  "Readability on linkedom, text": (html) => new Readability(ofLinkedom(html)).parse()?.textContent,
  "Readability on jsdom, text": (html) => {
    const dom = ofJsdom(html);
    const text = new Readability(dom.window.document).parse()?.textContent;
    dom.window.close();
    return text;
  },
};

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

// programs write about pages to the console
const silent = { log: () => {}, warn: () => {}, error: () => {} };
const spoken = { log: console.log, warn: console.warn, error: console.error };
const times = {};
const empty = {};
for (let round = 0; round <= Number(rounds); round += 1) {
  for (const [name, run] of Object.entries(programs)) {
    Object.assign(console, silent);
    globalThis.gc?.();
    const before = process.cpuUsage();
    empty[name] = 0;
    for (const page of pages) {
      try {
        if (!(await run(page))) empty[name] += 1;
      } catch {
        empty[name] += 1;
      }
    }
    const used = process.cpuUsage(before);
    Object.assign(console, spoken);
    if (round) (times[name] ??= []).push((used.user + used.system) / 1000 / pages.length);
  }
}
const [first] = Object.keys(programs);
console.log("Program,CPU per page,Pages without text,CPU of threshr = 1");
for (const [name, found] of Object.entries(times)) {
  const ratio = median(found.map((time, round) => time / times[first][round]));
  console.log(`"${name}",${median(found).toFixed(2)} ms,${empty[name]},${ratio.toFixed(2)}`);
}
