/**
 * Kept responses (part 4, `Idempotency`): requests with random keys are sent in sequence or at
 * once, repeated, changed, from other callers, and after the key's lifetime. They are answered as
 * if in sequence, and each is executed once. A list of the kept responses is the reference.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createRequest } from "../../src/engine/http/message.ts";
import type { MovableClock } from "../../src/engine/ports.ts";
import { fc, times } from "../fixed-seed.ts";
import { type Served, serveDocument, smallDocument } from "./serve-document.ts";

const keptMs = 3_600_000;
const endpoints = `- Idempotency: header Idempotency-Key, 1 hour, on every POST

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note

### POST /sums

- Does: answer
- Returns: 200 \`{"sum": Note.count() * body.by}\`

| Input | In | Type |
|---|---|---|
| by | body | integer |

### GET /notes

- Does: list Note
- Returns: 200 list of Note`;
const errors = `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| conflict | 409 | idempotency conflict |
| wrong | 422 | invalid field |`;
const text = smallDocument({ endpoints, errors });

const request = fc.record({
  key: fc.constantFrom("a", "a", "a", "b", null),
  from: fc.constantFrom("192.0.2.1", "192.0.2.1", "192.0.2.2"),
  what: fc.constantFrom<What>("make one", "make one", "make two", "sum", "wrong"),
});
const act = fc.oneof(
  { weight: 6, arbitrary: fc.array(request, { minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(1, keptMs / 2, keptMs - 1, keptMs) },
);

type What = "make one" | "make two" | "sum" | "wrong";
interface RequestedValue {
  readonly key: string | null;
  readonly from: string;
  readonly what: What;
}
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly isReplayed: boolean;
}

const sent: Readonly<Record<What, readonly [path: string, body: object]>> = {
  "make one": ["/notes", { text: "one" }],
  "make two": ["/notes", { text: "two" }],
  sum: ["/sums", { by: 3 }],
  wrong: ["/notes", { text: "" }],
};

/** The kept responses, and the created records. */
interface Lists {
  readonly kept: ReadonlyMap<
    string,
    { readonly what: What; readonly answer: Answer; readonly untilMs: number }
  >;
  readonly made: number;
}

function answered(
  { kept, made }: Lists,
  { key, from, what }: RequestedValue,
  nowMs: number,
): [Lists, Answer] {
  const name = `${from} ${key}`;
  const before = key === null ? undefined : kept.get(name);
  if (before && nowMs < before.untilMs) {
    if (before.what === what)
      return [
        { kept, made },
        { ...before.answer, isReplayed: true },
      ];
    return [
      { kept, made },
      { status: 409, body: null, isReplayed: false },
    ];
  }
  if (what === "wrong")
    return [
      { kept, made },
      { status: 422, body: null, isReplayed: false },
    ];
  const [, body] = sent[what];
  const makes = what !== "sum";
  const answer: Answer = makes
    ? { status: 201, body: { id: made + 1, ...body, size: null }, isReplayed: false }
    : { status: 200, body: { sum: made * 3 }, isReplayed: false };
  const more = new Map(kept);
  if (key !== null) more.set(name, { what, answer, untilMs: nowMs + keptMs });
  return [{ kept: more, made: made + Number(makes) }, answer];
}

function* ordersOf<T>(all: readonly T[]): Generator<readonly T[]> {
  if (all.length === 0) yield [];
  for (const [at, item] of all.entries())
    for (const rest of ordersOf(all.toSpliced(at, 1))) yield [item, ...rest];
}

async function send({ target }: Served, { key, from, what }: RequestedValue): Promise<Answer> {
  const [path, body] = sent[what];
  const answer = await target.service.fetch(
    createRequest({
      method: "POST",
      target: path,
      remoteAddress: from,
      headers: [
        ["Content-Type", "application/json"],
        ...(key === null ? [] : [["Idempotency-Key", key] as const]),
      ],
      body: JSON.stringify(body),
    }),
  );
  const isReplayed = answer.headers.some(([name]) => name === "Idempotent-Replayed");
  return {
    status: answer.status,
    body: answer.status < 300 ? JSON.parse(String(answer.body)) : null,
    isReplayed,
  };
}

test("each request with a key is executed once, and answered as if in sequence", async () => {
  const run = fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25, size: "max" }), async (acts) => {
    const served = await serveDocument(text);
    const clock = served.target.service.internals.context.ports.clock as MovableClock;
    let lists: Lists = { kept: new Map(), made: 0 };
    try {
      for (const step of acts) {
        if (typeof step === "number") {
          clock.moveBy(step);
          continue;
        }
        const received = await Promise.all(step.map((requested) => send(served, requested)));
        const nowMs = clock.now();
        let first: readonly Answer[] | undefined;
        let isAsIf = false;
        for (const order of ordersOf([...step.keys()])) {
          let after = lists;
          const reported: Answer[] = [];
          for (const at of order)
            [after, reported[at] as Answer] = answered(after, step[at] as RequestedValue, nowMs);
          first ??= reported;
          isAsIf = isDeepStrictEqual(reported, received);
          if (!isAsIf) continue;
          lists = after;
          break;
        }
        if (!isAsIf) assert.deepEqual(received, first, JSON.stringify(step));
      }
      const { json } = await served.send("GET", "/notes");
      assert.equal(json.length, lists.made);
    } finally {
      await served.close();
    }
  });
  await fc.assert(run, { numRuns: times(15) });
});
