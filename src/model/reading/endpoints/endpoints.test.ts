/** Part 4, endpoints: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReporter } from "../../../diagnostics/diagnostic.ts";
import { createSource } from "../../../source/source.ts";
import { parseMarkdown } from "../../../syntax/markdown.ts";
import type { Endpoint, Model } from "../../model.ts";
import { buildModel } from "../build-model.ts";

const resources = `
### Shop

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| slug | string | required, unique |
| owner | Shop | |

### Order

- Identifier: id, made by \`sequence()\`
- Unique: shop, number

| Field | Type | Rules |
|---|---|---|
| shop | Shop | required |
| number | integer | on create \`sequence(this.shop)\` |
| note | string | trimmed, length ..80 |
| status | state | |

### Line

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| shop | Shop | required |
| order | Order | required |
| count | integer | required, 1..9 |

### Setting

- Identifier: key, given

| Field | Type | Rules |
|---|---|---|
| key | string | required |
| value | string | |
`;

/** Builds a document with these endpoints and only what part 4 needs. */
function build(endpoints: string): { readonly model: Model; readonly mistakes: readonly string[] } {
  const text = `# Interface Specification: Test

## Resources and their fields
${resources}
## States and transitions

### Order

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | closed | call |

## Endpoints

${endpoints}

## Authentication

- Scheme: none
`;
  const source = createSource("test.md", text);
  const reporter = createReporter(source);
  const { model } = buildModel(parseMarkdown(source, reporter), reporter);
  const mistakes = reporter.diagnostics.filter(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.code.startsWith("endpoints/"),
  );
  return { model, mistakes: mistakes.map((mistake) => `${mistake.code} ${mistake.message}`) };
}

function endpointOf(endpoints: string, name?: string): Endpoint {
  const { model, mistakes } = build(endpoints);
  assert.deepEqual(mistakes, []);
  const found = model.endpoints.find(
    (endpoint) => name === undefined || `${endpoint.method} ${endpoint.path.text}` === name,
  );
  return found ?? assert.fail(`no endpoint ${name}`);
}

function records(endpoint: Endpoint) {
  return endpoint.records.map(({ name, by, where, target }) => ({
    name,
    by: by && `${by.parameter} → ${by.field}`,
    where: where.map((expression) => expression.text),
    target,
  }));
}

const shopPath = "### /shops/{slug}\n\n- Is: Shop\n\n";
const orderPath = "### /shops/{slug}/orders/{number}\n\n- Is: Order\n\n";

test("a last parameter selects the target by the unique field with its name, or else by the identifier", () => {
  const bySlug = endpointOf("### GET /shops/{slug}\n\n- Does: read Shop\n- Returns: 200 Shop");
  assert.deepEqual(records(bySlug), [{ name: "shop", by: "slug → slug", where: [], target: true }]);
  const byId = endpointOf("### GET /shops/{shop}\n\n- Does: read Shop\n- Returns: 200 Shop");
  assert.deepEqual(records(byId), [{ name: "shop", by: "shop → id", where: [], target: true }]);
});

test("a record beneath a path refers to the record of the path, within which its number is unique", () => {
  const read = endpointOf(
    `${shopPath}${orderPath}### POST /shops/{slug}/orders/{number}/close\n\n- Does: close\n- Returns: 200 Order`,
  );
  assert.deepEqual(records(read), [
    { name: "shop", by: "slug → slug", where: [], target: false },
    { name: "order", by: "number → number", where: ["this.shop == shop"], target: true },
  ]);
  assert.equal(read.scope, undefined);
});

test("a condition that uses the last parameter is the only selection", () => {
  const read = endpointOf(
    "### /shops/{name}\n\n- Is: Shop\n- Where: `this.slug == path.name`\n\n### GET /shops/{name}\n\n- Does: read Shop\n- Returns: 200 Shop",
  );
  assert.deepEqual(records(read), [
    { name: "shop", by: undefined, where: ["this.slug == path.name"], target: true },
  ]);
});

test("records listed or created below paths refer to all records of the path; the last one is the scope", () => {
  const paths = `${shopPath}${orderPath}`;
  const list = endpointOf(
    `${paths}### GET /shops/{slug}/orders/{number}/lines\n\n- Does: list Line\n- Returns: 200 list of Line`,
  );
  assert.deepEqual(list.scope, { field: "order", record: "order" });
  assert.deepEqual(
    list.where.map((expression) => expression.text),
    ["this.shop == shop"],
  );
  const make = endpointOf(
    `${paths}### POST /shops/{slug}/orders/{number}/lines\n\n- Does: create Line\n- Body: count\n- Returns: 201 Line`,
  );
  assert.deepEqual(make.scope, { field: "order", record: "order" });
  assert.deepEqual(make.where, []);
  assert.deepEqual(
    make.set.map((effect) => effect.kind === "assign" && [effect.field, effect.value.text]),
    [["shop", "shop"]],
  );
});

test("an endpoint below a path of its own resource acts on that record, or creates one that refers to it", () => {
  const beneath = endpointOf(
    `${shopPath}### PATCH /shops/{slug}/name\n\n- Does: update Shop\n- Body: slug\n- Returns: 200 Shop`,
  );
  assert.deepEqual(
    records(beneath).map((record) => record.target),
    [true],
  );
  const make = endpointOf(
    `${shopPath}### POST /shops/{slug}/branches\n\n- Does: create Shop\n- Body: slug\n- Returns: 201 Shop`,
  );
  assert.deepEqual(make.scope, { field: "owner", record: "shop" });
});

test("an upsert uses the last parameter as the field with its name", () => {
  const put = endpointOf(
    "### PUT /settings/{key}\n\n- Does: upsert Setting\n- Body: value\n- Returns: 201 Setting when `created`\n- Returns: 200 Setting",
  );
  assert.deepEqual(put.records, []);
  assert.deepEqual(
    put.inputs.map((input) => [input.in, input.name.join("."), input.sets]),
    [
      ["path", "key", "key"],
      ["body", "value", "value"],
    ],
  );
});

test("path parameters have the type of the field that they select by", () => {
  const read = endpointOf(
    `${shopPath}${orderPath}### GET /shops/{slug}/orders/{number}\n\n- Does: read Order\n- Returns: 200 Order`,
  );
  assert.deepEqual(
    read.inputs.map((input) => [input.name[0], input.type.kind, input.required]),
    [
      ["slug", "string", true],
      ["number", "integer", true],
    ],
  );
});

test("an input has the rules of its field that apply to inputs", () => {
  const patch = endpointOf(
    "### PATCH /orders/{id}\n\n- Does: update Order\n- Body: note?\n- Returns: 200 Order",
  );
  const note = patch.inputs.find((input) => input.name[0] === "note");
  assert.deepEqual(note?.rules, [{ rule: "trimmed" }, { rule: "length", max: 80 }]);
  assert.deepEqual([note?.required, note?.sets], [false, "note"]);
});

test("a filter is only compared: the bounds of its field aren't checked", () => {
  const list = endpointOf(
    "### GET /orders\n\n- Does: list Order\n- Query: note?, number? range\n- Returns: 200 list of Order",
  );
  assert.deepEqual(
    list.inputs.map((input) => [input.rules, input.filter]),
    [
      [[{ rule: "trimmed" }], { kind: "equals", field: "note" }],
      [[], { kind: "range", field: "number" }],
    ],
  );
});

test("a shape in `Returns` is that shape of `this`", () => {
  const read = endpointOf(
    '### GET /orders/{id}\n\n- Does: read Order\n- Returns: 200 Short\n\n### Shape: Short of Order\n\n```cel\n{"id": this.id}\n```',
  );
  const [answer] = read.returns;
  assert.ok(answer?.kind === "expression");
  const { node } = answer.body;
  assert.ok(
    node.op === "shape" && node.shape === "Short" && node.of?.op === "fixed" && node.of.name === "this",
  );
});

test("a header of a path reads that path's record, whatever record the endpoint acts on", () => {
  const path = `${shopPath.trimEnd()}\n- Header: X-Shop: \`this.slug\`\n\n`;
  const list = endpointOf(
    `${path}### GET /shops/{slug}/orders\n\n- Does: list Order\n- Returns: 200 list of Order`,
  );
  const { node } = list.headers[0]?.value ?? assert.fail();
  assert.ok(node.op === "field" && node.of.op === "named" && node.of.name === "shop");
});

test("items of the part apply to endpoints without their own; headers are added", () => {
  const part =
    '- Allowed: anyone\n- Header: X-A: `"part"`\n- Header: X-B: `"part"`\n- Order: id descending\n\n';
  const text = `${part}### GET /orders\n\n- Does: list Order\n- Order: none\n- Header: x-b: \`"own"\`\n- Returns: 200 list of Order\n\n### GET /orders/{id}\n\n- Does: read Order\n- Returns: 200 Order\n\n### GET /drafts\n\n- Does: list Order\n- Returns: 200 list of Order`;
  const list = endpointOf(text, "GET /orders");
  assert.deepEqual(
    list.allowed.map((allowed) => allowed.kind),
    ["anyone"],
  );
  assert.deepEqual(
    list.headers.map((header) => [header.name, header.value.text]),
    [
      ["X-A", '"part"'],
      ["x-b", '"own"'],
    ],
  );
  assert.deepEqual(list.order, []);
  assert.equal(endpointOf(text, "GET /drafts").order.length, 1);
  // The part's `Order` has no effect on a single record, and is not a mistake there.
  assert.deepEqual(endpointOf(text, "GET /orders/{id}").order, []);
});

test("`Like` inherits every item that isn't stated again", () => {
  const text =
    "### POST /orders\n\n- Does: create Order\n- Body: note, shop\n- Returns: 201 Order\n\n### POST /drafts\n\n- Like: POST /orders\n- Body: shop\n- Returns: 202 Order";
  const draft = endpointOf(text, "POST /drafts");
  assert.deepEqual(
    draft.does.map((action) => action.kind),
    ["create"],
  );
  assert.deepEqual(
    draft.inputs.map((input) => input.name[0]),
    ["shop"],
  );
  assert.deepEqual(
    draft.returns.map((answer) => "status" in answer && answer.status),
    [202],
  );
});

test("the request may choose the key of an order", () => {
  const order =
    '- Order: number by query.direction, else descending when `query.sort == "number"`\n- Order: `size(this.note)`, id ascending\n';
  const rows =
    "| Input | In | Type |\n|---|---|---|\n| direction | query | one of asc, desc |\n| sort | query | string |";
  const list = endpointOf(
    `### GET /orders\n\n- Does: list Order\n${order}- Returns: 200 list of Order\n\n${rows}`,
  );
  assert.deepEqual(
    list.order.map((item) => [
      item.keys.map((key) => [key.by.text, key.descending, key.direction?.text]),
      item.when?.text,
    ]),
    [
      [[["this.number", true, "query.direction"]], 'query.sort == "number"'],
      [
        [
          ["size(this.note)", false, undefined],
          ["this.id", false, undefined],
        ],
        undefined,
      ],
    ],
  );
});

test("a missing item that an endpoint needs is its gap; the rest of the part works", () => {
  const { model, mistakes } = build(
    "### GET /orders/{id}\n\n- Does: read Order\n- Returns: 200 not shown\n\n### GET /shops\n\n- Does: list Shop\n- Order: not shown\n- Returns: 200 list of Shop",
  );
  assert.deepEqual(mistakes, []);
  assert.deepEqual(
    model.endpoints.map((endpoint) => endpoint.gap?.subject),
    ["the response of GET /orders/{id}", undefined],
  );
});

test("a transition's `body` has the inputs of the endpoints that fire it", () => {
  const rows = "| Input | In | Type | Rules |\n|---|---|---|---|\n| reason | body | string | required |";
  const { model } = build(
    `### POST /orders/{id}/close\n\n- Does: close Order\n- Body: note?\n- Returns: 200 Order\n\n${rows}`,
  );
  const transition = model.resources.find((resource) => resource.name === "Order")?.states?.transitions[0];
  assert.deepEqual(transition?.body, {
    kind: "object",
    fields: { note: { kind: "string" }, reason: { kind: "string" } },
  });
});
