/**
 * Tokens after a stored change: a token contains a value that identifies its record, and is never
 * accepted for another record that gets this value.
 */
import assert from "node:assert/strict";
import { openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { planStoreFor } from "../../src/store/index.ts";
import { documentOf, modelOf, open, resource } from "./desk.ts";
import { change, newPath, testOnEach } from "./support.ts";

const person = (name: string) => resource(name, "email | string | unique", "note | string |");

/** @param by the field in the tokens: `User.id` */
function document(resources: string, by: string, ...changes: readonly string[]): string {
  const [name, field] = by.split(".") as [string, string];
  const scheme = `### Scheme: token

- Placement: header Authorization, after Bearer
- Credentials: ${name} by ${field}, from claim sub
- Signed with: HS256, secret env JWT_SECRET
- Lifetime: 30 days
- Ends with: none
`;
  const endpoints = `### POST /callers

- Does: create ${name}
- Body: id, email
- Allowed: anyone
- Returns: 201 \`token(this)\`

### GET /me

- Does: read ${name}
- Where: \`this == caller\`
- Returns: 200 \`this.id\`
`;
  return documentOf(resources, changes.join(""))
    .replace("## Authentication\n", `## Authentication\n\n${scheme}`)
    .replace("## Endpoints\n", `## Endpoints\n\n${endpoints}`);
}

/** Serves the store with a document while the work sends requests. */
async function served<T>(text: string, path: string, work: (service: Sender) => Promise<T>): Promise<T> {
  const store = await open(text, path);
  const ports = { clock: createMovableClock(Date.parse("2026-11-20T12:00:00Z")), log: silentLog };
  const service = await openService(modelOf(text), store, ports, { origin: () => "http://x" });
  const fetch = async (
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ) => {
    const sent = body === "" ? {} : { body };
    const response = await service.fetch(createRequest({ method, target, headers, ...sent }));
    return { status: response.status, body: String(response.body) };
  };
  try {
    return await work({
      async signUp(id) {
        const json = JSON.stringify({ id, email: `${id}@x` });
        const { status, body } = await fetch(
          "POST",
          "/callers",
          { "Content-Type": "application/json" },
          json,
        );
        assert.equal(status, 201, body);
        return JSON.parse(body);
      },
      async callers(tokens) {
        const found: (string | number)[] = [];
        for (const token of tokens) {
          const { status, body } = await fetch("GET", "/me", { Authorization: `Bearer ${token}` });
          found.push(status === 200 ? JSON.parse(body) : status);
        }
        return found;
      },
    });
  } finally {
    await service.close();
    await store.close();
  }
}

interface Sender {
  /** Creates a caller; returns a token. */
  signUp(id: string): Promise<string>;
  /** The identifier of each token's caller, or the status of the response. */
  callers(tokens: readonly string[]): Promise<readonly (string | number)[]>;
}

/** A store with the callers a and b; returns their tokens. */
async function started(text: string) {
  const path = await newPath();
  const tokens = await served(text, path, async (service) => [
    await service.signUp("a"),
    await service.signUp("b"),
  ]);
  return { path, tokens };
}

const callersOf = (text: string, path: string, tokens: readonly string[]) =>
  served(text, path, (service) => service.callers(tokens));

/** The lines of the plan about tokens. */
async function planned(text: string, path: string): Promise<readonly string[]> {
  const { steps } = await planStoreFor(modelOf(text), path, { isRunning: () => false });
  const lines = steps.flatMap((step) => step.lines.map((line) => line.text));
  return lines.filter((line) => line.startsWith("Tokens"));
}

const ended = (field: string) => [
  `Tokens that contain ${field} end, because the step may give its values to others`,
];
const users = person("User");

testOnEach("a step that exchanges identifiers ends the tokens", async () => {
  const { path, tokens } = await started(document(users, "User.id"));
  const swap = change("swap", 'For each User: `id = old.id == "a" ? "b" : "a"`');
  const then = document(users, "User.id", swap);
  assert.deepEqual(await planned(then, path), ended("User.id"));
  assert.deepEqual(await callersOf(then, path, tokens), [401, 401]);
  const again = await served(then, path, async (service) => {
    const token = await service.signUp("c");
    return { token, callers: await service.callers([token]) };
  });
  assert.deepEqual(again.callers, ["c"]);
  const back = document(users, "User.id", swap, change("back", "For each User: `id = old.id`"));
  assert.deepEqual(await callersOf(back, path, [...tokens, again.token]), [401, 401, 401]);
});

testOnEach("a step that exchanges records by deleting and creating them ends the tokens", async () => {
  const { path, tokens } = await started(document(users, "User.id"));
  const step = change(
    "swap",
    'For each User: `delete User where this == old; create User with id = old.id == "a" ? "b" : "a", note = "new"`',
  );
  const then = document(users, "User.id", step);
  assert.deepEqual(await planned(then, path), ended("User.id"));
  assert.deepEqual(await callersOf(then, path, tokens), [401, 401]);
});

testOnEach("tokens stay valid if a step changes other fields", async () => {
  const { path, tokens } = await started(document(users, "User.id"));
  const step = change("notes", "For each User: `note = old.email; email = null`");
  const then = document(users, "User.id", step);
  assert.deepEqual(await planned(then, path), []);
  assert.deepEqual(await callersOf(then, path, tokens), ["a", "b"]);
});

testOnEach("a step that exchanges the values of a unique field ends its tokens", async () => {
  const { path, tokens } = await started(document(users, "User.email"));
  const other = 'old.email == "a@x" ? "b@x" : "a@x"';
  const then = document(users, "User.email", change("swap", `For each User: \`email = ${other}\``));
  assert.deepEqual(await planned(then, path), ended("User.email"));
  assert.deepEqual(await callersOf(then, path, tokens), [401, 401]);
});

testOnEach("a renamed resource doesn't accept the tokens of the one that had its name", async () => {
  const both = users + person("Customer");
  const { path, tokens } = await started(document(both, "User.id"));
  const ofCustomers = document(both, "Customer.id");
  await served(ofCustomers, path, (service) => service.signUp("a"));
  const names = change("names", "Renamed: User to Customer", "Renamed: Customer to User");
  assert.deepEqual(await planned(document(both, "User.id", names), path), ended("User.id"));
  assert.deepEqual(await callersOf(document(both, "User.id", names), path, tokens), [401, 401]);
});

testOnEach("a new resource doesn't accept the tokens of a removed one", async () => {
  const { path, tokens } = await started(document(users, "User.id"));
  await (await open(documentOf(person("Other"), change("removed", "Removed: User")), path)).close();
  const again = document(users + person("Other"), "User.id");
  await served(again, path, (service) => service.signUp("a"));
  assert.deepEqual(await callersOf(again, path, tokens), [401, 401]);
});
