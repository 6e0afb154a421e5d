// Workers of Node: each has its own module.
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { address, golden, root } from "./package.mjs";

const SOURCE = `
  import { parentPort, workerData } from "node:worker_threads";
  import { readFileSync } from "node:fs";
  const { load } = await import(workerData.address);
  const extractor = await load();
  const text = (id) => extractor.extract(readFileSync(workerData.root + "datasets/sample/pages/" + id + ".html"), { parts: [] }).text;
  parentPort.postMessage(workerData.ids.map(text));
`;

const work = (ids) =>
  new Promise((resolve, reject) => {
    const url = new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`);
    const worker = new Worker(url, { workerData: { address, root, ids } });
    worker.on("message", resolve).on("error", reject);
  });

test("workers give the same text", async () => {
  const records = golden();
  const parts = [records.slice(0, 21), records.slice(21)];
  const texts = await Promise.all(parts.map((part) => work(part.map((record) => record.id))));
  assert.deepEqual(texts.flat(), records.map((record) => record.text));
});
