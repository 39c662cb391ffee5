/** Document lines for the console, each with the diagnostics that `check` reports. */
import { type Static, Type } from "typebox";
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import { fixedLines } from "../../../diagnostics/fixed-lines.ts";
import { createSource, type Source } from "../../../source/source.ts";
import { type DocumentBlock, documentTree } from "../../../syntax/document-tree.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import type { Draft } from "../../draft.ts";
import type { AdminContext } from "../../context.ts";
import { fields, nullable, route } from "../routing/route.ts";

export type DocumentResponse = Static<typeof documentSchema>;
export type Mark = DocumentResponse["marks"][number];

const documentSchema = fields({
  file: Type.String(),
  is_served: Type.Boolean({ description: "false for a saved text that can't be served" }),
  unserved: nullable(Type.String({ description: "why the last saved text isn't served; null if it is" })),
  lines: Type.Integer({ description: "how many there are" }),
  blocks: Type.Unsafe<readonly DocumentBlock[]>({
    type: "array",
    items: { type: "object" },
    description: "headings, paragraphs, lists, tables and code, each with its line",
  }),
  marks: Type.Array(
    fields({
      line: Type.Integer(),
      column: Type.Integer(),
      kind: Type.Union([Type.Literal("mistake"), Type.Literal("gap")]),
      severity: Type.Union([Type.Literal("error"), Type.Literal("warning"), Type.Literal("note")]),
      code: Type.String(),
      message: Type.String(),
      hint: Type.Optional(Type.String({ description: "what to write" })),
      corrected: Type.Optional(
        Type.String({ description: "the lines that the hint leads to, if it names them" }),
      ),
    }),
    { description: "the diagnostics of `check`, in the order of the text" },
  ),
});

export const documentRoutes = [
  route({
    method: "GET",
    path: "/api/document",
    does: "the document by its lines, with its mistakes and gaps: the last saved text, or with `of` the `served` one",
    query: fields({ of: Type.Optional(Type.Union([Type.Literal("saved"), Type.Literal("served")])) }),
    answer: documentSchema,
    run: (call) => toDocumentResponse(call.admin, call.query.of ?? "saved"),
  }),
];

function toDocumentResponse(
  { document, draft: { now: draft } }: AdminContext,
  of: "saved" | "served",
): DocumentResponse {
  const isServed = !draft || of === "served";
  const response = documentResponseOf(isServed ? document : draft);
  return { file: document.file, is_served: isServed, unserved: draft?.reason ?? null, ...response };
}

/** All clients receive the same response, so it is computed once, on first use. */
const documentResponseOf = memoizeBy(
  ({
    text,
    diagnostics,
  }: Pick<Draft, "text" | "diagnostics">): Pick<DocumentResponse, "lines" | "blocks" | "marks"> => ({
    lines: text.split("\n").length - Number(text.endsWith("\n")),
    blocks: documentTree(text) ?? [],
    marks: marksOf(createSource("", text), diagnostics),
  }),
);

function marksOf(source: Source, diagnostics: readonly Diagnostic[]): Mark[] {
  return diagnostics.map(({ position, kind, severity, code, message, hint, fix }) => {
    const { line, column } = position.start;
    const corrected = fix && fixedLines(source, fix).after.join("\n");
    return {
      line,
      column,
      kind,
      severity,
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(corrected ? { corrected } : {}),
    };
  });
}
