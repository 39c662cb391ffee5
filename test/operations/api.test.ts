/**
 * The operations API: its OpenAPI is valid and correct, and wrong input is reported field by field.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Value } from "typebox/value";
import { withOperationTable } from "../../scripts/operation-table-text.ts";
import { pageOfRecords } from "../../src/engine/admin/list-records.ts";
import { routes } from "../../src/admin/api/routes.ts";
import { pathOf } from "../repository/repository.ts";
import { parcelDesk, type Sandbox, send, startSandbox } from "../sandbox/start-sandbox.ts";
import { type Operations, startOperations } from "./start-operations.ts";

let desk: Operations;
let sandbox: Sandbox;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md", "examples/parcel-desk.seed.md");
  sandbox = await startSandbox(...parcelDesk);
});
after(async () => {
  await desk?.stop();
  await sandbox?.stop();
});

test("its own OpenAPI is valid, and has every route under its own name", async () => {
  const { json } = await desk.operate("GET", "/api/openapi.json");
  const { valid, errors } = await new Validator().validate(structuredClone(json));
  assert.ok(valid, JSON.stringify(errors));
  const operations = Object.entries<Record<string, { operationId: string }>>(json.paths).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => ({
        path,
        method: method.toUpperCase(),
        operationId,
      })),
  );
  assert.deepEqual(
    operations.map(({ method, path }) => `${method} ${path}`).sort(),
    routes.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, routes.length);
});

test("every GET without parameters responds by its schema, for a plain service and for a sandbox", async () => {
  const readable = routes.filter(
    ({ method, path, query, streams }) =>
      method === "GET" &&
      !path.includes("{") &&
      !streams &&
      ((query.required ?? []) as readonly string[]).length === 0,
  );
  assert.ok(readable.length > 8);
  const { origin, hash } = new URL(sandbox.operations);
  const headers = { Authorization: `Bearer ${hash.slice("#t=".length)}` };
  const inSandbox = (path: string) => send("GET", `${origin}${path}`, { headers });
  for (const { path, answer } of readable)
    for (const { status, json } of [await desk.operate("GET", path), await inSandbox(path)]) {
      // A route that needs a sandbox, or an earlier step, says so.
      if (status === 409) assert.match(json.detail, /\S.*\.$/, path);
      else {
        assert.equal(status, 200, `${path} ${JSON.stringify(json)}`);
        assert.ok(Value.Check(answer, json), `${path} ${JSON.stringify(Value.Errors(answer, json))}`);
      }
    }
});

test("wrong input is reported field by field, with the accepted values", async () => {
  const { status, json } = await desk.operate("POST", "/api/deliveries/redeliver", { stat: "dead", from: 5 });
  assert.equal(status, 400);
  assert.deepEqual(json.errors, [
    { field: "stat", message: 'Unknown field "stat". Did you mean "state"?' },
    { field: "from", message: "It must be text." },
  ]);
  const missing = await desk.operate("POST", "/api/records", {});
  assert.equal(missing.json.errors[0].field, "given");
  assert.match(missing.json.detail, /^The field "given": Missing value: it must be/);
  const query = await desk.operate("GET", "/api/events?limit=0&after=x");
  assert.deepEqual(
    query.json.errors
      .map((error: { field: string; message: string }) => `${error.field}: ${error.message}`)
      .sort(),
    ["after: It must be a whole number, at least 0.", "limit: It must be a whole number from 1 to 1000."],
  );
  assert.match(
    (await desk.operate("GET", "/api/events?__proto__=1")).json.detail,
    /Unknown parameter "__proto__"/,
  );
  const spaced = await desk.operate("GET", "/api/clock?space=other");
  assert.equal(spaced.status, 409);
  assert.match(spaced.json.detail, /not a sandbox: it has no data space "other"/);
});

test("a plain service has its own routes, and reports that the others need a sandbox", async () => {
  const { json } = await desk.operate("POST", "/api/records", { given: 'Shop with name = "Linus"' });
  assert.equal(json.records.length, 1);
  assert.equal((await pageOfRecords(desk.service, { resource: "Shop", filters: [] })).records.length, 2);
  for (const [method, path, body] of [
    ["POST", "/api/reset", {}],
    ["POST", "/api/clock", { advance: "1 day" }],
    ["POST", "/api/snapshots", { name: "a" }],
    ["GET", "/api/spaces", undefined],
  ] as const)
    assert.equal((await desk.operate(method, path, body)).status, 409, path);
});

test("records are counted up to a bound", async () => {
  await desk.service.internals.context.store.write(
    async (transaction) => {
      for (let number = 0; number < 10_050; number += 1)
        await transaction.insert("Hook", { id: `whk_${number}`, url: "https://example.com", events: [] });
    },
    { repeatable: true },
  );
  assert.equal((await desk.operate("GET", "/api")).json.records.Hook, 10_001);
});

test("nothing compiles code from text: it runs where that is forbidden", async () => {
  const { execFileSync } = await import("node:child_process");
  const script = `
    const { routes } = await import("./src/admin/api/routes.ts");
    const { fieldErrorsOf } = await import("./src/admin/api/routing/field-errors.ts");
    for (const { query, body } of routes) for (const schema of [query, body]) if (schema) fieldErrorsOf(schema, { x: 1 }, "field");
    process.stdout.write("done");`;
  const args = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", script];
  assert.equal(execFileSync(process.execPath, args, { cwd: pathOf("."), encoding: "utf8" }), "done");
});

test("the guide's table has every route, and no other (`npm run operation-table` writes it)", () => {
  const guide = readFileSync(pathOf("docs/guides/operations.md"), "utf8");
  assert.equal(withOperationTable(guide), guide);
});
