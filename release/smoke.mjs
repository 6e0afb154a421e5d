// The command that `release/smoke` runs, by the package for JavaScript: `--version`, and `predict -`.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { extract } from "threshr";

if (process.argv[2] === "--version") {
  const folder = new URL(".", import.meta.resolve("threshr"));
  const { version } = JSON.parse(await readFile(fileURLToPath(new URL("package.json", folder))));
  console.log(`threshr ${version}`);
} else {
  console.log((await extract(await readFile("/dev/stdin"))).text);
}
