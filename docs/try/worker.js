// Runs the engine, so that a page does not hold up the window.

import { load, policies } from "./threshr/index.js";

const extractors = new Map();

function extractor(model) {
  if (!extractors.has(model)) {
    const loading = load({ model });
    extractors.set(model, loading);
    // the next page tries again
    loading.catch(() => extractors.delete(model));
  }
  return extractors.get(model);
}

const tasks = {
  policies,
  async page({ bytes, model, options }) {
    const engine = await extractor(model);
    return { ...engine.extract(bytes, { ...options, parts: ["markdown", "html"] }), ...engine.inspect(bytes, options) };
  },
  async explain({ bytes, model, options, block }) {
    return (await extractor(model)).explain(bytes, block, options);
  },
};

globalThis.onmessage = async ({ data: { id, task, input } }) => {
  try {
    postMessage({ id, result: await tasks[task](input) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
