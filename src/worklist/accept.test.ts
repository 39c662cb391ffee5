/** One answer for the identifiers of all resources, where the pattern of some rejects it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../inputs/formats.ts";
import { accept, answerByHand } from "./accept.ts";

const id = (pattern?: string) => ({ type: "string", ...(pattern === undefined ? {} : { pattern }) });
const answer = (schema: object) => ({ description: "ok", content: { "application/json": { schema } } });

const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];

/** An import with resources whose identifiers have these patterns. */
function imported(patterns: Readonly<Record<string, string | undefined>>): string {
  const paths = Object.keys(patterns).map((name) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    return [
      [`/${name}s`, { get: { responses: { 200: answer({ type: "array", items: schema }) } } }],
      [`/${name}s/{id}`, { get: { parameters, responses: { 200: answer(schema) } } }],
    ];
  });
  const schemas = Object.entries(patterns).map(([name, pattern]) => [
    name,
    { type: "object", properties: { id: id(pattern) } },
  ]);
  const file = {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    paths: Object.fromEntries(paths.flat()),
    components: { schemas: Object.fromEntries(schemas) },
  };
  const options = { name: "shop.json", text: JSON.stringify(file), readRelative: () => undefined, only: [] };
  return importFile("openapi", options).text;
}

test("one answer for all identifiers leaves those open whose pattern rejects it", () => {
  const { text, counts } = answerByHand(
    "shop.md",
    imported({ Order: undefined, Customer: "^[0-9]{4}-x$" }),
    "identifiers",
    "random(12)",
  );
  assert.match(text, /### Order\n\n- Identifier: id, made by `random\(12\)`/);
  assert.match(text, /### Customer\n\n- Identifier: id, made by not shown/);
  assert.equal(counts.get("identifiers"), 1);
});

test("an answer for one identifier that its pattern rejects is refused, with the reason", () => {
  const document = imported({ Customer: "^[0-9]{4}-x$" });
  for (const question of ["identifiers", "identifiers:Customer"])
    assert.throws(
      () => answerByHand("shop.md", document, question, "uuid()"),
      /would be a mistake: Invalid value of `id`: the expression gives "[^"]+", but it must match/,
    );
});

test("an identifier with a pattern of random characters is proposed", () => {
  const { text } = accept("shop.md", imported({ Customer: "^cus_[A-Za-z0-9]{20}$" }), ["possible"]);
  assert.match(text, /### Customer\n\n- Identifier: id, made by `"cus_" \+ random\(20\)`/);
});
