/** Start records (part 2, `### Records of Currency`): unit tests. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { libraryText } from "../../../test/documents/library.ts";
import { openModelStore, openService } from "../../cli/open-service.ts";
import { compile } from "../../compile.ts";
import { createRequest } from "../http/message.ts";
import { silentLog, systemClock } from "../ports.ts";
import type { Service } from "../service.ts";
import type { Store } from "../../store/store.ts";
import { hasOnlyStartRecords, insertStartRecords } from "./start-records.ts";
import { silentTerminal as terminal } from "../../../test/terminal.ts";

const genres = (rows: string) => `### Genre

- Identifier: code, given
- Fails: not_found on name when \`this.name == "lost"\`
- Fails: not_found on code when \`this.code == "lost"\`

| Field | Type | Rules |
|---|---|---|
| code | string | required |
| name | string | required |
| wider | Genre | |

### Records of Genre

| code | name | wider |
|---|---|---|
${rows}

### Account`;

const endpoints = `### GET /genres

- Does: list Genre
- Returns: 200 list of Genre

### POST /genres

- Does: create Genre
- Body: code, name
- Returns: 201 Genre

### PATCH /genres/{code}

- Does: update Genre
- Body: name
- Returns: 200 Genre

### DELETE /genres/{code}

- Does: delete Genre
- Returns: 200 Genre`;

/** Opens the same store several times, each time with other rows. */
async function shelf(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-start-records-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return async <T>(rows: string, work: (service: Service) => Promise<T>): Promise<T> => {
    const text = libraryText({ authentication: "- Scheme: none", states: "", endpoints });
    const document = text.replace("### Account", genres(rows)).replace("| status | state | |\n", "");
    const { model, diagnostics } = compile(document, { file: "genres.md" });
    assert.ok(model, diagnostics.map((diagnostic) => diagnostic.message).join("\n"));
    const store = await openModelStore(model, join(folder, "store.db"), terminal);
    try {
      const ports = { clock: systemClock, log: silentLog };
      const service = await openService(model, store, ports, { origin: () => "http://x" });
      return await work(service);
    } finally {
      await store.close();
    }
  };
}

async function sendRequest(
  service: Service,
  method: string,
  target: string,
  body?: unknown,
): Promise<string> {
  const request = createRequest({
    method,
    target,
    headers: [["Content-Type", "application/json"]],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return String((await service.fetch(request)).body);
}

const names = async (service: Service): Promise<unknown> =>
  (JSON.parse(await sendRequest(service, "GET", "/genres")) as { name: string }[]).map((item) => item.name);

test("rows may refer to later rows", async (t) => {
  const open = await shelf(t);
  await open("| crime | Crime | fiction |\n| fiction | Fiction | |", async (service) => {
    assert.deepEqual(await names(service), ["Fiction", "Crime"]);
  });
});

test("a row that the document changes updates its record; other records keep the changes of requests", async (t) => {
  const open = await shelf(t);
  const rows = (first: string) => `| a | ${first} | |\n| b | B | |\n| c | C | |`;
  await open(rows("A"), async (service) => {
    await sendRequest(service, "PATCH", "/genres/b", { name: "renamed" });
    await sendRequest(service, "DELETE", "/genres/c");
  });
  await open(rows("A"), async (service) => assert.deepEqual(await names(service), ["A", "renamed"]));
  await open(rows("Alpha"), async (service) => assert.deepEqual(await names(service), ["Alpha", "renamed"]));
});

test("the first row that breaks an invariant is reported, whatever is wrong with later rows", async (t) => {
  const open = await shelf(t);
  const rows = "| a | A | b |\n| b | lost | |\n| lost | C | |";
  await assert.rejects(
    open(rows, () => Promise.resolve()),
    {
      message: /^Genre b \(`Records of Genre`, line \d+\) can't be stored: `Fails` \(line \d+\) rejects it\./,
    },
  );
});

test("a store with only start records may still be seeded", async (t) => {
  const open = await shelf(t);
  await open("| a | A | |", async (service) => {
    const { context, newFrame } = service.internals;
    const mayBeSeeded = () => hasOnlyStartRecords(context, newFrame(systemClock.now()));
    assert.equal(await mayBeSeeded(), true);
    await sendRequest(service, "POST", "/genres", { code: "b", name: "B" });
    assert.equal(await mayBeSeeded(), false);
  });
});

/**
 * Simulates another instance that stores the rows meanwhile: reads outside of a write see the
 * earlier state.
 */
function lateToLook(store: Store): Store {
  const { session } = store;
  const late = { ...session, system: { ...session.system, setting: () => null } };
  return { ...store, session: late, write: (work, options) => store.write(work, options) };
}

test("of two starting instances, one applies the rows, and later changes of callers remain", async (t) => {
  const open = await shelf(t);
  await open("| a | A | |", async (service) => {
    const { context, newFrame, newWork } = service.internals;
    await sendRequest(service, "PATCH", "/genres/a", { name: "renamed" });
    const late = { ...context, store: lateToLook(context.store) };
    await insertStartRecords(late, () => newFrame(systemClock.now()), newWork);
    assert.deepEqual(await names(service), ["renamed"]);
  });
});

test("storing the rows returns the earliest due time", async (t) => {
  const rows = `| a | A | |\n| b | B | |`;
  const timed = genres(rows)
    .replace("- Identifier: code, given", "- Identifier: code, given\n- Kept: 1 day after made_at")
    .replace("| wider | Genre | |", "| wider | Genre | |\n| made_at | timestamp | |")
    .replace("| code | name | wider |\n|---|---|---|", "| code | name | wider | made_at |\n|---|---|---|---|")
    .replace("| a | A | |", "| a | A | | 2026-11-21T00:00:00Z |")
    .replace("| b | B | |", "| b | B | | 2026-11-20T00:00:00Z |");
  const text = libraryText({ authentication: "- Scheme: none", states: "", endpoints });
  const document = text.replace("### Account", timed).replace("| status | state | |\n", "");
  const { model, diagnostics } = compile(document, { file: "genres.md" });
  assert.ok(model, diagnostics.map((diagnostic) => diagnostic.message).join("\n"));
  const [first, second] = [
    await openModelStore(model, ":memory:", terminal),
    await openModelStore(model, ":memory:", terminal),
  ];
  t.after(() => Promise.all([first.close(), second.close()]));
  const service = await openService(
    model,
    first,
    { clock: systemClock, log: silentLog },
    { origin: () => "http://x" },
  );
  const { context, newFrame, newWork } = service.internals;
  const due = await insertStartRecords(
    { ...context, store: second },
    () => newFrame(systemClock.now()),
    newWork,
  );
  assert.equal(due, Date.parse("2026-11-21T00:00:00Z"));
});
