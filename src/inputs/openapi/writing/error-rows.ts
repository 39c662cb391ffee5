/**
 * Writes the rows of part 7 of an imported document: a row for each status whose condition or whose
 * code the description shows. Other codes are kept in a comment.
 */
import type { Draft } from "./draft.ts";
import type { ErrorCodes } from "../description/error-codes.ts";
import { ownCodes } from "../description/extensions.ts";
import type { Operation } from "../description/operations.ts";
import type { Writing } from "./context.ts";

/** Maximum number of codes in the comment, for each status and without one. */
const codesMax = 40;

/** Writes `Payload shape`, the rows, and the codes without a row. */
export function writeErrorRows(
  draft: Draft,
  { conditions, refusals }: Writing,
  operations: readonly Operation[],
  codes: ErrorCodes,
): void {
  writeOtherCodes(draft, codes);
  draft.add("- Payload shape: not shown");
  const statuses = new Set(
    operations.flatMap(({ answers }) => answers.map(({ code }) => code)).filter((code) => /^[45]/.test(code)),
  );
  const stated = new Map([...codes.stated].filter(([status]) => !refusals.has(`code of ${status}`)));
  const rows = [...new Set([...conditions.keys(), ...stated.keys()])].toSorted();
  const own = [...ownCodes(operations)].filter(([code]) => !refusals.has(`code ${code}`));
  draft.count("statuses", "stated", conditions.size);
  draft.count("statuses", "open", [...statuses].filter((status) => !conditions.has(status)).length);
  if (stated.size > 0) draft.count("error codes", "stated", stated.size);
  const isEmpty = rows.length + own.length === 0;
  for (const item of ["Error codes", "Status codes"]) if (isEmpty) draft.add(`- ${item}: not shown`);
  draft.gap();
  if (isEmpty) return;
  draft.add("| Code | Status | When | Message |");
  draft.add("|---|---|---|---|");
  for (const status of rows) {
    const [code, condition] = [stated.get(status) ?? "not shown", conditions.get(status) ?? "not shown"];
    draft.add(
      `| ${code} | ${status} | ${condition} | |`,
      stated.has(status) ? `code of ${status}` : `status ${status}`,
    );
  }
  for (const [code, status] of own) draft.add(`| ${code} | ${status ?? "not shown"} | | |`, `code ${code}`);
  draft.gap();
}

/** `openapi error codes in error.code: 422 invalid, missing; without status gone`, for the work list. */
function writeOtherCodes(draft: Draft, { path, seen, open }: ErrorCodes): void {
  const lists = [...seen].toSorted(([a], [b]) => a.localeCompare(b)).concat([["without status", open]]);
  const texts = lists.flatMap(([status, codes]) => {
    const more = codes.length > codesMax ? `, and ${codes.length - codesMax} more` : "";
    return codes.length === 0 ? [] : [`${status} ${codes.slice(0, codesMax).join(", ")}${more}`];
  });
  if (texts.length === 0) return;
  draft.count("error codes", "comment", open.length + [...seen.values()].flat().length);
  draft.add(`<!-- openapi error codes in ${path ?? ""}: ${texts.join("; ")} -->`);
  draft.gap();
}
