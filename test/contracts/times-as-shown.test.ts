/**
 * Timestamps as serialized: a moment finds the record that it was shown for, in every form of
 * `Timestamps`. This holds for filters, bounds, the path, references, and the positions of pages. A
 * timestamp in seconds stands for its whole second, whatever the store has.
 */
import assert from "node:assert/strict";
import { StatementSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { createGivenRecords } from "../../src/engine/given.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { type Served, serveDocument, smallDocument } from "./serve-document.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import { timestampForms } from "../../src/expressions/writing/wire.ts";

const forms = timestampForms;

const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| at | timestamp | required |

### Slot

- Identifier: starts_at, given

| Field | Type |
|---|---|
| starts_at | timestamp |

### Turn

- Identifier: room and at

| Field | Type | Rules |
|---|---|---|
| room | integer | required |
| at | timestamp | required |

### Booking

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| slot | Slot |
| turn | Turn |`;

const endpointsIn = (form: string) => `- Timestamps: ${form}

### GET /notes

- Does: list Note
- Query: at? range
- Pagination: none
- Returns: 200 list of Note

### GET /pages

- Does: list Note
- Query: at? range
- Order: at
- Pagination: cursor (size: limit, after: after, before: before)
- Returns: 200 Listed of Note

### POST /slots

- Does: create Slot
- Body: starts_at
- Returns: 201 Slot

### GET /slots

- Does: list Slot
- Order: starts_at
- Pagination: identifier (size: limit, after: after)
- Returns: 200 Listed of Slot

### GET /slots/{starts_at}

- Does: read Slot
- Returns: 200 Slot

### PUT /slots/{starts_at}

- Does: upsert Slot
- Returns: 201 Slot when \`created\`
- Returns: 200 Slot

### POST /bookings

- Does: create Booking
- Body: slot?, turn?
- Returns: 201 Booking

### GET /bookings

- Does: list Booking
- Query: slot?
- Pagination: none
- Returns: 200 list of Booking

### Shape: Listed

\`\`\`cel
{"items": page.items, "next": page.next}
\`\`\``;

const moments = [
  "2026-11-20T10:00:00.900Z",
  "2026-11-20T10:00:00.000Z",
  "2026-11-20T10:00:01.000Z",
  "2026-11-20T10:00:00.100Z",
  "9999-12-31T23:59:59.999Z",
];

async function serveIn(form: string, given: readonly string[], t: TestContext): Promise<Served> {
  const served = await serveDocument(smallDocument({ resources, endpoints: endpointsIn(form) }));
  t.after(() => served.close());
  const text = given.map((record) => `- Given: \`${record}\`\n`).join("");
  const { steps } = readGivenItems(served.target.service.model, "given.md", text);
  await createGivenRecords(served.target.service, steps);
  return served;
}

const notes = moments.map((at) => `Note with at = timestamp("${at}")`);
const encoded = (shown: unknown) => encodeURIComponent(String(shown));

for (const form of forms) {
  test(`a timestamp in ${form} finds the record that it was shown for`, async (t) => {
    const served = await serveIn(form, notes, t);
    const all: { id: number; at: string | number }[] = (await served.send("GET", "/notes")).json;
    assert.equal(all.length, moments.length);
    const timeOf = (shown: string | number) =>
      typeof shown === "number" ? shown * (form === "unix seconds" ? 1000 : 1) : Date.parse(shown);
    const holds = {
      "": (a: number, b: number) => a === b,
      "[lt]": (a: number, b: number) => a < b,
      "[lte]": (a: number, b: number) => a <= b,
      "[gt]": (a: number, b: number) => a > b,
      "[gte]": (a: number, b: number) => a >= b,
    };
    for (const { at } of all)
      for (const [bound, isMeant] of Object.entries(holds)) {
        const { json } = await served.send("GET", `/notes?at${bound}=${encoded(at)}`);
        assert.deepEqual(
          json.map((record: { id: number }) => record.id),
          all.filter((record) => isMeant(timeOf(record.at), timeOf(at))).map((record) => record.id),
          `at${bound}=${at}`,
        );
      }
  });

  test(`pages with timestamps in ${form} continue where the last page ended`, async (t) => {
    const served = await serveIn(form, notes, t);
    const seen: number[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const { json } = await served.send("GET", `/pages?limit=1${next && `&after=${next}`}`);
      seen.push(json.items[0].id);
      next = json.next;
    }
    assert.deepEqual(seen, [2, 4, 1, 3, 5]);
  });

  test(`an identifying timestamp is the serialized one in ${form}`, async (t) => {
    const given = ['Turn with room = 1, at = timestamp("2026-11-20T10:00:00.100Z") as turn'];
    const served = await serveIn(form, [...given, "Booking with turn = turn"], t);
    for (const second of ["10:00:00", "10:00:01", "10:00:02"]) {
      const at = new Date(`2026-11-20T${second}Z`);
      const sent =
        form === "unix seconds"
          ? at.getTime() / 1000
          : form === "unix milliseconds"
            ? at.getTime() + 700
            : `2026-11-20T${second}.700Z`;
      const made = await served.send("POST", "/slots", { body: { starts_at: sent } });
      assert.equal(made.status, 201, made.body);
      const shown = made.json.starts_at;
      assert.equal((await served.send("GET", `/slots/${encoded(shown)}`)).status, 200);
      assert.equal((await served.send("PUT", `/slots/${encoded(shown)}`)).status, 200);
      const booked = await served.send("POST", "/bookings", { body: { slot: shown } });
      assert.equal(booked.status, 201, booked.body);
      assert.deepEqual(booked.json.slot, shown);
      assert.equal((await served.send("GET", `/bookings?slot=${encoded(shown)}`)).json.length, 1);
    }
    const [booking] = (await served.send("GET", "/bookings")).json;
    const again = await served.send("POST", "/bookings", { body: { turn: booking.turn } });
    assert.equal(again.status, 201, again.body);
    const first = (await served.send("GET", "/slots?limit=1")).json;
    const rest = await served.send("GET", `/slots?after=${encoded(first.next)}`);
    assert.equal(rest.json.items.length, 2, rest.body);
  });
}

const words = sqliteAlone("reads the words of SQLite's statements");
test(
  "a bound in seconds is compared with the column itself, so that its index finds it",
  words,
  async (t) => {
    const served = await serveIn("seconds", notes, t);
    const requested: string[] = [];
    const { all } = StatementSync.prototype;
    StatementSync.prototype.all = function (this: StatementSync, ...values: Parameters<typeof all>) {
      requested.push(this.sourceSQL);
      return all.apply(this, values);
    } as typeof all;
    t.after(() => Object.assign(StatementSync.prototype, { all }));
    await served.send("GET", "/notes?at=2026-11-20T10:00:00Z");
    const list = requested.find((sql) => sql.includes("WHERE")) ?? "";
    assert.match(list, /\(r1\."at" >= \?1\) AND \(r1\."at" <= \?2\)/, list);
  },
);
