/** Timers after stored changes that set fields of timed resources, or create their records. */
import assert from "node:assert/strict";
import { openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
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

/** Loans with a transition at a time and one after a duration, which both keep the state. */
function reminding(changes = "", [out, from] = ["out", "out"], rows = ""): string {
  const fields = [
    "due_at | timestamp | nullable",
    "count | integer | default 0",
    "ticks | integer | default 0",
  ];
  const transitions = `remind | ${from} | same | at due_at | | \`count = this.count + 1\` |
| tick | ${from} | same | after 1 day | | \`ticks = this.ticks + 1\` |
| bring | ${out} | back | call | | |
| take | back | ${out} | call | | |${rows}`;
  return documentOf(
    resource("Loan", ...fields, "status | state |"),
    changes,
    states({ Loan: transitions })
      .replace("Initial state: out", `Initial state: ${out}`)
      .replace(`call | | |${rows} | | |`, `call | | |${rows}`),
  )
    .replace("## Authentication\n", "## Authentication\n\n- Scheme: none\n")
    .replace(
      "## Endpoints\n",
      "## Endpoints\n\n### GET /loans\n\n- Does: list Loan\n- Pagination: none\n- Returns: 200 list of Loan\n",
    );
}

/** The counts of fired transitions per record, at each of these days. */
async function firedAt(
  document: string,
  path: string,
  ...at: readonly number[]
): Promise<readonly (readonly string[])[]> {
  const store = await open(document, path);
  const ports = { clock: createMovableClock(days(at[0] ?? 0)), log: silentLog };
  const service = await openService(modelOf(document), store, ports, { origin: () => "http://x" });
  const all: string[][] = [];
  for (const atDay of at) {
    ports.clock.moveBy(days(atDay) - ports.clock.now());
    const { body } = await service.fetch(createRequest({ method: "GET", target: "/loans" }));
    const loans = JSON.parse(String(body)) as { id: string; status: string; count: number; ticks: number }[];
    all.push(loans.map(({ id, status, count, ticks }) => `${id} ${status} ${count} ${ticks}`));
  }
  await service.close();
  await store.close();
  return all;
}

const unfired = { count: 0, ticks: 0 };

/** The store after three days, when both transitions of `a` have fired. */
async function afterFiring(): Promise<string> {
  const path = await kept(reminding(), [
    ["Loan", { id: "a", due_at: textOf(days(1)), ...unfired, status: "out" }],
    ["Loan", { id: "b", due_at: textOf(days(9)), ...unfired, status: "back" }],
  ]);
  assert.deepEqual(await firedAt(reminding(), path, 0, 3), [
    ["a out 0 0", "b back 0 0"],
    ["a out 1 1", "b back 0 0"],
  ]);
  return path;
}

testOnEach(
  "timers that have fired don't fire again after a change of other records or of names",
  async () => {
    const renamed = 'Renamed: Loan.status "out" to "lent"';
    for (const [step, states] of [
      [renamed, ["lent", "lent"]],
      [renamed, ["lent", "lent, back"]],
      ['For each Loan: `due_at = null when old.id == "c"`', ["out", "out"]],
      ['For each Loan: `status = "back" when old.id == "c"`', ["out", "out"]],
      ["For each Loan: `due_at = old.due_at; status = old.status`", ["out", "out"]],
    ] as const) {
      const path = await afterFiring();
      const [first, last] = await firedAt(reminding(change("a", step), [...states]), path, 3, 20);
      assert.deepEqual([first?.[0], last?.[0]], [`a ${states[0]} 1 1`, `a ${states[0]} 1 1`], step);
      // A rule that applies in another state, too, has its timers there.
      assert.equal(last?.[1], states[1] === "lent, back" ? "b back 1 1" : "b back 0 0");
    }
  },
);

testOnEach("records whose time or state a step changes get new timers, and others don't", async () => {
  const moved = change("a", `For each Loan: \`due_at = timestamp("${textOf(days(5))}")\``);
  assert.deepEqual(await firedAt(reminding(moved), await afterFiring(), 3, 5, 20), [
    ["a out 1 1", "b back 0 0"],
    ["a out 2 1", "b back 0 0"],
    ["a out 2 1", "b back 0 0"],
  ]);
  const swapped = change("a", 'For each Loan: `status = old.status == "out" ? "back" : "out"`');
  assert.deepEqual(await firedAt(reminding(swapped), await afterFiring(), 3, 5, 20), [
    ["a back 1 1", "b out 0 0"],
    ["a back 1 1", "b out 0 1"],
    ["a back 1 1", "b out 1 1"],
  ]);
  // The state of one becomes that of the other.
  const path = await kept(reminding("", ["out", "out"], "\n| lose | out | lost | call | | |"), [
    ["Loan", { id: "a", due_at: textOf(days(1)), ...unfired, status: "out" }],
    ["Loan", { id: "l", due_at: textOf(days(9)), ...unfired, status: "lost" }],
  ]);
  await firedAt(reminding("", ["out", "out"], "\n| lose | out | lost | call | | |"), path, 0, 3);
  const merged = reminding(change("a", 'Renamed: Loan.status "lost" to "out"'));
  assert.deepEqual(await firedAt(merged, path, 3, 20), [
    ["a out 1 1", "l out 0 0"],
    ["a out 1 1", "l out 1 1"],
  ]);
});
