/**
 * Given records: records that `Given` items (part 1), seeds and `ninefold data add` create. Any
 * field may be given, read-only fields too. Other fields take their defaults, and the document's
 * rules apply.
 */
import type { RecordValue, Value } from "../expressions/value.ts";
import { readAuthoredValue } from "../fields/check-value.ts";
import { Refusal } from "../fields/types/index.ts";
import type { Field, ScenarioStep } from "../model/model.ts";
import { evaluateOf } from "./evaluation/evaluate.ts";
import { NotShown, Problem } from "./problem.ts";
import { BrokenRule } from "./records/broken-rule.ts";
import { createRecord, type Values } from "./records/change.ts";
import {
  isRecord,
  createEvaluationContext,
  type EvaluationContext,
  setRecord,
} from "./evaluation/context.ts";
import type { ResourcePlan } from "./records/resource-plan.ts";
import { completeChanges } from "./records/complete-changes.ts";
import { wireIdentifier } from "./records/stored-form.ts";
import { storeEvents } from "./events/events.ts";
import type { Service } from "./service.ts";
import { bareObject } from "../support/bare-object.ts";
import { RefusedError } from "../support/ninefold-error.ts";

export type GivenStep = Extract<ScenarioStep, { kind: "given" }>;

/**
 * Thrown if a given value breaks a rule, or a value that the document does not show is missing. The
 * message names the field or the gap: `Parcel.weight_grams must be at least 1`.
 */
export class GivenRejected extends RefusedError {
  override name = "GivenRejected";
  readonly step: GivenStep;
  constructor(step: GivenStep, message: string) {
    super(message);
    this.step = step;
  }
}

export interface GivenRecord {
  readonly step: GivenStep;
  readonly record: RecordValue;
  /** The value that replaces the record's name in a scenario: its identifier in wire format. */
  readonly identifier: Value;
  /** Secrets in plain text, by field. They are available only here. */
  readonly shown: Readonly<Record<string, string>>;
}

export interface GivenOptions {
  /** Names of records created earlier, by `as`. */
  readonly names?: Map<string, { readonly resource: string; readonly record: RecordValue }>;
  /**
   * Whether the new records create events. An operator's changes create events; the records that a
   * scenario starts with do not.
   */
  readonly events?: boolean;
  /** Hashes a password, possibly with a cache; by default the engine hashes each password. */
  readonly hashPassword?: (text: string) => string;
}

/** Creates the records of all steps in one transaction: all records or none. */
export async function createGivenRecords(
  service: Service,
  steps: readonly GivenStep[],
  options: GivenOptions = {},
): Promise<readonly GivenRecord[]> {
  const { context, timers } = service.internals;
  const { store } = context;
  const names = options.names ?? new Map();
  const works: { earliestDueMs: number | null }[] = [];
  const made = await store.write(async (transaction) => {
    const all: GivenRecord[] = [];
    for (const step of steps) {
      const work = { ...service.internals.newWork(), session: transaction, transaction };
      works.push(work);
      const frame = service.internals.newFrame(context.ports.clock.now());
      if (options.hashPassword) frame.ports = { ...frame.ports, hashPassword: options.hashPassword };
      const evaluation = createEvaluationContext(work, frame);
      for (const [name, { resource, record }] of names) setRecord(evaluation, name, resource, record);
      try {
        const madeRecord = await makeRecord(service, step, evaluation);
        if (step.as !== undefined) names.set(step.as, { resource: step.resource, record: madeRecord.record });
        all.push(madeRecord);
        await completeChanges(context, evaluation);
      } catch (error) {
        if (error instanceof Problem) throw new GivenRejected(step, inWords(step, error));
        if (error instanceof NotShown)
          throw new GivenRejected(step, `${step.resource}: the document does not show ${error.subject}`);
        if (error instanceof BrokenRule) throw new GivenRejected(step, error.message);
        throw error;
      }
      if (options.events) await storeEvents(context, service.internals.shared.events, evaluation);
    }
    return all;
  });
  for (const { earliestDueMs } of works) if (earliestDueMs !== null) timers.armed(earliestDueMs);
  return made;
}

/** Describes the rules that a record breaks, by field name: `User.email is already taken`. */
function inWords(step: GivenStep, { details }: Problem): string {
  return details
    .map(({ field, problem }) =>
      field === undefined ? `${step.resource}: ${problem}` : `${step.resource}.${field} ${problem}`,
    )
    .join("; ");
}

async function makeRecord(
  service: Service,
  step: GivenStep,
  evaluation: EvaluationContext,
): Promise<GivenRecord> {
  const { context } = service.internals;
  const plan = context.resource(step.resource);
  const inputs = bareObject<Values>();
  for (const { field, value } of step.fields) {
    const given = await evaluateOf(context, value)(evaluation);
    const declared = plan.fields.get(field);
    const key = isRecord(given) ? keyIn(service, declared, given) : given;
    const validatedKey = validated(plan, step, field, key);
    const leadsNowhere = await missingReference(service, evaluation, declared, key);
    if (leadsNowhere !== undefined)
      throw new GivenRejected(step, `${step.resource}.${field} ${leadsNowhere}`);
    inputs[field] = isRecord(given) ? given : validatedKey;
  }
  const missing = plan.stored.find(
    (field) =>
      field.rules.some((rule) => rule.rule === "required") &&
      !(field.name in inputs) &&
      !plan.defaultValues.some((defaultValue) => defaultValue.field === field.name),
  );
  if (missing) throw new GivenRejected(step, `${step.resource}.${missing.name} is required`);
  const record = await createRecord(context, plan, evaluation, inputs, { isManual: true });
  const shown: Record<string, string> = {};
  const prefix = `${plan.name}#${record["#row"]}.`;
  for (const [key, text] of evaluation.work.onceValues)
    if (key.startsWith(prefix)) shown[key.slice(prefix.length)] = text;
  return { step, record, identifier: wireIdentifier(context, plan.name, plan.identifierOf(record)), shown };
}

/**
 * Validates a given value and converts it to the stored form of its type. By decision "Secrets in
 * Given", a secret is accepted in the form that a caller would send, without a length check.
 * @throws GivenRejected
 */
export function validated(plan: ResourcePlan, step: GivenStep, field: string, value: Value): Value {
  const declared = plan.fields.get(field);
  if (!declared || value === null || declared.type.kind === "password" || declared.type.kind === "credential")
    return value;
  const form = plan.forms.get(field);
  const validatedKey = readAuthoredValue(form?.normalize ? form.normalize(value) : value, declared.type);
  const broken =
    validatedKey instanceof Refusal
      ? validatedKey.words
      : validatedKey === null
        ? undefined
        : form?.broken?.(validatedKey);
  if (validatedKey instanceof Refusal || broken !== undefined)
    throw new GivenRejected(step, `${step.resource}.${field} ${broken}`);
  return validatedKey;
}

/** Returns the key of a record that is given as a reference. */
function keyIn(service: Service, field: Field | undefined, record: RecordValue): Value {
  if (field?.type.kind !== "reference") return null;
  return service.internals.context.resource(field.type.resource).identifierOf(record);
}

/** Returns the problem of a reference to a missing record; undefined if the record exists. */
export async function missingReference(
  service: Service,
  evaluation: EvaluationContext,
  field: Field | undefined,
  value: Value,
): Promise<string | undefined> {
  if (field?.type.kind !== "reference" || value === null) return undefined;
  const plan = service.internals.context.resource(field.type.resource);
  if (await plan.find(evaluation.work.session, evaluation.frame, value)) return undefined;
  const shown = wireIdentifier(service.internals.context, plan.name, value);
  return `is ${JSON.stringify(shown)}, and there is no such ${plan.name}`;
}
