/**
 * Compiler: text → syntax → model → checks. Pure: it reads and writes nothing, and never throws.
 * For any text it returns diagnostics, and as much of the model as could be built.
 */
import { checkModel } from "./checks/index.ts";
import { createReporter, type Diagnostic, diagnosticsMax, type Reporter } from "./diagnostics/diagnostic.ts";
import { faultOf } from "./diagnostics/fault.ts";
import { buildModel } from "./model/reading/build-model.ts";
import type { LedgerEntry, Model } from "./model/model.ts";
import { createSource } from "./source/source.ts";
import { deepFreeze } from "./support/deep-freeze.ts";
import { parseMarkdown } from "./syntax/markdown.ts";

export interface Compilation {
  /** Absent if the document could not be parsed. Incomplete if the diagnostics contain mistakes. */
  readonly model?: Model;
  /** In the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  /** The 26 items and the document's answer to each; empty if the document could not be parsed. */
  readonly ledger: readonly LedgerEntry[];
}

/** Compiles a document. `file` is the file name in the positions of diagnostics. */
export function compile(text: string, options: { readonly file: string }): Compilation {
  const source = createSource(options.file, text);
  const reporter = createReporter(source);
  try {
    const document = parseMarkdown(source, reporter);
    if (reporter.diagnostics.some((diagnostic) => diagnostic.code === "document/too-long")) {
      return { diagnostics: reporter.diagnostics, ledger: [] };
    }
    const { model: built, ledger } = buildModel(document, reporter);
    const model = deepFreeze(built);
    checkModel(model, reporter);
    return { model, diagnostics: inOrder(reporter), ledger };
  } catch (error) {
    return { diagnostics: [...inOrder(reporter), ...faultOf(options.file, text, error)], ledger: [] };
  }
}

/**
 * Parses a document without the checks of the whole model, for observers of the parser. It takes a
 * fraction of the time. If parsing fails, the observers have seen the part before the failure.
 */
export function readNames(text: string): void {
  const reporter = createReporter(createSource("names", text));
  try {
    buildModel(parseMarkdown(reporter.source, reporter), reporter);
  } catch {
    // `compile` reports an internal fault on this document.
  }
}

/**
 * Sorts diagnostics by position; at the same position, mistakes come before gaps. Equal ones are
 * reported once: a check meets the items of a path or a part at each of its endpoints.
 */
function inOrder(reporter: Reporter): readonly Diagnostic[] {
  const reported = new Set<string>();
  const different = reporter.diagnostics.filter(({ code, message, position }) => {
    const key = `${code} ${position.start.offset} ${position.end.offset} ${message}`;
    return reported.size < reported.add(key).size;
  });
  const sorted = different.toSorted(
    (a, b) =>
      a.position.start.offset - b.position.start.offset ||
      a.position.end.offset - b.position.end.offset ||
      b.kind.localeCompare(a.kind),
  );
  const last = sorted.at(-1);
  const gaps = sorted.filter((diagnostic) => diagnostic.kind === "gap").length;
  if (last === undefined || Math.max(gaps, sorted.length - gaps) < diagnosticsMax) return sorted;
  const more = createReporter(reporter.source);
  more.report("document/more-mistakes", last.position, { reported: sorted.length });
  return [...sorted, ...more.diagnostics];
}
