/**
 * Assignments: every value that an expression assigns to a field is accepted by the field's own
 * reader, for every kind of value, every type and every place of assignment. `check` refuses it,
 * the caller receives a 4xx, or what is stored is valid; on both databases alike.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileFieldReader } from "../../src/fields/read-field.ts";
import { compile, createRequest, openService } from "../../src/index.ts";
import type { Field, Model } from "../../src/model/model.ts";
import type { Json } from "../../src/support/json.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { randomFrom } from "../durability/disk/random.ts";
import { seed, times } from "../fixed-seed.ts";
import { freshSchema } from "../postgres/server.ts";

/** The types and rules of the assigned fields. */
const targets: readonly (readonly [type: string, rules: string])[] = [
  ["string", "length 1..3"],
  ["string", "trimmed, lower case, empty is null"],
  ["integer", "1..9"],
  ["number", ""],
  ["decimal", ""],
  ["boolean", ""],
  ["timestamp", ""],
  ["date", ""],
  ["duration", ""],
  ["uuid", ""],
  ["email", ""],
  ["uri", ""],
  ["one of a, b", ""],
  ["list of string", "distinct"],
  ["list of integer", "items ..2, each 1..9"],
  ["list of one of a, b", ""],
  ["map of integer", "keys length 1..3"],
  ["Place", ""],
  ["list of Place", ""],
  ["User", "nullable"],
  ["list of User", ""],
  ["Seat", ""],
  ["string or list of string", ""],
  ["json", ""],
];

/** Expressions of every type, and of unknown types. */
const unknown = ["body.any", "body.any.part", "fromJson(body.text)"];
const sources = [
  ...unknown,
  "body.anys",
  "[body.any]",
  '{"a": body.any}',
  '{"room": body.any, "at": timestamp("2026-11-20T10:00:00Z")}',
  '{"row": body.any, "number": 1}',
  "or(body.any, body.at)",
  "body.flag == true ? body.any : body.span",
  "body.text",
  "trim(body.text)",
  "[body.text, body.other]",
  "string(unbase64(body.text))",
  "body.number",
  "body.integer",
  "body.decimal",
  "body.flag",
  "body.at",
  "body.day",
  "body.span",
  "body.words",
  "User.first()",
  "Seat.first()",
];

/** The places of an assignment. */
const places = [
  (field: string, value: string) => `- Set: \`${field} = ${value}\``,
  (field: string, value: string) => `- Effect: \`${field} = ${value}\``,
  (field: string, value: string) => `- Let: given = \`${value}\`\n- Set: \`${field} = given\``,
  (field: string, value: string) => `- Effect: \`create Box with ${field} = ${value}\``,
  (field: string, value: string) => `- Effect: \`update Box where true set ${field} = ${value}\``,
];

/** The values sent for `any`, as JSON. */
const values = [
  "null",
  "5",
  "10",
  "1.5",
  "1e400",
  "9007199254740993",
  '""',
  '" A "',
  '"a"',
  '"abcd"',
  '"00"',
  '"-0"',
  '"12.50"',
  '"2026-11-20"',
  '"2026-11-20T10:00:00+01:00"',
  '"1m30s"',
  '"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"',
  '"a@example.com"',
  '"https://example.com/"',
  '"1"',
  '"\\u0000"',
  '"AA=="',
  "true",
  "[]",
  '["a"]',
  '["a", "a"]',
  "[1]",
  "[99]",
  "[null]",
  "{}",
  '{"a": 1}',
  '{"room": "r", "number": 5, "at": "2026-11-20T10:00:00Z"}',
  '{"room": 5}',
  '{"number": 5}',
  '{"room": "r", "extra": 1}',
  '{"row": "x", "number": 1}',
  '{"row": "x", "number": "1"}',
  '{"#row": 1, "#revision": 0, "id": "x"}',
];

interface Case {
  readonly field: string;
  readonly source: string;
  readonly place: number;
}

function allCases(): readonly Case[] {
  return targets.flatMap((_, at) =>
    sources.flatMap((source, sourceIndex) =>
      places
        .map((_place, place) => ({ field: `f${at}`, source, place }))
        .filter(({ place }) => unknown.includes(source) || place === (at + sourceIndex) % places.length),
    ),
  );
}

function documentOf(cases: readonly Case[]): string {
  const fields = targets.map(([type, rules], at) => `| f${at} | ${type} | ${rules} |`).join("\n");
  const inputs = [
    ["any", "json"],
    ["anys", "list of json"],
    ["text", "string"],
    ["other", "string"],
    ["number", "number"],
    ["integer", "integer"],
    ["decimal", "decimal"],
    ["flag", "boolean"],
    ["at", "timestamp"],
    ["day", "date"],
    ["span", "duration"],
    ["words", "map of string"],
  ].map(([name, type]) => `| ${name} | body | ${type} | none |`);
  return smallDocument({
    resources: `### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Seat

- Identifier: row and number

| Field | Type | Rules |
|---|---|---|
| row | string | |
| number | integer | |

### Place

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| room | string | required |
| number | integer | 1..9 |
| at | timestamp | |

### Box

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
${fields}`,
    endpoints: `### POST /users

- Does: create User
- Body: name
- Returns: 201 User

### POST /seats

- Does: create Seat
- Body: row, number
- Returns: 201 Seat

### GET /boxes

- Does: list Box
- Order: id descending
- Pagination: none
- Returns: 200 list of Box

### DELETE /boxes

- Does: answer
- Effect: \`delete Box where true\`
- Returns: 204 nothing

${cases
  .map(
    ({ field, source, place }, at) => `### POST /x${at}

- Does: create Box
${places[place]?.(field, source)}
- Returns: 201 \`{"id": this.id}\`

| Input | In | Type | Where |
|---|---|---|---|
${inputs.join("\n")}
`,
  )
  .join("\n")}`,
  });
}

/** The cases that `check` accepts, in one valid document. */
function accepted(): { readonly cases: readonly Case[]; readonly model: Model } {
  let cases = allCases();
  for (;;) {
    const text = documentOf(cases);
    const { model, diagnostics } = compile(text, { file: "boxes.md" });
    const lines = new Set(
      diagnostics
        .filter((diagnostic) => diagnostic.severity === "error")
        .map(({ position }) => position.start.line),
    );
    if (lines.size === 0 && model) return { cases, model };
    const written = text.split("\n");
    const starts = cases.map((_, at) => written.indexOf(`### POST /x${at}`) + 1);
    const left = cases.filter((_, at) => {
      const end = starts[at + 1] ?? Number.POSITIVE_INFINITY;
      return ![...lines].some((line) => line >= (starts[at] ?? 0) && line < end);
    });
    assert.notEqual(left.length, cases.length, "a mistake outside of all cases");
    cases = left;
  }
}

/**
 * A body with every input. The input's own type rejects some of the drawn values, which is fine.
 */
function bodyOf(draw: () => number): string {
  const drawn = () => values[Math.floor(draw() * values.length)] as string;
  const text = drawn();
  const any = draw() < 0.3 ? `{"part": ${drawn()}}` : drawn();
  const typed = [
    `"text": ${text.startsWith('"') ? text : JSON.stringify(text)}`,
    `"number": ${draw() < 0.5 ? 1.5 : 5}`,
    `"integer": ${draw() < 0.5 ? 5 : 50}`,
    `"decimal": "${draw() < 0.5 ? "007.50" : "-0"}"`,
    `"flag": ${draw() < 0.5}`,
    '"at": "2026-11-20T10:00:00+01:00"',
    '"day": "2026-11-20"',
    '"span": "5m"',
    `"words": {"room": "r"}`,
  ];
  const anys = draw() < 0.5 ? [`"anys": [${drawn()}, ${drawn()}]`] : [];
  return `{${[`"any": ${any}`, ...anys, ...typed].join(", ")}}`;
}

interface Outcome {
  readonly what: string;
  readonly status: number;
  readonly boxes: string;
}

async function outcomes(model: Model, cases: readonly Case[], store: string): Promise<readonly Outcome[]> {
  const service = await openService(model, { store });
  const send = async (method: string, target: string, body?: string) => {
    const headers = body === undefined ? [] : ([["Content-Type", "application/json"]] as const);
    const answer = await service.fetch(
      createRequest({ method, target, headers, ...(body === undefined ? {} : { body }) }),
    );
    return { status: answer.status, body: String(answer.body ?? "") };
  };
  const draw = randomFrom(seed);
  const found: Outcome[] = [];
  try {
    await send("POST", "/users", '{"name": "Ada"}');
    await send("POST", "/seats", '{"row": "x", "number": 1}');
    for (let round = 0; round < rounds; round += 1) {
      const at = Math.floor(draw() * cases.length);
      const body = bodyOf(draw);
      const { status } = await send("POST", `/x${at}`, body);
      const boxes = status < 300 ? (await send("GET", "/boxes")).body : "";
      if (status < 300) await send("DELETE", "/boxes");
      found.push({ what: `${JSON.stringify(cases[at])} ${body}`, status, boxes });
    }
  } finally {
    await service.close();
  }
  return found;
}

const rounds = times(400);

/** The fields of the boxes whose stored value their reader rejects. */
function invalid(model: Model, boxes: string): readonly string[] {
  const fields = model.resources.find(({ name }) => name === "Box")?.fields ?? [];
  return (JSON.parse(boxes) as Record<string, Json>[]).flatMap((box) =>
    fields.flatMap((field) => {
      const value = box[field.name];
      if (value === null || value === undefined) return [];
      const read = readerOf(model, field).json(withoutNulls(field, value));
      return (
        read.problems?.map((problem) => `${problem.field} ${problem.problem}: ${JSON.stringify(value)}`) ?? []
      );
    }),
  );
}

function readerOf(model: Model, field: Field) {
  return compileFieldReader(field, {
    timestamps: "milliseconds",
    unknownFields: "rejected",
    resource: (name) => model.resources.find((resource) => resource.name === name),
  });
}

/** Removes null parts, because a response renders missing parts as null. */
function withoutNulls({ type }: Field, value: Json): Json {
  const places = (item: Json): Json =>
    typeof item === "object" && item !== null
      ? Object.fromEntries(Object.entries(item).filter(([, part]) => part !== null))
      : item;
  if (type.kind === "value") return places(value);
  return type.kind === "list" && type.of.kind === "value" && Array.isArray(value) ? value.map(places) : value;
}

test("an assignment is rejected, or stores a value that its field accepts, on both databases", async () => {
  const { cases, model } = accepted();
  const wrong = (all: readonly Outcome[]) =>
    all.flatMap(({ what, status, boxes }) =>
      status >= 500
        ? [`${status} ${what}`]
        : boxes === ""
          ? []
          : invalid(model, boxes).map((problem) => `${problem} ${what}`),
    );
  const inMemory = await outcomes(model, cases, ":memory:");
  assert.deepEqual(wrong(inMemory), []);
  const stored = inMemory.filter(({ boxes }) => boxes !== "");
  assert.ok(stored.length > rounds / 5, `${stored.length} of ${rounds} were stored`);
  const schema = await freshSchema();
  try {
    assert.deepEqual(await outcomes(model, cases, schema.url), inMemory);
  } finally {
    await schema.drop();
  }
});
