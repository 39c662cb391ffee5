/** Canonical print of a document, which is only returned if it has the same meaning. */
import { createReporter, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { createSource, type Source } from "../source/source.ts";
import { formatDocument } from "./format.ts";
import { parseMarkdown } from "./markdown.ts";
import { sameSyntax } from "./same-syntax.ts";

export type CanonicalPrint =
  | { readonly kind: "printed"; readonly text: string }
  /** The document wasn't read completely, so a print would lose the rest. */
  | { readonly kind: "unreadable"; readonly diagnostics: readonly Diagnostic[] }
  /** A bug of Ninefold: the print has another meaning than the document. */
  | { readonly kind: "other meaning" };

/** Mistakes after which a document isn't read completely, so that a print would not be complete. */
const unreadableCodes: ReadonlySet<string> = new Set([
  "document/unclosed-fence",
  "document/too-long",
  "document/line-too-long",
  "document/nested-too-deep",
  "document/table-too-long",
  "document/table-too-wide",
]);

/** Prints a document in the canonical form, and compares the meanings of both. */
export function canonicalPrint(source: Source): CanonicalPrint {
  const reporter = createReporter(source);
  const before = parseMarkdown(source, reporter);
  const diagnostics = reporter.diagnostics.filter(({ code }) => unreadableCodes.has(code));
  if (diagnostics.length > 0) return { kind: "unreadable", diagnostics };
  const text = formatDocument(source, createReporter(source));
  const after = createSource(source.file, text);
  const isSame = sameSyntax(before, parseMarkdown(after, createReporter(after)));
  return isSame ? { kind: "printed", text } : { kind: "other meaning" };
}
