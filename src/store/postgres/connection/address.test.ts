/** PostgreSQL address: passwords in messages, and replicas. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreRefused } from "../../errors.ts";
import { storeLabel } from "../../index.ts";
import { addressOf } from "./address.ts";

test("an address in messages has no password, whether it is in the user part or a parameter", () => {
  assert.equal(storeLabel("postgres://me:secret@host/db?schema=desk"), "postgres://me:…@host/db?schema=desk");
  assert.doesNotMatch(storeLabel("postgres://me@host/db?password=secret&sslmode=require"), /secret/);
});

test("a replica has another host, the address's other parameters, and a maximum delay", () => {
  const { way, replica } = addressOf("postgres://me:pw@one/db?replica=two:5433&behind=60&schema=s");
  assert.deepEqual(replica, {
    way: { url: "postgres://me:pw@two:5433/db", tls: undefined },
    host: "two:5433",
    behindMs: 60_000,
  });
  assert.equal(way.url, "postgres://me:pw@one/db");
  assert.equal(addressOf("postgres://me@one/db?replica=two").replica?.behindMs, 5_000);
  for (const wrong of ["replica=two/three", "replica=", "replica=two&behind=0", "replica=two&behind=5s"])
    assert.throws(() => addressOf(`postgres://me@one/db?${wrong}`), StoreRefused, wrong);
});
