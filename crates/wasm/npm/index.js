// The package `threshr`: loads the WebAssembly module and a model, and extracts pages.

import init, { Engine, __wbg_reset_state as reset } from "./threshr.js";

const encoder = new TextEncoder();
const models = { default: "./models/default.bin", tiny: "./models/tiny.json" };

// A page that makes the module fail leaves it in an unknown state. All engines are then created anew.
let generation = 0;
let started;

/** An error with its kind, such as `NotHtml`, and what was expected. */
export class ThreshrError extends Error {
  constructor({ kind, message, expected, setting }) {
    super(expected ? `${message}; expected ${expected}` : message);
    this.name = "ThreshrError";
    this.kind = kind;
    this.expected = expected ?? undefined;
    this.setting = setting ?? undefined;
  }
}

// Reads a file of the package: from disk in Node, else by fetch.
async function read(place) {
  const url = new URL(place, import.meta.url);
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    const { readFile } = await import("node:fs/promises");
    return new Uint8Array(await readFile(url));
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be read: status ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function start(wasm) {
  started ??= (async () => init({ module_or_path: wasm ?? (await read("./threshr.wasm")) }))();
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
    reset();
    const message = `the engine failed on this page (${error?.message ?? error})`;
    throw new ThreshrError({ kind: "Internal", message });
  }
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
    this.#generation = generation;
    this.#engine = call(() => new Engine(this.#model));
  }

  /** Extracts a page: a string, or bytes whose charset is detected. */
  extract(page, options = {}) {
    if (this.#generation !== generation) this.#create();
    let bytes = page;
    if (typeof page === "string") {
      bytes = encoder.encode(page);
      // a string has no charset any more
      options = { ...options, charset: "utf-8" };
    } else if (page instanceof ArrayBuffer) {
      bytes = new Uint8Array(page);
    } else if (!(page instanceof Uint8Array)) {
      throw new TypeError("the page is neither a string nor bytes");
    }
    return JSON.parse(call(() => this.#engine.extract(bytes, JSON.stringify(options))));
  }

  /** Frees the memory of the model. The extractor cannot be used afterwards. */
  free() {
    if (this.#generation === generation) this.#engine.free();
  }
}

/** Loads the module and a model: `default`, `tiny`, or the bytes of a model file. */
export async function load({ model = "default", wasm } = {}) {
  if (typeof model === "string" && !Object.hasOwn(models, model)) {
    throw new TypeError(`there is no model \`${model}\`; expected ${Object.keys(models).join(", ")} or bytes`);
  }
  const [bytes] = await Promise.all([typeof model === "string" ? read(models[model]) : model, start(wasm)]);
  return new Extractor(bytes);
}

let shared;

/** Extracts a page with the model `default`, which is loaded at the first call. */
export async function extract(page, options) {
  shared ??= load();
  return (await shared).extract(page, options);
}
