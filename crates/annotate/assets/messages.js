// Messages that are shown for a moment and announced by screen readers.

import { $ } from "./labels.js";

export function say(text) {
  $("live").textContent = "";
  // a change of the text is announced
  requestAnimationFrame(() => ($("live").textContent = text));
}

let toastTimer;
export function toast(text) {
  say(text);
  $("hover").textContent = text;
  $("hover").classList.add("toast");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    $("hover").classList.remove("toast");
    $("hover").textContent = "";
  }, 3000);
}
