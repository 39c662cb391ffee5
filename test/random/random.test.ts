/**
 * Random documents with a fixed seed: every document that `check` accepts starts, responds the same
 * in memory, on PostgreSQL and on two instances, and keeps its own rules. `run.ts` runs more of
 * them. Each bug that it has found has a test in the folder of the faulty code.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { seed as fixedSeed, times } from "../fixed-seed.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import { drawnCase, type Outcome, runCase } from "./case.ts";
import { drawDocument } from "./document.ts";
import { dropSchema } from "./one-schema.ts";
import { kindsOf, requestsOf } from "./plan.ts";
import { shrunk } from "./shrink.ts";

const batches = 4;
const documents = 4;

after(() => dropSchema());

const places = sqliteAlone("each document runs in memory and on PostgreSQL by itself");

describe("random documents", places, () => {
  for (let batch = 0; batch < times(batches); batch += 1)
    test(`batch ${batch + 1}`, async () => {
      const wrong: string[] = [];
      for (let at = 0; at < documents; at += 1) {
        const number = fixedSeed + batch * documents + at;
        const outcome = await drawnCase(number, requestsOf(number), kindsOf(number));
        for (const { invariant, words } of outcome?.failures ?? [])
          wrong.push(`${invariant} (--seed ${number})\n${words}`);
      }
      assert.deepEqual(wrong, []);
    });
});

test("the same seed gives the same document", () => {
  assert.equal(drawDocument(fixedSeed)?.text, drawDocument(fixedSeed)?.text);
});

const crossed = `# Interface Specification: Crossed

## What the service does

none.

## Resources and their fields

### Box

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| size | integer | |
| note | string | |

## States and transitions

none.

## Endpoints

### POST /boxes

- Does: create Box
- Allowed: anyone
- Body: size?, note?
- Returns: 201 Box

### GET /boxes

- Does: list Box
- Allowed: anyone
- Returns: 200 list of Box

## Authentication

- Scheme: none

## Events

none.

## Errors

- Payload shape: problem details

## Limits

none.

## Versioning

- Scheme: none
`;

test("a case is shrunk to what still violates its invariant", async () => {
  const requested = { method: "POST", target: "/boxes", address: "127.0.0.1", afterMs: 0 };
  const headers = [["Content-Type", "application/json"]] as const;
  const requests = [1, 2, 3, 4].map((number) => ({
    ...requested,
    headers,
    number,
    body: `{"size": ${number}}`,
  }));
  const isWrong = (outcome: Outcome | undefined) =>
    (outcome?.case.requests ?? []).some(({ number }) => number === 3);
  const invariant = "the third request is sent";
  const judge: typeof runCase = async (made, kinds) => {
    const outcome = await runCase(made, kinds);
    return outcome && { ...outcome, failures: isWrong(outcome) ? [{ invariant, words: "" }] : [] };
  };
  const small = await shrunk({ text: crossed, givens: [], requests }, { invariant, words: "" }, ["SQLite"], {
    judge,
  });
  assert.deepEqual(
    small.case.requests.map(({ number }) => number),
    [3],
  );
  assert.doesNotMatch(small.case.text, /GET|note/);
});
