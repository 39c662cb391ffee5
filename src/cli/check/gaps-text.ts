/**
 * The gaps of a document as text: the items, then the smaller gaps by kind, with the first few of
 * each kind and their lines.
 */
import { createPaint } from "../../diagnostics/formats/paint.ts";
import type { LedgerEntry } from "../../model/model.ts";
import { printable } from "../../source/printable.ts";
import { entryLine } from "./items-text.ts";
import { type Verdict, openAccessSubject } from "./verdict.ts";

/** Maximum number of smaller gaps of one kind that are printed; `--items` prints all. */
const shownMax = 3;

interface SmallerGap {
  /** `fields: the type of …` */
  readonly kind: string;
  readonly subject: string;
  readonly line: number;
  /** How the service answers meanwhile, where the kind has a default. */
  readonly served?: string;
}

/** Empty without gaps. */
export function formatGaps(
  ledger: readonly LedgerEntry[],
  verdict: Verdict,
  { colour }: { readonly colour: boolean },
): string {
  const paint = createPaint(colour);
  const open = ledger.filter(({ answer }) => answer === "not shown" || answer === "silent");
  const kinds = Map.groupBy([...ledger.flatMap(smallerOf), ...unsaidOf(verdict)], ({ kind }) => kind);
  const lines = [
    ...(open.length > 0 ? [paint("bold", "Gaps"), ...open.map((entry) => entryLine(entry, paint))] : []),
    ...(kinds.size > 0 ? [paint("bold", "Smaller gaps")] : []),
    ...[...kinds].flatMap(([kind, gaps]) => linesOf(kind, gaps)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function linesOf(kind: string, gaps: readonly SmallerGap[]): readonly string[] {
  // One more gap takes no more lines than the line that would replace it.
  const shown = gaps.length <= shownMax + 1 ? gaps : gaps.slice(0, shownMax);
  const rest = gaps.length - shown.length;
  const lines = shown.map(({ subject, line }) => `${printable(subject)}, line ${line}`);
  const served = gaps[0]?.served === undefined ? [] : [`    ${gaps[0].served}`];
  if (gaps.length === 1) return [...lines.map((line) => `  ${kind.replace(/: .*/, "")}: ${line}`), ...served];
  return [
    `  ${kind} (${gaps.length})`,
    ...lines.map((line) => `    ${line}`),
    ...(rest > 0 ? [`    … and ${rest} more: \`--items\` lists all`] : []),
    ...served,
  ];
}

function smallerOf({ item, smallerGaps }: LedgerEntry): readonly SmallerGap[] {
  return smallerGaps.map(({ subject, position }) => ({
    kind: `${item}: ${kindOf(subject)}`,
    subject,
    line: position.start.line,
  }));
}

/** `the type of …` for `the type of Parcel.weight`, `what … does` for `what POST /parcels does`. */
function kindOf(subject: string): string {
  const [, first, last = ""] =
    /^(.+? of) .+$/.exec(subject) ?? /^(what|when|where|how) .+( \w+)$/.exec(subject) ?? [];
  return first === undefined ? printable(subject) : `${first} …${last}`;
}

function unsaidOf({ unsaidAllowed }: Verdict): readonly SmallerGap[] {
  return unsaidAllowed.map((endpoint) => ({
    kind: "methods: who may call …",
    subject: openAccessSubject(endpoint),
    line: endpoint.position.start.line,
    served:
      "Without `Allowed`, every caller with a valid credential may. To state it: `- Allowed: any caller`, once before the first endpoint of part 4.",
  }));
}
