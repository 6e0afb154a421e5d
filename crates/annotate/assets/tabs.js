// Tabs over the panels of the side.

import { $ } from "./labels.js";

/** Shows the tabs with these names and calls `shown` with the name of the chosen one. Returns a function that chooses one. */
export function tabs(names, shown) {
  const choose = (chosen) => {
    for (const name of names) {
      $(`tab-${name}`).setAttribute("aria-selected", String(name === chosen));
      $(`tab-${name}`).tabIndex = name === chosen ? 0 : -1;
      $(`${name}-panel`).hidden = name !== chosen;
    }
    shown(chosen);
  };
  for (const [at, name] of names.entries()) {
    $(`tab-${name}`).addEventListener("click", () => choose(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = names[(at + by + names.length) % names.length];
      choose(next);
      $(`tab-${next}`).focus();
    });
  }
  $("tabs").hidden = false;
  choose(names[0]);
  return choose;
}
