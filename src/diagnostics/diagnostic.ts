/** Diagnostics of `check`: mistakes (the text is wrong) and gaps (the text is silent). */
import type { Position, Source } from "../source/source.ts";
import { codes, type DiagnosticCode, type ParamsOf } from "./codes/index.ts";
import type { CodeDefinition } from "./code.ts";
import { type Fix, fixOf } from "./fix.ts";

export interface Related {
  readonly position: Position;
  readonly message: string;
}

export interface Diagnostic {
  /** Part and slug, `resources/unknown-field-type`; never renamed or reused. */
  readonly code: DiagnosticCode;
  readonly kind: "mistake" | "gap";
  readonly severity: "error" | "warning" | "note";
  readonly file: string;
  /** The smallest text that the author would edit. */
  readonly position: Position;
  /** One sentence about the author's text. */
  readonly message: string;
  /** The other places involved. */
  readonly related: readonly Related[];
  /** What to write; for a gap, the line to add. */
  readonly hint?: string;
  /** The edit that the hint suggests, if it suggests one. */
  readonly fix?: Fix;
}

/** Collects the diagnostics of one document. Reporting never throws. */
export interface Reporter {
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];
  report<C extends DiagnosticCode>(
    code: C,
    position: Position,
    params: ParamsOf<C>,
    related?: readonly Related[],
  ): void;
  /** Runs `work` and discards what it reports. The result says whether `work` reported an error. */
  silently<T>(work: () => T): { readonly value: T; readonly failed: boolean };
}

/**
 * Maximum number of mistakes, and of gaps, that are kept for one document. A hostile document then
 * can't exhaust the memory, and gaps can't hide a mistake.
 */
export const diagnosticsMax = 1000;

export function createReporter(source: Source): Reporter {
  let diagnostics: Diagnostic[] = [];
  let gaps = 0;
  return {
    source,
    get diagnostics() {
      return diagnostics;
    },
    report(code, position, params, related = []) {
      const definition = codes[code] as CodeDefinition<typeof params>;
      const isGap = definition.kind === "gap";
      if ((isGap ? gaps : diagnostics.length - gaps) >= diagnosticsMax) return;
      if (isGap) gaps += 1;
      const hint = definition.hint?.(params);
      const fix = hint === undefined || isGap ? undefined : fixOf(code, hint, position, source);
      diagnostics.push({
        code,
        kind: definition.kind,
        severity: definition.severity,
        file: source.file,
        position,
        message: definition.message(params),
        related,
        ...(hint === undefined ? {} : { hint }),
        ...(fix === undefined ? {} : { fix }),
      });
    },
    silently(work) {
      const saved = diagnostics;
      const savedGaps = gaps;
      diagnostics = [];
      gaps = 0;
      try {
        const value = work();
        return { value, failed: diagnostics.some((diagnostic) => diagnostic.severity === "error") };
      } finally {
        diagnostics = saved;
        gaps = savedGaps;
      }
    },
  };
}
