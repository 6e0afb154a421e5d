// Errors are objects, and a failure of the module does no harm to later pages.
import assert from "node:assert/strict";
import test from "node:test";
import { PAGE, ThreshrError, folder, load, sample } from "./package.mjs";

const extractor = await load({ model: "tiny" });

function errorOf(work) {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ThreshrError && error instanceof Error, error);
    return error;
  }
  assert.fail("there is no error");
}

test("errors have a kind and say what is expected", () => {
  for (const [page, options, kind, words] of [
    ["%PDF-1.4 \x00\x01", {}, "NotHtml", /PDF/],
    [PAGE, { maxBytes: 20 }, "TooLarge", /20/],
    [PAGE, { policy: "mian" }, "InvalidOption", /expected .*main/],
    [PAGE, { polcy: "main" }, "InvalidOption", /expected .*policy/],
    [PAGE, { favor: "both" }, "InvalidOption", /expected .*recall/],
    [PAGE, { threshold: 2 }, "InvalidOption", /expected a number from 0 to 1/],
    [PAGE, { links: "yes" }, "InvalidOption", /expected a boolean/],
    [PAGE, { parts: ["mrkdown"] }, "InvalidOption", /expected .*markdown/],
    [Buffer.from(PAGE), { charset: "klingon" }, "InvalidOption", /klingon/],
    [5, {}, "InvalidOption", /expected string, Uint8Array or ArrayBuffer/],
    [undefined, {}, "InvalidOption", /expected string/],
  ]) {
    const error = errorOf(() => extractor.extract(page, options));
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, words);
  }
  assert.equal(errorOf(() => extractor.extract(PAGE, { threshold: 2 })).setting, "threshold");
});

test("models that are none are errors", async () => {
  await assert.rejects(load({ model: "huge" }), { name: "ThreshrError", message: /expected default, fast, tiny or bytes/ });
  await assert.rejects(load({ model: new Uint8Array([1, 2, 3]) }), { kind: "Model" });
  await assert.rejects(load({ model: 5 }), { kind: "InvalidOption" });
});

test("a freed extractor is an error", async () => {
  const freed = await load({ model: "tiny" });
  freed.free();
  freed.free();
  assert.match(errorOf(() => freed.extract(PAGE)).message, /freed/);
});

test("a trap is an error object, and all extractors can be used further", async () => {
  const other = await load();
  const [text, of] = [extractor.extract(PAGE).text, other.extract(PAGE).text];
  const { initSync } = await import(`file://${folder}/threshr.js`);
  for (let round = 0; round < 3; round += 1) {
    // no memory is left, so that the next allocation is a trap
    const { memory } = initSync();
    memory.grow(65536 - memory.buffer.byteLength / 65536);
    const error = errorOf(() => extractor.extract(sample("4565").toString().repeat(200)));
    assert.equal(error.kind, "Internal");
    assert.ok(error.cause);
    assert.ok(initSync().memory.buffer.byteLength < 1 << 28, "the memory is returned");
    assert.equal(extractor.extract(PAGE).text, text);
    assert.equal(other.extract(PAGE).text, of);
  }
  other.free();
});

test("hostile pages are pages or errors", () => {
  const pages = ["<div>".repeat(200_000), "<table><tr><td>".repeat(50_000), "<a><b><i>".repeat(50_000), "<p>x".repeat(100_000)];
  for (const page of ["", " ", "<", "<!--", "\0".repeat(1000), "&#x110000;", ...pages]) {
    try {
      assert.equal(typeof extractor.extract(page).text, "string");
    } catch (error) {
      assert.ok(error instanceof ThreshrError && error.kind !== "Internal", `${page.slice(0, 20)}: ${error}`);
    }
  }
});
