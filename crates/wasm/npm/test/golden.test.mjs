// The same output as the program, whose output of the sample is in tests/golden.
import assert from "node:assert/strict";
import test from "node:test";
import { golden, goldenTexts, load, sample } from "./package.mjs";

test("the model default gives the fields of JSON lines of the program", async () => {
  const extractor = await load();
  const records = golden();
  assert.equal(records.length, 42);
  for (const record of records) {
    const page = extractor.extract(sample(record.id), { parts: ["quality"] });
    for (const field of ["text", "scores", "language", "page_type", "page_types", "quality"]) {
      assert.deepEqual(page[field], record[field], `${record.id}: ${field}`);
    }
  }
});

test("the model default gives the Markdown of the program", async () => {
  const extractor = await load();
  const stored = goldenTexts("default.md");
  assert.equal(stored.size, 42);
  for (const [id, markdown] of stored) {
    const page = extractor.extract(sample(id), { parts: ["markdown"] });
    assert.equal(page.markdown.trimEnd(), markdown.trimEnd(), id);
  }
});

test("the model tiny gives the text of the program", async () => {
  const extractor = await load({ model: "tiny" });
  const stored = goldenTexts("tiny.txt");
  assert.equal(stored.size, 42);
  for (const [id, text] of stored) {
    assert.equal(extractor.extract(sample(id), { parts: [] }).text.trimEnd(), text.trimEnd(), id);
  }
});
