/**
 * Proposes rows of part 7: 403 as the status of *forbidden*, if some operations respond with it, and
 * the codes that an import keeps in a comment, by their status or by the name of a condition.
 */
import { conditions, defaultAnswer } from "../../model/errors/conditions.ts";
import { normalizedName } from "../../support/alike-names.ts";
import type { RowNode, TableNode } from "../../syntax/nodes.ts";
import { cellOf, isNotShown, itemsOf, keyText, tablesOf } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import { cellEdit } from "../document/cell-edit.ts";
import type { Edit } from "../document/edits.ts";
import { lineOf, type SourceDocument } from "../document/source-document.ts";

export function proposeErrors(document: SourceDocument): readonly Proposal[] {
  const errors = readErrors(document);
  if (!errors) return [];
  const coded = codedRows(document, errors);
  const hasForbidden = coded.rows.some(({ when }) => when === "forbidden");
  return [
    ...(hasForbidden ? [] : proposeForbidden(document, errors)),
    ...(coded.rows.length === 0
      ? []
      : [
          {
            kind: "error-codes" as const,
            subject: "codes",
            at: errors.last,
            edits: rowEdits(document, errors, coded.rows),
            evidence: [`values of ${coded.path}`],
          },
        ]),
  ];
}

interface ErrorRow {
  readonly code: string;
  readonly status: string;
  readonly when: string;
}

interface Errors {
  readonly table: TableNode | undefined;
  readonly rows: readonly (ErrorRow & { readonly row: RowNode })[];
  /** The line after which rows are added. */
  readonly last: number;
  /** The lines of `Error codes: not shown` and `Status codes: not shown`. */
  readonly gaps: readonly number[];
}

const gap = "not shown";

function readErrors({ parts }: SourceDocument): Errors | undefined {
  const body = parts.errors?.body ?? [];
  const table = tablesOf(body).find(({ columns }) => columns.some((column) => keyText(column) === "status"));
  const last = table ? table.rows.at(-1) : itemsOf(body).at(-1);
  if (!last) return undefined;
  const rows = (table?.rows ?? []).map((row) => {
    const text = (column: string) => (table && cellOf(table, row, column)?.text.trim()) ?? "";
    return { row, code: text("code"), status: text("status"), when: text("when") };
  });
  const gaps = itemsOf(body).filter(
    ({ key, value }) => /^(error|status) codes$/.test(keyText(key)) && isNotShown(value),
  );
  return { table, rows, last: lineOf(last), gaps: gaps.map(lineOf) };
}

function proposeForbidden(document: SourceDocument, errors: Errors): readonly Proposal[] {
  const named = document.endpoints.filter(({ fails }) =>
    fails.some(({ value }) => /\b403\b.* when not shown$/.test(value.text)),
  );
  const isStated = errors.rows.some(
    ({ status, when }) => /\bforbidden\b/.test(when) || (status === "403" && when !== gap),
  );
  if (named.length === 0 || isStated) return [];
  const edits = rowEdits(document, errors, [{ code: gap, status: "403", when: "forbidden" }]);
  const evidence = named.slice(0, 3).map(({ name }) => name);
  return [{ kind: "forbidden", subject: "403", at: errors.last, edits, evidence }];
}

/** The codes of the comment: those of a status, and those called like a condition. One answer has them all. */
function codedRows(
  document: SourceDocument,
  errors: Errors,
): { readonly path: string; readonly rows: readonly ErrorRow[] } {
  const [, path = "", text = ""] =
    /<!-- openapi error codes in (\S*): (.*?) -->/.exec(document.source.text) ?? [];
  const statuses = statusesOf(document, errors);
  const rows: ErrorRow[] = [];
  for (const list of text.split("; ")) {
    const [, status, names = ""] = /^(\d{3}|without status) (.*)$/.exec(list) ?? [];
    const codes = names.split(", ").filter((code) => /^[A-Za-z][\w.-]*$/.test(code));
    for (const code of codes) {
      const named = conditions.find((condition) => normalizedName(condition) === normalizedName(code));
      const usual = named && String(defaultAnswer(named).status);
      const known = status === "without status" ? usual : status;
      const isTaken = [...errors.rows, ...rows].some((row) => row.code === code);
      if (known === undefined || isTaken || !statuses.has(known)) continue;
      const own = codes.length === 1 ? errors.rows.find((row) => row.status === known)?.when : undefined;
      const when = own ?? (usual === known ? named : undefined) ?? gap;
      const isUsed = [...errors.rows.filter((row) => row.code !== gap), ...rows].some(
        (row) => row.when === when,
      );
      rows.push({ code, status: known, when: isUsed ? gap : when });
    }
  }
  return { path, rows };
}

/** The statuses of errors that endpoints and rows have. */
function statusesOf({ endpoints }: SourceDocument, { rows }: Errors): ReadonlySet<string> {
  const fails = endpoints.flatMap((endpoint) => endpoint.fails.map(({ value }) => value.text));
  return new Set([
    ...fails.flatMap((text) => text.match(/\b[45]\d\d\b/g) ?? []),
    ...rows.map(({ status }) => status),
  ]);
}

/** Fills the gaps of rows with the same status, and adds the other rows. */
function rowEdits(
  document: SourceDocument,
  { table, rows, last, gaps }: Errors,
  wanted: readonly ErrorRow[],
): readonly Edit[] {
  const edits: Edit[] = [];
  const added: string[] = [];
  const columns = table?.columns.map(keyText) ?? ["code", "status", "when"];
  const left = new Set(rows);
  for (const row of wanted) {
    const open = [...left].find(
      ({ code, status, when }) =>
        status === row.status && (code === gap || row.code === gap) && (when === gap || when === row.when),
    );
    if (open && table) {
      left.delete(open);
      const place = { table, row: open.row };
      const coded = row.code === gap ? undefined : cellEdit(document, place, "code", row.code);
      const edit = row.when === gap ? coded : cellEdit(document, place, "when", row.when, coded);
      if (edit) edits.push(edit);
      continue;
    }
    const cells: Readonly<Record<string, string>> = { ...row };
    added.push(`| ${columns.map((column) => cells[column] ?? "").join(" | ")} |`);
  }
  const head = table || added.length === 0 ? [] : ["", "| Code | Status | When |", "|---|---|---|"];
  if (added.length > 0) edits.push({ after: last, lines: [...head, ...added] });
  return [...edits, ...gaps.map((line) => ({ line, text: undefined }))];
}
