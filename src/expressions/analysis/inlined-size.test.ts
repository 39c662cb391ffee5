/** Inlined size of expressions: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model } from "../../model/model.ts";
import { createInlinedSize } from "./inlined-size.ts";

const document = (rows: readonly string[], where: string) => `# Interface Specification: Sizes

## What the service does

- Purpose: counts.

## Resources and their fields

### Item

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| base | integer | required |
${rows.join("\n")}

## Endpoints

### GET /items

- Does: list Item
- Where: \`${where}\`
- Returns: 200 list of Item
`;

function measured(rows: readonly string[], where: string) {
  const { model } = compile(document(rows, where), { file: "sizes.md" });
  const { meaning, node } = measure(model);
  return createInlinedSize(meaning)([node]);
}

function measure(model: Model | undefined) {
  const [condition] = model?.endpoints[0]?.where ?? [];
  assert.ok(model && condition);
  return { meaning: meaningOf(model), node: condition.node };
}

test("a computed field counts each time it is named, with its whole expression", () => {
  const plain = measured([], "this.base == 1").size;
  const rows = ["| a | integer | = `this.base + 1` |", "| b | integer | = `this.a + this.a` |"];
  const once = measured(rows, "this.a == 1");
  // `this.base + 1` replaces the field: an operator, a field of `this`, and a value.
  assert.equal(once.size, plain + 4);
  assert.equal(once.most?.name, "Item.a");
  const twice = measured(rows, "this.b == 1");
  assert.equal(twice.size, plain + 1 + 2 * 2 + 2 * 4);
  assert.equal(twice.most?.name, "Item.b");
});

test("the size of a circular name is finite", () => {
  const rows = ["| a | integer | = `this.b + 1` |", "| b | integer | = `this.a + 1` |"];
  assert.ok(measured(rows, "this.a == 1").size < 30);
});
