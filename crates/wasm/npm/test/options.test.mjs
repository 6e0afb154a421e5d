// What a page has, and the options.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { PAGE, ThreshrError, extract, folder, load, policies, sample } from "./package.mjs";

const extractor = await load({ model: "tiny" });

test("a page has all parts", async () => {
  const page = await extract(PAGE, { url: "https://example.org/rain", policy: "main+title" });
  assert.match(page.text, /the river rose/);
  assert.doesNotMatch(page.text, /Home/);
  assert.match(page.markdown, /^# Rain/m);
  assert.match(page.markdown, /\[The map\]\(https:\/\/example.org\/map\)/);
  assert.match(page.html, /<h1>Rain<\/h1>/);
  assert.equal(page.metadata.title.value, "Rain");
  assert.equal(page.language, "en");
  assert.deepEqual(page.comments, []);
  assert.deepEqual(page.posts, []);
  assert.ok(page.units.some((unit) => unit.kind === "heading"));
  assert.equal(page.blocks.filter((block) => block.is_content).length, page.scores.length);
  assert.ok(page.blocks.every((block) => block.score >= 0 && block.score <= 1));
  assert.ok(page.quality > 0 && page.quality <= 1 && page.quality_low <= page.quality_high);
  assert.ok(page.page_types[page.page_type] > 0);
  assert.equal(page.needs_rendering, false);
});

test("fewer parts are computed if fewer are named", () => {
  const page = extractor.extract(PAGE, { parts: ["blocks"] });
  assert.deepEqual(Object.keys(page).sort(), ["blocks", "language", "needs_rendering", "scores", "text"]);
});

test("options change the page", () => {
  const text = (options) => extractor.extract(PAGE, { parts: [], ...options }).text;
  assert.match(text({ threshold: 0, filter: "none" }), /Home/);
  assert.equal(text({ threshold: 1, filter: "none" }), "");
  assert.ok(text({ favor: "recall" }).length >= text({ favor: "precision" }).length);
  const hidden = `${PAGE}<p style="display:none">The bridge was built when nobody in this town had a car to cross it with.`;
  const all = { parts: [], threshold: 0, filter: "none" };
  assert.doesNotMatch(extractor.extract(hidden, all).text, /built/);
  assert.match(extractor.extract(hidden, { ...all, keepHidden: true }).text, /built/);
  const markdown = (options) => extractor.extract(PAGE, { ...all, parts: ["markdown"], ...options }).markdown;
  assert.match(markdown({}), /\]\(\/map\)/);
  assert.doesNotMatch(markdown({ links: false }), /\]\(\/map\)/);
  assert.ok(extractor.extract(PAGE, { sourceMap: true }).units.some((unit) => unit.source));
  assert.match(text({ policy: "main+title" }), /^Rain/);
});

test("the charset of bytes is detected or given, and strings have none", () => {
  const latin = Buffer.from(`<meta charset=latin1>${PAGE}<p>Der Bürgermeister sagte, die Brücke bleibt für Wochen zu.`, "latin1");
  const all = { parts: [], threshold: 0, filter: "none" };
  assert.match(extractor.extract(latin, all).text, /Bürgermeister/);
  assert.match(extractor.extract(latin, { ...all, charset: "iso-8859-1" }).text, /Bürgermeister/);
  assert.doesNotMatch(extractor.extract(latin, { ...all, charset: "koi8-r" }).text, /Bürgermeister/);
  assert.match(extractor.extract(latin.toString("latin1"), all).text, /Bürgermeister/);
});

test("a page is a string, bytes, a view or a buffer", () => {
  const bytes = sample("4565");
  const text = extractor.extract(bytes).text;
  assert.ok(text.length > 1000);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const page of [bytes.toString("utf8"), new Uint8Array(bytes), buffer, view]) {
    assert.equal(extractor.extract(page).text, text);
  }
});

test("a model may be bytes", async () => {
  const own = await load({ model: readFileSync(`${folder}/models/tiny.json`) });
  assert.equal(own.extract(PAGE).text, extractor.extract(PAGE).text);
});

test("two models do not disturb each other", async () => {
  const other = await load();
  const [before, of] = [extractor.extract(PAGE).blocks, other.extract(PAGE).blocks];
  assert.notDeepEqual(before, of);
  other.free();
  assert.deepEqual(extractor.extract(PAGE).blocks, before);
});

test("a page is inspected, and a block explained", () => {
  const shown = extractor.inspect(PAGE, { url: "https://example.org/rain" });
  assert.deepEqual([shown.title, shown.url, shown.encoding], ["Rain", "https://example.org/rain", "UTF-8"]);
  assert.match(shown.frame, /<t-b data-b="2">It rained all day/);
  const { blocks } = extractor.extract(PAGE);
  assert.deepEqual(shown.blocks.map((block) => block.kept), blocks.map((block) => block.is_content));
  assert.ok(extractor.inspect(PAGE, { threshold: 1, filter: "none" }).blocks.every((block) => !block.kept));
  const why = extractor.explain(PAGE, 2);
  assert.equal(why.outcome, "kept");
  const sum = why.columns.reduce((all, column) => all + column.by, why.base + why.other);
  assert.ok(Math.abs(sum - why.decision) < 1e-3);
  for (const block of [blocks.length, -1, "2"]) {
    assert.throws(() => extractor.explain(PAGE, block), (error) => error instanceof ThreshrError && error.kind === "InvalidOption");
  }
});

test("policies are listed", async () => {
  const { named, properties } = await policies();
  assert.ok(named.some(({ name }) => name === "article"));
  const policy = `article+${properties.find(({ name }) => name === "title").name}`;
  assert.match(extractor.extract(PAGE, { policy, parts: [] }).text, /^Rain/);
});
