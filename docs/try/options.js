// The options of the page: policy, threshold, model.

import { $, el } from "./assets/labels.js";

/** The options as the controls show them. Sends `change`. */
export class Options extends EventTarget {
  #policies = { named: [], properties: [] };
  #threshold = null;

  constructor() {
    super();
    const changed = () => this.dispatchEvent(new Event("change"));
    $("policy").addEventListener("change", () => {
      this.#showProperties();
      changed();
    });
    $("properties").addEventListener("change", changed);
    $("model").addEventListener("change", changed);
    $("threshold").addEventListener("input", () => {
      this.#threshold = Number($("threshold").value);
      this.#showThreshold(this.#threshold);
      changed();
    });
    $("reset").addEventListener("click", () => {
      this.#threshold = null;
      changed();
    });
    // a click elsewhere or Escape closes the properties
    document.addEventListener("mousedown", (event) => $("more").contains(event.target) || $("more").removeAttribute("open"));
    $("more").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      $("more").open = false;
      $("more").querySelector("summary").focus();
    });
  }

  get model() {
    return $("model").value;
  }

  /** The options of the engine. */
  get values() {
    const values = {};
    if (this.#policy()) values.policy = this.#policy();
    if (this.#threshold !== null) values.threshold = this.#threshold;
    return values;
  }

  setPolicies(policies) {
    this.#policies = policies;
    $("policy").append(...policies.named.map(({ name, summary }) => el("option", { value: name, textContent: name, title: summary })));
    const box = ({ name, definition }) =>
      el("label", {}, el("input", { type: "checkbox", value: name }), el("span", {}, el("b", { textContent: name }), ` ${definition}`));
    $("properties").replaceChildren(...policies.properties.map(box));
    this.#showProperties();
  }

  /** Shows the threshold that the page was extracted with. */
  setThreshold(threshold) {
    if (this.#threshold === null) $("threshold").value = threshold;
    this.#showThreshold(this.#threshold ?? threshold);
  }

  /** Moves the threshold. */
  moveThreshold(by) {
    $("threshold").value = Number($("threshold").value) + by;
    $("threshold").dispatchEvent(new Event("input"));
  }

  /** The policy that `auto` starts from is the first one. */
  #base() {
    return this.#policies.named.find(({ name }) => name === $("policy").value) ?? this.#policies.named[0];
  }

  #boxes() {
    return [...$("properties").querySelectorAll("input")];
  }

  #showProperties() {
    for (const box of this.#boxes()) box.checked = this.#base().properties.includes(box.value);
  }

  /** The name of the policy with the properties that differ from it. */
  #policy() {
    const base = this.#base();
    if (!base) return "";
    const changes = this.#boxes().filter((box) => box.checked !== base.properties.includes(box.value));
    $("more").toggleAttribute("data-changed", changes.length > 0);
    if (changes.length === 0) return $("policy").value;
    return base.name + changes.map((box) => (box.checked ? "+" : "-") + box.value).join("");
  }

  #showThreshold(threshold) {
    $("threshold-text").textContent = threshold.toFixed(2);
    $("reset").disabled = this.#threshold === null;
  }
}
