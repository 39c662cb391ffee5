/** Values by path: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fixed-seed.ts";
import type { Value } from "../../expressions/value.ts";
import { changeAt, moveValues, setAt, sentAt, removeAt, type Values, valueAt } from "./values-by-path.ts";

/**
 * Copies values as plain objects: changed objects have no prototype, which the comparison must
 * ignore.
 */
const plain = (values: unknown) => structuredClone(values);

const order = (): Values => ({
  note: "hello",
  lines: [{ sku: "a", amount: 1 }, { sku: "b" }, null],
  address: { town: "Ulm", lines: "none" },
});

test("a value is found by its path, and none if a part of the path is missing or null", () => {
  assert.equal(valueAt(order(), ["note"]), "hello");
  assert.equal(valueAt(order(), ["address", "town"]), "Ulm");
  assert.equal(valueAt(order(), ["gone", "town"]), undefined);
  assert.equal(valueAt({ address: null }, ["address", "town"]), undefined);
});

test("a change is applied to each value at its path, through lists, in order, and to no other", async () => {
  const values = order();
  const met: Value[] = [];
  await changeAt(values, ["lines", "sku"], async (value) => {
    met.push(value);
    return `${value}!`;
  });
  assert.deepEqual(met, ["a", "b"]);
  assert.deepEqual(plain(values), { ...order(), lines: [{ sku: "a!", amount: 1 }, { sku: "b!" }, null] });
  await changeAt(values, ["note", "deeper"], () => "never");
  await changeAt(values, ["gone"], () => "never");
  assert.deepEqual(Object.keys(values), ["note", "lines", "address"]);
  assert.equal(valueAt(values, ["note"]), "hello");
});

test("the sent values stay unchanged, however deep a copy is changed, moved, removed or set", async () => {
  const sent = order();
  const values = { ...sent };
  await changeAt(values, ["lines", "sku"], () => "new");
  moveValues(values, ["lines", "amount"], ["lines", "quantity"]);
  removeAt(values, ["address", "lines"]);
  setAt(values, ["address", "street"], "Main Street");
  assert.deepEqual(sent, order());
  assert.deepEqual(plain(values), {
    note: "hello",
    lines: [{ sku: "new", quantity: 1 }, { sku: "new" }, null],
    address: { town: "Ulm", street: "Main Street" },
  });
});

test("each change is reported at its value's path, with the old value as sent", async () => {
  const sent: Values = {
    stops: [{ doors: [{ nr: 1 }] }, { doors: [{ nr: 2 }, { nr: 3 }] }],
    "nr[gt]": 4,
    nr: 5,
  };
  const places: [string, Value][] = [];
  const report = (value: Value, place: string) => {
    places.push([place, value]);
    return value;
  };
  await changeAt({ ...sent }, ["stops", "doors", "nr"], report);
  await changeAt({ ...sent }, ["nr"], report);
  assert.deepEqual(places, [
    ["stops[0].doors[0].nr", 1],
    ["stops[1].doors[0].nr", 2],
    ["stops[1].doors[1].nr", 3],
    ["nr[gt]", 4],
    ["nr", 5],
  ]);
  for (const [place, value] of places) assert.equal(sentAt(sent, place), value, place);
  for (const place of ["nr[lt]", "stops[2].doors[0].nr", "gone"])
    assert.equal(sentAt(sent, place), undefined);
});

test("a value that a change turns into undefined is removed, whether it is null or not", async () => {
  const values: Values = { note: "hello", other: null, kept: null };
  await changeAt(values, ["note"], () => undefined);
  await changeAt(values, ["other"], () => undefined);
  await changeAt(values, ["kept"], (value) => value);
  assert.deepEqual(values, { kept: null });
});

test("the bounds of a filter follow its name: `weight[gt]` belongs to weight, `weights` and `weight_max[gt]` do not", async () => {
  const query = (): Values => ({
    weight: 1,
    "weight[gt]": 2,
    "weight[lt]": 3,
    weights: 4,
    "weight_max[gt]": 5,
  });
  const changed = query();
  await changeAt(changed, ["weight"], (value) => Number(value) * 10);
  assert.deepEqual(changed, { ...query(), weight: 10, "weight[gt]": 20, "weight[lt]": 30 });
  const moved = query();
  moveValues(moved, ["weight"], ["mass"]);
  assert.deepEqual(moved, { mass: 1, "mass[gt]": 2, "mass[lt]": 3, weights: 4, "weight_max[gt]": 5 });
});

test("a field of values in a list is renamed in each value that has it", () => {
  const values = order();
  moveValues(values, ["lines", "amount"], ["lines", "quantity"]);
  assert.deepEqual(plain(values["lines"]), [{ sku: "a", quantity: 1 }, { sku: "b" }, null]);
});

test("an input moves to another path with its value, and an absent input creates none", () => {
  const values = order();
  moveValues(values, ["address", "town"], ["city"]);
  assert.deepEqual(plain([values["city"], values["address"]]), ["Ulm", { lines: "none" }]);
  moveValues(values, ["note"], ["texts", "first"]);
  moveValues(values, ["city"], ["texts", "second"]);
  assert.equal(valueAt(values, ["texts", "first"]), "hello");
  assert.equal(valueAt(values, ["texts", "second"]), "Ulm");
  moveValues(values, ["gone"], ["some", "where"]);
  assert.ok(!("some" in values));
  // A path with the same last part under another parent is a different path, and so is a longer
  // path.
  moveValues(values, ["texts", "first"], ["address", "first"]);
  assert.deepEqual(plain(values["address"]), { lines: "none", first: "hello" });
});

test("a value that is set at a path is found there, removed once, and changes nothing else", () => {
  const name = fc.constantFrom("a", "b", "c");
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.jsonValue(), (path, sent) => {
      const value = (sent ?? "something") as Value;
      const values: Values = { z: 1 };
      setAt(values, path, value);
      assert.deepEqual(valueAt(values, path), value);
      if (path.length > 1) setAt(values, [...path.slice(0, -1), "sibling"], "stays");
      assert.deepEqual(removeAt(values, path), value);
      assert.equal(removeAt(values, path), undefined);
      assert.equal(values["z"], 1);
      if (path.length > 1) assert.equal(valueAt(values, [...path.slice(0, -1), "sibling"]), "stays");
    }),
  );
});
