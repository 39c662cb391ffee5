/**
 * Cursors (part 4, Pagination). A caller pages through a list while others create and delete
 * records. The caller sees each record that exists all the time exactly once, in order, and no
 * deleted record. The histories are random, in both directions, with ties and nulls in the order.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { fc, times } from "../fixed-seed.ts";
import { libraryModel } from "../documents/library.ts";

const items = libraryModel({
  authentication: "- Scheme: none",
  resources: `### Item

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| rank | integer | nullable |
| mark | string | nullable |`,
  states: "States and transitions: none.",
  endpoints: `### POST /items

- Does: create Item
- Body: rank?, mark?
- Returns: 201 Item

### DELETE /items/{id}

- Does: delete Item
- Returns: 204 nothing

### GET /down

- Does: list Item
- Order: rank descending
- Pagination: cursor (size: limit, after: after, before: before)
- Returns: 200 Page of Item

### GET /up

- Does: list Item
- Order: mark, rank
- Pagination: cursor (size: limit, at: at)
- Returns: 200 Page of Item

### Shape: Page

\`\`\`cel
{"items": page.items, "next": page.next, "previous": page.previous}
\`\`\``,
  errors: "- Payload shape: problem details\n- Error codes: none",
});

interface Item {
  readonly id: number;
  readonly rank: number | null;
  readonly mark: string | null;
}

interface Page {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly previous: string | null;
}

/**
 * Nulls are last in ascending order and first in descending order. Ties are in the order of
 * creation, in the direction of the last key.
 */
const orders: Readonly<Record<string, (a: Item, b: Item) => number>> = {
  "/down": (a, b) => -byRank(a, b) || b.id - a.id,
  "/up": (a, b) => byText(a.mark, b.mark) || byRank(a, b) || a.id - b.id,
};

const byRank = (a: Item, b: Item) =>
  a.rank === null || b.rank === null ? Number(a.rank === null) - Number(b.rank === null) : a.rank - b.rank;
const byText = (a: string | null, b: string | null) =>
  a === null || b === null ? Number(a === null) - Number(b === null) : a < b ? -1 : a > b ? 1 : 0;

const rank = fc.option(fc.integer({ min: 0, max: 2 }));
const mark = fc.option(fc.constantFrom("a", "b"));
const made = fc.record({ rank, mark });
const acts = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("page" as const), limit: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("make" as const), item: made }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), which: fc.nat(40) }) },
  ),
  { minLength: 4, maxLength: 40, size: "max" },
);

const history = fc.record({
  path: fc.constantFrom("/down", "/up"),
  begins: fc.array(made, { minLength: 1, maxLength: 14, size: "max" }),
  acts,
});

async function request(service: Service, method: string, target: string, body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = [["Content-Type", "application/json"]] as const;
  const answer = await service.fetch(createRequest({ method, target, headers, ...sent }));
  return { status: answer.status, text: String(answer.body) };
}

async function openItems() {
  const store = await openStore(items, meaningOf(items), { path: ":memory:" });
  const ports = { clock: createMovableClock(0), log: silentLog, randomBytes: createRandomPool() };
  const service = await createService(items, { store, ports, origin: () => "http://localhost" });
  return {
    service,
    async close() {
      await service.close();
      await store.close();
    },
  };
}

test("pages have each lasting record once, in order, and no deleted record", async () => {
  const run = fc.asyncProperty(history, async ({ path, begins, acts }) => {
    const { service, close } = await openItems();
    try {
      const there = new Map<number, Item>();
      const make = async (item: object) => {
        const { status, text } = await request(service, "POST", "/items", item);
        assert.equal(status, 201, text);
        const created = JSON.parse(text) as Item;
        there.set(created.id, created);
      };
      for (const item of begins) await make(item);
      await walk(service, path, acts, "next", there, make);
      await walk(service, path, acts.toReversed(), "previous", there, make);
    } finally {
      await close();
    }
  });
  await fc.assert(run, { numRuns: times(40) });
});

type Act = typeof acts extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

/**
 * Pages through the list in one direction, backward from its end, while the other actions happen
 * between the pages.
 */
async function walk(
  service: Service,
  path: string,
  acts: readonly Act[],
  direction: "next" | "previous",
  there: Map<number, Item>,
  make: (item: object) => Promise<void>,
): Promise<void> {
  const order = orders[path] as (typeof orders)[string];
  const allTheTime = new Set(there.keys());
  const seen: Item[] = [];
  let cursor: string | null = "";
  if (direction === "previous") {
    // The last page, from which paging backward starts, is not part of the result.
    const end = await endOf(service, path, there);
    for (const { id } of end.items) allTheTime.delete(id);
    cursor = end.previous;
  }
  const turn = async (limit: number) => {
    const page: Page = await pageAt(service, path, cursor as string, limit, direction);
    for (const item of page.items) assert.ok(there.has(item.id), `${item.id} was deleted`);
    seen.push(...(direction === "next" ? page.items : page.items.toReversed()));
    cursor = page[direction];
  };
  for (const act of acts) {
    if (act.kind === "make") await make(act.item);
    else if (act.kind === "page") {
      if (cursor !== null) await turn(act.limit);
    } else {
      const id = [...there.keys()][act.which % Math.max(1, there.size)];
      if (id === undefined) continue;
      assert.equal((await request(service, "DELETE", `/items/${id}`)).status, 204);
      there.delete(id);
      allTheTime.delete(id);
    }
  }
  while (cursor !== null) await turn(3);
  const sorted = seen.toSorted(direction === "next" ? order : (a, b) => order(b, a));
  assert.deepEqual(
    seen.map(({ id }) => id),
    sorted.map(({ id }) => id),
    "in order",
  );
  assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, "each once");
  for (const id of allTheTime)
    assert.ok(
      seen.some((item) => item.id === id),
      `${id} was there, and wasn't shown`,
    );
}

async function pageAt(
  service: Service,
  path: string,
  cursor: string,
  limit: number,
  direction: "next" | "previous",
): Promise<Page> {
  const name = path === "/up" ? "at" : direction === "next" ? "after" : "before";
  const place = cursor === "" ? "" : `&${name}=${encodeURIComponent(cursor)}`;
  const { status, text } = await request(service, "GET", `${path}?limit=${limit}${place}`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Page;
}

/** Returns the last page. */
async function endOf(service: Service, path: string, there: ReadonlyMap<number, Item>): Promise<Page> {
  let page = await pageAt(service, path, "", 2, "next");
  for (let pages = 0; page.next !== null; pages += 1) {
    assert.ok(pages <= there.size, "the list comes to an end");
    page = await pageAt(service, path, page.next, 2, "next");
  }
  return page;
}
