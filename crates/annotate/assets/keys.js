// Keys and their help. A command has keys, a description and a function.

import { el } from "./labels.js";

const NAMES = { " ": "Space", ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

/** The key of an event, such as `Shift+ArrowDown`, `Ctrl+z` or `N`. */
function keyOf(event) {
  const shift = event.shiftKey && event.key.length > 1 ? "Shift+" : "";
  const ctrl = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  return `${ctrl}${shift}${event.key}`;
}

const isTyping = (target) => target instanceof Element && target.closest("input, select, textarea") !== null;

export class Keys {
  constructor(groups, dialog, body) {
    this.dialog = dialog;
    this.commands = new Map();
    for (const { commands } of groups) {
      for (const command of commands) for (const key of command.keys) this.commands.set(key, command);
    }
    body.replaceChildren(...groups.map((group) => this.group(group)));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  group({ title, commands }) {
    const shown = (key) => NAMES[key] ?? key.replace("ArrowDown", "↓").replace("ArrowUp", "↑");
    const row = ({ keys, mouse, text }) =>
      el("tr", {},
        el("th", { attr: { scope: "row" } },
          ...keys.slice(0, 2).map((key) => el("kbd", { textContent: shown(key) })),
          ...(mouse ? [el("span", { className: "mouse", textContent: mouse })] : [])),
        el("td", { textContent: text }));
    return el("section", {}, el("h3", { textContent: title }), el("table", {}, ...commands.map(row)));
  }

  press(event) {
    if (event.defaultPrevented || event.altKey || this.dialog.open) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" || (event.key === "Enter" && event.target.type === "search")) event.target.blur();
      return;
    }
    // Enter and space press the focused button
    if ((event.key === "Enter" || event.key === " ") && event.target.closest?.("button")) return;
    const command = this.commands.get(keyOf(event));
    if (!command) return;
    event.preventDefault();
    command.run(event);
  }
}
