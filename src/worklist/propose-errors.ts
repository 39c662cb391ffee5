/**
 * Proposes 403 as the status of *forbidden*, if some operations respond with it and no row of part
 * 7 has it.
 */
import { cellOf, itemsOf, isNotShown, keyText, tablesOf } from "../syntax/read.ts";
import type { Proposal } from "./answers.ts";
import { lineOf, type SourceDocument } from "./source-document.ts";

export function proposeErrors({ parts, endpoints }: SourceDocument): readonly Proposal[] {
  const named = endpoints.filter(({ fails }) =>
    fails.some(({ value }) => /\b403\b.* when not shown$/.test(value.text)),
  );
  const body = parts.errors?.body ?? [];
  const table = tablesOf(body).find(({ columns }) => columns.some((column) => keyText(column) === "status"));
  const isStated = table?.rows.some(
    (row) =>
      cellOf(table, row, "status")?.text.trim() === "403" ||
      /\bforbidden\b/.test(cellOf(table, row, "when")?.text ?? ""),
  );
  const [first] = named;
  const open = itemsOf(body).filter(
    ({ key, value }) => /^(error|status) codes$/.test(keyText(key)) && isNotShown(value),
  );
  const after = table ? table.rows.at(-1) : itemsOf(body).at(-1);
  if (!first || isStated || !after) return [];
  const row = rowOf(table?.columns.map(keyText) ?? ["code", "status", "when"]);
  const head = table ? [] : ["", "| Code | Status | When |", "|---|---|---|"];
  return [
    {
      kind: "forbidden",
      subject: "403",
      at: lineOf(after),
      edits: [
        { after: lineOf(after), lines: [...head, row] },
        ...open.map((item) => ({ line: lineOf(item), text: undefined })),
      ],
      evidence: named.slice(0, 3).map(({ name }) => name),
    },
  ];
}

function rowOf(columns: readonly string[]): string {
  const cells: Readonly<Record<string, string>> = { code: "not shown", status: "403", when: "forbidden" };
  return `| ${columns.map((column) => cells[column] ?? "").join(" | ")} |`;
}
