/** Parts of the result besides the text. */
export type Part = "markdown" | "html" | "units" | "metadata" | "blocks" | "quality";

/** The options of a page. */
export interface Options {
  /** The address of the page, to resolve links. */
  url?: string;
  /** The charset from outside the page, such as from an HTTP header. Only for bytes. */
  charset?: string;
  /** The parts of the result; all, if missing. Fewer parts take less time. */
  parts?: Part[];
  /** What counts as content, such as `main`, `article` or `main+comments`. */
  policy?: string;
  /** The filter after the decision rule. */
  filter?: string;
  /** The minimum score of content, 0 to 1. */
  threshold?: number;
  /** The rule that sets the minimum score. */
  decision?: string;
  favor?: "precision" | "balance" | "recall";
  /** Whether hidden text is read. */
  keepHidden?: boolean;
  /** Leaves out hidden text even on pages where nearly all text is hidden. */
  strictVisibility?: boolean;
  /** Gives units their place in the page, in bytes of its UTF-8 text. */
  sourceMap?: boolean;
  /** Whether Markdown and HTML begin with the title of the page. */
  title?: boolean;
  /** Whether Markdown and HTML contain links, images, tables and formulas. */
  links?: boolean;
  images?: boolean;
  tables?: boolean;
  formulas?: boolean;
  /** The limits of a page in bytes. */
  maxBytes?: number;
  maxMemory?: number;
}

/** Where a value of the metadata was found. */
export type Source =
  | "json-ld" | "open-graph" | "meta" | "microdata" | "headline" | "byline" | "visible" | "url" | "html";

/** A value of the metadata and where it was found. */
export interface Sourced {
  value: string;
  source: Source;
}

/** The metadata of a page. Values that the page does not state are missing. */
export interface Metadata {
  title?: Sourced;
  authors?: Sourced[];
  /** ISO 8601. */
  date_published?: Sourced;
  date_modified?: Sourced;
  site_name?: Sourced;
  description?: Sourced;
  image?: Sourced;
  language?: Sourced;
  tags?: Sourced[];
  licence?: Sourced;
  canonical_url?: Sourced;
}

/** A block of text with its score and label. */
export interface Block {
  text: string;
  score: number;
  is_content: boolean;
}

/** A comment below an article. `reply_to` is the index of the comment above it. */
export interface Comment {
  author?: string;
  date?: string;
  text: string;
  reply_to?: number;
  path?: string;
}

/** A post of a thread. */
export interface Post extends Comment {
  kind: string;
  author_url?: string;
  url?: string;
  score?: number;
  units?: Unit[];
}

/** A part of the page, such as a heading, with what it contains; the guide on structure lists the kinds and their fields. */
export interface Unit {
  kind: string;
  text?: string;
  children?: Unit[];
  kept?: boolean;
  path?: string;
  [field: string]: unknown;
}

/** A page. The fields are those of the JSON lines of the program, and `html`, `blocks` and `needs_rendering`. */
export interface Page {
  text: string;
  markdown?: string;
  html?: string;
  metadata?: Metadata;
  comments?: Comment[];
  posts?: Post[];
  /** The version of the format of units and posts. */
  schema?: number;
  units?: Unit[];
  blocks?: Block[];
  /** The scores of the blocks that are content. */
  scores: number[];
  /** An ISO 639 code. */
  language?: string;
  page_type?: string;
  page_types?: Record<string, number>;
  /** The expected token F1 of the text, and its interval. */
  quality?: number;
  quality_low?: number;
  quality_high?: number;
  /** Whether the page shows nothing until its scripts have run. */
  needs_rendering: boolean;
}

/** A block with the reasons for its label. */
export interface InspectedBlock {
  /** The first 600 characters. */
  text: string;
  /** The number of characters. */
  letters: number;
  /** The names of the elements around the block. */
  path: string;
  score: number;
  kept: boolean;
  /** The distance of the score from the threshold, 0 to 1. */
  certainty: number;
  doubtful: boolean;
  /** Why the label differs from the score. */
  reason: string | null;
}

/** A page as the application of `threshr inspect` shows it. */
export interface Inspection {
  title: string;
  url: string | null;
  /** The page as HTML without scripts. The text of block `N` is in elements `t-b` with `data-b="N"`. */
  frame: string;
  /** The minimum score of content on this page. */
  threshold: number;
  blocks: InspectedBlock[];
  page_type: string | null;
  /** The expected token F1 of the text, and its interval. */
  quality: { expected: number; low: number; high: number } | null;
  metadata: Metadata;
  encoding: string;
  /** The units in document order, each with its depth in the tree and the range of its blocks. */
  units: { depth: number; kind: { kind: string; [field: string]: unknown }; text: string; blocks: [number, number]; score: number | null; kept: boolean }[];
}

/** Why a block has its score: `decision` is the sum of `base` and what the columns add. */
export interface Explanation {
  /** `{ dropped }` names the filter. */
  outcome: "kept" | "below_threshold" | "beside_post" | "outside" | { dropped: string };
  base: number;
  decision: number;
  /** The columns with the greatest contributions. */
  columns: { column: string; value: number; by: number }[];
  num_other: number;
  /** What all other columns add. */
  other: number;
}

/** The named policies, and the properties of which a policy consists, such as in `main+title-headings`. */
export interface Policies {
  named: { name: string; summary: string; properties: string[] }[];
  properties: { name: string; definition: string }[];
}

/** Why a page was not extracted. `Internal`: the engine failed on this page; the extractor can be used further. */
export type ErrorKind = "NotHtml" | "TooLarge" | "InvalidOption" | "Model" | "Data" | "Features" | "Classifier" | "Internal";

/** An error with its kind and what was expected. */
export class ThreshrError extends Error {
  kind: ErrorKind;
  expected?: string;
  setting?: string;
}

/** Extracts pages with one model. */
export class Extractor {
  private constructor(model: Uint8Array);
  /**
   * Extracts a page: a string, or bytes whose charset is detected.
   * @throws {ThreshrError} if an option is not valid, or the page is not HTML or reaches a limit
   */
  extract(page: string | Uint8Array | ArrayBuffer, options?: Options): Page;
  /**
   * Shows what the application of `threshr inspect` shows. The options `parts`, `links`, `images`, `tables` and `formulas` have no effect.
   * @throws {ThreshrError} as `extract`
   */
  inspect(page: string | Uint8Array | ArrayBuffer, options?: Options): Inspection;
  /**
   * Explains the score of a block, which is an index of `blocks`, with the same options.
   * @throws {ThreshrError} as `extract`; also if there is no such block
   */
  explain(page: string | Uint8Array | ArrayBuffer, block: number, options?: Options): Explanation;
  /** Frees the memory of the model. The extractor cannot be used afterwards. */
  free(): void;
}

/** Loads the module and a model: `default`, `fast`, `tiny`, or the bytes of a model file. */
export function load(options?: {
  model?: "default" | "fast" | "tiny" | Uint8Array | ArrayBuffer;
  /** The WebAssembly module, where it cannot be read from the package. Only the first call starts it. */
  wasm?: BufferSource | WebAssembly.Module | URL;
}): Promise<Extractor>;

/** Extracts a page with the model `default`, which is loaded at the first call. */
export function extract(page: string | Uint8Array | ArrayBuffer, options?: Options): Promise<Page>;

/** Lists the policies. */
export function policies(): Promise<Policies>;
