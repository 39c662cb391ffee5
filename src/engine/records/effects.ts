/**
 * Running effects (part 3): in order, in the same transaction, each seeing what the ones before it did.
 */
import { copyFrame } from "../../expressions/frame.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { after, type Awaitable, eachInTurn } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { createRecord, deleteRecord, updateRecord, type Values } from "./change.ts";
import { sceneOfRecord } from "./scene-of-record.ts";
import { flush, isRecord, refresh, type Scene, setRecord } from "../evaluation/scene.ts";
import type { AssignmentPlan, EffectPlan, RecordsPlan } from "./effect-plans.ts";
import { bareObject } from "../../support/bare-object.ts";
import { SmallMap } from "../../support/small-map.ts";
import { there } from "../../support/there.ts";
import { assignToThis } from "./assign-to-this.ts";

type AssignPlan = Extract<EffectPlan, { kind: "assign" }>;

/** @param owner the resource of `this`, where there is one */
export function runEffects(
  context: PlanContext,
  effects: readonly EffectPlan[],
  scene: Scene,
  owner: string | undefined,
): Awaitable<void> {
  const running = eachInTurn(effects, (effect) => {
    refresh(scene);
    return after(effect.when ? effect.when(scene) : true, (isMeant) => {
      if (isMeant !== true) return;
      // What nearly all transitions do, and ask nothing for.
      if (effect.kind === "assign" && !effect.of) return assignOwn(context, effect, scene, owner);
      return runEffect(context, effect, scene, owner);
    });
  });
  const stored = after(running, () => flush(scene));
  return after(stored, () => refresh(scene));
}

async function runEffect(
  context: PlanContext,
  effect: EffectPlan,
  scene: Scene,
  owner: string | undefined,
): Promise<void> {
  switch (effect.kind) {
    case "assign":
      return assignThrough(context, effect, scene);
    case "create":
      await flush(scene);
      return create(context, effect, scene);
    case "update":
      return forEach(scene, effect.found, undefined, async (record) => {
        const inner = candidateScene(scene, effect.resource, record);
        const changes = await valuesOf(effect.set, inner);
        await updateRecord(
          context,
          context.resource(effect.resource),
          sceneOfRecord(scene, context.resource(effect.resource), record),
          record,
          changes,
        );
      });
    case "delete":
      return forEach(scene, effect.found, undefined, (record) =>
        deleteRecord(context, context.resource(effect.resource), scene, record),
      );
    case "do": {
      const first = effect.first ? await effect.first(scene) : undefined;
      if (effect.first && typeof first !== "number") return;
      return forEach(scene, effect.found, first as number | undefined, async (record) => {
        const inner = candidateScene(scene, effect.resource, record);
        const body = bareObject<Values>();
        for (const { name, value } of effect.with) body[name] = await value(inner);
        await context.resource(effect.resource).take(scene, record, effect.transition, body);
      });
    }
    case "send": {
      await flush(scene);
      const record = isRecord(scene.frame.this) ? scene.frame.this : null;
      scene.work.journal.note("sent", owner ?? "", record, record, scene.frame.caller, effect.event);
    }
  }
}

/** A field of the record at hand. */
function assignOwn(
  context: PlanContext,
  effect: AssignPlan,
  scene: Scene,
  owner: string | undefined,
): Awaitable<void> {
  const resource = owner ?? effect.resource;
  return after(effect.value(scene), (value) => {
    // A record that an effect before has deleted is no longer there to be changed, as one that a reference no longer leads to.
    const self = scene.frame.this;
    if (isRecord(self) && scene.work.journal.latest(resource, self["#row"]) === null) return;
    assignToThis(context, scene, resource, effect.field, value);
    // What comes next sees the hash of a secret, as everybody will.
    if (context.resource(resource).secrets.some(({ name }) => name === effect.field)) return flush(scene);
  });
}

/** A field of the record that a reference leads to. */
async function assignThrough(context: PlanContext, effect: AssignPlan, scene: Scene): Promise<void> {
  await flush(scene);
  const target = await there(effect.of)(scene);
  // Part 3: "through an empty one nothing happens".
  if (target === null) return;
  const plan = context.resource(effect.resource);
  const value = await effect.value(scene);
  const record = isRecord(target) ? target : await loadRecord(context, effect.resource, scene, target);
  if (!record) return;
  const latest = scene.work.journal.latest(effect.resource, record["#row"]);
  if (latest === null) return;
  const current = latest ?? record;
  await updateRecord(context, plan, sceneOfRecord(scene, plan, current), current, { [effect.field]: value });
}

async function create(
  context: PlanContext,
  effect: Extract<EffectPlan, { kind: "create" }>,
  scene: Scene,
): Promise<void> {
  const plan = context.resource(effect.resource);
  const list = effect.for ? await effect.for.list(scene) : [null];
  for (const one of list) {
    if (effect.for) scene.frame.locals[effect.for.depth] = one;
    if (effect.for?.when && (await effect.for.when(scene)) !== true) continue;
    const inputs = await valuesOf(effect.fields, scene);
    const inner = sceneOfRecord(scene, plan, null);
    const record = await createRecord(context, plan, inner, inputs, { ownValues: true });
    if (effect.as !== undefined) setRecord(scene, effect.as, plan.name, record);
  }
  if (effect.for) scene.frame.locals.length = effect.for.depth;
}

async function valuesOf(assignments: readonly AssignmentPlan[], scene: Scene): Promise<Values> {
  const values = bareObject<Values>();
  for (const { field, value } of assignments) {
    const answer = value(scene);
    values[field] = answer instanceof Promise ? await answer : answer;
  }
  return values;
}

/** The records one by one, each asked again before it is touched; one of which it is no longer true is passed over. */
async function forEach(
  scene: Scene,
  found: RecordsPlan,
  first: number | undefined,
  work: (record: RecordValue) => Promise<void>,
): Promise<void> {
  await flush(scene);
  const { session, journal } = scene.work;
  const records = await session.records(found.all, scene.frame);
  let unchanged = journal.changes;
  let done = 0;
  for (const record of records) {
    if (first !== undefined && done >= first) break;
    let current: RecordValue | null = record;
    if (journal.changes !== unchanged) {
      const kept = scene.frame.named["#row"] ?? null;
      scene.frame.named["#row"] = record["#row"];
      current = await session.record(found.again, scene.frame);
      scene.frame.named["#row"] = kept;
    }
    if (!current) continue;
    await work(current);
    done += 1;
    refresh(scene);
    if (journal.changes === unchanged) continue;
    unchanged = -1;
  }
}

/** Where `set` and `with` are asked: `this` is the candidate, all other names are those outside. */
function candidateScene(scene: Scene, resource: string, record: RecordValue): Scene {
  const inner: Scene = {
    work: scene.work,
    frame: copyFrame(scene.frame),
    records: new SmallMap(scene.records),
    pending: null,
    seen: scene.seen,
    scheme: scene.scheme,
  };
  setRecord(inner, "this", resource, record);
  return inner;
}

async function loadRecord(
  context: PlanContext,
  resource: string,
  scene: Scene,
  identifier: Value,
): Promise<RecordValue | null> {
  const kept = scene.frame.named["#identifier"] ?? null;
  scene.frame.named["#identifier"] = identifier;
  try {
    return await scene.work.session.record(context.resource(resource).byIdentifier(), scene.frame);
  } finally {
    scene.frame.named["#identifier"] = kept;
  }
}
