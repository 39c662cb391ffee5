/** Stream ids: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createStreamIds } from "./stream-ids.ts";

const [key, otherKey, unknownKey] = [1, 2, 3].map((fill) => new Uint8Array(32).fill(fill)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
let chance = 0;
const idsWith = (current: Uint8Array, former?: Uint8Array) =>
  createStreamIds({ current: () => current, other: () => former }, (count) => {
    chance += 1;
    return new Uint8Array(count).fill(chance);
  });
const event = { sequence: 17, id: "evt_00000000000000003f0a91c2" };
const tail = "3f0a91c2";

test("an id is read as the position that it was created for, whether the log has the event or not", () => {
  const ids = idsWith(key);
  assert.deepEqual(ids.read(ids.ofEvent(event)), { sequence: 17, tail, isOld: false });
  for (const known of [tail, null])
    assert.deepEqual(ids.read(ids.ofPosition({ sequence: 17, tail: known })), {
      sequence: 17,
      tail: known,
      isOld: false,
    });
});

test("an event has one id, and a position has another id each time", () => {
  const ids = idsWith(key);
  assert.equal(ids.ofEvent(event), ids.ofEvent(event));
  const places = [1, 2, 3].map(() => ids.ofPosition({ sequence: 17, tail }));
  assert.equal(new Set([...places, ids.ofEvent(event)]).size, 4);
});

test("ids of both keys are read, and no id of a third key", () => {
  const ids = idsWith(otherKey, key);
  for (const from of [key, otherKey]) assert.equal(ids.read(idsWith(from).ofEvent(event))?.sequence, 17);
  assert.equal(ids.read(idsWith(unknownKey).ofEvent(event)), undefined);
  assert.equal(idsWith(otherKey).read(idsWith(key).ofEvent(event)), undefined);
});

test("the earlier form of ids is recognized", () => {
  const ids = idsWith(key);
  assert.deepEqual(ids.read(`17-${tail}`), { sequence: 17, tail, isOld: true });
  assert.deepEqual(ids.read("0"), { sequence: 0, tail: null, isOld: true });
  for (const text of ["", "17", "17-", `-${tail}`, `17-${tail}0`, `x17-${tail}`])
    assert.equal(ids.read(text), undefined, text);
});
