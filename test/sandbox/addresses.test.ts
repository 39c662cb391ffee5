/** Data spaces by host and by path, over real connections. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Sandbox, startReceiver, startSandbox } from "../../src/kit/index.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { ownFolder } from "../own-folder.ts";
import { eventually } from "../eventually.ts";

const folder = ownFolder("sandbox-addresses");

/**
 * A document with redirects, links, cookies and pages, each in every form that a document may
 * state.
 */
const library = smallDocument({
  resources: `### Book

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |

### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| session | credential | on create \`random(32)\`, shown once |

### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |`,
  endpoints: `- Base path: /v1

### POST /people

- Does: create Person
- Allowed: anyone
- Body: name
- Returns: 201 \`{"name": this.name}\`
- Header: Set-Cookie: \`"session=" + this.session + "; Path=/v1; HttpOnly"\`

### GET /people/me

- Does: list Person
- Where: \`this == caller\`
- Pagination: none
- Returns: 200 \`{"name": caller.name}\`

### POST /books

- Does: create Book
- Allowed: anyone
- Body: title
- Returns: 201 Book
- Header: Location: \`service.url + "/books/" + this.id\`
- Header: Content-Location: \`"/v1/books/" + this.id\`

### GET /books

- Does: list Book
- Allowed: anyone
- Pagination: page (page: page, size: per_page), with Link
- Returns: 200 \`{"data": page.items, "next": page.next_url, "next_uri": page.next_uri, "self": request.url}\`

### GET /books/{id}

- Does: read Book
- Allowed: anyone
- Returns: 200 Book

### GET /shelf

- Does: list Book
- Allowed: anyone
- Pagination: none
- Returns: 302 nothing
- Header: Location: \`"/v1/books?page=1&per_page=1"\`

### POST /hooks

- Does: create Hook
- Allowed: anyone
- Body: url
- Returns: 201 Hook`,
  authentication: `### Scheme: session

- Placement: cookie session
- Credentials: Person by session`,
  events: `| Event | When | Payload |
|---|---|---|
| book.made | Book created | \`{"link": service.url + "/books/" + this.id}\` |

- Webhooks: to Hook.url
- Signature: none
- Retries: none
- Notifications: none`,
  errors: `- Payload shape: problem details`,
});

let sandbox: Sandbox;
before(async () => {
  const document = join(folder, "library.md");
  writeFileSync(document, library);
  sandbox = await startSandbox({ document, inProcess: true });
});
after(() => sandbox?.close());

const json = async (answer: Response) => (await answer.json()) as Record<string, unknown>;

const addBook = (base: string, title: string, headers = {}) =>
  fetch(`${base}/v1/books`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ title }),
  });

/**
 * Sends a request to a host name that this machine's resolver does not know, as a browser would.
 */
function byHost(base: string, path: string, { method = "GET", body = "", headers = {} } = {}) {
  const { port, host } = new URL(base);
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }>(
    (resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path, method, headers: { Host: host, ...headers } });
      sent.on("error", reject);
      sent.on("response", async (answer) => {
        let text = "";
        for await (const piece of answer) text += piece;
        resolve({ status: answer.statusCode as number, headers: answer.headers, text });
      });
      sent.end(body);
    },
  );
}

test("the path names a data space, and all links lead back to it", async () => {
  await using space = await sandbox.space();
  assert.equal(space.url, `${sandbox.url}/~${space.name}`);
  const made = await addBook(space.url, "Emma");
  assert.equal(made.status, 201);
  const { id } = await json(made.clone());
  assert.equal(made.headers.get("Location"), `${space.url}/v1/books/${id}`);
  assert.equal(made.headers.get("Content-Location"), `/~${space.name}/v1/books/${id}`);
  assert.equal((await fetch(made.headers.get("Location") as string)).status, 200);
  assert.equal((await space.records("Book")).length, 1);

  await addBook(space.url, "Persuasion");
  // An unmodified client follows a root-relative redirect.
  const listed = await fetch(`${space.url}/v1/shelf`);
  assert.equal(listed.url, `${space.url}/v1/books?page=1&per_page=1`);
  const page = await json(listed.clone());
  const next = `/~${space.name}/v1/books?per_page=1&page=2`;
  assert.deepEqual([page["self"], page["next"], page["next_uri"]], [listed.url, sandbox.url + next, next]);
  assert.match(
    listed.headers.get("Link") ?? "",
    new RegExp(`^<${sandbox.url}${next.replace("?", "\\?")}>; rel="next"`),
  );
  assert.equal(((await json(await fetch(page["next"] as string)))["data"] as unknown[]).length, 1);
  // Another data space and the default data space have none of these records.
  await using other = await sandbox.space();
  for (const base of [other.url, sandbox.url, `${sandbox.url}/~default`])
    assert.equal((await fetch(`${base}/v1/books/${id}`)).status, 404, base);
});

test("a cookie that was set below a path is sent there, and only there", async () => {
  await using space = await sandbox.space();
  const made = await fetch(`${space.url}/v1/people`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"name": "Ada"}',
  });
  const [cookie = ""] = made.headers.getSetCookie();
  assert.match(cookie, new RegExp(`; Path=/~${space.name}/v1; HttpOnly$`));
  const answer = await fetch(`${space.url}/v1/people/me`, {
    headers: { Cookie: cookie.split(";", 1)[0] as string },
  });
  assert.deepEqual(await json(answer), { name: "Ada" });
  // If the header names the data space, the client's paths and the cookie's path are those of the
  // document.
  const other = await space.fetch("/v1/people", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"name": "Bob"}',
  });
  assert.match(other.headers.getSetCookie()[0] ?? "", /; Path=\/v1; HttpOnly$/);
});

test("the host names a data space, and its links have that host", async () => {
  await using space = await sandbox.space();
  assert.equal(space.hostUrl, `http://${space.name}.localhost:${new URL(sandbox.url).port}`);
  const made = await byHost(space.hostUrl, "/v1/books", {
    method: "POST",
    body: '{"title": "Emma"}',
    headers: { "Content-Type": "application/json" },
  });
  assert.equal(made.status, 201, made.text);
  const { id } = JSON.parse(made.text);
  assert.equal(made.headers["location"], `${space.hostUrl}/v1/books/${id}`);
  assert.equal(made.headers["content-location"], `/v1/books/${id}`);
  assert.equal((await space.records("Book")).length, 1);
  // Host names are case-insensitive.
  const again = await byHost(space.hostUrl.toUpperCase().replace("HTTP", "http"), `/v1/books/${id}`);
  assert.equal(again.status, 200);
});

test("if the header names the data space, links lead back to it without the path prefix", async () => {
  await using space = await sandbox.space();
  const made = await addBook(sandbox.url, "Emma", space.headers);
  const location = made.headers.get("Location") as string;
  assert.equal(location, `${space.url}/v1/books/${(await json(made))["id"]}`);
  assert.equal((await fetch(location)).status, 200);
  assert.equal((await fetch(location, { headers: space.headers })).status, 200);
});

test("links in webhooks lead back to the data space", async () => {
  await using space = await sandbox.space();
  await using receiver = await startReceiver();
  await space.add(`Hook with url = "${receiver.url}"`);
  const { id } = await json(await addBook(space.url, "Emma"));
  const { json: payload } = await receiver.next();
  const link = `${space.url}/v1/books/${id}`;
  assert.ok(JSON.stringify(payload).includes(link), JSON.stringify(payload));
  await eventually(async () => assert.equal((await fetch(link)).status, 200));
});

test("two names in one request must agree, and each must be valid", async () => {
  await using space = await sandbox.space();
  const { port } = new URL(sandbox.url);
  const two = await fetch(`${space.url}/v1/books`, { headers: { "Ninefold-Space": "other" } });
  assert.equal(two.status, 400);
  assert.match(
    (await json(two))["detail"] as string,
    new RegExp(`^The header names the data space "other", and the path names "${space.name}"\\.`),
  );
  const host = await byHost(`http://other.localhost:${port}`, `/~${space.name}/v1/books`);
  assert.equal(host.status, 400);
  for (const path of ["/~/v1/books", "/~a%20b/v1/books", `/~${"x".repeat(65)}`])
    assert.equal((await fetch(sandbox.url + path)).status, 400, path);
  // The path prefix alone is the root of the data space.
  const root = await fetch(`${sandbox.url}/~${space.name}?x=1`);
  assert.equal(root.status, 404);
  assert.match((await json(root))["detail"] as string, /is not a path of this service/);
});

test("a document whose paths start with a tilde keeps them", async () => {
  const document = join(folder, "tildes.md");
  writeFileSync(document, library.replace("- Base path: /v1", "- Base path: /~v1"));
  await using other = await startSandbox({ document, inProcess: true });
  assert.equal((await fetch(`${other.url}/~v1/books`)).status, 200);
});
