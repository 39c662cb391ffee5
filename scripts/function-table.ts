/**
 * Regenerates the table of functions in `docs/notation.md` from the definitions of the functions:
 * `npm run function-table`. The rest of that page is written by hand.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFunctionTable } from "./function-table-text.ts";

const page = join(import.meta.dirname, "..", "docs", "notation.md");
writeFileSync(page, withFunctionTable(readFileSync(page, "utf8")));
