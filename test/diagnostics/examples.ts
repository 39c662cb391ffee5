/**
 * Examples of diagnostics: for each code the documents of `test/diagnostics/` that have it, the
 * clearest one first. Its page shows the first example, and a test applies that example's
 * correction.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { compile } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { createSource, type Source } from "../../src/source/source.ts";
import { allCases } from "./cases.ts";
import { allCorrections, type Hunk, hunkOfFix } from "./corrections.ts";

/** A diagnostic of a case's document. */
export interface Example {
  /** The part and the subject of the case: `endpoints/order-on-one`. */
  readonly case: string;
  readonly source: Source;
  readonly diagnostic: Diagnostic;
  /** All diagnostics of the document. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns all examples by code, the clearest example of each code first. */
export function examplesByCode(): ReadonlyMap<string, readonly Example[]> {
  const byCode = new Map<string, Example[]>();
  for (const { about, document } of allCases()) {
    const text = readFileSync(document, "utf8");
    const file = `${basename(about).replace(/^gap-/, "")}.md`;
    const source = createSource(file, text);
    const { diagnostics } = compile(text, { file });
    for (const diagnostic of diagnostics) {
      const examples = byCode.get(diagnostic.code) ?? [];
      examples.push({ case: about, source, diagnostic, diagnostics });
      byCode.set(diagnostic.code, examples);
    }
  }
  for (const [code, examples] of byCode)
    examples.sort((a, b) => rank(a, code) - rank(b, code) || order(a.case, b.case));
  return byCode;
}

/**
 * Orders the examples of a code. A case named after the code comes first, then cases about gaps if
 * the code is a gap, then the smallest document.
 */
function rank(example: Example, code: string): number {
  if (example.case === code) return -2;
  if (example.case.includes("/gap-") === (example.diagnostic.kind === "gap"))
    return example.source.text.length;
  return 1e9 + example.source.text.length;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const corrections = allCorrections();

/**
 * Returns the correction of an example: the correction written for its code, or else the edit of
 * its hint.
 */
export function correctionOf(example: Example): readonly Hunk[] | undefined {
  return corrections.get(example.diagnostic.code) ?? editOf(example);
}

/** Returns the edit of an example's hint; undefined if it has none. */
export function editOf({ source, diagnostic }: Example): readonly Hunk[] | undefined {
  return diagnostic.fix && [hunkOfFix(source.text, diagnostic.fix)];
}
