/** Own fields that an expression reads: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OwnRecord, ownFieldsRead } from "./own-fields.ts";
import { bind, meaning, nodeOf, scope } from "../testing/fixtures.ts";

const record: OwnRecord = {
  resource: "Parcel",
  variableName: "parcel",
  fields: [...(scope.vocabulary.resource("Parcel")?.fields.keys() ?? [])],
  identifier: ["id"],
  visible: ["weight", "price"],
  computed: (field) => meaning.computed("Parcel", field),
  shapeBody: (shape) => meaning.shapeBody(shape),
};

const fieldsOf = (text: string) => [...ownFieldsRead(nodeOf(text), record)].sort();

test("the record's own fields are found through computed fields and shapes, also through circular ones", () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    "body.n + 1": [],
    "this.cost == null": ["cost"],
    "has(this.cost)": ["cost"],
    "this.price": ["price", "weight"],
    "this.twin_price": ["price", "twin_price", "weight"],
    "Brief(this)": ["extra", "id", "weight"],
    "Parcel(this)": ["price", "weight"],
    "Loop(this)": [],
    "this == old": ["id"],
    "this.shop == caller": ["shop"],
    "old.cost == null": [],
    "caller.name": [],
    "Parcel.count(p, p.cost == null)": [],
  };
  for (const [text, fields] of Object.entries(expected)) assert.deepEqual(fieldsOf(text), fields, text);
});

test("the record has its variable name, too, but not for another resource", () => {
  const named = (resource: string) => {
    const within = { ...scope, named: { parcel: { kind: "record", resource } as const } };
    const { node } = bind("[parcel.id, parcel.name]", undefined, within);
    return node && [...ownFieldsRead(node, record)];
  };
  assert.deepEqual(named("Shop"), []);
  const within = { ...scope, named: { parcel: { kind: "record", resource: "Parcel" } as const } };
  const { node } = bind("parcel.cost", undefined, within);
  assert.deepEqual(node && [...ownFieldsRead(node, record)], ["cost"]);
});
