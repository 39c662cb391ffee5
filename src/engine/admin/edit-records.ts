/** Plain records for operators: reading them, and changes of one record by a `Given` step. */
import type { RecordValue, Value } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Field, Resource } from "../../model/model.ts";
import { storeEvents } from "../events/events.ts";
import { type GivenStep, GivenRejected, validated, missingReference } from "../given.ts";
import { readIdentifier } from "./identifier.ts";
import { NoSuchRecord } from "./refusals.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { updateRecord, type Values } from "../records/change.ts";
import { recordContext } from "../records/record-context.ts";
import { isRecord, createEvaluationContext, type EvaluationContext } from "../evaluation/context.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { completeChanges } from "../records/complete-changes.ts";
import { wireIdentifier, withRunTimeReferences, toWireForm } from "../records/stored-form.ts";
import type { Service } from "../service.ts";
import { bareObject } from "../../support/bare-object.ts";
import { planRecordByRow } from "../records/record-by-row.ts";

/**
 * Returns the fields of a record for an operator, with references as identifiers. Hidden fields and
 * the hashes of secrets are left out; secrets that were just created are included.
 * @param shown secrets in plain text, by field
 */
export function plainRecord(
  context: Pick<PlanContext, "resource" | "wire">,
  resource: Resource,
  record: RecordValue,
  shown: Readonly<Record<string, string>> = {},
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    resource.fields
      .filter((field) => Object.hasOwn(shown, field.name) || !isKeptSecret(field))
      .map((field) => [
        field.name,
        shown[field.name] ??
          toWireForm(withRunTimeReferences(context), field.type, record[field.name] ?? null),
      ]),
  );
}

function isKeptSecret({ type, rules }: Field): boolean {
  return (
    type.kind === "password" ||
    type.kind === "credential" ||
    hasRule(rules, "computed") ||
    hasRule(rules, "shown once")
  );
}

/** Returns the public identifier of the record in a row; null if the record was deleted. */
export async function identifierOfRow(service: Service, resource: string, row: number): Promise<Value> {
  const { context, newFrame } = service.internals;
  const frame = newFrame(context.ports.clock.now());
  const record = await planRecordByRow(context)(resource, row, context.store.session, frame);
  return record && wireIdentifier(context, resource, context.resource(resource).identifierOf(record));
}

/**
 * Finds a record by its identifier.
 * @throws NoSuchRecord
 */
export async function findRecord(
  service: Service,
  resource: string,
  identifier: string,
): Promise<RecordValue> {
  const { context, newFrame } = service.internals;
  const plan = context.resource(resource);
  const frame = newFrame(context.ports.clock.now());
  const record = await plan.find(context.store.session, frame, parseKey(service, plan, identifier));
  if (!record) throw new NoSuchRecord(`There is no ${resource} ${identifier}.`);
  return record;
}

/**
 * Changes a record by a `Given` step.
 * @throws GivenRejected | NoSuchRecord | Problem
 */
export function editRecord(service: Service, identifier: string, step: GivenStep): Promise<RecordValue> {
  const plan = service.internals.context.resource(step.resource);
  return change(service, plan, identifier, async (evaluation, record) => {
    const changes = bareObject<Values>();
    for (const { field, value } of step.fields) {
      const given = await evaluateOf(service.internals.context, value)(evaluation);
      const declared = plan.fields.get(field);
      const stored =
        isRecord(given) && declared?.type.kind === "reference"
          ? service.internals.context.resource(declared.type.resource).identifierOf(given)
          : given;
      const kept = validated(plan, step, field, stored);
      if (kept === null && declared?.rules.some((rule) => rule.rule === "required"))
        throw new GivenRejected(step, `${step.resource}.${field} is required`);
      const missing = await missingReference(service, evaluation, declared, stored);
      if (missing !== undefined) throw new GivenRejected(step, `${step.resource}.${field} ${missing}`);
      changes[field] = kept;
    }
    return updateRecord(
      service.internals.context,
      plan,
      recordContext(evaluation, plan, record),
      record,
      changes,
    );
  });
}

async function change(
  service: Service,
  plan: ResourcePlan,
  identifier: string,
  work: (evaluation: EvaluationContext, record: RecordValue) => Promise<RecordValue>,
): Promise<RecordValue> {
  const { context, timers } = service.internals;
  const done = await context.store.write(async (transaction) => {
    const frame = service.internals.newFrame(context.ports.clock.now());
    const evaluation = createEvaluationContext(
      { ...service.internals.newWork(), session: transaction, transaction },
      frame,
    );
    const record = await plan.find(transaction, frame, parseKey(service, plan, identifier));
    if (!record) throw new NoSuchRecord(`There is no ${plan.name} ${identifier}.`);
    const changed = await work(evaluation, record);
    await completeChanges(context, evaluation);
    await storeEvents(context, service.internals.shared.events, evaluation);
    return { record: changed, due: evaluation.work.earliestDueMs };
  });
  if (done.due !== null) timers.armed(done.due);
  return done.record;
}

/** @throws NoSuchRecord */
function parseKey(service: Service, plan: ResourcePlan, text: string): Value {
  const key = readIdentifier(service.internals.context, plan, text);
  if (key === undefined) throw new NoSuchRecord(`There is no ${plan.name} ${text}.`);
  return key;
}
