/** Failures of PostgreSQL: classes, converted errors, and unsupported operations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StatementTimedOut, StoreRefused, StoreUnavailable } from "../../errors.ts";
import {
  asCommitFailure,
  asReadFailure,
  asUnavailable,
  isBehindFailure,
  isFatal,
  isForeignKeyViolation,
  isLockTimeout,
  isUniqueViolation,
  StandbyAnswers,
  ConnectionTimeout,
} from "./failures.ts";
import { refuseBackup, refuseInitialContent } from "../refusals.ts";

const failure = (code: unknown, message = "of the server") => Object.assign(new Error(message), { code });

test("an error code classifies the failure of a statement, and whether its transaction can continue", () => {
  const predicates = [isUniqueViolation, isForeignKeyViolation, isLockTimeout, isBehindFailure];
  const saysOf = (error: unknown) => predicates.map((says) => says(error));
  assert.deepEqual(saysOf(failure("23505")), [true, false, false, false]);
  assert.deepEqual(saysOf(failure("23503")), [false, true, false, false]);
  assert.deepEqual(saysOf(failure("55P03")), [false, false, true, false]);
  assert.deepEqual(saysOf(failure("25P02")), [false, false, false, true]);
  // Codes of the operating system, of Node and of unknown origin aren't SQLSTATE codes.
  for (const error of [failure("EPIPE"), failure("ERR_23505"), failure(23505), "23505", undefined])
    assert.deepEqual(saysOf(error), [false, false, false, false]);

  const fatal = [
    "08006",
    "40001",
    "53100",
    "55P03",
    "57P01",
    "58030",
    "25006",
    "25P03",
    // The password was changed, the role may not log in, the database was dropped.
    "28P01",
    "28000",
    "3D000",
    "42501",
    "42P01",
    "3F000",
    "XX001",
  ];
  for (const code of fatal) assert.equal(isFatal(failure(code)), true, code);
  for (const code of ["23505", "57014", "25P02", "22003", "42601"])
    assert.equal(isFatal(failure(code)), false, code);
  assert.equal(isFatal(new StandbyAnswers()), true);
  for (const error of [
    failure("ECONNRESET"),
    new ConnectionTimeout(5),
    new Error("Connection terminated unexpectedly"),
  ])
    assert.equal(isFatal(error), true, String(error));
  assert.equal(isFatal(new Error("of ours")), false);
});

test("a write receives the reason of a failure, and whether its change may be stored nevertheless", () => {
  const reported: Readonly<Record<string, RegExp>> = {
    "25006": /^The database can only be read at the moment; the change isn't stored\.$/,
    "53100": /^The database has no space: of the server; the change isn't stored\.$/,
    "42501": /^The database rejects a statement that it accepted before: of the server\.$/,
    "42P01": /^The database rejects a statement that it accepted before: of the server\.$/,
    "3F000": /^The database rejects a statement that it accepted before: of the server\.$/,
    "55P03": /^The database is busy with other writes; the change isn't stored\.$/,
    "57014": /^The database is busy with other writes; the change isn't stored\.$/,
    "57P01": /^The database can't be reached, or refused the connection: of the server\.$/,
    ECONNREFUSED: /^The database can't be reached, or refused the connection: of the server\.$/,
  };
  for (const [code, words] of Object.entries(reported)) {
    const unavailable = asUnavailable(failure(code));
    assert.match(unavailable.message, words, code);
    assert.deepEqual([unavailable.retryable, unavailable.isKnown], [true, true], code);
  }
  const isKnown = (code: string) => asCommitFailure(failure(code)).isKnown;
  for (const code of ["57P01", "08006", "ECONNRESET"]) assert.equal(isKnown(code), false, code);
  for (const code of ["40001", "53100", "57014"]) assert.equal(isKnown(code), true, code);
});

test("a read receives a timeout as such, and other errors of its statement unchanged", () => {
  assert.ok(asReadFailure(failure("57014"), 50) instanceof StatementTimedOut);
  assert.ok(asReadFailure(failure("08006"), 50) instanceof StoreUnavailable);
  const own = failure("22003");
  assert.equal(asReadFailure(own, 50), own);
});

test("backup and initial content are rejected for a schema with an alternative, and accepted for files", () => {
  const path = "postgres://ada:secret@host/shop?schema=parcels";
  const refusalOf = (refuse: () => void): StoreRefused => {
    try {
      refuse();
    } catch (error) {
      assert.ok(error instanceof StoreRefused);
      assert.doesNotMatch(error.message, /secret/);
      return error;
    }
    return assert.fail("it isn't refused");
  };
  assert.match(refusalOf(() => refuseBackup(path)).message, / isn't backed up or restored by Ninefold\.$/);
  assert.match(refusalOf(() => refuseBackup(path)).hint, /pg_dump --schema=parcels/);
  assert.match(refusalOf(() => refuseInitialContent("empty", path)).message, / isn't emptied or initialised/);
  refuseInitialContent(undefined, path);
  refuseInitialContent("empty", "store.db");
  refuseBackup("store.db");
});
