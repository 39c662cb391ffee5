/** Parameters of an operation in OpenAPI: each input, and each header that the engine reads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { type Parts, resource } from "../diagnostics/small-documents.ts";
import type { OpenapiFile } from "../exports/openapi-judge.ts";

const base: Parts = {
  resources: resource("Note", ["text | string | length 1..9", "size | integer | 1..9"]),
  errors:
    "- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| late | 409 | | |",
};
const inputs = (...rows: readonly string[]) =>
  `\n\n| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n${rows.map((row) => `| ${row} | none |`).join("\n")}`;
const read = "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note";
const answer = "### GET /answers\n\n- Does: answer\n- Returns: 204 nothing";
const list = (pagination: string) =>
  `### GET /notes\n\n- Does: list Note\n- Pagination: ${pagination}\n- Returns: 200 list of Note`;
const withItem = (endpoint: string, item: string) => endpoint.replace("- Returns", `- ${item}\n- Returns`);

/** The parameters of the only operation: `in name`, with a mark if it is required, and its schema. */
function parametersOf(endpoint: string, parts: Parts): readonly string[] {
  const { model, diagnostics } = compile(smallDocument({ ...base, ...parts, endpoints: endpoint }), {
    file: "document.md",
  });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  assert.ok(model);
  const file = openapiDocument(wireOf(model), "3.1", []) as unknown as OpenapiFile;
  const [operation] = Object.values(file.paths).flatMap((item) => Object.values(item));
  return (operation?.parameters ?? []).map(({ in: place, name, required, schema, content }) => {
    const { type, minimum, maximum, minLength, maxLength } = schema ?? {};
    const bounds = [minimum, maximum, minLength, maxLength].filter((bound) => bound !== undefined);
    return `${place} ${name}${required ? "!" : ""} ${[schema ? type : Object.keys(content ?? {})].flat().join("|")}${bounds.length === 0 ? "" : ` ${bounds.join("..")}`}`;
  });
}

for (const [what, endpoint, parts, expected] of [
  ["none", answer, {}, []],
  ["a path", read, {}, ["path id! integer"]],
  [
    "inputs",
    answer +
      inputs(
        "q | query | integer | 1..9",
        "w | query | string | required, length 2..3",
        "X-A | header | string | ",
      ),
    {},
    ["query q integer 1..9", "query w! string 2..3", "header X-A string"],
  ],
  ["JSON in a query", answer + inputs("q | query | object | as JSON"), {}, ["query q application/json"]],
  [
    "a page",
    list("page (page: page, size: per_page)"),
    {},
    ["query per_page integer 1", "query page integer 1"],
  ],
  [
    "a cursor",
    list("cursor (size: limit, after: after)"),
    {},
    ["query limit integer 1", "query after string"],
  ],
  ["no pages", list("none"), {}, []],
  ["If-Match", withItem(read, "Preconditions: If-Match"), {}, ["path id! integer", "header If-Match string"]],
  [
    "If-Match that is required",
    withItem(read, "Preconditions: If-Match required"),
    {},
    ["path id! integer", "header If-Match! string"],
  ],
  [
    "If-None-Match",
    withItem(read, "Preconditions: If-None-Match"),
    {},
    ["path id! integer", "header If-None-Match string"],
  ],
  [
    "an idempotency key",
    withItem(answer.replace("GET", "POST"), "Idempotency: header Idempotency-Key, 24 hours"),
    {},
    ["header Idempotency-Key string"],
  ],
  [
    "an idempotency key that is required",
    withItem(answer.replace("GET", "POST"), "Idempotency: header Idempotency-Key, 24 hours, required"),
    {},
    ["header Idempotency-Key! string"],
  ],
] as readonly (readonly [string, string, Parts, readonly string[]])[])
  test(`parameters of an operation: ${what}`, () => {
    assert.deepEqual(parametersOf(endpoint, parts), expected);
  });
