/**
 * Analysis of one state of a document: its compilation, and positions in the form of the protocol.
 */
import type { Range } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Compilation, compile } from "../compile.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { observeBindings, type ObservedBinding } from "../expressions/observe-bindings.ts";
import { createSource, type Position, type Source } from "../source/source.ts";
import { createHabitMemory, type HabitMemory } from "./completion/habits.ts";

export interface Analysis {
  readonly uri: string;
  readonly version: number;
  readonly file: string;
  readonly source: Source;
  readonly document: TextDocument;
  readonly compilation: Compilation;
  /** The scope of each expression, for completion in a later state. */
  readonly bindings: readonly ObservedBinding[];
  /** Passed on from state to state. */
  readonly habits: HabitMemory;
}

/** Diagnostics of a Markdown file that is not an interface specification. */
const titleCodes: ReadonlySet<Diagnostic["code"]> = new Set([
  "document/missing-title",
  "document/unreadable-title",
]);

/**
 * Whether a text could be a specification at all, without compiling it. Its title has these two
 * words; a title that is being typed has them in a document that was one before.
 */
function mayBeSpecification(text: string): boolean {
  return /^#.*interface\s+specification\s*:/im.test(text.slice(0, titleLengthMax));
}

/** The number of characters that are searched for the title. */
const titleLengthMax = 64 * 1024;

interface State {
  readonly uri: string;
  readonly version: number;
  readonly text: string;
}

/**
 * Compiles a text that may be another Markdown file.
 *
 * @param previous the analysis of an earlier state, which was a specification
 * @returns undefined for a Markdown file that isn't a specification
 */
export function analyse(state: State, previous?: Analysis): Analysis | undefined {
  if (!previous && !mayBeSpecification(state.text)) return undefined;
  const analysis = analyseSpecification(state, previous);
  const isOther = analysis.compilation.diagnostics.some(({ code }) => titleCodes.has(code));
  return isOther && !previous ? undefined : analysis;
}

/** Compiles a text that is a specification. */
export function analyseSpecification({ uri, version, text }: State, previous?: Analysis): Analysis {
  const file = fileOf(uri);
  const { result: compilation, bindings } = observeBindings(() => compile(text, { file }));
  return {
    uri,
    version,
    file,
    source: createSource(file, text),
    document: TextDocument.create(uri, "markdown", version, text),
    compilation,
    bindings,
    habits: previous?.habits ?? createHabitMemory(),
  };
}

/** The name of a document's file, for positions in messages. */
function fileOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The range of the protocol for a position. */
export function rangeOf({ document }: Analysis, { start, end }: Position): Range {
  return rangeBetween(document, start.offset, end.offset);
}

/** The range of the protocol between two offsets. */
export function rangeBetween(document: TextDocument, start: number, end: number): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}
