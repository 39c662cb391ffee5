/**
 * The due scope that `src/engine/background/` derives from the model, compared with what time and requests really see
 * and touch. On random documents, SQLite reports which tables the statements of each timed transition and each
 * request read and write (`statement-trace.ts`); all must lie within the derived scope. No answer may show what was
 * settled when: each must be what it would be if everything due ran, in order, before every request. The seed is
 * fixed; NINEFOLD_SEED sets another, NINEFOLD_RUNS more documents.
 */
import { traced, type Trace } from "./statement-trace.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointDueScope } from "../../../src/engine/background/endpoint-scope.ts";
import { planDueTransition } from "../../../src/engine/background/due-transition.ts";
import { overlap, timedModel, type TimedModel, type DueUnit } from "../../../src/engine/background/units.ts";
import { Problem } from "../../../src/engine/problem.ts";
import { BrokenInvariant } from "../../../src/engine/records/broken-invariant.ts";
import type { Journal } from "../../../src/engine/evaluation/journal.ts";
import { hasRule } from "../../../src/fields/rule.ts";
import type { Model } from "../../../src/model/model.ts";
import type { DueTimer } from "../../../src/store/store.ts";
import { seed, times } from "../../fixed-seed.ts";
import { createDraw, type Draw, seedOf } from "../../simulation/draw.ts";
import { type DocumentPlan, documentOf, type TimedDocument } from "./documents.ts";
import { drawPlan } from "./random-plans.ts";
import { drawMechanism, mechanisms } from "./mechanisms.ts";
import {
  type HttpRequest,
  request,
  drawRequest,
  endpointOf,
  minuteMs,
  openAsleep,
  type Opened,
} from "./walk.ts";
import { sqliteAlone } from "../../sqlite-alone.ts";

const planned: readonly (readonly [string, (draw: Draw) => DocumentPlan])[] = [
  ...Array.from({ length: times(16) }, (_, at) => [`document ${at}`, drawPlan] as const),
  ...Object.keys(mechanisms).flatMap((name) =>
    Array.from(
      { length: times(2) },
      (_, at) => [`${name} ${at}`, (draw: Draw) => drawMechanism(draw, name)] as const,
    ),
  ),
];
const requestsEach = 60;

/** Counts what each document has exercised, so that no assertion is vacuous. */
const met = {
  taken: 0,
  apart: 0,
  touching: 0,
  looseAlone: 0,
  requests: 0,
  settledWhole: 0,
  settledSingle: 0,
  changes: 0,
};

for (const [name, plan] of planned)
  test(`${name}: due work and requests touch only the computed scope (seed ${seed})`, async () => {
    const draw = createDraw(seedOf(seed, name));
    const document = documentOf(() => plan(draw));
    const [eager, lazy] = await Promise.all([openAsleep(document.model), openAsleep(document.model)]);
    const { context } = eager.service.internals;
    const timed = timedModel(document.model, context.meaning);
    const newest = new Map<string, number>();
    try {
      for (let step = 0; step < requestsEach; step += 1) {
        const move = draw.below(draw.below(3) === 0 ? 25 : 3) * minuteMs;
        for (const opened of [eager, lazy]) opened.clock.moveBy(move);
        // The retry time of a failed transition depends on the time of its failure.
        const { anyFailed } = await settleTraced(eager, timed, document);
        if (anyFailed) await lazy.service.internals.timers.runAllDue();
        const requested = drawRequest(draw, document, newest, eager.clock.now(), step);
        const where = `request ${step}, ${JSON.stringify(requested)}\n${document.text}`;
        const expected = await requestTraced(eager, timed, requested, where);
        const got = await request(lazy.service, requested);
        assert.deepEqual(got, expected, where);
        if (got.status === 201) newest.set(requested.target, (got.reported as { readonly id: number }).id);
        if (requested.method !== "GET" && got.status < 300) met.changes += 1;
      }
    } finally {
      await eager.close();
      await lazy.close();
    }
  });

test(
  "the documents have exercised every kind of effect",
  sqliteAlone("statements are traced as SQLite gets them"),
  () => {
    assert.ok(met.taken > planned.length * 3, JSON.stringify(met));
    for (const [name, count] of Object.entries(met))
      assert.ok(count > planned.length / 3, `${name}: ${JSON.stringify(met)}`);
  },
);

/** Runs all due work in order, and traces each transition. */
async function settleTraced(opened: Opened, timed: TimedModel, document: TimedDocument) {
  const { service, store, clock } = opened;
  const { context, shared, newFrame } = service.internals;
  const take = planDueTransition(context, shared.events);
  let anyFailed = false;
  for (let taken = 0; taken < 2_000; taken += 1) {
    const [timer] = await store.session.system.dueTimers(clock.now(), 1);
    if (!timer) return { anyFailed };
    const where = `${timer.resource} ${timer.transition}\n${document.text}`;
    let journal: Journal | undefined;
    let refused: unknown;
    const trace = await traced(() =>
      store
        .write((transaction) =>
          transaction.part(async () => {
            ({ journal } = await take(timer, transaction, newFrame(timer.dueAt)));
          }),
        )
        .catch((error: unknown) => {
          refused = error;
        }),
    );
    if (refused !== undefined) {
      if (!(refused instanceof Problem || refused instanceof BrokenInvariant)) throw refused;
      anyFailed = true;
      // As the engine does it.
      const pauseMs = 60_000 * 2 ** Math.min(timer.failures, 30);
      await store.write((transaction) =>
        transaction.system.postponeTimer(timer, clock.now() + pauseMs, timer.failures + 1),
      );
    }
    met.taken += 1;
    assertTaken(timer, trace, journal, timed, document.model, where);
  }
  throw new Error(`there is no end of what is due:\n${document.text}`);
}

function assertTaken(
  timer: DueTimer,
  trace: Trace,
  journal: Journal | undefined,
  timed: TimedModel,
  model: Model,
  where: string,
): void {
  const unit = timed.units.find((unit) => unit.resources.includes(timer.resource));
  assert.ok(unit, where);
  const own = new Set(unit.resources);
  for (const table of trace.reads.keys())
    assert.ok(unit.sees.has(table) || own.has(table), `it reads ${table}: ${where}`);
  for (const table of trace.writes) assert.ok(unit.changes.has(table), `it changes ${table}: ${where}`);
  if (trace.reads.size > 1) met.apart += 1;
  if (unit.isIndependent) {
    met.looseAlone += 1;
    assert.deepEqual(
      [...(trace.reads.get(timer.resource) ?? [])].filter((row) => row !== timer.row),
      [],
      where,
    );
  }
  for (const { resource, row, before, after } of journal?.touched ?? []) {
    const isOwn = resource === timer.resource && row === timer.row;
    if (!isOwn) met.touching += 1;
    assert.ok(!unit.isIndependent || isOwn, `it touches ${resource} ${row}: ${where}`);
    assertAssigned(resource, before, after, timed, model, where);
  }
}

function assertAssigned(
  resource: string,
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
  timed: TimedModel,
  model: Model,
  where: string,
): void {
  const fields = model.resources.find((candidate) => candidate.name === resource)?.fields ?? [];
  for (const { name, rules } of fields) {
    if (before && JSON.stringify(before[name]) === JSON.stringify(after?.[name])) continue;
    if (before && after)
      assert.ok(timed.assigned.has(`${resource}.${name}`), `it sets ${resource}.${name}: ${where}`);
    if (hasRule(rules, "unique") && (before?.[name] ?? after?.[name] ?? null) !== null)
      assert.ok(timed.movesKeys.has(resource), `it moves keys of ${resource}: ${where}`);
  }
}

/** Sends the request while nothing is due, so that all traced work belongs to it. */
async function requestTraced({ service }: Opened, timed: TimedModel, requested: HttpRequest, where: string) {
  const { context } = service.internals;
  let answer: Awaited<ReturnType<typeof request>> | undefined;
  const trace = await traced(async () => {
    answer = await request(service, requested);
  });
  assert.ok(answer);
  met.requests += 1;
  const needs = endpointDueScope(context, timed, endpointOf(service.model, requested));
  const seen = new Set([...trace.reads.keys(), ...trace.writes]);
  const isSettled = (unit: DueUnit) =>
    needs.whole.includes(unit) ||
    (unit.isIndependent && unit.resources.every((resource) => needs.single.has(resource)));
  for (const unit of timed.units) {
    if (overlap(seen, unit.changes)) {
      assert.ok(
        isSettled(unit),
        `it sees ${[...seen].join(", ")}, and not what is due for ${unit.resources.join(", ")}: ${where}`,
      );
      if (needs.whole.includes(unit)) met.settledWhole += 1;
      else met.settledSingle += 1;
    }
    if (overlap(trace.writes, unit.sees))
      assert.ok(
        needs.whole.includes(unit),
        `it changes what decides what is due for ${unit.resources.join(", ")}: ${where}`,
      );
  }
  return answer;
}
