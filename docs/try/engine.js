// The engine in a worker.

export class Engine {
  #worker = null;
  #waiting = new Map();
  #id = 0;

  #start() {
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data: { id, result, error } }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#end("the engine cannot be loaded");
    };
  }

  #end(message) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }

  /** Runs a task of the worker, which is started where it is missing. */
  ask(task, input) {
    if (!this.#worker) this.#start();
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, task, input });
    });
  }

  /** Ends what runs. */
  stop() {
    this.#end("stopped");
  }
}
