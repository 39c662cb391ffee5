/** Compares part 7: the body of errors and its rows. */
import type { ErrorRow, ErrorsPart, Model } from "../model/model.ts";
import { wireOf } from "../outputs/wire/build-wire.ts";
import type { Position } from "../source/source.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import { operationsThatSend } from "./audiences.ts";
import type { Differences } from "./difference.ts";
import { sameMeaning } from "./meaning.ts";

const start: Position = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: 0 } };

const errors: Aspects<ErrorsPart> = {
  payload: { rule: "error-body-changed", what: "has another error body" },
  empty: { rule: "error-body-changed", what: "gives errors a body, or none" },
  mediaType: "elsewhere",
  headers: { rule: "answer-header-changed", what: "sends other headers with errors" },
  payloadStated: "same",
  rows: "elsewhere",
};

const body = { rule: "error-body-changed", what: "has another body" } as const;

const rowAspects: Aspects<ErrorRow> = {
  code: "same",
  status: { rule: "error-changed", what: "has another status" },
  when: "elsewhere",
  field: { rule: "error-body-changed", what: "names another field" },
  message: { rule: "error-wording-changed", what: "has another message" },
  payload: body,
  payloadAt: "same",
  empty: body,
  mediaType: { rule: "error-body-changed", what: "is sent in another media type" },
  further: body,
  position: "same",
  gaps: { rule: "error-body-changed", what: "states more, or less" },
  unread: "elsewhere",
};

export function compareErrors(before: Model, after: Model, differences: Differences): void {
  const [was, now] = [before.errors, after.errors];
  const piece: Piece = { subject: "part 7", position: now.rows[0]?.position ?? start };
  const wires = [wireOf(before), wireOf(after)] as const;
  compareAspects(was, now, errors, piece, differences);
  const [oldTypes, types] = wires.map(({ anyError }) => anyError.mediaTypes.join(", "));
  if (oldTypes !== types && !was.empty && !now.empty)
    report(differences, piece, "error-body-changed", `sends errors as ${types} now, ${oldTypes} before`);
  const [hadCodes, hasCodes] = wires.map(({ hasErrorCodes }) => hasErrorCodes);
  if (hasCodes && !hadCodes) report(differences, piece, "error-wording-changed", "gives errors codes now");
  const keyOf = (row: ErrorRow, conditionOnly = false) =>
    JSON.stringify([
      conditionOnly ? null : (row.code ?? null),
      row.when.map(({ condition, of }) => ({ condition, of })),
    ]);
  const old = new Map(was.rows.map((row) => [keyOf(row), row]));
  // The comparison of operations has found what a row changes for the operations that send it.
  const isFound = ({ status, code, when }: ErrorRow) =>
    differences.has(`error ${status} ${code ?? when[0]?.condition.replaceAll(" ", "_")}`);
  for (const row of now.rows) {
    const subject = `error ${row.code ?? row.when[0]?.condition ?? row.status ?? ""}`;
    const of: Piece = { subject, position: row.position, operations: operationsThatSend(wires[1], row) };
    const previous =
      old.get(keyOf(row)) ?? was.rows.find(({ code }) => code !== undefined && code === row.code);
    if (!previous) {
      if (!isFound(row) && !was.rows.some((errorRow) => keyOf(errorRow, true) === keyOf(row, true)))
        report(differences, of, "error-added", "is new");
      continue;
    }
    const isReported = previous.status !== row.status && isFound(previous);
    compareAspects(
      isReported ? { ...previous, status: row.status ?? 0 } : previous,
      row,
      rowAspects,
      of,
      differences,
    );
    if (!sameMeaning(previous.when, row.when)) report(differences, of, "error-changed", "is for other cases");
  }
  for (const row of was.rows) {
    const isKept = now.rows.some(
      (errorRow) => keyOf(errorRow) === keyOf(row) || (row.code !== undefined && errorRow.code === row.code),
    );
    // Under another code, the comparison of operations reports it.
    const isRenamed = now.rows.some((errorRow) => keyOf(errorRow, true) === keyOf(row, true));
    if (!isKept && !isRenamed)
      report(
        differences,
        {
          subject: `error ${row.code ?? row.when[0]?.condition ?? row.status ?? ""}`,
          position: row.position,
        },
        "error-changed",
        "no longer exists: another row covers its condition",
        undefined,
        { place: { in: "old", position: row.position } },
      );
  }
}
