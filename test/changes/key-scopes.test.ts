/**
 * Idempotency keys and rates belong to a caller, whatever happens to the caller's resource: another
 * resource has the callers, it is renamed or removed, or an earlier release stored the key.
 */
import assert from "node:assert/strict";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createService } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore, planStoreFor } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { documentOf, modelOf } from "./desk.ts";
import { alter, change, newPath, rowsOf, testOnEach } from "./support.ts";

const caller = (name: string) => `### ${name}

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| name | string | |
| key | credential | |

`;
const orders = `### Order

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| text | string | nullable |
`;

interface Parts {
  /** The resources that exist. */
  readonly resources: readonly string[];
  /** The resource of each scheme's callers. */
  readonly callers: readonly string[];
  readonly changes?: string;
}

/** A document in which callers create orders with a key. */
function withCallers({ resources, callers, changes = "" }: Parts): string {
  const schemes = callers.map(
    (name, at) => `### Scheme: s${at}\n\n- Placement: header X-S${at}\n- Credentials: ${name} by key\n`,
  );
  const creations = resources.map(
    (name) =>
      `### POST /${name}\n\n- Allowed: anyone\n- Does: create ${name}\n- Body: name, key\n- Returns: 201 ${name}\n`,
  );
  return documentOf(resources.map(caller).join("") + orders, changes)
    .replace(
      "## Endpoints\n",
      `## Endpoints

${creations.join("\n")}
### POST /orders

${callers.length > 1 ? "- Allowed: anyone\n" : ""}- Does: create Order
- Idempotency: header Idempotency-Key, 24 hours
- Returns: 201 Order
`,
    )
    .replace("## Authentication\n", `## Authentication\n\n${schemes.join("\n")}`)
    .replace(
      "## Limits\n",
      "## Limits\n\n| Limit | Bound | Applies to |\n|---|---|---|\n| rate orders | 3 per hour | caller, POST /orders |\n",
    );
}

type Send = (
  key: string,
  scheme?: string,
) => Promise<readonly [status: number, id: unknown, replayed: boolean]>;
const keyOf = (name: string) => name.toLowerCase().padEnd(32, "k");

/** Serves the document on a store, and closes both after the work. */
async function served(document: string, path: string, work: (send: Send, create: Send) => Promise<void>) {
  const model = modelOf(document);
  const store = await openStore(model, meaningOf(model), { path });
  const ports = {
    clock: createMovableClock(Date.parse("2026-11-20T12:00:00Z")),
    log: silentLog,
    randomBytes: createRandomPool(),
  };
  const service = await createService(model, { store, ports, origin: () => "http://desk.example" });
  const post = async (target: string, headers: Readonly<Record<string, string>>, body: object) => {
    const answer = await service.fetch(
      createRequest({
        method: "POST",
        target,
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
    const sent: unknown = JSON.parse(String(answer.body));
    const id: unknown = typeof sent === "object" && sent !== null ? Reflect.get(sent, "id") : undefined;
    return [answer.status, id, answer.headers.some(([name]) => name === "Idempotent-Replayed")] as const;
  };
  try {
    await work(
      (name, scheme = "X-S0") => post("/orders", { [scheme]: keyOf(name), "Idempotency-Key": "k" }, {}),
      (name, resource = name) => post(`/${resource}`, {}, { name, key: keyOf(name) }),
    );
  } finally {
    await service.close();
    await store.close();
  }
}

const both = ["User", "Client"];
const ofUsers = withCallers({ resources: both, callers: ["User"] });
const ofClients = withCallers({ resources: both, callers: ["Client"] });
const ofBoth = withCallers({ resources: both, callers: both });
const renamed = change("r", "Renamed: User to Person");

/** A store in which the first record of each resource has the same number, and sent the same. */
async function stored(document: string, schemes: Readonly<Record<string, string>>): Promise<string> {
  const path = await newPath();
  await served(document, path, async (send, create) => {
    for (const name of both) await create(name);
    for (const [at, [name, scheme]] of Object.entries(schemes).entries())
      assert.deepEqual(await send(name, scheme), [201, at + 1, false]);
  });
  return path;
}

/** Turns the store of the only callers into one of an earlier release. */
async function olderStore(): Promise<string> {
  const path = await stored(ofUsers, { User: "X-S0" });
  await alter(path, "UPDATE ninefold_idempotency SET scope = 'row 1'");
  await alter(path, "DELETE FROM ninefold_meta WHERE name = 'named scopes'");
  return path;
}

testOnEach("a caller of another resource doesn't get the response of one with the same number", async () => {
  const path = await stored(ofUsers, { User: "X-S0" });
  await served(ofClients, path, async (send) => assert.deepEqual(await send("Client"), [201, 2, false]));
  await served(ofUsers, path, async (send) => assert.deepEqual(await send("User"), [201, 1, true]));
});

for (const callers of [["User"], both])
  testOnEach(`keys follow a renamed resource (callers are ${callers.join(", ")})`, async () => {
    const path = await stored(withCallers({ resources: both, callers }), { User: "X-S0" });
    const [, ...others] = callers;
    const then = withCallers({
      resources: ["Person", "Client"],
      callers: ["Person", ...others],
      changes: renamed,
    });
    await planStoreFor(modelOf(then), path, { isRunning: () => false });
    await served(then, path, async (send) => assert.deepEqual(await send("User"), [201, 1, true]));
  });

testOnEach("keys follow resources that swap names", async () => {
  const path = await stored(ofBoth, { User: "X-S0", Client: "X-S1" });
  const changes = change("r", "Renamed: User to Client", "Renamed: Client to User");
  await served(withCallers({ resources: both, callers: both, changes }), path, async (send) => {
    assert.deepEqual(await send("User", "X-S1"), [201, 1, true]);
    assert.deepEqual(await send("Client", "X-S0"), [201, 2, true]);
  });
});

testOnEach("keys of a removed resource are deleted, and another one takes its name", async () => {
  const path = await stored(ofBoth, { Client: "X-S1" });
  const changes = change("r", "Removed: Client", "Renamed: User to Client");
  const then = withCallers({ resources: ["Client", "Staff"], callers: ["Client", "Staff"], changes });
  await served(then, path, async (send) => assert.deepEqual(await send("User"), [201, 2, false]));
});

testOnEach("keys of a removed resource don't belong to a later one of that name", async () => {
  const path = await stored(ofUsers, { User: "X-S0" });
  const without = withCallers({
    resources: ["Client"],
    callers: ["Client"],
    changes: change("r", "Removed: User"),
  });
  await served(without, path, async () => {});
  await served(ofUsers, path, async (send, create) => {
    await create("User");
    assert.deepEqual(await send("User"), [201, 2, false]);
  });
});

testOnEach("a key that an earlier release stored is found", async () => {
  const path = await olderStore();
  await served(ofUsers, path, async (send) => assert.deepEqual(await send("User"), [201, 1, true]));
  // An instance of the earlier release finds it, too.
  assert.deepEqual(await rowsOf(path, "SELECT scope FROM ninefold_idempotency ORDER BY scope"), [
    ["row 1"],
    ["row User 1"],
  ]);
  // Later, that instance stores keys that no other finds: its document may differ.
  await alter(path, "DELETE FROM ninefold_idempotency WHERE scope <> 'row 1'");
  await served(ofUsers, path, async (send) => assert.deepEqual(await send("User"), [201, 2, false]));
});

testOnEach("a key that an earlier release stored belongs to the callers of the served document", async () => {
  const path = await olderStore();
  for (const isReplayed of [false, true])
    await served(ofClients, path, async (send) =>
      assert.deepEqual(await send("Client"), [201, 2, isReplayed]),
    );
  await served(ofUsers, path, async (send) => assert.deepEqual(await send("User"), [201, 1, true]));
});

testOnEach("a key that an earlier release stored follows a renamed resource", async () => {
  const path = await olderStore();
  const then = withCallers({ resources: ["Person", "Client"], callers: ["Person"], changes: renamed });
  await served(then, path, async (send) => assert.deepEqual(await send("User"), [201, 1, true]));
});

testOnEach("rates follow a renamed resource where instances share them", async ({ isFile }) => {
  if (isFile) return;
  const path = await newPath();
  await served(ofUsers, path, async (send, create) => {
    await create("User");
    for (const _ of [1, 2, 3]) await send("User");
    assert.equal((await send("User"))[0], 429);
  });
  const then = withCallers({ resources: ["Person", "Client"], callers: ["Person"], changes: renamed });
  await served(then, path, async (send) => assert.equal((await send("User"))[0], 429));
  const removed = change("s", "Removed: Person");
  await served(
    withCallers({ resources: ["Client"], callers: ["Client"], changes: renamed + removed }),
    path,
    async () => {},
  );
  assert.deepEqual(await rowsOf(path, "SELECT key FROM ninefold_rates"), []);
});
