/** List sorting: how many orders of a list are enumerated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderNames } from "./list-order.ts";

const evaluate = () => "";
const sortable = {
  by: { op: "literal", value: 1 } as never,
  descending: false,
  direction: { evaluate, name: "dir" },
};
const fixed = { by: sortable.by, descending: false };

/**
 * Returns the number of names of one order with `keys` directions from inputs, and `others` orders
 * without any.
 */
const count = (keys: number, plainCount: number) =>
  orderNames([
    { keys: Array.from({ length: keys }, () => sortable) },
    ...Array.from({ length: plainCount }, () => ({ keys: [fixed] })),
  ])?.length;

test("a list enumerates up to 64 orders, and none beyond", () => {
  // Two names for each direction that a request chooses, one for each other order, and one for the
  // order of creation.
  assert.equal(count(5, 30), 2 ** 5 + 30 + 1);
  assert.equal(count(5, 31), 64);
  assert.equal(count(5, 32), undefined);
  assert.equal(count(6, 0), undefined, "64 and the order of creation are 65");
  assert.equal(count(40, 0), undefined, "in far less time than 2 to the 40th names take");
});
