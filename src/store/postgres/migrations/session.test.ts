/** Migration session: errors of pipelined statements. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { freshSchema, type Schema } from "../../../../test/postgres/server.ts";
import { run, reported } from "../../migrations/run/steps.ts";
import type { Steps } from "../../rows/steps.ts";
import { addressOf } from "../connection/address.ts";
import { MigrationSession } from "./session.ts";

let schema: Schema;
let session: MigrationSession;
before(async () => {
  schema = await freshSchema();
  session = await MigrationSession.open(addressOf(schema.url));
});
after(async () => {
  await session.close();
  await schema.drop();
});

const insert = { sql: "INSERT INTO counted VALUES (?::bigint)" };

function* changes(values: readonly string[]): Steps<number> {
  for (const value of values) yield reported(insert, [value]);
  return yield* run("UPDATE counted SET number = number + 1");
}

test("the next awaited statement throws the error of an earlier statement, not one that follows from it", async () => {
  await session.go("CREATE TABLE counted (number bigint)");
  const work = () => session.run(changes(["1", "two", "3"]));
  await assert.rejects(session.transaction("", work), /invalid input syntax for type bigint: "two"/);
  // The session continues as if there had been no error.
  assert.equal(await session.transaction("", () => session.run(changes(["4", "5"]))), 2);
  assert.deepEqual(await session.go("SELECT sum(number)::int FROM counted"), [[11]]);
});
