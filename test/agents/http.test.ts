/**
 * `ninefold mcp --port`: the same tools over streamable HTTP, with the operations token and size
 * limits.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ownFolder } from "../own-folder.ts";

const root = join(import.meta.dirname, "..", "..");
const token = "agent-token-".repeat(4);
const file = join(ownFolder("agents-http"), "desk.md");
let server: ChildProcess;
let url: string;

before(async () => {
  writeFileSync(file, readFileSync(join(root, "examples", "parcel-desk.md")));
  const args = [join(root, "bin", "ninefold"), "mcp", file, "--port", "0"];
  server = spawn(process.execPath, args, {
    env: { ...process.env, NINEFOLD_OPERATIONS_TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  url = await new Promise((resolve) => {
    server.stdout?.on("data", (data) => resolve(/http:\S+/.exec(String(data))?.[0] ?? ""));
  });
});
after(async () => {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  assert.equal(await ended, 0);
});

async function connected(): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function data(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [first] = content;
  assert.equal(first?.type, "text");
  assert.notEqual(isError, true, first.text);
  return JSON.parse(first.text);
}

test("two agents share a document and its trial", async () => {
  const [client, other] = [await connected(), await connected()];
  assert.equal((await data(client, "describe")).name, "Parcel Desk");
  const records = [
    'Shop with name = "Ada" as shop',
    'ApiKey with shop = shop, key = "sk_ada", scopes = ["read", "write"]',
    'Parcel with shop = shop, recipient = "Grace", address = {"line": "1 Harbour St", "city": "Oslo", "country": "NO"}, weight_grams = 1200 as parcel',
  ];
  const { identifiers } = await data(client, "create_records", { records });
  const transitions = await data(other, "possible_transitions", {
    resource: "Parcel",
    identifier: String(identifiers[2]),
  });
  const deliver = transitions.find((transition: { name: string }) => transition.name === "deliver");
  assert.equal(deliver.isPossible, "no");
  assert.match(deliver.why, /in_transit/);
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === "ninefold://card"));
  await client.close();
  await other.close();
});

function post(headers: Record<string, string>, body: string, at = url): Promise<Response> {
  return fetch(at, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });
}

test("a request without the token, from another origin, to another path or too large is rejected", async () => {
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const right = { Authorization: `Bearer ${token}`, Accept: "application/json, text/event-stream" };
  assert.equal((await post({}, call)).status, 401);
  assert.equal((await post({ Authorization: "Bearer wrong" }, call)).status, 401);
  assert.equal((await post({ ...right, Origin: "http://evil.example" }, call)).status, 403);
  assert.equal((await post(right, call, url.replace("/mcp", "/other"))).status, 404);
  const large = JSON.stringify({ ...JSON.parse(call), params: { text: "x".repeat(9 * 1024 * 1024) } });
  assert.equal((await post(right, large)).status, 413);
  assert.equal((await post(right, "{ no json")).status, 400);
  const answer = await post(right, call);
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /check_change/);
});

test("an endless loop of calls is answered, and the number of waiting calls is bounded", async () => {
  const client = await connected();
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => client.callTool({ name: "describe", arguments: {} })),
  );
  const refused = answers.filter(({ isError }) => isError === true);
  for (const { content } of refused) assert.match(JSON.stringify(content), /calls are waiting/);
  assert.ok(answers.length - refused.length >= 100, `${refused.length} refused`);
  await client.close();
});
