/** Tests bound nodes, so that the syntax of an expression doesn't change the result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type NameRead, readsName } from "./reads.ts";
import { resourcesRead } from "./reads.ts";
import { nodeOf, meaning } from "../testing/fixtures.ts";

const sent: NameRead = { name: "body", member: "s" };

function reads(text: string, requested: NameRead | readonly NameRead[]): boolean {
  return readsName(nodeOf(text), requested, meaning);
}

test("a member is read with a dot, an index and `has`, however it is written", () => {
  for (const text of ["body.s", "body .s", "body. s", 'body["s"]', "has(body.s)"])
    assert.ok(reads(text, sent), text);
  assert.ok(reads('[1].map(x, hex(hash("sha256", string(body["s"]))))', sent));
});

test("another member, a text and a key with the same name are not read", () => {
  for (const text of ["body.t", 'body["t"]', '"body.s"', '{"body.s": 1}'])
    assert.ok(!reads(text, sent), text);
});

test("a whole name, and an index that is computed, read every member", () => {
  for (const text of ["body", `{"all": body}`, "body[this.id]"]) assert.ok(reads(text, sent), text);
});

test("reads of computed fields and shapes count if the meaning is known", () => {
  const requested: NameRead = { name: "this", member: "weight" };
  assert.ok(reads("this.price", requested), "a computed field");
  assert.ok(reads("this.twin_price", requested), "of a computed field");
  assert.ok(!readsName(nodeOf("this.price"), requested));
});

test("a read of a read of one of several names is enough", () => {
  assert.ok(reads("body.a", [{ name: "body" }, { name: "path" }]));
  assert.ok(!reads("this.id", [{ name: "body" }, { name: "path" }]));
});

test("records of others are read through collections, references, computed fields and shapes, not those of `this`", () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    "this.weight": [],
    "has(this.weight)": [],
    "this.shop": [],
    "this.shop.name": ["Shop"],
    "has(this.shop.name)": ["Shop"],
    "caller.name": ["Shop"],
    "old.weight": ["Parcel"],
    "body.lines[0].sku": [],
    "body.lines[0].total": [],
    "Step.count()": ["Step"],
    "this.siblings": ["Parcel"],
    "Neighbour(this)": ["Parcel"],
    "Loop(this)": [],
    "Step.exists(s, s.parcel.shop.id == this.id)": ["Parcel", "Shop", "Step"],
  };
  for (const [text, resources] of Object.entries(expected))
    assert.deepEqual([...resourcesRead(nodeOf(text), meaning)].sort(), resources, text);
});
