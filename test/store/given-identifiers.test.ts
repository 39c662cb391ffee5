/**
 * Given identifiers without a row in the table are texts on both databases: references, filters and
 * deletes use them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, createRequest, openService } from "../../src/index.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { freshSchema } from "../postgres/server.ts";

const document = smallDocument({
  resources: `### Currency

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| minimum | integer | required |

### Charge

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| amount | integer | required |
| currency | Currency | required, on delete cascade |`,
  endpoints: `### POST /currencies

- Does: create Currency
- Body: code, minimum
- Returns: 201 Currency

### DELETE /currencies/{code}

- Does: delete Currency
- Returns: 204 nothing

### POST /charges

- Does: create Charge
- Body: amount, currency
- Fails: too_small when \`this.amount < this.currency.minimum\`
- Returns: 201 \`{"code": this.currency.code, "known": Charge.exists(c, c.currency.code == "usd")}\`

### GET /charges

- Does: list Charge
- Query: currency?
- Returns: 200 list of Charge`,
  errors: `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| too_small | 400 | | is too small |`,
});

for (const database of ["SQLite", "PostgreSQL"] as const)
  test(`on ${database}`, async (t) => {
    const { model, diagnostics } = compile(document, { file: "prices.md" });
    assert.deepEqual(
      diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
      [],
    );
    assert.ok(model);
    const schema = database === "PostgreSQL" ? await freshSchema() : undefined;
    const service = await openService(model, { store: schema?.url ?? ":memory:" });
    t.after(async () => {
      await service.close();
      await schema?.drop();
    });
    const send = async (method: string, target: string, body?: object) => {
      const headers = body ? ([["Content-Type", "application/json"]] as const) : [];
      const text = body ? { body: JSON.stringify(body) } : {};
      const answer = await service.fetch(createRequest({ method, target, headers, ...text }));
      return [answer.status, String(answer.body ?? "")] as const;
    };
    assert.equal((await send("POST", "/currencies", { code: "usd", minimum: 50 }))[0], 201);
    assert.equal((await send("POST", "/currencies", { code: 5, minimum: 50 }))[0], 422);
    assert.equal((await send("POST", "/charges", { amount: 5, currency: "usd" }))[0], 400);
    assert.deepEqual(await send("POST", "/charges", { amount: 50, currency: "usd" }), [
      201,
      '{"code":"usd","known":true}',
    ]);
    assert.match((await send("GET", "/charges?currency=usd"))[1], /"amount":50/);
    assert.equal((await send("DELETE", "/currencies/usd"))[0], 204);
    assert.deepEqual(await send("GET", "/charges"), [200, "[]"]);
  });
