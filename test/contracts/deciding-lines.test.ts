/**
 * Deciding lines: every rejection has a line of the document that decides it. The test examines the
 * rejections in the scenarios of all examples, and one of each kind by hand.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import type { AnsweredRequest } from "../../src/engine/observability/answered-request.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createRequest, createService } from "../../src/index.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { openStore } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { quiet, serveDocument, smallDocument } from "./serve-document.ts";

const examples = ["examples", "examples/twins"].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md") && !name.endsWith(".seed.md"))
    .map((name) => `${folder}/${name}`),
);

for (const file of examples) {
  test(`every rejection in the scenarios of ${file} has its deciding line`, async () => {
    const { model } = compile(readFileSync(file, "utf8"), { file });
    assert.ok(model);
    const hasModule = existsSync(file.replace(/\.md$/, ".ts"));
    const handlers = hasModule ? await loadHandlers(file, model, quiet) : undefined;
    const reported: AnsweredRequest[] = [];
    for (const scenario of model.scenarios) {
      const target = await createLocalTarget(model, quiet, handlers, {
        onAnswered: (request) => void reported.push(request),
      });
      await runScenario(model, scenario, target, "run");
      await target.close();
    }
    const without = reported.filter(({ response, because }) => response.status >= 400 && because === null);
    assert.deepEqual(
      without.map(
        ({ request, response, stopped }) =>
          `${request?.method} ${request?.target} ${response.status} ${stopped?.message}`,
      ),
      [],
    );
    // A success has a line, too: that of its endpoint, or a more precise one.
    assert.deepEqual(
      reported.filter(({ because }) => because === null).map(({ request }) => request?.target),
      [],
    );
  });
}

const parcelDesk = readFileSync("examples/parcel-desk.md", "utf8");

const given = `Shop with name = "Ada & Co" as ada
Shop with name = "Grace Ltd" as grace
ApiKey with shop = ada, key = "sk_ada", scopes = ["read", "write"]
ApiKey with shop = grace, key = "sk_grace", scopes = ["read", "write"]
ApiKey with key = "sk_courier", scopes = ["courier"]
Parcel with shop = ada, recipient = "Alan", address = {"line": "2 Mill Rd", "city": "Leeds", "country": "GB"}, weight_grams = 900, reference = "r1" as parcel`;

const as = (key: string) => ({ Authorization: `Bearer ${key}`, "Parcel-Version": "2026-11-01" });
const json = { "Content-Type": "application/json" };
const address = { line: "1 Harbour St", city: "Oslo", country: "NO" };
const body = { recipient: "Grace", address, weight_grams: 1200 };

interface Case {
  readonly what: string;
  readonly request: readonly [method: string, path: string, headers?: Record<string, string>, body?: unknown];
  readonly status: number;
  /** The beginning of the line; null if none decides. */
  readonly line: string | null;
}

const cases: readonly Case[] = [
  {
    what: "a field that must be sent",
    request: ["POST", "/v1/parcels", as("sk_ada"), { ...body, recipient: undefined }],
    status: 422,
    line: "| recipient | string | required",
  },
  {
    what: "a rule of a field of a value within a field",
    request: ["POST", "/v1/parcels", as("sk_ada"), { ...body, address: { ...address, country: "Norway" } }],
    status: 422,
    line: "| country | string | required, pattern",
  },
  {
    what: "a rule of the endpoint's own input",
    request: ["POST", "/v1/parcels/PARCEL/deliver", as("sk_courier"), { signed_by: "" }],
    status: 422,
    line: "| signed_by | body | string | required, length 1..120 |",
  },
  {
    what: "a field that the endpoint doesn't take",
    request: ["POST", "/v1/parcels", as("sk_ada"), { ...body, colour: "red" }],
    status: 422,
    line: "### POST /parcels",
  },
  {
    what: "a record that Visible hides",
    request: ["GET", "/v1/parcels/PARCEL", as("sk_grace")],
    status: 404,
    line: "- Visible: `this.shop == caller.shop ||",
  },
  {
    what: "a record that Visible hides, loaded for a change",
    request: ["PATCH", "/v1/parcels/PARCEL", as("sk_grace"), { recipient: "Eve" }],
    status: 404,
    line: "- Visible: `this.shop == caller.shop ||",
  },
  {
    what: "a record that isn't there",
    request: ["GET", "/v1/parcels/pcl_none", as("sk_ada")],
    status: 404,
    line: "### GET /parcels/{id}",
  },
  {
    what: "no credential where a condition reads the caller",
    request: ["GET", "/v1/parcels"],
    status: 401,
    line: '- Allowed: `"read" in caller.scopes`',
  },
  {
    what: "no credential where nothing is said of callers",
    request: ["GET", "/v1/parcels/PARCEL"],
    status: 401,
    line: "### Scheme: secret key",
  },
  {
    what: "an unknown credential",
    request: ["GET", "/v1/parcels", as("sk_unknown")],
    status: 401,
    line: "### Scheme: secret key",
  },
  {
    what: "a header with nothing behind its prefix",
    request: ["GET", "/v1/parcels", { Authorization: "Bearer " }],
    status: 400,
    line: "### Scheme: secret key",
  },
  {
    what: "a caller that is not allowed to",
    request: ["POST", "/v1/parcels/PARCEL/collect", as("sk_ada")],
    status: 403,
    line: '- Allowed: `"courier" in caller.scopes`',
  },
  {
    what: "what must be unique together",
    request: ["POST", "/v1/parcels", as("sk_ada"), { ...body, reference: "r1" }],
    status: 409,
    line: "- Unique: shop, reference",
  },
  {
    what: "a transition from another state",
    request: ["POST", "/v1/parcels/PARCEL/deliver", as("sk_courier"), { signed_by: "G" }],
    status: 409,
    line: "| deliver | in_transit | delivered |",
  },
  {
    what: "another revision than was read",
    request: ["PATCH", "/v1/parcels/PARCEL", { ...as("sk_ada"), "If-Match": '"77"' }, { recipient: "Bo" }],
    status: 412,
    line: "- Preconditions: If-Match, If-None-Match",
  },
  {
    what: "a page of no number",
    request: ["GET", "/v1/parcels?limit=x", as("sk_ada")],
    status: 422,
    line: "- Pagination: cursor",
  },
  {
    what: "too long a body",
    request: ["POST", "/v1/parcels", { ...as("sk_ada"), ...json }, "x".repeat(70_000)],
    status: 413,
    line: "| body | 64 KiB | every request |",
  },
  {
    what: "a body that is no JSON",
    request: ["POST", "/v1/parcels", { ...as("sk_ada"), ...json }, "{"],
    status: 400,
    line: "### POST /parcels",
  },
  {
    what: "a body of another type",
    request: ["POST", "/v1/parcels", { ...as("sk_ada"), "Content-Type": "text/plain" }, "x"],
    status: 415,
    line: "### POST /parcels",
  },
  {
    what: "a path that the service doesn't have",
    request: ["GET", "/v1/nowhere", as("sk_ada")],
    status: 404,
    line: "### POST /parcels",
  },
  {
    what: "a method that the path doesn't have",
    request: ["PUT", "/v1/parcels/PARCEL", as("sk_ada")],
    status: 405,
    line: "### GET /parcels/{id}",
  },
  {
    what: "a version that there isn't",
    request: ["GET", "/v1/parcels", { ...as("sk_ada"), "Parcel-Version": "1999-01-01" }],
    status: 400,
    line: "- Scheme: header `Parcel-Version`",
  },
  {
    // No row of part 7 has the condition, and the engine decides how to read HTTP.
    what: "what is no HTTP",
    request: ["GET", "/v1/parcels#part", as("sk_ada")],
    status: 400,
    line: null,
  },
];

test("each kind of rejection is decided by the line that an author would expect", async () => {
  const reported: AnsweredRequest[] = [];
  const { send, target, close } = await serveDocument(parcelDesk, (request) => reported.push(request));
  const items = given.split("\n").map((record) => `- Given: \`${record}\``);
  let parcel = "";
  const { steps } = readGivenItems(target.service.model, "given.md", items.join("\n"), new Map());
  for (const step of steps) {
    const made = String(await target.given?.(step));
    if (step.resource === "Parcel") parcel = made;
  }
  const lines = parcelDesk.split("\n");
  for (const { what, request: sendRequest, status, line } of cases) {
    const [method, path, headers = {}, sent] = sendRequest;
    const answer = await send(method, path.replace("PARCEL", parcel), {
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    });
    const { because } = reported.at(-1) as AnsweredRequest;
    // The columns of a table may be padded.
    const decided = because && (lines[because.start.line - 1] as string).replace(/ +/g, " ");
    assert.deepEqual(
      { what, status: answer.status, line: line === null ? decided : decided?.slice(0, line.length) },
      { what, status, line },
    );
  }
  await close();
});

test("a hidden record's line is reported to the observer, and not in the response header", async () => {
  // Part 4, Where: the record's existence stays hidden from the caller, with and without
  // `--explain`.
  const reported: AnsweredRequest[] = [];
  const model = compile(parcelDesk, { file: "parcel-desk.md" }).model;
  assert.ok(model);
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const service = await createService(model, {
    store,
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
    origin: () => "http://localhost",
    explain: true,
    onAnswered: (request) => reported.push(request),
  });
  const items = given.split("\n").map((record) => `- Given: \`${record}\``);
  const made = await createGivenRecords(
    service,
    readGivenItems(model, "given.md", items.join("\n"), new Map()).steps,
  );
  const target = `/v1/parcels/${String(made.at(-1)?.identifier)}`;
  const headers = Object.entries(as("sk_grace"));
  const answer = await service.fetch(createRequest({ method: "GET", target, headers }));
  const lineOf = (start: string) => parcelDesk.split("\n").findIndex((line) => line.startsWith(start)) + 1;
  assert.equal(reported[0]?.because?.start.line, lineOf("- Visible: `this.shop == caller.shop ||"));
  assert.equal(
    answer.headers.find(([name]) => name === "Ninefold-Because")?.[1],
    `parcel-desk.md:${lineOf("### GET /parcels/{id}")}`,
  );
  await service.close();
  await store.close();
});

test("violated invariants and rules, references and limits have their rows as deciding lines", async () => {
  const text = smallDocument({
    resources: `### Shelf

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |

### Book

- Identifier: name, given
- Always: \`this.name != "bad"\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| shelf | Shelf | |
| echo | string | length 1..3, on create \`this.name\` |`,
    endpoints: `### POST /shelves

- Does: create Shelf
- Body: name
- Returns: 201 Shelf

### DELETE /shelves/{name}

- Does: delete Shelf
- Returns: 204 nothing

### POST /books

- Does: create Book
- Body: name, shelf?
- Returns: 201 Book`,
    limits: `| Limit | Bound | Applies to |
|---|---|---|
| rate books | 4 per hour | service, POST /books |`,
  });
  const reported: AnsweredRequest[] = [];
  const { send, close } = await serveDocument(text, (request) => reported.push(request));
  const lineOf = async (status: number, method: string, path: string, sent?: unknown) => {
    const answer = await send(method, path, sent === undefined ? {} : { body: sent });
    assert.equal(answer.status, status, answer.body);
    const { because } = reported.at(-1) as AnsweredRequest;
    return because && text.split("\n")[because.start.line - 1];
  };
  await lineOf(201, "POST", "/shelves", { name: "s" });
  await lineOf(201, "POST", "/books", { name: "abc", shelf: "s" });
  assert.match((await lineOf(409, "DELETE", "/shelves/s")) ?? "", /^\| shelf \|/);
  assert.match((await lineOf(422, "POST", "/books", { name: "b", shelf: "x" })) ?? "", /^\| shelf \|/);
  assert.match((await lineOf(500, "POST", "/books", { name: "long" })) ?? "", /^\| echo \|/);
  assert.match((await lineOf(500, "POST", "/books", { name: "bad" })) ?? "", /^- Always/);
  assert.match((await lineOf(429, "POST", "/books", { name: "c" })) ?? "", /^\| rate books/);
  await close();
});
