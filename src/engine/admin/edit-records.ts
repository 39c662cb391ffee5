/** Plain records for operators: reading them, and changes of one record by a `Given` step. */
import type { RecordValue, Value } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Field, Resource } from "../../model/model.ts";
import { type GivenStep, GivenRejected, validated, missingReference } from "../given.ts";
import { noSuchRecord, parseKey } from "./read-record.ts";
import { refuseDeleted } from "./change-records.ts";
import { writeRevision } from "./operator-write.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { updateRecord, type Values } from "../records/change.ts";
import { recordContext } from "../records/record-context.ts";
import { isRecord } from "../evaluation/context.ts";
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
  if (!record) throw noSuchRecord(plan, identifier);
  return record;
}

/**
 * Changes a record by a `Given` step.
 * @throws GivenRejected | NoSuchRecord | FieldsRefused
 */
export function editRecord(service: Service, identifier: string, step: GivenStep): Promise<RecordValue> {
  const { context } = service.internals;
  return writeRevision(service, { resource: step.resource, identifier }, async (evaluation, record, plan) => {
    refuseDeleted(plan, record);
    const changes = bareObject<Values>();
    for (const { field, value } of step.fields) {
      const given = await evaluateOf(context, value)(evaluation);
      const declared = plan.fields.get(field);
      const stored =
        isRecord(given) && declared?.type.kind === "reference"
          ? context.resource(declared.type.resource).identifierOf(given)
          : given;
      changes[field] = validated(plan, step, field, stored);
      const missing = await missingReference(service, evaluation, declared, stored);
      if (missing !== undefined) throw new GivenRejected(step, `${step.resource}.${field} ${missing}`);
    }
    return updateRecord(context, plan, recordContext(evaluation, plan, record), record, changes);
  });
}
