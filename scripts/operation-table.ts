/**
 * Regenerates the table of routes in `docs/guides/operations.md` from the definitions of the
 * routes: `npm run operation-table`. The rest of that page is written by hand.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withOperationTable } from "./operation-table-text.ts";

const page = join(import.meta.dirname, "..", "docs", "guides", "operations.md");
writeFileSync(page, withOperationTable(readFileSync(page, "utf8")));
