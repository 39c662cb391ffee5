/**
 * Every tool and resource of `ninefold mcp`, with the SDK's own client, over standard input and
 * output.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { documentBytesMax } from "../../src/syntax/ceilings.ts";
import { ownFolder } from "../own-folder.ts";

const root = join(import.meta.dirname, "..", "..");
const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");
const folder = ownFolder("agents");

interface Agent {
  readonly file: string;
  readonly client: Client;
  /** The result of a tool, and whether it is an error. */
  use(
    name: string,
    args?: Record<string, unknown>,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
}

async function startAgent(t: TestContext, name: string, ...options: readonly string[]): Promise<Agent> {
  const file = join(folder, `${name}.md`);
  writeFileSync(file, desk);
  const args = [join(root, "bin", "ninefold"), "mcp", file, ...options];
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  t.after(() => client.close());
  return {
    file,
    client,
    async use(tool, given = {}) {
      const { content, isError = false } = await client.callTool({ name: tool, arguments: given });
      const [first] = content;
      assert.equal(first?.type, "text");
      return { text: first.text, isError };
    },
  };
}

async function data(agent: Agent, name: string, args?: Record<string, unknown>) {
  const { text, isError } = await agent.use(name, args);
  assert.equal(isError, false, text);
  return JSON.parse(text);
}

async function refusal(agent: Agent, name: string, args?: Record<string, unknown>): Promise<string> {
  const { text, isError } = await agent.use(name, args);
  assert.equal(isError, true, text);
  return text;
}

test("an agent describes the document, and changes nothing without --write", async (t) => {
  const agent = await startAgent(t, "described");
  const { tools } = await agent.client.listTools();
  const names = tools.map(({ name }) => name);
  assert.ok(names.includes("check_change") && !names.includes("apply_change"), names.join());
  const overview = await data(agent, "describe");
  assert.equal(overview.name, "Parcel Desk");
  assert.ok(overview.endpoints.includes("POST /parcels"));
  const { text } = await agent.use("describe", { section: "POST /parcels" });
  assert.match(text, /- Does: create Parcel/);
  assert.match(
    await refusal(agent, "describe", { section: "POST /parcel" }),
    /Did you mean "POST \/parcels"/,
  );
});

test("a change is checked: errors say what to write, and differences name the affected clients", async (t) => {
  const agent = await startAgent(t, "checked");
  const wrong = [{ find: "- Does: create Parcel", replace: "- Does: create Parcle" }];
  const { errors } = await data(agent, "check_change", { edits: wrong });
  assert.match(errors[0], /endpoints\/unknown-resource .*Did you mean `Parcel`/);
  const removed = [
    { find: "| signed_by    | string    | read-only", replace: "| signed_by    | string    | internal" },
  ];
  const { changesForClients } = await data(agent, "check_change", { edits: removed });
  assert.ok(changesForClients.some((change: { severity: string }) => change.severity === "breaking"));
  // A response and an event of the same shape change for different readers.
  const lines = changesForClients.map((change: object) => JSON.stringify(change));
  assert.equal(new Set(lines).size, lines.length);
  const renamed = [{ find: "| recipient    | string    |", replace: "| addressee    | string    |" }];
  const { storedRecords } = await data(agent, "check_change", {
    edits: [
      ...renamed,
      { find: "- Body: recipient, ", replace: "- Body: addressee, " },
      { find: "- Body: recipient?, ", replace: "- Body: addressee?, " },
      { find: 'recipient = "Alan"', replace: 'addressee = "Alan"' },
    ],
  });
  assert.equal(storedRecords.canBeMigrated, false);
  assert.match(
    storedRecords.writeInVersioning.join("\n"),
    /- Renamed: Parcel\.recipient to Parcel\.addressee/,
  );
  assert.match(
    await refusal(agent, "check_change", { edits: [{ find: "no such words", replace: "" }] }),
    /doesn't contain/,
  );
  assert.match(await refusal(agent, "check_change", {}), /needs edits/);
  assert.equal(readFileSync(agent.file, "utf8"), desk);
});

test("with --write a sound change is written, and a wrong one is not", async (t) => {
  const agent = await startAgent(t, "written", "--write");
  const wrong = [{ find: "- Does: create Parcel", replace: "- Does: create Parcle" }];
  assert.match(await refusal(agent, "apply_change", { edits: wrong }), /Nothing is written/);
  assert.equal(readFileSync(agent.file, "utf8"), desk);
  await data(agent, "apply_change", {
    edits: [{ find: "- Notifications: not shown", replace: "- Notifications: none" }],
  });
  assert.match(readFileSync(agent.file, "utf8"), /- Notifications: none/);
});

test("open questions have the lines to write", async (t) => {
  const agent = await startAgent(t, "open");
  const { questions } = await data(agent, "open_questions");
  assert.deepEqual(
    questions.map(({ id }: { id: string }) => id),
    ["item-notifications"],
  );
});

test("the trial service answers requests, and lists the possible transitions and why others are not", async (t) => {
  const agent = await startAgent(t, "tried");
  const records = [
    'Shop with name = "Ada" as shop',
    'ApiKey with shop = shop, key = "sk_ada", scopes = ["read", "write"]',
    'ApiKey with key = "sk_courier", scopes = ["courier"]',
  ];
  assert.equal((await data(agent, "create_records", { records })).identifiers.length, 3);
  const headers = { Authorization: "Bearer sk_ada", "Parcel-Version": "2026-11-01" };
  const address = { line: "1 Harbour St", city: "Oslo", country: "NO" };
  const body = JSON.stringify({ recipient: "Grace", address, weight_grams: 1200 });
  const made = await data(agent, "call", { method: "POST", target: "/v1/parcels", headers, body });
  assert.equal(made.status, 201, made.body);
  const { id } = JSON.parse(made.body);
  const transitions = await data(agent, "possible_transitions", { resource: "Parcel", identifier: id });
  const named = (name: string) =>
    transitions.find((transition: { name: string }) => transition.name === name);
  assert.equal(named("collect").isPossible, "yes");
  assert.equal(named("deliver").isPossible, "no");
  assert.match(named("deliver").why, /in_transit/);
  await data(agent, "advance_clock", { seconds: 15 * 86_400 });
  const { events } = await data(agent, "events", { after: 1 });
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ["parcel.returned"],
  );
  assert.match(
    await refusal(agent, "possible_transitions", { resource: "Parcle", identifier: id }),
    /Did you mean Parcel/,
  );
  assert.match(await refusal(agent, "create_records", { records: ["Shop with nmae = 1"] }), /Did you mean/);
  assert.match(
    await refusal(agent, "create_records", { records: ['Shop with name = "Bea"', "Shop with name = null"] }),
    /^Record 2 can't be created: Shop\.name is required.*\. Created before it: shp_/,
  );
  await data(agent, "reset");
  assert.equal((await data(agent, "events")).count, 0);
});

test("a rejected request names the rule that rejected it, and an accepted one has none", async (t) => {
  const agent = await startAgent(t, "refused");
  const records = [
    'Shop with name = "Ada" as shop',
    'ApiKey with shop = shop, key = "sk", scopes = ["read"]',
  ];
  await data(agent, "create_records", { records });
  const headers = { Authorization: "Bearer sk", "Parcel-Version": "2026-11-01" };
  const sent = (method: string, target: string, more = {}) =>
    data(agent, "call", { method, target, headers, ...more });
  const line = desk.slice(0, desk.indexOf('- Allowed: `"write" in')).split("\n").length;
  const forbidden = await sent("POST", "/v1/parcels", { body: "{}" });
  assert.equal(forbidden.status, 403);
  assert.match(forbidden.why, new RegExp(`line ${line} requires .*"write" in caller\\.scopes`));
  assert.match((await sent("GET", "/parcels")).why, /path/);
  assert.equal((await sent("GET", "/v1/parcels")).why, null);
  assert.ok(forbidden.headers.includes("Content-Type: application/json"));
});

test("scenarios run, and one that fails shows the difference", async (t) => {
  const agent = await startAgent(t, "scenarios");
  const { scenarios } = await data(agent, "run_scenarios", { only: "is returned" });
  assert.deepEqual(
    scenarios.map(({ outcome }: { outcome: string }) => outcome),
    ["passed"],
  );
  writeFileSync(agent.file, desk.replace('"price": 670', '"price": 671'));
  const failed = await data(agent, "run_scenarios", { only: "reaches its recipient" });
  assert.equal(failed.scenarios[0].differences[0].expected, "671");
  assert.match(await refusal(agent, "run_scenarios", { only: "nothing" }), /No scenario/);
});

test("a document with errors doesn't run, and the error is named", async (t) => {
  const agent = await startAgent(t, "broken");
  writeFileSync(agent.file, desk.replace("- Does: create Parcel", "- Does: create Parcle"));
  assert.match(await refusal(agent, "call", { method: "GET", target: "/v1/parcels" }), /unknown-resource/);
  writeFileSync(agent.file, "x".repeat(documentBytesMax + 1));
  assert.match(await refusal(agent, "describe"), /A document has at most/);
});

test("wrong arguments are rejected, and many calls at once are answered one by one", async (t) => {
  const agent = await startAgent(t, "hostile");
  assert.equal((await agent.use("call", { method: "FETCH", target: "/" })).isError, true);
  assert.equal((await agent.use("call", { method: "GET", target: "http://elsewhere/" })).isError, true);
  const answers = await Promise.all(Array.from({ length: 50 }, () => agent.use("describe")));
  assert.ok(answers.every(({ isError }) => !isError));
  assert.match(await refusal(agent, "explain", { word: "zzzzqqq" }), /Unknown word/);
  assert.match((await agent.use("explain", { word: "Idempotency" })).text, /Idempotency-Key/);
});

test("the pages of the package are resources", async (t) => {
  const { client } = await startAgent(t, "pages");
  const { resources } = await client.listResources();
  assert.ok(resources.some(({ uri }) => uri === "ninefold://card"));
  for (const [uri, form] of [
    ["ninefold://card", /# The card/],
    ["ninefold://document", /Parcel Desk/],
    ["ninefold://diagnostics/endpoints/unknown-item", /endpoints\/unknown-item/],
  ] as const) {
    const [first] = (await client.readResource({ uri })).contents;
    assert.match(String(first && "text" in first ? first.text : ""), form);
  }
  await assert.rejects(
    client.readResource({ uri: "ninefold://diagnostics/no/such" }),
    /no diagnostic|not found/i,
  );
});
