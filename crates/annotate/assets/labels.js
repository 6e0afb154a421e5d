// The labels, with their keys.

export const LABELS = [
  { name: "content", key: "c", what: "main content of this page" },
  { name: "boilerplate", key: "b", what: "navigation, advertisements, notes of the site" },
  { name: "headline", key: "h", what: "the headline of the page" },
  { name: "byline", key: "y", what: "author, date and place" },
  { name: "caption", key: "p", what: "the caption of a picture" },
  { name: "comment", key: "m", what: "a comment of a reader" },
  { name: "teaser", key: "t", what: "a teaser of another page" },
  { name: "unsure", key: "u", what: "you cannot say; nothing is learned from it" },
];

export const byKey = (key) => LABELS.find((label) => label.key === key);

/** Whether a label counts as content of the page; undefined for unsure. */
export function isContent(name) {
  if (name === "unsure") return undefined;
  return name !== "boilerplate" && name !== "teaser";
}

/** Creates an element with properties, attributes in `attr`, and children. */
export function el(name, props = {}, ...children) {
  const { attr, ...rest } = props;
  const node = Object.assign(document.createElement(name), rest);
  for (const [key, value] of Object.entries(attr ?? {})) {
    if (value !== undefined && value !== null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const $ = (id) => document.getElementById(id);

const plural = (n, one, many) => `${n} ${n === 1 ? one : many ?? one + "s"}`;
export { plural };
