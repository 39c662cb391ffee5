/**
 * Reach of the cost check (`src/checks/expressions/statement-cost.ts`): how many expressions it checks
 * in all documents of the repository, and of further folders.
 *
 *   node scripts/cost-check-reach.ts [FOLDER …]
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { judgedExpressions } from "../src/checks/expressions/statement-cost.ts";
import { compile } from "../src/compile.ts";

const left = new Set(["node_modules", "dist", ".git"]);

function* documentsIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !left.has(entry.name)) yield* documentsIn(path);
    else if (entry.name.endsWith(".md")) yield path;
  }
}

const counts = { "expressions/much-work": 0, "expressions/too-much-work": 0 };
let documents = 0;
let judged = 0;
let scanning = 0;
for (const folder of [resolve(import.meta.dirname, ".."), ...process.argv.slice(2)]) {
  for (const file of documentsIn(folder)) {
    const text = readFileSync(file, "utf8");
    if (!/^# Interface Specification:/m.test(text)) continue;
    const { model, diagnostics } = compile(text, { file });
    // A document with other mistakes isn't checked, and never served.
    const isJudged = diagnostics.every(({ severity, code }) => severity !== "error" || code in counts);
    if (!model || !isJudged) continue;
    documents += 1;
    for (const { worst } of judgedExpressions(model, new Set())) {
      judged += 1;
      if (worst && worst.through.length > 0) scanning += 1;
    }
    for (const { code } of diagnostics) if (code in counts) counts[code as keyof typeof counts] += 1;
  }
}
console.log(
  `${documents} documents, ${judged} expressions judged, ${scanning} of them go through all records of a resource; ` +
    `${counts["expressions/much-work"]} warned of, ${counts["expressions/too-much-work"]} refused`,
);
