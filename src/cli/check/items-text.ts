/**
 * The ledger as text: the nine parts, their 26 items, the document's answer to each, and the
 * smaller gaps under them.
 */
import { createPaint, type Paint, type Tone } from "../../diagnostics/formats/paint.ts";
import type { Answer, Endpoint, LedgerEntry } from "../../model/model.ts";
import { printable } from "../../source/printable.ts";
import { type LedgerCounts, type Verdict, openAccessSubject } from "./verdict.ts";
import { partNames, partTitles } from "../../syntax/nodes.ts";

/** What `check --items` prints: every item, and every smaller gap under it. */
export function formatItems(
  ledger: readonly LedgerEntry[],
  { counts, unsaidAllowed }: Verdict,
  options: { readonly colour: boolean },
): string {
  const paint = createPaint(options.colour);
  const lines = partNames.flatMap((part) => {
    const entries = ledger.filter((entry) => entry.part === part);
    return entries.length === 0
      ? []
      : [
          paint("bold", partTitles[part]),
          ...entries.flatMap((entry) => [
            ...entryLines(entry, paint),
            ...(entry.item === "methods" ? unsaidAllowed.map(unsaidLine) : []),
          ]),
        ];
  });
  return `${[...lines, "", summaryOf(counts)].join("\n")}\n`;
}

function unsaidLine(endpoint: Endpoint): string {
  return `    ${openAccessSubject(endpoint)}: not stated, so any caller, line ${endpoint.position.start.line}`;
}

const tones: Readonly<Record<Answer, Tone>> = {
  stated: "good",
  none: "good",
  "not shown": "note",
  silent: "warning",
};

function entryLines(entry: LedgerEntry, paint: Paint): string[] {
  return [
    entryLine(entry, paint),
    ...entry.smallerGaps.map(
      (gap) => `    ${printable(gap.subject)}: not shown, line ${gap.position.start.line}`,
    ),
  ];
}

/** `  webhooks             not shown  line 41` */
export function entryLine({ item, answer, position }: LedgerEntry, paint: Paint): string {
  const place =
    answer === "silent"
      ? `add \`- ${item.slice(0, 1).toUpperCase()}${item.slice(1)}: not shown\``
      : `line ${position.start.line}`;
  return `  ${item.padEnd(20)} ${paint(tones[answer], answer.padEnd(10))} ${place}`;
}

/** `26 items: 20 stated, 2 none, 3 not shown, 1 silent. 4 gaps, and 3 smaller ones.` */
function summaryOf(counts: LedgerCounts): string {
  const { items, stated, none, notShown, silent, gaps, smallerGaps } = counts;
  const answers = `${items} items: ${stated} stated, ${none} none, ${notShown} not shown, ${silent} silent.`;
  return `${answers} ${gaps} gap${gaps === 1 ? "" : "s"}, and ${smallerGaps} smaller one${smallerGaps === 1 ? "" : "s"}.`;
}
