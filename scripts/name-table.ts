/** Regenerates the tables of `docs/names.md` from the types of the engine: `npm run name-table`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withNameTables } from "./name-table-text.ts";

const page = join(import.meta.dirname, "..", "docs", "names.md");
writeFileSync(page, withNameTables(readFileSync(page, "utf8")));
