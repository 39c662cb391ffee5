/** Expansion (part 4): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { meaningOf } from "../../model/meaning.ts";
import { openStore } from "../../store/index.ts";
import { createGivenRecords } from "../given.ts";
import { createRequest } from "../http/message.ts";
import { createMovableClock, silentLog } from "../ports.ts";
import { createService } from "../service.ts";

const document = `# Interface Specification: Charges

## What the service does

- Purpose: none
- Domain: none
- Behaviour: none

### Scenario: what there is

- Given: \`Account with id = "acc_1", key = "k1" as one\`
- Given: \`Account with id = "acc_2", key = "k2" as two\`
- Given: \`Note with id = "not_1", account = one, text = "mine" as mine\`
- Given: \`Note with id = "not_2", account = two, text = "theirs" as theirs\`
- Given: \`Product with id = "prd_1", name = "pen" as pen\`
- Given: \`Customer with id = "cus_1", account = one, notes = [mine, theirs] as ada\`
- Given: \`Customer with id = "cus_2", account = one, referrer = ada, note = mine as grace\`
- Given: \`Customer with id = "cus_3", account = one, referrer = grace, note = theirs as alan\`
- Given: \`Charge with id = "ch_1", customer = alan, main = {"product": pen}, lines = [{"product": pen, "count": 2}] as first\`
- Given: \`Charge with id = "ch_2" as second\`

## Resources and their fields

### Account

- Identifier: id, made by \`"acc_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| key | credential | write-only |

### Note

- Identifier: id, made by \`"not_" + random(8)\`
- Visible: \`this.account == caller\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| account | Account | |
| text | string | |

### Product

- Identifier: id, made by \`"prd_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| name | string | |
| hidden | string | internal |

### Customer

- Identifier: id, made by \`"cus_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| account | Account | internal |
| referrer | Customer | |
| note | Note | |
| notes | list of Note | |

### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| product | Product | |
| count | integer | |

### Charge

- Identifier: id, made by \`"ch_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| customer | Customer | |
| main | Line | |
| lines | list of Line | |

## States and transitions

- States: none
- Transitions: none

## Endpoints

- Accepts: application/json, application/x-www-form-urlencoded
- Expansion: expand

### /charges/{id}

- Is: Charge

### GET /charges/{id}

- Does: read Charge
- Preconditions: If-None-Match
- Returns: 200 Charge

### GET /charges

- Does: list Charge
- Pagination: cursor (size: limit, after: after)
- Returns: 200 Page of Charge

### GET /plain

- Does: list Charge
- Returns: 200 list of Charge

### GET /wrapped

- Does: list Charge
- Returns: 200 \`{"charges": page.items.map(c, Charge(c)), "account": caller}\`

### POST /charges

- Does: create Charge
- Body: customer
- Returns: 201 Charge

### Shape: Customer of Customer

\`\`\`cel
merge(Customer(this), {"object": "customer", "backer": this.referrer})
\`\`\`

### Shape: Page

\`\`\`cel
{"data": page.items, "owner": caller}
\`\`\`

## Authentication

### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: Account by key

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| bad | 400 | invalid field | {error.field} {error.problem} |

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: none

## Versioning

- Scheme: none
- Compatibility: none
`;

async function openCharges() {
  const { model, diagnostics } = compile(document, { file: "charges.md" });
  const mistakes = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  assert.deepEqual(
    mistakes.map((mistake) => `${mistake.position.start.line} ${mistake.message}`),
    [],
  );
  assert.ok(model);
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const service = await createService(model, {
    store,
    ports: {
      clock: createMovableClock(Date.parse("2026-11-20T12:00:00.000Z")),
      log: silentLog,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    },
    origin: () => "http://localhost",
  });
  const steps = model.scenarios[0]?.steps.filter((step) => step.kind === "given") ?? [];
  await createGivenRecords(service, steps);
  return async (
    method: string,
    target: string,
    more: { body?: string; type?: string; match?: string } = {},
  ) => {
    const answer = await service.fetch(
      createRequest({
        method,
        target,
        headers: [
          ["Authorization", "Bearer k1"],
          ...(more.match === undefined ? [] : [["If-None-Match", more.match] as const]),
          ...(more.body === undefined ? [] : [["Content-Type", more.type ?? "application/json"] as const]),
        ],
        ...(more.body === undefined ? {} : { body: more.body }),
      }),
    );
    const text = String(answer.body);
    const tag = answer.headers.find(([name]) => name === "ETag")?.[1];
    return { status: answer.status, tag, json: text === "" ? null : JSON.parse(text) };
  };
}

const send = await openCharges();

test("without expansion a reference is an identifier", async () => {
  const { json } = await send("GET", "/charges/ch_1");
  assert.deepEqual(json, {
    id: "ch_1",
    customer: "cus_3",
    main: { product: "prd_1", count: null },
    lines: [{ product: "prd_1", count: 2 }],
  });
});

test("a reference expands to its resource's shape, with the references along the path", async () => {
  const { json } = await send("GET", "/charges/ch_1?expand[]=customer");
  assert.deepEqual(json.customer, {
    id: "cus_3",
    referrer: "cus_2",
    note: "not_2",
    notes: null,
    object: "customer",
    backer: "cus_2",
  });
  const deep = await send(
    "GET",
    "/charges/ch_1?expand[]=customer.referrer.referrer&expand[]=customer.backer",
  );
  assert.equal(deep.json.customer.referrer.referrer.id, "cus_1");
  assert.equal(deep.json.customer.backer.id, "cus_2");
  assert.equal(deep.json.customer.backer.referrer, "cus_1");
});

test("a null reference stays null", async () => {
  const { json } = await send("GET", "/charges/ch_2?expand[]=customer.referrer");
  assert.deepEqual(json, { id: "ch_2", customer: null, main: null, lines: null });
});

test("a record that the caller may not see stays an identifier", async () => {
  const theirs = await send("GET", "/charges/ch_1?expand[]=customer.note");
  assert.equal(theirs.json.customer.note, "not_2");
  const mine = await send("GET", "/charges/ch_1?expand[]=customer.referrer.note");
  assert.deepEqual(mine.json.customer.referrer.note, { id: "not_1", account: "acc_1", text: "mine" });
});

test("lists of references, and references in embedded values, are expanded too", async () => {
  const { json } = await send(
    "GET",
    "/charges/ch_1?expand[]=main.product&expand[]=lines.product&expand[]=customer.referrer.referrer.notes",
  );
  const pen = { id: "prd_1", name: "pen" };
  assert.deepEqual(json.main, { product: pen, count: null });
  assert.deepEqual(json.lines, [{ product: pen, count: 2 }]);
  assert.deepEqual(json.customer.referrer.referrer.notes, [
    { id: "not_1", account: "acc_1", text: "mine" },
    "not_2",
  ]);
});

test("paths in lists go through the response's own keys", async () => {
  const page = await send("GET", "/charges?expand[]=data.customer.referrer&expand[]=owner");
  assert.deepEqual(
    page.json.data.map(
      (item: { customer: { referrer: { id: string } } | null }) => item.customer?.referrer.id,
    ),
    ["cus_2", undefined],
  );
  assert.deepEqual(page.json.owner, { id: "acc_1" });
  const plain = await send("GET", "/plain?expand[]=customer");
  assert.equal(plain.json[0].customer.id, "cus_3");
  const wrapped = await send("GET", "/wrapped?expand[]=charges.customer&expand[]=account");
  assert.equal(wrapped.json.charges[0].customer.id, "cus_3");
  assert.deepEqual(wrapped.json.account, { id: "acc_1" });
});

test("the body of a request may expand records too, as JSON and as a form", async () => {
  const json = await send("POST", "/charges", { body: '{"customer": "cus_1", "expand": ["customer"]}' });
  assert.equal(json.json.customer.id, "cus_1", JSON.stringify(json.json));
  const form = await send("POST", "/charges", {
    body: "customer=cus_1&expand[]=customer",
    type: "application/x-www-form-urlencoded",
  });
  assert.equal(form.json.customer.id, "cus_1");
});

test("a path to no reference is an invalid field that names it, and nothing is changed", async () => {
  for (const path of [
    "custmer",
    "id",
    "customer.account",
    "customer.",
    "",
    "main",
    "lines",
    "data.customer",
    "__proto__",
  ]) {
    const { status, json } = await send("GET", `/charges/ch_1?expand[]=${path}`);
    assert.equal(status, 400, path);
    assert.match(json.detail, /^expand names no reference/);
    assert.ok(json.detail.includes(path));
  }
  const before = (await send("GET", "/plain")).json.length;
  assert.equal(
    (await send("POST", "/charges", { body: '{"customer": "cus_1", "expand": ["x"]}' })).status,
    400,
  );
  assert.equal((await send("GET", "/plain")).json.length, before);
});

test("the number and the depth of paths are bounded", async () => {
  const four = "customer.referrer.referrer.referrer";
  assert.equal((await send("GET", `/charges/ch_1?expand[]=${four}`)).status, 200);
  assert.equal((await send("GET", `/charges/ch_1?expand[]=${four}.referrer`)).status, 400);
  assert.equal((await send("GET", `/charges?expand[]=data.${four}`)).status, 200);
  const many = Array.from({ length: 21 }, (_, at) => `expand[]=x${at}`).join("&");
  assert.match((await send("GET", `/charges/ch_1?${many}`)).json.detail, /at most 20/);
});

test("the entity tags of a response with and without an expanded record differ", async () => {
  const plain = await send("GET", "/charges/ch_1");
  const full = await send("GET", "/charges/ch_1?expand[]=customer");
  assert.notEqual(plain.tag, full.tag);
  const again = await send("GET", "/charges/ch_1?expand[]=customer", { match: plain.tag ?? "" });
  assert.equal(again.status, 200);
});
