/** Timers after a change of their rules: of times, durations, guards and rows, and of what guards read. */
import assert from "node:assert/strict";
import { openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import type { TimerSetting } from "../../src/store/timer-setting.ts";
import type { Transaction } from "../../src/store/store.ts";
import { documentOf, modelOf, open, resource } from "./desk.ts";
import { change, kept, type Stored, testOnEach } from "./support.ts";

const start = Date.parse("2026-11-20T12:00:00Z");
const day = 86_400_000;
const timeAt = (days: number): string => new Date(start + days * day).toISOString();

/** A transition that counts how often it fires, and notes when. */
const ring = (trigger: string, guard = "", to = "same"): string => named("ring", trigger, guard, to);
const chime = (trigger: string): string => named("chime", trigger);
const named = (name: string, trigger: string, guard = "", to = "same"): string =>
  `| ${name} | open | ${to} | ${trigger} | ${guard && `\`${guard}\``} | \`count = this.count + 1; rang_at = now\` |\n`;

/** A resource of bells for each table of transitions: `Bell`, `Bell1` … */
const nameOf = (at: number): string => `Bell${at || ""}`;

function bells(tables: readonly string[], changes = ""): string {
  const times = [
    "due | timestamp | nullable",
    "other | timestamp | nullable",
    "rang_at | timestamp | nullable",
  ];
  const fields = [...times, "ready | boolean |", "count | integer |", "status | state |"];
  const states = tables.map(
    (rows, at) => `### ${nameOf(at)}

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
${rows}| shut | open | closed | call | | |
`,
  );
  const endpoints = tables.map(
    (_rows, at) =>
      `### GET /${at}\n\n- Does: list ${nameOf(at)}\n- Pagination: none\n- Returns: 200 list of ${nameOf(at)}\n`,
  );
  const resources = tables.map((_rows, at) => `${resource(nameOf(at), ...fields)}\n`);
  return documentOf(resources.join("") + resource("Key", "turned | boolean |"), changes, states.join("\n"))
    .replace("## Authentication\n", "## Authentication\n\n- Scheme: none\n")
    .replace("## Endpoints\n", `## Endpoints\n\n${endpoints.join("\n")}`);
}

/** Bells of which the second is ready. */
function stored(count = 1): Stored {
  const fresh = { count: 0, rang_at: null, status: "open" };
  const all = Array.from({ length: count }, (_value, at) => [
    [nameOf(at), { id: "a", due: timeAt(1), other: timeAt(6), ready: false, ...fresh }] as const,
    [nameOf(at), { id: "b", due: timeAt(9), other: null, ready: true, ...fresh }] as const,
  ]);
  return [...all.flat(), ["Key", { id: "k", turned: false }]];
}

interface Bell {
  readonly status: string;
  readonly count: number;
  readonly rang_at: string | null;
}

/** How often each bell has rung, and its last day, at each of these days; by resource. */
async function served(document: string, path: string, ...at: readonly number[]): Promise<readonly string[]> {
  const store = await open(document, path);
  const ports = { clock: createMovableClock(Date.parse(timeAt(at[0] ?? 0))), log: silentLog };
  const model = modelOf(document);
  const service = await openService(model, store, ports, { origin: () => "http://x" });
  const all: string[][] = model.endpoints.map(() => []);
  for (const days of at) {
    ports.clock.moveBy(Date.parse(timeAt(days)) - ports.clock.now());
    for (const [place, words] of all.entries()) {
      const { body } = await service.fetch(createRequest({ method: "GET", target: `/${place}` }));
      words.push((JSON.parse(String(body)) as Bell[]).map(inWords).join(" "));
    }
  }
  await service.close();
  await store.close();
  return all.map((words) => words.join(", "));
}

function inWords({ status, count, rang_at }: Bell): string {
  const last = rang_at === null ? "" : `@${(Date.parse(rang_at) - start) / day}`;
  return `${status === "open" ? "" : status}${count}${last}`;
}

/** The rows before and after, and the bells on day 3 before the change, and on days 3, 5 and 20 after it. */
const pairs: Readonly<Record<string, readonly [before: string, then: string, ...bells: string[]]>> = {
  "at → after": [ring("at due"), ring("after 2 days"), "1@1 0", "1@1 0, 2@5 1@5, 2@5 1@5"],
  "after → at": [ring("after 10 days"), ring("at other"), "0 0", "0 0, 0 0, 1@6 0"],
  "after, fired → at": [ring("after 2 days"), ring("at other"), "1@2 1@2", "1@2 1@2, 1@2 1@2, 2@6 1@2"],
  "at x → at y": [ring("at due"), ring("at other"), "1@1 0", "1@1 0, 1@1 0, 2@6 0"],
  "after d → after e": [ring("after 10 days"), ring("after 12 days"), "0 0", "0 0, 0 0, 1@12 1@12"],
  "after d → sooner": [ring("after 10 days"), ring("after 2 days"), "0 0", "1@2 1@2, 1@2 1@2, 1@2 1@2"],
  "after d, fired → after e": [
    ring("after 2 days"),
    ring("after 4 days"),
    "1@2 1@2",
    "1@2 1@2, 1@2 1@2, 1@2 1@2",
  ],
  "guard added": [ring("after 10 days"), ring("after 10 days", "this.ready"), "0 0", "0 0, 0 0, 0 1@10"],
  "guard kept": [
    ring("after 2 days", "this.ready"),
    ring("after 2 days", "this.ready"),
    "0 1@2",
    "0 1@2, 0 1@2, 0 1@2",
  ],
  "guard removed": [
    ring("after 2 days", "this.ready"),
    ring("after 2 days"),
    "0 1@2",
    "1@3 1@2, 1@3 1@2, 1@3 1@2",
  ],
  "guard of `at` removed": [ring("at due", "this.ready"), ring("at due"), "0 0", "1@3 0, 1@3 0, 1@3 1@9"],
  "guard changed": [
    ring("after 2 days", "this.ready"),
    ring("after 2 days", "!this.ready"),
    "0 1@2",
    "1@3 1@2, 1@3 1@2, 1@3 1@2",
  ],
  "guard removed, duration changed": [
    ring("after 2 days", "this.ready"),
    ring("after 4 days"),
    "0 1@2",
    "0 1@2, 1@4 1@2, 1@4 1@2",
  ],
  "guard kept, duration changed": [
    ring("after 2 days", "this.ready"),
    ring("after 4 days", "this.ready"),
    "0 1@2",
    "0 1@2, 0 1@2, 0 1@2",
  ],
  "guard changed, at → after": [
    ring("at due", "this.ready"),
    ring("after 1 day", "!this.ready"),
    "0 0",
    "0 0, 1@4 0, 1@4 0",
  ],
  "guard removed, row added": [
    ring("after 2 days", "this.ready"),
    ring("after 2 days") + chime("after 30 days"),
    "0 1@2",
    "1@3 1@2, 1@3 1@2, 1@3 1@2",
  ],
  "To changed": [ring("at due"), ring("at due", "", "closed"), "1@1 0", "1@1 0, 1@1 0, 1@1 closed1@9"],
  "row removed": [ring("at due") + chime("after 4 days"), ring("at due"), "1@1 0", "1@1 0, 1@1 0, 1@1 1@9"],
  "row added": [ring("at due"), ring("at due") + chime("after 1 day"), "1@1 0", "1@1 0, 2@4 1@4, 2@4 2@9"],
};

testOnEach("timers get the times of the new rules, and are due again if a guard has changed", async () => {
  const all = Object.entries(pairs);
  const before = bells(all.map(([, [rows]]) => rows));
  const path = await kept(before, stored(all.length));
  const first = await served(before, path, 0, 3);
  const then = await served(bells(all.map(([, [, rows]]) => rows)), path, 3, 5, 20);
  for (const [at, [title, [, , ...expected]]] of all.entries())
    assert.deepEqual([first[at]?.split(", ")[1], then[at]], expected, title);
});

/** The bells after the timers that wait under a guard have waited until day 3, on that day and on day 20. */
async function afterWaiting(guard: string, step: string): Promise<string | undefined> {
  const rows = [ring("after 2 days", guard)];
  const path = await kept(bells(rows), stored());
  await served(bells(rows), path, 0, 3);
  return (await served(bells(rows, change("a", step)), path, 3, 20))[0];
}

testOnEach("timers that wait are due again if a step changes what their guard reads", async () => {
  const isTurned = "Key.count(k, k.turned) > 0";
  for (const [guard, step, expected] of [
    ["this.ready", "For each Bell: `ready = true`", "1@3 1@2, 1@3 1@2"],
    ["this.ready", 'For each Bell: `ready = true when old.id == "b"`', "0 1@2, 0 1@2"],
    ["this.ready", "For each Key: `turned = true`", "0 1@2, 0 1@2"],
    [isTurned, "For each Key: `turned = true`", "1@3 1@3, 1@3 1@3"],
    [isTurned, "For each Key: `turned = old.turned`", "0 0, 0 0"],
    [isTurned, "For each Bell: `create Key with id = old.id, turned = old.ready`", "1@3 1@3, 1@3 1@3"],
  ] as const)
    assert.equal(await afterWaiting(guard, step), expected, step);
});

/** Writes to the store as an earlier release, or a start that was stopped, would have. */
async function write(
  document: string,
  path: string,
  work: (transaction: Transaction, setting: TimerSetting) => Promise<TimerSetting>,
): Promise<void> {
  const store = await open(document, path);
  await store.write(async (transaction) => {
    const setting = await transaction.system.setting("timers Bell");
    const next = await work(transaction, JSON.parse(setting ?? "") as TimerSetting);
    await transaction.system.setSetting("timers Bell", JSON.stringify(next));
  });
  await store.close();
}

testOnEach("timers of a store of an earlier release fire once, and wait for the new guard", async () => {
  const waiting = bells([ring("after 2 days", "this.ready") + chime("after 1 day")]);
  for (const [guard, expected] of [
    ["this.ready", "1@1 2@2, 1@1 2@2"],
    ["", "2@3 2@2, 2@3 2@2"],
  ] as const) {
    const path = await kept(waiting, stored());
    await served(waiting, path, 0, 3);
    await write(waiting, path, async (_transaction, { rules }) => ({ rules }));
    const then = bells([ring("after 2 days", guard) + chime("after 1 day")]);
    assert.deepEqual(await served(then, path, 3, 20), [expected]);
  }
});

const rowsWith = (toll: string, more = ""): string => ring("after 2 days") + named("toll", toll) + more;

/** A store whose second bell still has the times of the former rules: a start was stopped on day 3. */
async function stopped(before: string, during: string): Promise<string> {
  const path = await kept(before, stored());
  await served(before, path, 0, 3);
  await served(during, path, 3);
  await write(during, path, async ({ system }, { rules, guards }) => {
    const second = { resource: "Bell", row: 2, end: 0 };
    await system.setTimer({ ...second, transition: "chime" }, null);
    await system.setTimer({ ...second, transition: "toll" }, Date.parse(timeAt(10)));
    const former = rules.flatMap((rule) => {
      if (rule.transition === "chime") return [];
      return rule.transition === "toll" ? [{ ...rule, afterMs: 10 * day }] : [rule];
    });
    return { rules, before: former, row: 1, ...(guards && { guards }) };
  });
  return path;
}

testOnEach("timers fire once after a start that was stopped, whatever document comes next", async () => {
  const before = rowsWith("after 10 days");
  const during = rowsWith("after 12 days", chime("after 3 days"));
  const unset = change("a", "For each Bell: `other = null`");
  const closed = change("a", 'For each Bell: `status = "closed" when old.id == "a"`');
  for (const [then, expected] of [
    [bells([during]), "1@2 1@2, 3@12 3@12"],
    [bells([before]), "1@2 1@2, 2@10 2@10"],
    [bells([rowsWith("after 14 days", chime("after 3 days"))]), "1@2 1@2, 3@14 3@14"],
    [bells([during], unset), "1@2 1@2, 3@12 3@12"],
    [bells([during], closed), "closed1@2 1@2, closed1@2 3@12"],
    [bells([rowsWith("after 14 days")], unset), "1@2 1@2, 2@14 2@14"],
  ] as const) {
    const path = await stopped(bells([before]), bells([during]));
    assert.deepEqual(await served(then, path, 3, 20), [expected]);
  }
});
