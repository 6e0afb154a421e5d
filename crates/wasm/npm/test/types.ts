// Compiled by `tsc --strict`, never run: the types of the package.
import { extract, load, Extractor, ThreshrError } from "threshr";
import type { Block, Explanation, Metadata, Options, Page, Unit } from "threshr";

const options: Options = { url: "https://example.org/", policy: "main+title", favor: "recall", parts: ["markdown", "quality"] };

async function main(bytes: Uint8Array): Promise<string | undefined> {
  const extractor: Extractor = await load({ model: "tiny" });
  try {
    const page: Page = extractor.extract(bytes, options);
    const metadata: Metadata | undefined = page.metadata;
    const blocks: Block[] = page.blocks ?? [];
    const kinds: string[] = (page.units ?? []).map((unit: Unit) => unit.kind);
    const author: string | undefined = metadata?.authors?.[0]?.value ?? page.comments?.[0]?.author;
    return blocks.some((block) => block.is_content && block.score > 0.5) ? author : kinds[0];
  } catch (error) {
    if (error instanceof ThreshrError && error.kind === "NotHtml") return error.expected;
    throw error;
  } finally {
    extractor.free();
  }
}

const page: Promise<Page> = extract("<p>A page", { threshold: 0.5 });
// @ts-expect-error there is no such option
void extract("<p>A page", { polcy: "main" });
// @ts-expect-error there is no such kind
const isKind = (error: ThreshrError): boolean => error.kind === "NotHTML";
// @ts-expect-error a page is no number
void extract(5);
// @ts-expect-error a block has no label
const isKept = (extractor: Extractor): boolean => extractor.inspect("<p>A page").blocks[0].label;
const filter = ({ outcome }: Explanation): string | undefined => (typeof outcome === "string" ? undefined : outcome.dropped);
void [main, page, isKind, isKept, filter];
