/** Timers after stored changes that set fields of timed resources, or create their records. */
import assert from "node:assert/strict";
import { openService } from "../../src/cli/open-service.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { documentOf, modelOf, open, resource } from "./desk.ts";
import { change, kept, rowsOf, type Stored, testOnEach } from "./support.ts";

const now = Date.parse("2026-11-20T12:00:00Z");
const day = 86_400_000;
const days = (count: number): number => now + count * day;
const textOf = (ms: number): string => new Date(ms).toISOString();

/** @param rows of the tables of transitions */
function states(rows: Readonly<Record<string, string>>): string {
  const parts = Object.entries(rows).map(
    ([name, row]) => `### ${name}

- State field: status
- Initial state: out

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| ${row} | | |
`,
  );
  return parts.join("\n");
}

const loan = (field = "due_at") => resource("Loan", `${field} | timestamp | nullable`, "status | state |");
const note = resource("Note", "title | string | nullable", "status | state |");
const timed = (field = "due_at", transition = "expire") =>
  states({ Loan: `${transition} | out | late | at ${field}`, Note: "fade | out | gone | after 14 days" });

/** Serves the store with a document, so that its timers are set. */
async function served(document: string, path: string, at = now): Promise<void> {
  const store = await open(document, path);
  const ports = { clock: createMovableClock(at), log: silentLog };
  const service = await openService(modelOf(document), store, ports, { origin: () => "http://x" });
  await service.close();
  await store.close();
}

const timersOf = (path: string) =>
  rowsOf(path, `SELECT resource, row, transition, due_at FROM ninefold_timers ORDER BY 1, 2, 3`);

const stored: Stored = [
  ["Loan", { id: "1", due_at: textOf(days(10)), status: "out" }],
  ["Loan", { id: "2", due_at: textOf(days(10)), status: "late" }],
  ["Note", { id: "n", status: "out" }],
];

async function timersAfter(then: string, serveLater = days(1)): Promise<readonly unknown[]> {
  const before = documentOf(loan() + note, "", timed());
  const path = await kept(before, stored);
  await served(before, path);
  assert.deepEqual(await timersOf(path), [
    ["Loan", 1, "expire", days(10)],
    ["Note", 1, "fade", days(14)],
  ]);
  await served(then, path, serveLater);
  return timersOf(path);
}

testOnEach("a step that sets the time of a transition moves its timers", async () => {
  const step = `For each Loan: \`due_at = timestamp("${textOf(days(50))}")\``;
  const timers = await timersAfter(documentOf(loan() + note, change("later", step), timed()));
  assert.deepEqual(timers, [
    ["Loan", 1, "expire", days(50)],
    ["Note", 1, "fade", days(14)],
  ]);
});

testOnEach("a step that renames the time of a transition and sets it moves its timers", async () => {
  const then = documentOf(
    loan("ends") + note,
    change(
      "later",
      "Renamed: Loan.due_at to Loan.ends",
      `For each Loan: \`ends = timestamp("${textOf(days(50))}")\``,
    ),
    timed("ends"),
  );
  assert.deepEqual((await timersAfter(then))[0], ["Loan", 1, "expire", days(50)]);
});

testOnEach("a time that is set between two renames moves its timers", async () => {
  const then = documentOf(
    loan() + note,
    change("away", "Renamed: Loan.due_at to Loan.ends") +
      change("later", `For each Loan: \`ends = timestamp("${textOf(days(50))}")\``) +
      change("back", "Renamed: Loan.ends to Loan.due_at"),
    timed(),
  );
  assert.deepEqual((await timersAfter(then))[0], ["Loan", 1, "expire", days(50)]);
});

testOnEach("a time that becomes null ends its timers, and so does a removed transition", async () => {
  const step = change("never", "For each Loan: `due_at = null`");
  assert.deepEqual(await timersAfter(documentOf(loan() + note, step, timed())), [
    ["Note", 1, "fade", days(14)],
  ]);
  assert.deepEqual(await timersAfter(documentOf(loan() + note, step, timed("due_at", "lapse"))), [
    ["Note", 1, "fade", days(14)],
  ]);
});

testOnEach("records that a step creates get timers, and others keep theirs", async () => {
  const step = 'For each Loan: `create Note with id = "of " + old.id, title = old.id`';
  assert.deepEqual(await timersAfter(documentOf(loan() + note, change("notes", step), timed())), [
    ["Loan", 1, "expire", days(10)],
    ["Note", 1, "fade", days(14)],
    ["Note", 2, "fade", days(15)],
    ["Note", 3, "fade", days(15)],
  ]);
});

testOnEach("a longer duration moves existing timers, and new records have it from the start", async () => {
  const step = 'For each Loan: `create Note with id = "of " + old.id when old.id == "1"`';
  const then = documentOf(loan() + note, change("notes", step), timed().replace("14 days", "20 days"));
  assert.deepEqual((await timersAfter(then)).slice(1), [
    ["Note", 1, "fade", days(20)],
    ["Note", 2, "fade", days(21)],
  ]);
});

testOnEach("a record that a step finds and sets gets its timer", async () => {
  const step = `For each Note: \`upsert Loan with id = "1", due_at = timestamp("${textOf(days(70))}")\``;
  assert.deepEqual((await timersAfter(documentOf(loan() + note, change("later", step), timed())))[0], [
    "Loan",
    1,
    "expire",
    days(70),
  ]);
});

testOnEach("a step that sets the time of `Kept` moves the end of its records", async () => {
  const badge = resource("Badge", "since | timestamp | nullable").replace(
    "given\n",
    "given\n- Kept: 30 days after since\n",
  );
  const path = await kept(documentOf(badge), [["Badge", { id: "1", since: textOf(now) }]]);
  await served(documentOf(badge), path);
  assert.deepEqual(await timersOf(path), [["Badge", 1, "#kept", days(30)]]);
  const step = `For each Badge: \`since = timestamp("${textOf(days(5))}")\``;
  await served(documentOf(badge, change("since", step)), path);
  assert.deepEqual(await timersOf(path), [["Badge", 1, "#kept", days(35)]]);
});
