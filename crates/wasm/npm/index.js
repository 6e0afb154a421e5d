// The package `threshr`: loads the WebAssembly module and a model, and extracts pages.

import init, { Engine, __wbg_reset_state as restart, policies as listed } from "./threshr.js";

const encoder = new TextEncoder();

// In this form, bundlers find the files. Some workers have no address of the module, so it is read when it is needed.
const models = {
  default: () => new URL("./models/default.bin", import.meta.url),
  fast: () => new URL("./models/fast.bin", import.meta.url),
  tiny: () => new URL("./models/tiny.json", import.meta.url),
};
const module = () => new URL("./threshr.wasm", import.meta.url);

// A page that makes the module fail leaves it in an unknown state. Then all engines are created anew.
let generation = 0;
let started;

/** An error with its kind, such as `NotHtml`, and what was expected. */
export class ThreshrError extends Error {
  constructor({ kind, message, expected, setting }, cause) {
    super(expected ? `${message}; expected ${expected}` : message, cause && { cause });
    this.name = "ThreshrError";
    this.kind = kind;
    this.expected = expected ?? undefined;
    this.setting = setting ?? undefined;
  }
}

const invalid = (message, expected) => new ThreshrError({ kind: "InvalidOption", message, expected });

const isFile = (url) => url.protocol === "file:" && globalThis.process?.versions?.node;

async function fromDisk(url) {
  // bundlers leave this import alone
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
  return new Uint8Array(await readFile(url));
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be read: status ${answer.status}`);
  return answer;
}

async function bytesAt(url) {
  return isFile(url) ? fromDisk(url) : new Uint8Array(await (await fetched(url)).arrayBuffer());
}

// An answer of a server is compiled while it arrives.
async function start(wasm = module()) {
  const source = wasm instanceof URL ? (isFile(wasm) ? fromDisk(wasm) : fetched(wasm)) : wasm;
  started ??= init({ module_or_path: source });
  try {
    await started;
  } catch (error) {
    started = undefined;
    throw error;
  }
}

// Calls the module. Errors that it returns are strings of JSON; all others mean that it failed.
function call(work) {
  try {
    return work();
  } catch (error) {
    if (typeof error === "string") throw new ThreshrError(JSON.parse(error));
    generation += 1;
    restart();
    const message = `the engine failed on this page (${error?.message ?? error})`;
    throw new ThreshrError({ kind: "Internal", message }, error);
  }
}

// The bytes of a page or a model; `undefined` for all that has no bytes.
function bytesOf(value) {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  // `instanceof` does not know the buffers of other frames
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return new Uint8Array(value);
  return undefined;
}

/** Extracts pages with one model. */
export class Extractor {
  #model;
  #engine;
  #generation;

  /** Use `load`. */
  constructor(model) {
    this.#model = model;
    this.#create();
  }

  #create() {
    this.#engine = call(() => new Engine(this.#model));
    this.#generation = generation;
  }

  /** Extracts a page: a string, or bytes whose charset is detected. */
  extract(page, options) {
    return this.#run(page, options, (engine, bytes, json) => engine.extract(bytes, json));
  }

  /** Shows the labels of a page with their reasons, its units and metadata, and the page as HTML for a frame. */
  inspect(page, options) {
    return this.#run(page, options, (engine, bytes, json) => engine.inspect(bytes, json));
  }

  /** Explains the score of a block of a page. */
  explain(page, block, options) {
    if (!Number.isInteger(block) || block < 0) throw invalid("the block is no index", "whole number from 0");
    return this.#run(page, options, (engine, bytes, json) => engine.explain(bytes, block, json));
  }

  #run(page, options = {}, task) {
    if (!this.#model) throw invalid("the extractor is freed", "an extractor that is not");
    let bytes = bytesOf(page);
    if (typeof page === "string") {
      bytes = encoder.encode(page);
      // a string is decoded, whatever the page says about its charset
      options = { ...options, charset: "utf-8" };
    }
    if (!bytes) throw invalid("the page is neither a string nor bytes", "string, Uint8Array or ArrayBuffer");
    const json = JSON.stringify(options);
    if (this.#generation !== generation) this.#create();
    return JSON.parse(call(() => task(this.#engine, bytes, json)));
  }

  /** Frees the memory of the model. The extractor cannot be used afterwards. */
  free() {
    if (this.#model && this.#generation === generation) this.#engine.free();
    this.#model = undefined;
  }
}

/** Loads the module and a model: `default`, `fast`, `tiny`, or the bytes of a model file. */
export async function load({ model = "default", wasm } = {}) {
  const isName = typeof model === "string";
  const known = Object.keys(models).join(", ");
  if (isName && !Object.hasOwn(models, model)) throw invalid(`there is no model \`${model}\``, `${known} or bytes`);
  const given = isName ? bytesAt(models[model]()) : bytesOf(model);
  if (!given) throw invalid("the model is neither a name nor bytes", `${known} or bytes`);
  const [bytes] = await Promise.all([given, start(wasm)]);
  return new Extractor(bytes);
}

let shared;

/** Extracts a page with the model `default`, which is loaded at the first call. */
export async function extract(page, options) {
  shared ??= load();
  let extractor;
  try {
    extractor = await shared;
  } catch (error) {
    // the next call tries again
    shared = undefined;
    throw error;
  }
  return extractor.extract(page, options);
}

/** The named policies, and the properties of which a policy consists. */
export async function policies() {
  await start();
  return JSON.parse(call(listed));
}
