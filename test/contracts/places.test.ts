/**
 * Concurrency slots (part 8, `concurrency`): requests arrive and end in any order and in any way.
 * They are answered, rejected, abandoned by their client, timed out, or closed as a stream. Each
 * slot is released, and never are more taken than the limit allows. A list of running requests is
 * the reference.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequest, type ServiceResponse, type StreamedBody } from "../../src/engine/http/message.ts";
import type { MovableClock } from "../../src/engine/ports.ts";
import { fc, times } from "../fixed-seed.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import { type Served, serveDocument, smallDocument, standing } from "./serve-document.ts";

const endpoints = `${standing.endpoints}

### PATCH /notes/{id}

- Does: update Note
- Body: size?
- Returns: 200 Note

### GET /notes/{id}/wait

- Does: read Note
- Waits: until \`this.size != null\`, at most \`duration("20s")\`
- Returns: 200 Note

### POST /notes/{id}/touch

- Does: update Note
- Set: \`size = null\`
- Waits: until \`this.size != null\`, at most \`duration("20s")\`
- Returns: 200 Note

### GET /changes

- Does: stream
- Sends: note.changed
- Starts: now`;

const events = `- Webhooks: none
- Log: kept 1 days
- Notifications: none

| Event | When | Payload |
|---|---|---|
| note.changed | Note updated | Note |`;

const errors = `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| too_many | 429 | rate limited |
| none | 404 | not found |`;

/**
 * The limits: for all requests, for the waits of each address, and for the streams of each address.
 */
const most = { all: 5, waits: 2, streams: 1 };
const limits = `| Limit | Bound | Applies to |
|---|---|---|
| concurrency all | ${most.all} | every request |
| concurrency waits | ${most.waits} | address, GET /notes/{id}/wait, POST /notes/{id}/touch |
| concurrency readers | ${most.streams} | address, GET /changes |`;

const text = smallDocument({ endpoints, events, errors, limits });

const kinds = ["wait", "touch", "stream", "read", "none", "wrong", "set"] as const;
type Kind = (typeof kinds)[number];

/** The request of each kind, and its final response if there is a free slot. */
const requested: Readonly<
  Record<
    Kind,
    { readonly method: string; path(note: number): string; readonly body?: object; readonly status: number }
  >
> = {
  wait: { method: "GET", path: (note) => `/notes/${note}/wait`, status: 200 },
  touch: { method: "POST", path: (note) => `/notes/${note}/touch`, status: 200 },
  stream: { method: "GET", path: () => "/changes", status: 200 },
  read: { method: "GET", path: (note) => `/notes/${note}`, status: 200 },
  none: { method: "GET", path: () => "/notes/0", status: 404 },
  wrong: { method: "PATCH", path: (note) => `/notes/${note}`, body: { size: 99 }, status: 422 },
  set: { method: "PATCH", path: (note) => `/notes/${note}`, body: { size: 1 }, status: 200 },
};

const waits = (kind: Kind) => kind === "wait" || kind === "touch";

interface UnderWay {
  readonly kind: Kind;
  readonly from: string;
  readonly note: number;
  readonly untilMs: number;
  readonly leaving: AbortController;
  readonly answer: Promise<ServiceResponse>;
  stream?: StreamedBody;
}

/** Some requests arrive at once. Then a client abandons a running request, or time passes. */
const from = fc.constantFrom("192.0.2.1", "192.0.2.2", "2001:db8::1");
const note = fc.nat(1);
const come = fc.record({ kind: fc.constantFrom(...kinds, "wait", "touch", "stream"), from, note });
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant("come" as const),
      all: fc.array(come, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("leave" as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("rush" as const),
      count: fc.integer({ min: 2, max: 5 }),
      from,
      note,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant("time" as const), ms: fc.constantFrom(1, 7_000, 20_000) }),
  },
);
const history = fc.array(act, { minLength: 10, maxLength: 30, size: "max" });

/** A service, and the list of its running requests. */
class ReferenceModel {
  readonly #served: Served;
  readonly #clock: MovableClock;
  readonly #isSet = new Map<number, boolean>();
  /** The notes of this history, by their numbers. */
  readonly #notes: number[] = [];
  #underWay: UnderWay[] = [];

  constructor(served: Served) {
    this.#served = served;
    this.#clock = served.target.service.internals.context.ports.clock as MovableClock;
  }

  async begin(): Promise<void> {
    for (const text of ["one", "two"]) {
      const { status, json } = await this.#served.send("POST", "/notes", { body: { text } });
      assert.equal(status, 201);
      this.#notes.push(json.id);
    }
  }

  /** @returns whether the service admits the request, by the list */
  #hasPlace(kind: Kind, from: string): boolean {
    const mine = this.#underWay.filter((pending) => pending.from === from);
    if (this.#underWay.length >= most.all) return false;
    if (waits(kind)) return mine.filter((pending) => waits(pending.kind)).length < most.waits;
    return kind !== "stream" || mine.every((pending) => pending.kind !== "stream");
  }

  async come(
    all: readonly { readonly kind: Kind; readonly from: string; readonly note: number }[],
  ): Promise<void> {
    for (const { kind, from, note } of all) {
      const isIn = this.#hasPlace(kind, from);
      const leaving = new AbortController();
      const { status } = requested[kind];
      const held = this.#onceHeld();
      const { answer } = this.#execute(kind, from, note, leaving);
      const first = await Promise.race([answer, held]);
      const what = `${kind} of ${note} from ${from}, next to ${this.#underWay.map((pending) => `${pending.kind} ${pending.from}`).join(", ")}`;
      if (!isIn) assert.equal(first?.status, 429, what);
      else if (kind === "stream") {
        assert.equal(first?.status, 200, what);
        this.#underWay.push({
          kind,
          from,
          note,
          untilMs: Infinity,
          leaving,
          answer,
          stream: first?.body as StreamedBody,
        });
      } else if (kind === "touch") {
        this.#isSet.set(note, false);
        assert.equal(first, undefined, what);
        this.#hold({ kind, from, note, leaving, answer });
      } else if (kind === "wait" && this.#isSet.get(note) !== true) {
        assert.equal(first, undefined, what);
        this.#hold({ kind, from, note, leaving, answer });
      } else assert.equal(first?.status, status, what);
      if (kind === "set" && isIn) {
        this.#isSet.set(note, true);
        await this.#over((pending) => waits(pending.kind) && pending.note === note);
      }
      this.#taken(what);
    }
  }

  /** Sends requests in one tick: the service admits as many as it has free slots. */
  async rush(count: number, from: string, note: number): Promise<void> {
    const { waits: held } = this.#served.target.service.internals.shared;
    const heldBefore = this.#underWay.filter(({ kind }) => waits(kind)).length;
    const room = Math.min(
      most.all - this.#underWay.length,
      most.waits - this.#underWay.filter((pending) => pending.from === from && waits(pending.kind)).length,
    );
    const rushed = Array.from({ length: count }, () => {
      const leaving = new AbortController();
      return { leaving, ...this.#execute("touch", from, note, leaving), status: 0 };
    });
    for (const client of rushed) void client.answer.then(({ status }) => Object.assign(client, { status }));
    const refused = () => rushed.filter(({ status }) => status !== 0);
    for (let turns = 0; held.held - heldBefore + refused().length < count && turns < 1_000; turns += 1)
      await new Promise<void>((resolve) => setImmediate(resolve));
    const what = `${count} of ${from} at once`;
    assert.deepEqual(
      refused().map(({ status }) => status),
      Array(Math.max(0, count - room)).fill(429),
      what,
    );
    for (const { status, leaving, answer } of rushed)
      if (status === 0) this.#hold({ kind: "touch", from, note, leaving, answer });
    if (room > 0) this.#isSet.set(note, false);
    this.#taken(what);
  }

  #execute(kind: Kind, from: string, note: number, leaving: AbortController) {
    const { method, path, body } = requested[kind];
    const request = createRequest({
      method,
      target: path(this.#notes[note] as number),
      headers: [["Content-Type", "application/json"]],
      remoteAddress: from,
      signal: leaving.signal,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { answer: Promise.resolve(this.#served.target.service.fetch(request)) };
  }

  #hold(request: Omit<UnderWay, "untilMs">): void {
    this.#underWay.push({ ...request, untilMs: this.#clock.now() + 20_000 });
  }

  async leave(which: number): Promise<void> {
    const pending = this.#underWay[which % Math.max(1, this.#underWay.length)];
    if (!pending) return;
    pending.leaving.abort();
    await this.#over((other) => other === pending);
    this.#taken(`${pending.kind} of ${pending.from} was left`);
  }

  async time(ms: number): Promise<void> {
    this.#clock.moveBy(ms);
    await this.#over((pending) => pending.untilMs <= this.#clock.now());
    this.#taken(`${ms} ms went by`);
  }

  /** Ends the requests that match the condition. */
  async #over(isOver: (pending: UnderWay) => boolean): Promise<void> {
    const over = this.#underWay.filter(isOver);
    this.#underWay = this.#underWay.filter((pending) => !over.includes(pending));
    for (const { answer, stream } of over) await (stream ? stream.closed : answer);
  }

  #onceHeld(): Promise<undefined> {
    const { waits: held } = this.#served.target.service.internals.shared;
    return new Promise((resolve) => {
      const forget = held.onHeld(() => {
        forget();
        resolve(undefined);
      });
    });
  }

  /** Expects that the service counts the requests of the list. */
  #taken(what: string): void {
    const { slots } = this.#served.target.service.internals.shared;
    const counted = [...slots].map(([{ name }, { inUse }]) => [
      name,
      [...inUse.values()].reduce((sum, count) => sum + count, 0),
    ]);
    const of = (isOf: (kind: Kind) => boolean) => this.#underWay.filter(({ kind }) => isOf(kind)).length;
    const expected = { all: of(() => true), waits: of(waits), readers: of((kind) => kind === "stream") };
    assert.deepEqual(Object.fromEntries(counted), expected, what);
  }

  async end(): Promise<void> {
    for (const pending of this.#underWay) pending.leaving.abort();
    await this.#over(() => true);
    this.#taken("all are closed");
  }
}

const inMemory = sqliteAlone(
  "instances count slots in the database, which test/postgres/shared.test.ts covers",
);

test(
  "each slot is released in every case, and never more are claimed than the limit allows",
  inMemory,
  async (t) => {
    const served = await serveDocument(text);
    t.after(() => served.close());
    const run = fc.asyncProperty(history, async (acts) => {
      const doors = new ReferenceModel(served);
      await doors.begin();
      try {
        for (const step of acts) {
          if (step.act === "come") await doors.come(step.all);
          else if (step.act === "rush") await doors.rush(step.count, step.from, step.note);
          else if (step.act === "leave") await doors.leave(step.which);
          else await doors.time(step.ms);
        }
      } finally {
        await doors.end();
      }
    });
    await fc.assert(run, { numRuns: times(30) });
  },
);
