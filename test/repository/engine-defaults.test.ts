/**
 * `docs/engine-defaults.md` compared with the sources in both directions: every bound is listed
 * with its value, and every listed bound exists.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inlinedPieces } from "../../src/checks/expressions/statement-size.ts";
import { tracingLimits } from "../../src/cli/serving/tracing/exporter.ts";
import { fileBytesMax } from "../../src/cli/read-file.ts";
import { diagnosticsMax } from "../../src/diagnostics/diagnostic.ts";
import { deliveryDefaults, senderLimits } from "../../src/engine/deliveries/limits.ts";
import { recursionBounds, engineDefaults, operatorCeilings } from "../../src/engine/defaults.ts";
import { passwordLimits } from "../../src/engine/secrets/password-queue.ts";
import { conditionLimits } from "../../src/engine/handlers/condition-tree.ts";
import { formLimits } from "../../src/engine/http/form-reader.ts";
import { multipartLimits } from "../../src/engine/http/multipart-reader.ts";
import { jsonLimits } from "../../src/support/formats/json-reader.ts";
import { serverLimits } from "../../src/engine/http/server.ts";

import { sandboxLimits } from "../../src/engine/sandbox/limits.ts";
import { keptBytesMax } from "../../src/engine/observability/journal-budget.ts";
import { journalLimits } from "../../src/engine/observability/request-journal.ts";
import { refusedMax } from "../../src/engine/admin/import-records.ts";
import { hubLimits } from "../../src/admin/api/stream/hub.ts";
import { importLimits } from "../../src/admin/api/records/import-limits.ts";
import { healthLimits } from "../../src/admin/health.ts";
import { operatorLimits } from "../../src/engine/admin/operator-journal.ts";
import { streamLimits, waitLimits } from "../../src/engine/streams/stream-limits.ts";
import { conditions, defaultAnswer } from "../../src/model/errors/conditions.ts";
import { macroNestingMax } from "../../src/expressions/binding/macros.ts";
import { stepsMax } from "../../src/expressions/cost.ts";
import { expressionBounds, expressionLengthMax } from "../../src/expressions/parse.ts";
import { sizesNeeded } from "../../src/store/sqlite/backups/sibling-copy.ts";
import { parametersMax, statementLengthMax } from "../../src/store/sql/fragment.ts";
import { conflictLimits, defaultLimits } from "../../src/store/group-commit.ts";
import { groupBounds } from "../../src/store/postgres/writing/group-transaction.ts";
import { storeLimits } from "../../src/store/postgres/store.ts";
import { keyLimits } from "../../src/store/store.ts";
import { sharedLimits } from "../../src/store/postgres/shared/limits.ts";
import { mappingLimits } from "../../src/store/sqlite/file/mapping.ts";
import { readLimits } from "../../src/store/sqlite/reading/limits.ts";
import * as ceilings from "../../src/syntax/ceilings.ts";
import { rowsUnder } from "./pages.ts";
import { textOf } from "./repository.ts";

const page = "docs/engine-defaults.md";

/** The compared values, by their names on the page. */
const sources: Readonly<Record<string, object>> = {
  endlessBounds: recursionBounds,
  engineDefaults,
  operatorCeilings,
  serverLimits,
  conditionLimits,
  jsonLimits,
  formLimits,
  multipartLimits,
  groupLimits: defaultLimits,
  groupBounds,
  conflictLimits,
  storeLimits,
  keyLimits,
  readLimits,
  sharedLimits,
  storedChanges: { sizesNeeded },
  statements: { statementLengthMax, parametersMax },
  piecesInPlace: inlinedPieces,
  mappingLimits,
  sandboxLimits,
  journalLimits: { ...journalLimits, keptBytesMax },
  deliveryDefaults,
  senderLimits,
  streamLimits,
  hubLimits,
  healthLimits,
  tracingLimits,
  importLimits: { ...importLimits, refusedMax },
  operatorLimits,
  waitLimits,
  passwordLimits,
  files: { fileBytesMax },
  ceilings: { ...ceilings },
  expressions: { expressionLengthMax, ...expressionBounds, macroNestingMax, stepsMax },
  diagnostics: { diagnosticsMax },
};

const units: Readonly<Record<string, number>> = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  KiB: 1024,
  MiB: 1024 * 1024,
};

/** Parses a value such as `1 MiB`, `30 seconds` or `10,000`. */
function readValue(text: string): number {
  const [, digits, unit] = /^([\d,]+)(?: (\w+))?$/.exec(text) ?? [];
  assert.ok(digits !== undefined, `"${text}" is no value`);
  return Number(digits.replaceAll(",", "")) * (unit === undefined ? 1 : (units[unit] ?? Number.NaN));
}

test("every bound is listed with its value, and no other", () => {
  const written = new Map<string, number>();
  for (const line of textOf(page).split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    const name = /^`(\w+\.\w+)`$/.exec(cells.at(-2) ?? "")?.[1];
    if (name !== undefined) written.set(name, readValue(cells[2] as string));
  }
  const actual = Object.entries(sources).flatMap(([from, values]) =>
    Object.entries(values).map(([name, value]) => [`${from}.${name}`, value as number] as const),
  );
  assert.deepEqual(Object.fromEntries([...written].sort()), Object.fromEntries(actual.toSorted()));
});

test("every condition has its default status and text", () => {
  assert.deepEqual(
    rowsUnder(page, "| Condition | Status | Title |"),
    conditions.map((condition) => {
      const { status, title } = defaultAnswer(condition);
      return [condition, String(status), title];
    }),
  );
});
