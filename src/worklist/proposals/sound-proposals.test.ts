/** Proposals that don't compile together: only those in conflict are withdrawn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Proposal } from "../document/answers.ts";
import { listOfProposals } from "../worklist.ts";

const text = `# Interface Specification: Books

## What the service does

- Purpose: keeps books
- Domain: none
- Behaviour: none

## Resources and their fields

- Resources: not shown
- Identifiers: not shown
- Fields: not shown

## States and transitions

- States: not shown
- Transitions: not shown

## Endpoints

- Methods: not shown
- Path shapes: not shown
- Payload shapes: not shown

## Authentication

- Scheme: not shown
- Credentials: not shown
- Placement: not shown

## Events

- Events: not shown
- Webhooks: not shown
- Notifications: not shown

## Errors

- Payload shape: not shown

| Code      | Status | When      |
| --------- | ------ | --------- |
| not_found | 404    | not found |

## Limits

- Rate limits: none
- Size limits: not shown
- Time-outs: not shown
- Pagination bounds: none

## Versioning

- Version scheme: none
- Compatibility rules: none
`;

const lastRow = text.split("\n").findIndex((line) => line.startsWith("| not_found")) + 1;

/** A row of part 7. No position of an error leads to it, because its question is in line 1. */
function row(when: string, code: string): Proposal {
  const lines = [`| ${code} | 400 | ${when} |`];
  return { kind: "forbidden", subject: code, at: 1, edits: [{ after: lastRow, lines }], evidence: [] };
}

function keptOf(proposals: readonly Proposal[]): readonly string[] {
  return listOfProposals("books.md", text, () => proposals).proposals.map(({ subject }) => subject);
}

const good = ["malformed request", "unknown field", "too large", "missing field", "invalid field"].map(
  (when, index) => row(when, `good_${index}`),
);

test("a proposal whose error nothing is blamed for withdraws no other", () => {
  const names = good.map(({ subject }) => subject);
  assert.deepEqual(keptOf(good), names);
  for (let at = 0; at <= good.length; at++)
    assert.deepEqual(keptOf(good.toSpliced(at, 0, row("no such condition", "bad"))), names, `at ${at}`);
});

test("of two proposals that conflict, the first one stays", () => {
  assert.deepEqual(
    keptOf([
      row("malformed request", "first"),
      row("too large", "other"),
      row("malformed request", "second"),
    ]),
    ["first", "other"],
  );
});

test("the number of compilations is bounded: the proposals that were not tried are withdrawn", () => {
  const bad = Array.from({ length: 200 }, (_, index) => row("no such condition", `bad_${index}`));
  const kept = keptOf([...good, ...bad]);
  assert.deepEqual(
    kept,
    good.map(({ subject }) => subject),
  );
});
