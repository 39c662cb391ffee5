/** The verdict of `check` on one document: the counts, the line of verdict, and the JSON. */
import type { Compilation } from "../../compile.ts";
import { diagnosticJson } from "../../diagnostics/formats/json.ts";
import type { Answer, Endpoint, LedgerEntry } from "../../model/model.ts";
import {
  type OpenEndpoints,
  openEndpoints,
  openWords,
  unsaidAllowed,
} from "../../model/endpoints/missing-allowed.ts";
import { printable } from "../../source/printable.ts";

export interface LedgerCounts {
  readonly items: number;
  readonly stated: number;
  readonly none: number;
  readonly notShown: number;
  readonly silent: number;
  /**
   * Items that are not shown or silent: what `--max-gaps` counts (decision "Gaps that are
   * counted").
   */
  readonly gaps: number;
  /** Single cells and values that are not shown, counted apart. */
  readonly smallerGaps: number;
}

function countLedger(ledger: readonly LedgerEntry[]): LedgerCounts {
  const of = (answer: Answer): number => ledger.filter((entry) => entry.answer === answer).length;
  const notShown = of("not shown");
  const silent = of("silent");
  const smallerGaps = ledger.reduce((count, entry) => count + entry.smallerGaps.length, 0);
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

/** A document that was checked. */
export interface Checked {
  readonly file: string;
  readonly text: string;
  readonly compilation: Compilation;
  readonly verdict: Verdict;
}

export interface Verdict {
  readonly errors: number;
  readonly warnings: number;
  readonly counts: LedgerCounts;
  /** Endpoints without `Allowed`; each is one of the smaller gaps. */
  readonly unsaidAllowed: readonly Endpoint[];
  readonly open: OpenEndpoints;
  readonly gapsMax: number | undefined;
  readonly tooManyGaps: boolean;
}

export function judge({ diagnostics, ledger, model }: Compilation, gapsMax: number | undefined): Verdict {
  const counts = countLedger(ledger);
  const unsaid = model ? unsaidAllowed(model) : [];
  const severities = diagnostics.flatMap(({ kind, severity }) => (kind === "mistake" ? severity : []));
  return {
    errors: severities.filter((severity) => severity === "error").length,
    warnings: severities.filter((severity) => severity === "warning").length,
    counts: { ...counts, smallerGaps: counts.smallerGaps + unsaid.length },
    unsaidAllowed: unsaid,
    open: model ? openEndpoints(model) : { "any caller": [], anyone: [] },
    gapsMax,
    tooManyGaps: gapsMax !== undefined && counts.gaps > gapsMax,
  };
}

export function isWell({ errors, tooManyGaps }: Verdict): boolean {
  return errors === 0 && !tooManyGaps;
}

/** The counts of a verdict by name, as its line prints them. */
export function countsOf(verdict: Verdict): readonly (readonly [name: string, count: number])[] {
  return [
    ["error", verdict.errors],
    ["warning", verdict.warnings],
    ["gap", verdict.counts.gaps],
    ["smaller gap", verdict.counts.smallerGaps],
  ];
}

/**
 * `parcels.md: 0 errors, 0 warnings, 1 gap, 2 smaller gaps; 2 endpoints are open to any caller, 1
 * to anyone.`
 */
export function verdictLine(file: string, verdict: Verdict): string {
  const open = openWords(verdict.open);
  const counted = countsOf(verdict).map(([name, count]) => plural(count, name));
  return `${printable(file)}: ${counted.join(", ")}${open === undefined ? "" : `; ${open}`}.\n`;
}

export function tooManyLine({ counts, gapsMax }: Verdict): string {
  return `${plural(counts.gaps, "gap")}, more than the ${gapsMax} allowed by --max-gaps.\n`;
}

/** The verdict of one document as JSON. */
export function verdictJson({ file, compilation, verdict }: Checked): object {
  const { errors, warnings, counts, open } = verdict;
  return {
    file,
    ok: isWell(verdict),
    counts: {
      errors,
      warnings,
      ...counts,
      openToAnyCaller: open["any caller"].length,
      openToAnyone: open.anyone.length,
    },
    diagnostics: compilation.diagnostics.map(diagnosticJson),
    ledger: compilation.ledger,
    unsaidAllowed: verdict.unsaidAllowed.map((endpoint) => ({
      endpoint: nameOf(endpoint),
      position: endpoint.position,
    })),
  };
}

/** The subject of the gap of an endpoint without `Allowed`. */
export function openAccessSubject(endpoint: Endpoint): string {
  return `who may call ${nameOf(endpoint)}`;
}

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path.text}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
