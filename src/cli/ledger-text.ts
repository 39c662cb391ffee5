/** The ledger for people: the nine parts, their 26 items, what the document answers to each, and the smaller gaps under them. */
import { createPaint, type Paint, type Tone } from "../diagnostics/formats/paint.ts";
import type { Answer, LedgerEntry } from "../model/model.ts";
import { printable } from "../source/printable.ts";
import { partNames, partTitles } from "../syntax/nodes.ts";

export interface LedgerCounts {
  readonly items: number;
  readonly stated: number;
  readonly none: number;
  readonly notShown: number;
  readonly silent: number;
  /** Items that are not shown or silent: what `--max-gaps` counts (decision "Gaps that are counted"). */
  readonly gaps: number;
  /** Single cells and values that are not shown, counted apart. */
  readonly smallerGaps: number;
}

export function countLedger(ledger: readonly LedgerEntry[]): LedgerCounts {
  const of = (answer: Answer): number => ledger.filter((entry) => entry.answer === answer).length;
  const notShown = of("not shown");
  const silent = of("silent");
  const smallerGaps = ledger.reduce((count, entry) => count + entry.smaller.length, 0);
  return {
    items: ledger.length,
    stated: of("stated"),
    none: of("none"),
    notShown,
    silent,
    gaps: notShown + silent,
    smallerGaps,
  };
}

export function formatLedger(ledger: readonly LedgerEntry[], options: { readonly colour: boolean }): string {
  const paint = createPaint(options.colour);
  const lines = partNames.flatMap((part) => {
    const entries = ledger.filter((entry) => entry.part === part);
    return entries.length === 0
      ? []
      : [paint("bold", partTitles[part]), ...entries.flatMap((entry) => entryLines(entry, paint))];
  });
  return `${[...lines, "", summaryOf(countLedger(ledger))].join("\n")}\n`;
}

const tones: Readonly<Record<Answer, Tone>> = {
  stated: "good",
  none: "good",
  "not shown": "note",
  silent: "warning",
};

function entryLines(entry: LedgerEntry, paint: Paint): string[] {
  const { item, answer, position, smaller } = entry;
  const place =
    answer === "silent"
      ? `add \`- ${item.slice(0, 1).toUpperCase()}${item.slice(1)}: not shown\``
      : `line ${position.start.line}`;
  const line = `  ${item.padEnd(20)} ${paint(tones[answer], answer.padEnd(10))} ${place}`;
  return [
    line,
    ...smaller.map((gap) => `    ${printable(gap.subject)}: not shown, line ${gap.position.start.line}`),
  ];
}

/** `26 items: 20 stated, 2 none, 3 not shown, 1 silent. 4 gaps, and 3 smaller ones.` */
function summaryOf(counts: LedgerCounts): string {
  const { items, stated, none, notShown, silent, gaps, smallerGaps } = counts;
  const answers = `${items} items: ${stated} stated, ${none} none, ${notShown} not shown, ${silent} silent.`;
  return `${answers} ${gaps} gap${gaps === 1 ? "" : "s"}, and ${smallerGaps} smaller one${smallerGaps === 1 ? "" : "s"}.`;
}
