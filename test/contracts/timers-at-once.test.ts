/**
 * Simultaneous timed transitions: those of one record that are due at the same moment fire in the
 * order of the table's rows, whatever their names.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const rows = {
  renew: "| renew | on | same | at due | `renewed = this.renewed + 1; due = null` |",
  stop: "| stop | on | over | at due | |",
};

for (const [first, second, left] of [
  ["renew", "stop", "on"],
  ["stop", "renew", "over"],
] as const)
  test(`${first} is first`, async (t) => {
    const resources = `### Lease

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| due | timestamp | |
| renewed | integer | default \`0\` |`;
    const states = `### Lease

- State field: state
- Initial state: on

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
${rows[first]}
${rows[second]}`;
    const endpoints = `### POST /leases

- Does: create Lease
- Body: due
- Returns: 201 Lease

### GET /leases

- Does: list Lease
- Returns: 200 list of Lease`;
    const served = await serveDocument(smallDocument({ resources, states, endpoints }));
    t.after(() => served.close());
    // The records exceed one batch, so that a record's timers meet the limit of a batch.
    for (let made = 0; made < 20; made += 1)
      await served.send("POST", "/leases", { body: { due: "2030-01-01T00:00:00Z" } });
    await served.target.wait?.(36_500 * 86_400_000);
    const { json } = await served.send("GET", "/leases");
    assert.deepEqual(
      json.map((lease: { state: string; renewed: number }) => [lease.state, lease.renewed]),
      Array.from({ length: 20 }, () => [left, left === "on" ? 1 : 0]),
    );
  });
