/** Answers that random documents found to be wrong, or to differ between the databases. */
import assert from "node:assert/strict";
import { openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { modelOf, open } from "../changes/desk.ts";
import { newPath, testOnEach } from "../changes/support.ts";
import { smallDocument } from "./serve-document.ts";

type Request = readonly [method: string, target: string, body?: object];

/** Returns the status and body of each response. */
async function answered(
  parts: Parameters<typeof smallDocument>[0],
  requests: readonly Request[],
): Promise<readonly string[]> {
  const document = smallDocument(parts);
  const store = await open(document, await newPath());
  const ports = { clock: createMovableClock(Date.parse("2026-11-20T12:00:00Z")), log: silentLog };
  const service = await openService(modelOf(document), store, ports, { origin: () => "http://x" });
  const received: string[] = [];
  try {
    for (const [method, target, body] of requests) {
      const headers = { "Content-Type": "application/json" };
      const sent = body ? { body: JSON.stringify(body) } : {};
      const response = await service.fetch(createRequest({ method, target, headers, ...sent }));
      received.push(`${response.status} ${String(response.body ?? "")}`.trim());
    }
  } finally {
    await service.close();
    await store.close();
  }
  return received;
}

const endpointsOf = (resource: string, path: string, inputs: string) => `### POST ${path}

- Does: create ${resource}
- Body: ${inputs}
- Returns: 201 nothing
`;

testOnEach("a computed key of no record is null where the record is shown or read", async () => {
  const resources = `### Account

- Identifier: sku, given

| Field | Type | Rules |
|---|---|---|
| sku | string | |
| sizes | list of object | |
| sizes[].n | integer | |
| name | string | default \`this.other.name\` |
| other | Account | = \`"Zed"\` |`;
  const endpoints = `${endpointsOf("Account", "/accounts", "sku, sizes?")}
### GET /accounts

- Does: list Account
- Returns: 200 list of Card

### Shape: Card of Account

\`\`\`cel
{"inner": Account(this.other), "name": this.name}
\`\`\``;
  const answers = await answered({ resources, endpoints }, [
    ["POST", "/accounts", { sku: "a", sizes: [{ n: 1 }] }],
    ["GET", "/accounts"],
  ]);
  assert.deepEqual(answers, ["201", '200 [{"inner":null,"name":null}]']);
});

testOnEach("a record that a cascade marks keeps the references without which it can't be", async () => {
  const resources = `### Account

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Box

- Identifier: owner and code
- Deleted: marked

| Field | Type | Rules |
|---|---|---|
| owner | Account | on delete restrict |
| payer | Account | required |
| lent_to | Account | |
| code | string | |
| seller | Account | on delete cascade |`;
  const endpoints = `${endpointsOf("Account", "/accounts", "name")}
${endpointsOf("Box", "/boxes", "owner, payer, lent_to, code, seller")}
### DELETE /accounts/{name}

- Does: delete Account
- Returns: 204 nothing

### GET /boxes

- Does: list Box
- Finds: deleted records too
- Returns: 200 list of Card

### Shape: Card of Box

\`\`\`cel
{"owner": this.owner, "payer": this.payer, "lent_to": this.lent_to, "seller": this.seller}
\`\`\``;
  const box = { owner: "a", payer: "a", lent_to: "a", code: "1", seller: "a" };
  const answers = await answered({ resources, endpoints }, [
    ["POST", "/accounts", { name: "a" }],
    ["POST", "/boxes", box],
    ["DELETE", "/accounts/a"],
    ["GET", "/boxes"],
    ["POST", "/boxes", { ...box, code: "2" }],
  ]);
  assert.deepEqual(answers.slice(0, 4), [
    "201",
    "201",
    "204",
    '200 [{"owner":"a","payer":"a","lent_to":null,"seller":"a"}]',
  ]);
  assert.match(answers[4] as string, /^422 /);
});

testOnEach("the default of an input is checked by its rules", async () => {
  const resources = `### Item

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| price | decimal | 0..100 |`;
  const endpoints = `### POST /items

- Does: create Item
- Returns: 201 nothing

| Input | In | Type | Rules | Field |
|---|---|---|---|---|
| bid | body | | default \`decimal("-0.5") + decimal(string(size(request.path)))\` | price |`;
  const of = (text: string) => endpoints.replace("-0.5", text);
  const request: Request = ["POST", "/items", {}];
  assert.match((await answered({ resources, endpoints: of("-60") }, [request]))[0] as string, /^500 /);
  assert.deepEqual(await answered({ resources, endpoints: of("60") }, [request]), ["201"]);
  const chosen = `### GET /items

- Does: answer
- Returns: 200 \`{"deep": query.deep}\`

| Input | In | Type | Rules |
|---|---|---|---|
| deep | query | one of a, b | default \`string(decimal("100"))\` |`;
  const requests: Request[] = [
    ["GET", "/items"],
    ["GET", "/items?deep=b"],
  ];
  const [refused, ok] = await answered({ resources, endpoints: chosen }, requests);
  assert.match(refused as string, /^500 .*the default of deep must be one of/);
  assert.equal(ok, '200 {"deep":"b"}');
});

testOnEach("an event about no record is sent although transitions fire immediately", async () => {
  const resources = `### Item

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| size | integer | default 0 |`;
  const states = `### Item

- State field: state
- Initial state: low

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`raise\` | low | high | immediately | \`this.size > 2\` | |`;
  const endpoints = `### POST /pings

- Does: answer
- Effect: \`send pinged\`
- Returns: 200 \`{"ok": true}\``;
  const events = `| Event | When | Payload |
|---|---|---|
| pinged | sent | \`{"at": now}\` |`;
  assert.deepEqual(await answered({ resources, states, endpoints, events }, [["POST", "/pings"]]), [
    '200 {"ok":true}',
  ]);
});
