/** Coverage of conditions that requests write: they are rules with two sides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { createLocalTarget } from "../local-target.ts";
import { createMeter } from "./coverage.ts";
import { rulesOf } from "./rules.ts";

const text = `# Interface Specification: Books

## Resources and their fields

### Book

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | |
| pages | integer | |

## Endpoints

- Allowed: anyone
- Functions: narrow(string): condition

### GET /books

- Does: list Book
- Where: any of title, pages by narrow(query.filter)
- Pagination: none
- Returns: 200 list of Book

| Input | In | Type |
|---|---|---|
| filter | query | string |
`;

test("a written condition that is accepted, and one that is rejected, are the sides of a rule", async () => {
  const { model } = compile(text, { file: "books.md" });
  assert.ok(model);
  const at = rulesOf(model).findIndex(({ kind }) => kind === "where");
  assert.equal(rulesOf(model)[at]?.subject, "GET /books: where any of title, pages by narrow(query.filter)");
  const meter = createMeter(model);
  const narrow = (field: unknown) => ({ field: String(field), is: "==", value: null });
  const target = await createLocalTarget(model, { printError() {} }, { functions: { narrow } }, meter);
  const sidesOf = async (query: string) => {
    await target.send({ method: "GET", target: `/books${query}`, headers: [] });
    return meter.take().filter((side) => side.startsWith(`${at}`));
  };
  try {
    assert.deepEqual(await sidesOf(""), []);
    assert.deepEqual(await sidesOf("?filter=pages"), [`${at}+`]);
    assert.deepEqual(await sidesOf("?filter=author"), [`${at}-`]);
  } finally {
    await target.close();
  }
});
