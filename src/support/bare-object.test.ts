/** Objects without a prototype. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bareObject } from "./bare-object.ts";

test("a bare object inherits no property", () => {
  const object = bareObject<Record<string, unknown>>();
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    assert.equal(object[name], undefined);
    assert.equal(name in object, false);
  }
});

test("every name set on a bare object is its own property", () => {
  const object = bareObject<Record<string, unknown>>();
  Reflect.set(object, "__proto__", { polluted: true });
  assert.deepEqual(Object.keys(object), ["__proto__"]);
  assert.equal(object["polluted"], undefined);
  assert.equal(JSON.stringify(object), '{"__proto__":{"polluted":true}}');
  assert.equal(bareObject<Record<string, unknown>>()["polluted"], undefined);
});
