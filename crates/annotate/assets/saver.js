// Saves labels after every action. There is at most one open request per page; later changes are sent after this
// request.

import { post } from "./api.js";

const WAIT = [1000, 2000, 4000, 10000];

export class Saver {
  /** `show(state, text, page, status)` is called with saved, saving, conflict or error. */
  constructor(show) {
    this.show = show;
    this.pending = new Map();
    this.revisions = new Map();
    this.running = null;
    window.addEventListener("beforeunload", (event) => {
      if (!this.isSaved()) event.preventDefault();
    });
  }

  isSaved() {
    return this.pending.size === 0 && !this.running;
  }

  /** The revision of a page as the server has it. */
  setRevision(page, revision) {
    if (!this.isWaiting(page)) this.revisions.set(page, Math.max(revision, this.revisions.get(page) ?? 0));
  }

  /** Whether the server has labels of a page that this window has not seen. */
  isOutdated(page, revision) {
    return !this.isWaiting(page) && revision > (this.revisions.get(page) ?? 0);
  }

  isWaiting(page) {
    return this.pending.has(page) || this.running?.page === page;
  }

  save(page, record) {
    this.pending.set(page, record);
    this.show("saving", "saving …");
    this.run();
  }

  async run() {
    if (this.running) return;
    let failures = 0;
    while (this.pending.size > 0) {
      const [page, record] = this.pending.entries().next().value;
      this.pending.delete(page);
      this.running = { page, record };
      try {
        const base = this.revisions.get(page) ?? 0;
        const answer = await post(`/api/pages/${page}`, { base, ...record });
        this.revisions.set(page, answer.revision);
        failures = 0;
      } catch (error) {
        if (error.status === 409) {
          this.running = null;
          this.show("conflict", "this page was changed in another window", page);
          return;
        }
        // later changes take precedence over the record that was not saved
        if (!this.pending.has(page)) this.pending.set(page, record);
        this.show("error", `not saved: ${error.message}`, page, error.status);
        await new Promise((done) => {
          this.wake = done;
          setTimeout(done, WAIT[Math.min(failures++, WAIT.length - 1)]);
        });
      }
      this.running = null;
    }
    this.show("saved", "saved");
  }

  /** The pages with changes that are not saved. */
  unsaved() {
    return new Set([...this.pending.keys(), ...(this.running ? [this.running.page] : [])]);
  }

  /** Tries again at once with a program that was started again; its revisions begin at 0. */
  restart() {
    this.revisions.clear();
    this.wake?.();
  }

  /** Drops what is not saved of a page, after a conflict. */
  forget(page) {
    this.pending.delete(page);
    this.revisions.delete(page);
    if (this.pending.size > 0) this.run();
  }
}
