// The programs of docs/guide/javascript.md and of the README run, with the built package as `threshr`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test from "node:test";
import { folder, root } from "./package.mjs";

const blocks = (file) => [...readFileSync(join(root, file), "utf8").matchAll(/^```js\n(.*?)^```/gms)].map((found) => found[1]);

test("the programs of the guide run", () => {
  const project = mkdtempSync(join(tmpdir(), "threshr-guide-"));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(resolve(folder), join(project, "node_modules/threshr"));
  symlinkSync(join(root, "datasets"), join(project, "datasets"));
  const programs = blocks("docs/guide/javascript.md");
  assert.equal(programs[0].trim().split("\n").length, 3, "the first program has three lines");
  const outputs = programs.map((program) => {
    const options = { cwd: project, input: program, encoding: "utf8" };
    const run = spawnSync(process.execPath, ["--input-type=module", "-"], options);
    assert.equal(run.status, 0, `${program}\n${run.stderr}`);
    return run.stdout;
  });
  rmSync(project, { recursive: true });
  assert.match(outputs[0], /Tiny homes look so much fun on TV/);
  assert.match(outputs[1], /Stairs/);
  assert.match(outputs[2], /It rained all day/);
  assert.match(outputs[3], /^0\.\d+ 0\.484 .*column: '/s);
  assert.match(outputs[4], /^NotHtml .*PDF/);
});
