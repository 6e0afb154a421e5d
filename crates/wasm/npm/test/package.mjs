// The built package that the tests use: THRESHR_PACKAGE, else target/npm/threshr.
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));
export const folder = process.env.THRESHR_PACKAGE ?? `${root}target/npm/threshr`;
export const address = pathToFileURL(`${folder}/index.js`).href;
export const { Extractor, ThreshrError, extract, load, policies } = await import(address);

/** The bytes of a page of the sample. */
export const sample = (id) => readFileSync(`${root}datasets/sample/pages/${id}.html`);

/** The records of the golden corpus. */
export const golden = () => {
  const lines = readFileSync(`${root}tests/golden/default.jsonl`, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
};

/** The stored texts of a model by page. */
export function goldenTexts(file) {
  const text = readFileSync(`${root}tests/golden/${file}`, "utf8");
  const pages = text.split(/^=== page (.*)\n/m).slice(1);
  return new Map(pages.flatMap((id, at) => (at % 2 ? [] : [[id, pages[at + 1]]])));
}

export const PAGE = `<title>Rain</title><ul><li><a href=/>Home</a></ul><h1>Rain</h1>
<p>It rained all day in the town, and the river rose over the old bridge, which nobody had seen before.
<p>The mayor said that the bridge is closed for a week. <a href=/map>The map</a> shows the other ways.`;
