/** Edits of a document by lines. Edits of different answers may not meet in one line. */
import { lineOf, type SourceDocument } from "./source-document.ts";

export type Edit =
  /** The new text of a line; undefined removes the line. */
  | { readonly line: number; readonly text: string | undefined }
  /** Lines inserted after a line. */
  | { readonly after: number; readonly lines: readonly string[] }
  /** A bound of a page in part 8. Endpoints with the same bound share a row. */
  | { readonly bound: string; readonly endpoint: string }
  /** A row of part 8, as it is written. */
  | { readonly limit: string }
  /** An internal field of a resource. Endpoints with the same field share a row. */
  | { readonly internal: string; readonly type: string; readonly resource: string };

/** An edited text. `original` has, for each of its lines, the line that it replaces or follows. */
export interface EditedText {
  readonly text: string;
  readonly original: readonly number[];
}

/** Applies edits to a document. */
export function applyEdits(document: SourceDocument, edits: readonly Edit[]): EditedText {
  const replaced = new Map<number, string | undefined>();
  const added = new Map<number, string[]>();
  for (const edit of [...edits, ...limitEdits(document, edits), ...fieldEdits(document, edits)]) {
    if ("line" in edit) replaced.set(edit.line, edit.text);
    else if ("after" in edit) added.set(edit.after, [...(added.get(edit.after) ?? []), ...edit.lines]);
  }
  const lines: string[] = [];
  const original: number[] = [];
  const add = (line: string, from: number): void => {
    lines.push(line);
    original.push(from);
  };
  for (const [index, line] of document.source.text.split("\n").entries()) {
    const at = index + 1;
    const now = replaced.has(at) ? replaced.get(at) : line;
    if (now !== undefined) add(now, at);
    for (const extra of added.get(at) ?? []) add(extra, at);
  }
  return { text: lines.join("\n"), original };
}

/** The rows of part 8, those of bounds together, in its table or in a new one in place of its gap. */
function limitEdits({ limits }: SourceDocument, edits: readonly Edit[]): readonly Edit[] {
  const bounds = edits.filter((edit) => "bound" in edit);
  const stated = edits.flatMap((edit) => ("limit" in edit ? [edit.limit] : []));
  if (bounds.length + stated.length === 0 || !limits) return [];
  const rows = [
    ...stated,
    ...[...Map.groupBy(bounds, ({ bound }) => bound)].map(
      ([bound, same]) => `| page | ${bound} | ${same.map(({ endpoint }) => endpoint).join(", ")} |`,
    ),
  ];
  if (limits.lastRow !== undefined) return [{ after: limits.lastRow, lines: rows }];
  const table = ["", "| Limit | Bound | Applies to |", "|---|---|---|", ...rows, ""];
  const gap = limits.openBounds;
  return [
    { after: limits.lastItem, lines: table },
    ...(gap === undefined || bounds.length === 0 ? [] : [{ line: gap, text: undefined }]),
  ];
}

/** The row of an internal field. */
export function internalRow({
  internal,
  type,
}: {
  readonly internal: string;
  readonly type: string;
}): string {
  // What the deletion of a parent does to its records is in no description.
  const isReference = !/^(string|uuid|integer)$/.test(type);
  return `| ${internal} | ${type} | internal${isReference ? ", on delete not shown" : ""} |`;
}

/** The rows of internal fields, after the last row of their resource's table. */
function fieldEdits({ resources }: SourceDocument, edits: readonly Edit[]): readonly Edit[] {
  const fields = edits.filter((edit) => "internal" in edit);
  return resources.flatMap(({ name, fields: [...rows] }) => {
    const own = fields.filter(({ resource }) => resource === name);
    const last = rows.at(-1);
    const lines = [...new Set(own.map(internalRow))];
    return last && lines.length > 0 ? [{ after: lineOf(last.row), lines }] : [];
  });
}

/** The lines that edits replace. */
export function linesOf(edits: readonly Edit[]): readonly number[] {
  return edits.flatMap((edit) => ("line" in edit ? [edit.line] : []));
}
