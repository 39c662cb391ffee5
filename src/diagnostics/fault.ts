/**
 * Internal faults as diagnostics, so that compiling a document never crashes its caller. Importing
 * this file doesn't load the compiler.
 */
import { createSource, positionOf } from "../source/source.ts";
import { createReporter, type Diagnostic } from "./diagnostic.ts";

/** Its position is the document's start. */
export function faultOf(file: string, text: string, error: unknown): readonly Diagnostic[] {
  const source = createSource(file, text);
  const reporter = createReporter(source);
  reporter.report("document/fault", positionOf(source, 0, 0), { message: wordsOf(error) });
  return reporter.diagnostics;
}

/** The error and its location in Ninefold's code, which are enough to find it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const location = /at .*[/\\]([\w.-]+\.[jt]s:\d+)/.exec(error.stack ?? "")?.[1];
  return `${error.name}: ${error.message}${location === undefined ? "" : ` (${location})`}`;
}
