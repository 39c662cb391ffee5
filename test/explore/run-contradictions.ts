/**
 * Plants each contradiction of `contradictions.ts`, and prints which of them `explore` finds.
 * Nothing must be found in the document without them.
 *
 *   node test/explore/run-contradictions.ts [--requests N] [--seed N] [--only TEXT]
 */
import { parseArgs } from "node:util";
import { compile } from "../../src/compile.ts";
import { explore } from "../../src/explore/explore.ts";
import { contradictions, planted } from "./contradictions.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1500" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
  },
});
const only = contradictions.filter(({ name }) => name.includes(values.only));
const documents = [
  { name: "the document as it is", kind: undefined, text: planted() },
  ...only.map((contradiction) => ({ ...contradiction, text: planted(contradiction) })),
];
let found = 0;
for (const { name, kind, text } of documents) {
  const { model } = compile(text, { file: "loans.md" });
  if (!model) throw new Error(`${name}: the document can't be read`);
  const bounds = { requestsMax: Number(values.requests), timeMsMax: 600_000, findingsMax: 10 };
  const { findings } = await explore({ model, given: [], seed: Number(values.seed), ...bounds });
  const isRight =
    kind === undefined ? findings.length === 0 : findings.some((finding) => finding.kind === kind);
  if (isRight) found += 1;
  console.log(`${isRight ? "✓" : "✗"} ${name}`);
  for (const finding of findings)
    console.log(`    line ${finding.line}: ${finding.kind}: ${finding.subject}: ${finding.message}`);
}
console.log(`${found} of ${documents.length} as they should be`);
