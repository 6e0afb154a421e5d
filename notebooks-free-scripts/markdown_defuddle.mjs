// markdown_defuddle.mjs FOLDER < pages.jsonl: runs defuddle and linkedom, which npm has installed in FOLDER.
// Reads pages as JSON lines (id, url, html) and writes JSON lines (id, markdown, html).
// The network is never used: `useAsync` is off, and the page is given as text.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";

const require = createRequire(join(process.argv[2], "package.json"));
// `defuddle/node` has no export for require, so the file is named
const { Defuddle } = require(join(process.argv[2], "node_modules/defuddle/dist/node.js"));
const { parseHTML } = require("linkedom");
console.log = console.warn = console.error = () => {};

function parse(page) {
  const { document } = parseHTML(page.html);
  document.styleSheets ??= [];
  if (document.defaultView) document.defaultView.getComputedStyle ??= () => ({ display: "" });
  document.URL = page.url;
  return document;
}

for await (const line of createInterface({ input: process.stdin })) {
  const page = JSON.parse(line);
  const row = { id: page.id, markdown: "", html: "" };
  try {
    const options = { separateMarkdown: true, useAsync: false };
    const result = await Defuddle(parse(page), page.url, options);
    row.markdown = result.contentMarkdown ?? "";
    row.html = result.content ?? "";
  } catch (error) {
    row.error = String(error);
  }
  process.stdout.write(JSON.stringify(row) + "\n");
}
