"use strict";
const element = (id) => document.getElementById(id);
const tools = element("tools");
if (tools) {
  const find = element("find");
  const side = element("side");
  const groups = [...document.querySelectorAll(".group")].map((details) => {
    const site = details.closest(".site");
    const text = site.querySelector("h3").textContent + "\n" + details.textContent;
    return { details, site, text: text.toLowerCase() };
  });
  const sites = new Set(groups.map((group) => group.site));
  const shown = () => groups.filter((group) => !group.details.hidden);

  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { details, text } of groups) {
      const isOfSide = !side.value || details.dataset.side === side.value;
      details.hidden = !isOfSide || !words.every((word) => text.includes(word));
    }
    for (const site of sites) {
      site.hidden = !site.querySelector(".group:not([hidden])");
    }
    element("count").textContent = `${shown().length} of ${groups.length} groups`;
  };

  const step = (by) => {
    const all = shown();
    const at = all.findIndex((group) => group.details.contains(document.activeElement));
    const next = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)];
    if (next) {
      const summary = next.details.querySelector("summary");
      summary.focus({ preventScroll: true });
      summary.scrollIntoView({ block: "nearest" });
    }
  };

  const setOpen = (isOpen) => shown().forEach((group) => { group.details.open = isOpen; });

  find.addEventListener("input", filter);
  side.addEventListener("change", filter);
  element("open").addEventListener("click", () => setOpen(true));
  element("close").addEventListener("click", () => setOpen(false));
  tools.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, select");
    if (event.key === "Escape" && event.target === find) {
      find.value = "";
      filter();
      find.blur();
    } else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      find.focus();
      find.select();
    } else if (event.key === "j") {
      step(1);
    } else if (event.key === "k") {
      step(-1);
    }
  });
  tools.hidden = false;
  filter();
}
