/** Built-in receiver: limits of names, requests and bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../../engine/service.ts";
import { receivedBy, receiverLimits } from "./received-log.ts";

const { namesMax, requestsMax, storedBytesMax, storedBodyBytesMax } = receiverLimits;

const request = (name: string, bytes = 1) =>
  ({
    name,
    timeMs: 0,
    headers: [],
    body: new Uint8Array(bytes),
    bodyBytes: bytes,
    status: 200,
    behavior: "ok",
    verdict: { isSigned: null } as never,
  }) as const;

const fresh = () => receivedBy({} as Service);

test("an additional name replaces the least recently used one", () => {
  const log = fresh();
  for (let number = 0; number < namesMax; number += 1) log.note(request(`r${number}`));
  assert.equal(log.names().length, namesMax);
  log.note(request("r0"));
  log.note(request("more"));
  assert.equal(log.names().length, namesMax);
  assert.ok(log.names().includes("r0"), "a request makes a name the latest");
  assert.ok(!log.names().includes("r1"));
});

test("a name keeps its latest requests", () => {
  const log = fresh();
  for (let number = 0; number <= requestsMax; number += 1) log.note(request("one"));
  const kept = log.of("one").map(({ number }) => number);
  assert.equal(kept.length, requestsMax);
  assert.deepEqual([kept[0], kept.at(-1)], [requestsMax + 1, 2]);
});

test("the oldest requests of all names are dropped when their bodies exceed the limit", () => {
  const log = fresh();
  const most = storedBytesMax / storedBodyBytesMax;
  for (let number = 0; number < most; number += 1) log.note(request(`r${number % 2}`, storedBodyBytesMax));
  const count = () => log.of("r0").length + log.of("r1").length;
  assert.equal(count(), Math.min(most, 2 * requestsMax));
  log.note(request("r1", storedBodyBytesMax));
  assert.equal(count(), Math.min(most, 2 * requestsMax));
  assert.ok(!log.of("r0").some(({ number }) => number === 1), "the first one went");
});
