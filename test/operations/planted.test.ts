/**
 * Planted secrets: a secret is placed everywhere a request may have one, and searched in every
 * output. Outputs are the log, the journal, command lines, scenarios, error bodies, exports,
 * metrics and traces. They are also the console's responses, the store and its backup. Each place
 * is tried with an accepted, a rejected and a malformed request, under a mistyped name and at an
 * unknown path. So masking does not depend on how far a request gets.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { served, type Watched } from "../../src/cli/testing/served-command.ts";
import { ownFolder } from "../own-folder.ts";
import { pathOf } from "../repository/repository.ts";

const folder = ownFolder("planted");
const document = join(folder, "planted.md");
copyFileSync(pathOf("test/operations/planted.md"), document);
writeFileSync(
  join(folder, "planted.ts"),
  `export const handlers = {
  async repeat({ input: { body } }) {
    if (body.how === "throws") throw new Error("wrong password " + body.api_secret);
    if (body.how === "nested") throw Object.assign(new Error("failed"), { cause: new Error(body.api_secret) });
    return { wrong: body.api_secret };
  },
};
`,
);
const operationsToken = "operations-0123456789abcdef0123456789abcdef";

let service: Watched;
let origin: string;
let operations: string;
const spans: string[] = [];
const collector = createServer(async (request, response) => {
  spans.push(Buffer.concat((await request.toArray()) as Buffer[]).toString());
  response.setHeader("Content-Type", "application/json");
  response.end("{}");
});

before(async () => {
  collector.listen(0, "127.0.0.1").unref();
  await once(collector, "listening");
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const store = join(folder, "planted.db");
  service = served([document, "--store", store, "--operations", "0", "--log", "json", "--ready-json"], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      NINEFOLD_OPERATIONS_TOKEN: operationsToken,
      JWT_SECRET: "j".repeat(40),
    },
  });
  [, origin = "", operations = ""] = await service.until(/"url":"([^"]+)","operations":"([^"]+)"/);
});
after(async () => {
  service.child.kill("SIGTERM");
  await service.ended;
  collector.closeAllConnections();
  collector.close();
});

/** The planted secrets, with their places. */
const planted = new Map<string, string>();
/**
 * The secrets that the store has in plain text: keys for signatures, and values that the document
 * keeps in a plain field.
 */
const stored = new Set<string>();
const errors: string[] = [];

function secretFor(place: string): string {
  const secret = `planted-${planted.size}-Secret/é`;
  planted.set(secret, place);
  return secret;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

async function send({ method = "POST", path, headers = {}, body }: Sent) {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers:
      body === undefined || body instanceof FormData
        ? headers
        : { "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  if (answer.status >= 400) errors.push(text);
  return { status: answer.status, text, headers: answer.headers };
}

let count = 0;
function newName(): string {
  count += 1;
  return `user${count}`;
}
const form = { "Content-Type": "application/x-www-form-urlencoded" };

/** The requests with a secret, by the place of the secret. */
const places: Readonly<Record<string, (secret: string) => Sent>> = {
  json: (password) => ({ path: "/v1/users", body: JSON.stringify({ name: newName(), password }) }),
  "json, refused": (password) => ({
    path: "/v1/users",
    body: JSON.stringify({ name: newName(), password: password.repeat(20) }),
  }),
  "json, of another type": (password) => ({
    path: "/v1/users",
    body: JSON.stringify({ name: newName(), password: { first: password } }),
  }),
  "json, mistyped name": (password) => ({
    path: "/v1/users",
    body: JSON.stringify({ name: newName(), pasword: password }),
  }),
  "json, broken": (password) => ({ path: "/v1/users", body: `{"name": "x", "password": "${password}"` }),
  "json, single quotes": (password) => ({ path: "/v1/users", body: `{'password': '${password}'}` }),
  "json, nested": (door_code) => {
    stored.add(door_code);
    const contact = { city: "Oslo", door_code };
    const body = JSON.stringify({ name: newName(), password: "long enough to be one", contact });
    return { path: "/v1/users", body };
  },
  "json, nested, refused": (secret) => ({
    path: "/v1/users",
    body: JSON.stringify({
      name: newName(),
      password: "long enough to be one",
      contact: [{ door_code: secret }],
    }),
  }),
  "json, deeper than the document": (password) => ({
    path: "/v1/users",
    body: JSON.stringify({ user: { name: newName(), password } }),
  }),
  "json under an unknown path": (password) => ({ path: "/v1/user", body: JSON.stringify({ password }) }),
  "a write-only field": (pin) => {
    stored.add(pin);
    return {
      path: "/v1/users",
      body: JSON.stringify({ name: newName(), password: "long enough to be one", pin }),
    };
  },
  form: (password) => ({
    path: "/v1/login",
    headers: form,
    body: new URLSearchParams({ name: "user1", password }).toString(),
  }),
  "form as JSON": (password) => ({ path: "/v1/login", body: `name=user1&password=${password}` }),
  "JSON as a form": (password) => ({ path: "/v1/login", headers: form, body: JSON.stringify({ password }) }),
  multipart: (password) => {
    const body = new FormData();
    body.append("name", "user1");
    body.append("password", password);
    return { path: "/v1/login", body };
  },
  "multipart, broken": (password) => ({
    path: "/v1/login",
    headers: { "Content-Type": "multipart/form-data; boundary=b" },
    body: `Content-Disposition: form-data; name="password"\r\n\r\n${password}\r\n--b--`,
  }),
  text: (pin) => ({ method: "PUT", path: "/v1/pins", headers: { "Content-Type": "text/plain" }, body: pin }),
  "text at another endpoint": (password) => ({
    path: "/v1/login",
    headers: { "Content-Type": "text/plain" },
    body: `password ${password}`,
  }),
  query: (secret) => ({ method: "GET", path: `/v1/users?code=${encodeURIComponent(secret)}` }),
  "query of a sign-in": (secret) => ({
    path: `/v1/login?name=user1&password=${encodeURIComponent(secret)}`,
  }),
  "query, mistyped name": (secret) => ({
    method: "GET",
    path: `/v1/users?cod=${encodeURIComponent(secret)}`,
  }),
  "query, a credential": (secret) => ({ method: "GET", path: `/v1/me?key=${encodeURIComponent(secret)}` }),
  path: (secret) => ({
    method: "PUT",
    path: `/v1/resets/${encodeURIComponent(secret)}`,
    body: JSON.stringify({ password: "long enough to be one" }),
  }),
  "path, another method": (secret) => ({
    method: "DELETE",
    path: `/v1/resets/${encodeURIComponent(secret)}`,
  }),
  "path, unknown behind it": (secret) => ({
    method: "GET",
    path: `/v1/resets/${encodeURIComponent(secret)}/x`,
  }),
  "path, without the base path": (secret) => ({
    method: "GET",
    path: `/resets/${encodeURIComponent(secret)}`,
  }),
  header: (secret) => ({ path: "/v1/doors", headers: { "X-Door": encodeURIComponent(secret) } }),
  "header, a credential": (secret) => ({
    method: "GET",
    path: "/v1/me",
    headers: { Authorization: `Bearer ${encodeURIComponent(secret)}` },
  }),
  "header, a mistyped credential": (secret) => ({
    method: "GET",
    path: "/v1/me",
    headers: { "X-Membre-Key": encodeURIComponent(secret) },
  }),
  "header, basic": (secret) => ({
    method: "GET",
    path: "/v1/me",
    headers: { Authorization: `Basic ${Buffer.from(`a:${secret}`).toString("base64")}` },
  }),
  cookie: (secret) => ({
    method: "GET",
    path: "/v1/me",
    headers: { Cookie: `theme=dark; session=${encodeURIComponent(secret)}` },
  }),
  "a credential field": (key) => ({ path: "/v1/keys", body: JSON.stringify({ user: 1, key }) }),
  "a credential field, twice": (key) => ({ path: "/v1/keys", body: JSON.stringify({ user: 1, key }) }),
  "the secret of a webhook": (secret) => {
    stored.add(secret);
    return { path: "/v1/hooks", body: JSON.stringify({ url: "https://hooks.example.com/in", secret }) };
  },
  "the secret of a webhook, refused": (secret) => ({
    path: "/v1/hooks",
    body: JSON.stringify({ url: "no address", secret: secret.repeat(10) }),
  }),
  "a handler's error": (api_secret) => ({
    path: "/v1/handled",
    body: JSON.stringify({ how: "throws", api_secret }),
  }),
  "the cause of a handler's error": (api_secret) => ({
    path: "/v1/handled",
    body: JSON.stringify({ how: "nested", api_secret }),
  }),
  "what a handler gives": (api_secret) => ({
    path: "/v1/handled",
    body: JSON.stringify({ how: "returns", api_secret }),
  }),
  "with an idempotency key": (password) => ({
    path: "/v1/users",
    headers: { "Idempotency-Key": "one" },
    body: JSON.stringify({ name: newName(), password }),
  }),
  "query, with an idempotency key": (secret) => ({
    path: `/v1/doors?key=${encodeURIComponent(secret)}`,
    headers: { "Idempotency-Key": "two" },
  }),
};

/** Returns every response of the operations address to a GET, and its exports. */
async function allOperated(): Promise<readonly (readonly [string, string])[]> {
  const get = async (path: string) => {
    const answer = await fetch(operations + path, {
      headers: { Authorization: `Bearer ${operationsToken}` },
    });
    return [path, await answer.text()] as const;
  };
  const [, description] = await get("/api/openapi.json");
  const paths = Object.entries(JSON.parse(description).paths as Record<string, object>)
    .filter(([, methods]) => "get" in methods)
    .map(([path]) => path);
  const [, list] = await get("/api/requests?limit=1000");
  const numbers = (JSON.parse(list).requests as { readonly number: number }[]).map(({ number }) => number);
  const resources = ["User", "Session", "ApiKey", "Hook"];
  const found: (readonly [string, string])[] = [["/api/requests", list]];
  for (const path of paths) {
    if (path.includes("stream")) continue;
    if (path.startsWith("/api/requests/{id}"))
      for (const number of numbers) found.push(await get(path.replace("{id}", String(number))));
    else
      for (const resource of path.includes("{resource}") ? resources : [""])
        found.push(await get(path.replace("{resource}", resource).replace(/\{\w+\}/g, "1")));
  }
  for (const path of ["/metrics", "/health", "/openapi.json", "/postman.json", "/asyncapi.json"])
    found.push(await get(path));
  return found;
}

/** Returns all files in the folder except the document and its module. */
function storedBytes(): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.name.startsWith("planted.md") && file.name !== "planted.ts")
    .map((file) => [file.name, readFileSync(join(file.parentPath, file.name), "latin1")] as const);
}

/** The forms in which an output may contain a text. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString("latin1"),
    bytes.toString("base64").replace(/=*$/, "").slice(0, -2),
    JSON.stringify(secret).replace("é", "\\u00e9").slice(1, -1),
  ];
}

function assertHidden(outputs: readonly (readonly [string, string])[], secrets: ReadonlyMap<string, string>) {
  const shown = outputs.flatMap(([output, text]) =>
    [...secrets].flatMap(([secret, place]) =>
      formsOf(secret).some((form) => text.includes(form)) ? [`${place}: in ${output}`] : [],
    ),
  );
  assert.deepEqual(shown, []);
}

test("no output has a planted secret, wherever it was and whatever the response", async () => {
  await send({
    path: "/v1/users",
    body: JSON.stringify({ name: newName(), password: "long enough to be one" }),
  });
  for (const [place, request] of Object.entries(places)) {
    const secret = secretFor(place);
    const sent = request(secret);
    const { status } = await send(sent);
    if (place.endsWith("handler's error")) assert.equal(status, 500);
    if (place.endsWith("twice")) await send(sent);
  }
  // Secrets that the service itself creates and shows to the caller once.
  const headers = { "Idempotency-Key": "made" };
  const made = await send({
    path: "/v1/users",
    headers,
    body: JSON.stringify({ name: newName(), password: "long enough to be one" }),
  });
  const { reset, token } = JSON.parse(made.text) as { readonly reset: string; readonly token: string };
  planted.set(reset, "a credential that was made").set(token, "a token");
  const session = await send({
    path: "/v1/sessions",
    headers: { "Idempotency-Key": "session" },
    body: '{"user": 1}',
  });
  const { id } = JSON.parse(session.text) as { readonly id: string };
  const me = await send({ method: "GET", path: "/v1/me", headers: { Cookie: `session=${id}` } });
  assert.equal(me.status, 200, me.text);
  const reading = await send({
    method: "GET",
    path: "/v1/me",
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.equal(reading.status, 200, reading.text);

  // The same key gets the same response, with its secrets.
  const again = await send({
    path: "/v1/users",
    headers,
    body: JSON.stringify({ name: `user${count}`, password: "long enough to be one" }),
  });
  assert.equal(again.text, made.text);
  assert.equal(again.headers.get("x-reset"), made.headers.get("x-reset"));
  assert.equal(again.headers.get("idempotent-replayed"), "true");

  assertHidden([["an error body", errors.join("\n")]], planted);
  const hooks = [...planted].filter(([, place]) => place === "the secret of a webhook");
  const operated = await allOperated();
  const ofRecords = ([path]: readonly [string, string]) => /^\/api\/(?:records|resources)/.test(path);
  assertHidden(
    operated.filter(ofRecords),
    new Map([...planted].filter(([secret]) => secret !== hooks[0]?.[0])),
  );
  assertHidden(
    operated.filter((secret) => !ofRecords(secret)),
    planted,
  );
  assertHidden([["the traces", spans.join("\n")]], planted);
  assertHidden([["the log", service.output()]], new Map([...planted, [id, "the identifier of a session"]]));
  await runCommand("backup", document, join(folder, "backup.db"), "--store", join(folder, "planted.db"));
  assertHidden(storedBytes(), new Map([...planted].filter(([secret]) => !stored.has(secret))));
});
