/** Analysis of one state of a document: its compilation, and positions in the form of the protocol. */
import type { Range } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Compilation, compile } from "../compile.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { createSource, type Position, type Source } from "../source/source.ts";

export interface Analysis {
  readonly uri: string;
  readonly version: number;
  readonly file: string;
  readonly source: Source;
  readonly document: TextDocument;
  readonly compilation: Compilation;
}

/** Diagnostics of a Markdown file that is no interface specification. */
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

/** Characters in which the title is looked for. */
const titleLengthMax = 64 * 1024;

/**
 * Compiles a text.
 *
 * @returns undefined for a Markdown file that is no specification: it is left alone
 */
export function analyse(
  { uri, version, text }: { readonly uri: string; readonly version: number; readonly text: string },
  wasSpecification: boolean,
): Analysis | undefined {
  if (!wasSpecification && !mayBeSpecification(text)) return undefined;
  const file = fileOf(uri);
  const compilation = compile(text, { file });
  if (!wasSpecification && compilation.diagnostics.some(({ code }) => titleCodes.has(code))) return undefined;
  return {
    uri,
    version,
    file,
    source: createSource(file, text),
    document: TextDocument.create(uri, "markdown", version, text),
    compilation,
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
