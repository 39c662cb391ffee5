/** Sequences after changes of their scopes, and of the keys that scope them. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openService } from "../../src/cli/open-service.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { planStoreFor } from "../../src/store/index.ts";
import { documentOf, modelOf, open } from "./desk.ts";
import { change, newPath, rowsOf, testOnEach } from "./support.ts";

const counted = (name: string) => `### ${name}

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| name | string | nullable |

`;

const issue = (sequence: string, field = "number", repo = "repo") => `### Issue

- Identifier: id, made by \`uuid()\`
- Unique: ${repo}, ${field}

| Field | Type | Rules |
|---|---|---|
| id | uuid | |
| ${repo} | Repo | required |
| ${field} | integer | on create \`${sequence}\` |
| author | User | nullable |
`;

const document = (issues: string, changes = "", repo = "repo") =>
  documentOf(counted("Repo") + counted("User") + issues, changes)
    .replace("## Authentication\n", "## Authentication\n\n- Scheme: none\n")
    .replace(
      "## Endpoints\n",
      `## Endpoints

### POST /repos

- Does: create Repo
- Body: name?
- Returns: 201 Repo

### POST /users

- Does: create User
- Body: name?
- Returns: 201 User

### POST /issues

- Does: create Issue
- Body: ${repo}
- Returns: 201 Issue
`,
    );

/** Opens the store and sends requests. Returns the statuses. */
async function sent(text: string, path: string, ...requests: readonly (readonly [string, object])[]) {
  const store = await open(text, path);
  const ports = { clock: createMovableClock(Date.parse("2026-11-20T12:00:00Z")), log: silentLog };
  const service = await openService(modelOf(text), store, ports, { origin: () => "http://x" });
  const statuses: number[] = [];
  for (const [target, body] of requests) {
    const headers = [["Content-Type", "application/json"]] as const;
    const request = createRequest({
      method: "POST",
      target,
      headers: [...headers],
      body: JSON.stringify(body),
    });
    statuses.push((await service.fetch(request)).status);
  }
  await service.close();
  await store.close();
  return statuses;
}

/** A store with the issues 1 and 2 of the first repository, and one of the second. */
async function started(text: string): Promise<string> {
  const path = await newPath();
  const statuses = await sent(
    text,
    path,
    ["/repos", {}],
    ["/repos", {}],
    ["/users", {}],
    ["/issues", { repo: 1 }],
    ["/issues", { repo: 1 }],
    ["/issues", { repo: 2 }],
  );
  assert.deepEqual(statuses, [201, 201, 201, 201, 201, 201]);
  return path;
}

const numbersOf = async (path: string, field = "number", repo = "repo") =>
  (await rowsOf(path, `SELECT ${repo}, ${field} FROM Issue ORDER BY "#row"`)).map((row) => row.join("/"));

const continues = "Issue.number continues after the existing numbers";

/** The lines of the plan. */
async function linesOf(text: string, path: string): Promise<readonly string[]> {
  const { steps } = await planStoreFor(modelOf(text), path, { isRunning: () => false });
  return steps.flatMap(({ lines }) => lines.map((line) => line.text));
}

const all = "sequence()";
const each = "sequence(this.repo)";

testOnEach("a sequence that gets another scope continues after the numbers within it", async () => {
  const path = await started(document(issue(all)));
  const next = [["/issues", { repo: 1 }] as const, ["/issues", { repo: 2 }] as const];
  assert.deepEqual(await linesOf(document(issue(each)), path), [continues]);
  assert.deepEqual(await sent(document(issue(each)), path, ...next), [201, 201]);
  assert.deepEqual(await numbersOf(path), ["1/1", "1/2", "2/3", "1/3", "2/4"]);
  assert.deepEqual(await linesOf(document(issue(each)), path), []);
  assert.deepEqual(await sent(document(issue(all)), path, ...next), [201, 201]);
  assert.deepEqual((await numbersOf(path)).slice(-2), ["1/5", "2/6"]);
});

testOnEach("another scope of a sequence whose field is renamed", async () => {
  const path = await started(document(issue(all)));
  const then = document(issue(each, "num"), change("num", "Renamed: Issue.number to Issue.num"));
  assert.deepEqual(await sent(then, path, ["/issues", { repo: 1 }]), [201]);
  assert.deepEqual((await numbersOf(path, "num")).at(-1), "1/3");
});

testOnEach("a rename of the scope's field isn't another scope", async () => {
  const path = await started(document(issue(each)));
  const step = change("home", "Renamed: Issue.repo to Issue.home");
  const then = document(issue("sequence(this.home)", "number", "home"), step, "home");
  assert.ok(!(await linesOf(then, path)).includes(continues));
  assert.deepEqual(await sent(then, path, ["/issues", { home: 1 }]), [201]);
  assert.deepEqual((await numbersOf(path, "number", "home")).at(-1), "1/3");
});

testOnEach("records that a step moves to another scope are counted there", async () => {
  const path = await started(document(issue(each)));
  const step = change("merged", "For each Issue: `repo = Repo.first(r, r.id == 2) when old.number == 2`");
  assert.deepEqual(await sent(document(issue(each), step), path, ["/issues", { repo: 2 }]), [201]);
  assert.deepEqual((await numbersOf(path)).at(-1), "2/3");
});

testOnEach("new keys move only the sequences that they scope", async () => {
  const path = await started(document(issue(each)));
  const users = change("users", "For each User: `id = old.id + 100`");
  assert.deepEqual(await sent(document(issue(each), users), path, ["/issues", { repo: 1 }]), [201]);
  assert.deepEqual((await numbersOf(path)).at(-1), "1/3");
  const both = users + change("repos", "For each Repo: `id = old.id + 100`");
  assert.deepEqual(await sent(document(issue(each), both), path, ["/issues", { repo: 101 }]), [201]);
  assert.deepEqual((await numbersOf(path)).at(-1), "101/4");
  const scopes = await rowsOf(path, "SELECT within FROM ninefold_sequences WHERE within <> '' ORDER BY 1");
  assert.deepEqual(scopes.flat(), ["101", "102"]);
});

testOnEach("a scope that reads another record", async () => {
  const owned = (repoRows: string, number: string, ...changes: readonly string[]) =>
    document(issue(number), changes.join("")).replace(
      "| name | string | nullable |\n\n### User",
      `| name | string | nullable |\n${repoRows}\n### User`,
    );
  const owner = "| owner | User | nullable |\n";
  const ofOwner = "sequence(this.repo.owner)";
  const path = await started(owned("", each));
  const toOwner = change("owners", "For each Repo: `owner = User.first(u, u.id == 1)`");
  const then = owned(owner, ofOwner, toOwner);
  assert.ok((await linesOf(then, path)).includes(continues));
  assert.deepEqual(await sent(then, path, ["/issues", { repo: 1 }], ["/issues", { repo: 2 }]), [201, 201]);
  assert.deepEqual(await numbersOf(path), ["1/1", "1/2", "2/1", "1/3", "2/4"]);
  // Another owner counts for itself, and a step that changes owners continues there.
  const without = toOwner + change("unowned", "For each Repo: `owner = null when old.id == 1`");
  assert.deepEqual(await sent(owned(owner, ofOwner, without), path, ["/issues", { repo: 1 }]), [201]);
  assert.deepEqual((await numbersOf(path)).at(-1), "1/4");
});

testOnEach(
  "an instance that assigns numbers otherwise stops before a sequence continues",
  async ({ isFile }) => {
    if (isFile) return;
    const path = await started(document(issue(all)));
    const former = await open(document(issue(all)), path);
    assert.equal(former.status().servingState, "serving");
    const next = [["/issues", { repo: 2 }] as const];
    assert.deepEqual(await sent(document(issue(each)), path, ...next), [201]);
    assert.notEqual(former.status().servingState, "serving");
    await former.close();
  },
);

testOnEach("a store of an earlier release doesn't have the scope of a sequence", async ({ isFile }) => {
  if (!isFile) return;
  const next = [["/issues", { repo: 1 }] as const, ["/issues", { repo: 2 }] as const];
  for (const [before, then, last] of [
    [all, each, ["1/3", "2/4"]],
    [each, each, ["1/3", "2/2"]],
  ] as const) {
    const path = await started(document(issue(before)));
    forgetScopes(path);
    assert.deepEqual(await linesOf(document(issue(then)), path), []);
    assert.deepEqual(await sent(document(issue(then)), path, ...next), [201, 201]);
    assert.deepEqual((await numbersOf(path)).slice(-2), last);
  }
});

function forgetScopes(path: string): void {
  const database = new DatabaseSync(path);
  const { value } = database.prepare("SELECT value FROM ninefold_meta WHERE name = 'tables'").get() as {
    readonly value: string;
  };
  const tables = JSON.stringify(JSON.parse(value), (name, of: unknown) => (name === "counts" ? true : of));
  assert.notEqual(tables, value);
  database.prepare("UPDATE ninefold_meta SET value = ? WHERE name = 'tables'").run(tables);
  database.close();
}
