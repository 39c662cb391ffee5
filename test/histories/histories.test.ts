/**
 * Histories: one of real instances, and planted anomalies that the check must detect. Run more by
 * hand (`histories.ts`).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anomalyOf, type Done, type History, type LogLine } from "./check.ts";
import { play, usual } from "./play.ts";
import { beginning, type Operation, outcomeOf, type State } from "./spec.ts";
import { storyOf } from "./story.ts";

test("the history of clients of several instances is serializable, whatever breaks", async () => {
  const history = await play(1, { ...usual, instances: 2, clients: 4, operations: 12 });
  const anomaly = anomalyOf(history);
  assert.equal(anomaly && storyOf(history, anomaly), undefined);
  assert.ok(history.log.length > 0);
});

/** A correct history: each operation finishes before the next one starts. */
function wellDone(...operations: readonly Operation[]): History {
  let state: State = beginning;
  const log: LogLine[] = [];
  const done = operations.map((operation, at): Done => {
    const op = `0.${at}`;
    const { status, body, changed = [], state: next } = outcomeOf(operation, op, state);
    state = next ?? state;
    for (const payload of changed) log.push({ sequence: log.length + 1, payload });
    return {
      op,
      operation,
      client: 0,
      began: 2 * at,
      twins: [],
      answer: { ended: 2 * at + 1, status, body },
    };
  });
  return { done, log, followed: [log], end: state };
}

const append = (item: number): Operation => ({ does: "append", id: "c1", item });
const [readCell, readAll] = [
  { does: "read cell", id: "c1" },
  { does: "read", what: "cells" },
] as const satisfies readonly Operation[];

/** The history with one changed response. */
function reported(history: History, at: number, answer: Partial<NonNullable<Done["answer"]>>): History {
  const done = history.done.map((entry, place) =>
    place === at && entry.answer ? { ...entry, answer: { ...entry.answer, ...answer } } : entry,
  );
  return { ...history, done };
}

/** The history with all operations concurrent. */
function atOnce(history: History): History {
  const done = history.done.map((entry) => ({
    ...entry,
    began: 0,
    ...(entry.answer && { answer: { ...entry.answer, ended: 9 } }),
  }));
  return { ...history, done };
}

test("a correct history has no anomaly", () => {
  const all = wellDone(
    ...[append(1), append(2), readCell, readAll],
    ...([
      { does: "leave", id: "d1" },
      { does: "leave", id: "d2" },
      { does: "come", id: "d1" },
      { does: "pay", from: "", id: "a1", to: "a2", amount: 3 },
      { does: "take", id: "a1", amount: 99 },
      { does: "make ticket", name: "red" },
      { does: "make ticket", name: "red" },
      { does: "release", number: 1 },
    ] as Operation[]),
  );
  assert.equal(anomalyOf(all), undefined);
  assert.equal(anomalyOf(atOnce(all)), undefined);
});

const twice = wellDone(append(1), append(2), readCell);
const [first, second] = twice.log as readonly [LogLine, LogLine];
const lostItem = { ...second, payload: { ...second.payload, items: [2] } };
const skewed = wellDone({ does: "leave", id: "d1" }, { does: "come", id: "d1" }, { does: "leave", id: "d2" });

/** Each anomaly with the invariant that it violates. */
const anomalies: readonly (readonly [name: string, invariant: string, history: History])[] = [
  ["a gap in the log", "log", { ...twice, log: [first, { ...second, sequence: 3 }] }],
  ["a reader of the log who missed an event", "log", { ...twice, followed: [[second]] }],
  ["a write that no client requested", "log", { ...twice, done: twice.done.slice(1) }],
  [
    "a write that was done twice",
    "once",
    { ...twice, log: [first, second, { ...first, sequence: 3 }], followed: [] },
  ],
  [
    "two answers under one key",
    "once",
    { ...twice, done: twice.done.map((entry) => ({ ...entry, twins: [1, 2] })) },
  ],
  ["an acknowledged write that is lost", "durable", { ...twice, log: [first], followed: [] }],
  [
    "writes in another order than they were answered",
    "real time",
    { ...twice, log: [second, first].map((line, at) => ({ ...line, sequence: at + 1 })), followed: [] },
  ],
  ["an update that is lost", "one after another", { ...twice, log: [first, lostItem], followed: [] }],
  [
    "two guards that have both said yes",
    "one after another",
    {
      ...atOnce(skewed),
      log: [skewed.log[0] as LogLine, { ...(skewed.log[2] as LogLine), sequence: 2 }],
      done: atOnce(skewed).done.filter((_, at) => at !== 1),
      followed: [],
    },
  ],
  ["tables that have something else", "whole", { ...twice, end: beginning }],
  ["a read of what was", "reads", reported(twice, 2, { body: beginning.cells[0] })],
  [
    "a read of what will be",
    "reads",
    { ...reported(wellDone(readCell, append(1)), 0, { body: twice.done[0]?.answer?.body }) },
  ],
  ["a read of what never was", "reads", reported(twice, 2, { body: { id: "c1" } })],
  ["a refusal without a reason", "reads", reported(wellDone(readCell), 0, { status: 404 })],
];

for (const [name, invariant, history] of anomalies)
  test(`the checker finds ${name}`, () => {
    assert.equal(anomalyOf(history)?.invariant, invariant, JSON.stringify(anomalyOf(history)));
  });
