/**
 * Handler transaction: runs the calls of a handler in sequence, under the document's rules. A
 * failed call ends the request. The transaction ends with the handler.
 */
import { nonNull } from "../../support/non-null.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import { nearest } from "../../support/nearest.ts";
import { mergeMaps } from "../records/merge-maps.ts";
import { engineDefaults } from "../defaults.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createRecord, deleteRecord, updateRecord, type Values } from "../records/change.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { recordContext } from "../records/record-context.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { fireTransition } from "../records/transition.ts";
import { type Access, createAccess, type IdentifierOf } from "./access.ts";
import { createKnownRecords, type KnownRecords } from "./known-records.ts";
import { HandlerMistake, type HandlerTransaction, type PlainRecord } from "../handler-module.ts";
import { NotShown } from "../problem.ts";
import { fieldTypeOf, plainReader, toJson } from "./plain.ts";
import { bind } from "../../expressions/parameters.ts";
import { fieldParameters } from "../evaluation/nodes.ts";

export interface OpenTransaction {
  readonly api: HandlerTransaction;
  readonly known: KnownRecords;
  /** Converts a stored record to a plain record. */
  show(resource: string, record: RecordValue): Promise<PlainRecord>;
  /**
   * Returns the current record for a handler's argument: a record that it received, or an
   * identifier.
   */
  take(resource: string, given: unknown): Promise<RecordValue>;
  /** The first error of a call. It ends the request, even if the handler never awaits that call. */
  readonly refusal: unknown;
  /** Waits for running calls, and rejects new calls. */
  close(): Promise<void>;
}

/**
 * Plans access to a resource when a handler first uses it, and caches the plan for the life of the
 * service.
 */
export type Accesses = (resource: string) => Access;

export function createAccesses(context: PlanContext): Accesses {
  const accesses = new Map<string, Access>();
  return (resource) => {
    let access = accesses.get(resource);
    if (!access) {
      const found = context.model.resources.find((candidate) => candidate.name === resource);
      if (found?.gap) throw new NotShown(found.gap);
      if (!found || found.identifier.kind === "none") throw unknownResource(context, resource);
      access = createAccess(context, resource);
      accesses.set(resource, access);
    }
    return access;
  };
}

function unknownResource(context: PlanContext, name: string): HandlerMistake {
  const near = nearest(
    name,
    context.model.resources.map((resource) => resource.name),
  );
  return new HandlerMistake(
    `there is no resource ${name}${near === undefined ? "" : `; did you mean ${near}?`}`,
  );
}

export function openTransaction(
  context: PlanContext,
  evaluation: EvaluationContext,
  access: Accesses,
  known: KnownRecords = createKnownRecords(),
): OpenTransaction {
  const { session } = evaluation.work;
  let tail: Promise<unknown> = Promise.resolve();
  let isOpen = true;
  let refusal: unknown;
  const identifierOf: IdentifierOf = (object) => known.find(object)?.identifier;

  /** Runs calls in sequence, because a handler may start several at once. */
  const inSequence = <T>(work: () => Promise<T>): Promise<T> => {
    if (!isOpen) return refused(new HandlerMistake("the handler and its transaction have finished"));
    const done = tail.then(async () => {
      if (refusal !== undefined) throw refusal;
      try {
        return await work();
      } catch (error) {
        refusal ??= error;
        throw error;
      }
    });
    tail = done.catch(() => {});
    return done;
  };

  const note = (resource: string, json: string, row: number): PlainRecord => {
    const plain = JSON.parse(json) as PlainRecord;
    const { identifier } = access(resource).plan;
    known.add(plain, {
      resource,
      row,
      identifier:
        identifier.length === 1
          ? (plain[nonNull(identifier[0])] as Json)
          : Object.fromEntries(identifier.map((name) => [name, plain[name] as Json])),
    });
    return plain;
  };

  const show = async (resource: string, record: RecordValue): Promise<PlainRecord> => {
    const frame = bind(evaluation.frame, { row: record["#row"] });
    const [row] = await session.shaped(access(resource).shapedByRow, frame);
    if (!row) throw new HandlerMistake(`the ${resource} was deleted`);
    return note(resource, row.json, row.row);
  };

  const readGiven = async (resource: string, given: unknown): Promise<RecordValue> => {
    const { plan, byRow, readIdentifier } = access(resource);
    const knownRecord = known.find(given);
    if (knownRecord && knownRecord.resource !== resource)
      throw new HandlerMistake(`a ${knownRecord.resource} was passed instead of a ${resource}`);
    if (knownRecord?.removed) return knownRecord.removed;
    const json = typeof given === "object" && given !== null ? identifierIn(plan.identifier, given) : given;
    const { frame } = evaluation;
    const record = knownRecord
      ? await session.record(byRow, bind(frame, { row: knownRecord.row }))
      : await plan.find(session, frame, readIdentifier(toJson(json ?? null, () => undefined)));
    if (!record) throw new HandlerMistake(`there is no ${resource} ${JSON.stringify(given)}`);
    return record;
  };

  const api: HandlerTransaction = {
    get: (resource, identifier) =>
      inSequence(async () => {
        const { readIdentifier, shapedByIdentifier } = access(resource);
        const frame = bind(evaluation.frame, { identifier: readIdentifier(identifier) });
        const [row] = await session.shaped(shapedByIdentifier, frame);
        return row ? note(resource, row.json, row.row) : null;
      }),
    list: (resource, { where = {}, limit, skip = 0 } = {}) =>
      inSequence(async () => {
        const max = engineDefaults.handlerListMax;
        if (limit !== undefined && (!Number.isInteger(limit) || limit < 0 || limit > max))
          throw new HandlerMistake(`limit must be from 0 to ${max}`);
        if (!Number.isSafeInteger(skip) || skip < 0) throw new HandlerMistake("skip must be a whole number");
        const { readValues, list } = access(resource);
        const values = readValues(where, "finding", identifierOf);
        const fields = Object.keys(values).sort();
        const frame = bind(evaluation.frame, fieldParameters(fields, values));
        frame.page = { limit: limit ?? max + 1, offset: skip };
        const rows = await session.shaped(list(fields, skip > 0), frame);
        // A truncated list would look complete, so a longer list is an error.
        if (rows.length > max)
          throw new HandlerMistake(
            `there are more than ${max} ${resource}: pass \`limit\`, and \`skip\` the records that were read before`,
          );
        return rows.map((row) => note(resource, row.json, row.row));
      }),
    create: (resource, values) =>
      inSequence(async () => {
        const { plan, readValues } = access(resource);
        const inputs = merged(plan, {}, readValues(values, "making", identifierOf));
        const inner = recordContext(evaluation, plan, null);
        return show(resource, await createRecord(context, plan, inner, inputs));
      }),
    update: (resource, given, changes) =>
      inSequence(async () => {
        const { plan, readValues } = access(resource);
        const record = await readGiven(resource, given);
        const values = merged(plan, record, readValues(changes, "changing", identifierOf));
        return show(
          resource,
          await updateRecord(context, plan, recordContext(evaluation, plan, record), record, values),
        );
      }),
    remove: (resource, given) =>
      inSequence(async () => {
        const record = await readGiven(resource, given);
        await deleteRecord(context, access(resource).plan, evaluation, record);
        const knownRecord = known.find(given);
        if (knownRecord) knownRecord.removed = record;
      }),
    do: (resource, given, transition, body = {}) =>
      inSequence(async () => {
        const { plan } = access(resource);
        const record = await readGiven(resource, given);
        const bound = readBody(context, resource, transition, toJson(body, identifierOf));
        return show(resource, await fireTransition(context, plan, evaluation, record, transition, bound));
      }),
  };
  return {
    api,
    known,
    show,
    take: readGiven,
    get refusal() {
      return refusal;
    },
    async close() {
      isOpen = false;
      await tail;
    },
  };
}

/** Creates a rejected promise that does not end the process if the handler never awaits it. */
function refused(error: Error): Promise<never> {
  const never = Promise.reject(error);
  never.catch(() => {});
  return never;
}

/** Returns the identifier in a copy of a record. */
function identifierIn(identifier: readonly string[], given: object): unknown {
  const object = given as Readonly<Record<string, unknown>>;
  return identifier.length === 1
    ? (object[nonNull(identifier[0])] ?? null)
    : Object.fromEntries(identifier.map((name) => [name, object[name] ?? null]));
}

/**
 * Merges a handler's values into `merged` maps.
 * @throws HandlerMistake if that violates one of their rules
 */
function merged(
  plan: ResourcePlan,
  before: { readonly [field: string]: Value },
  given: Values,
): Readonly<Values> {
  const values = mergeMaps(plan, before, given);
  for (const field of plan.mergedFields) {
    const value = values[field] ?? null;
    const words = value === null ? undefined : plan.forms.get(field)?.broken?.(value);
    if (words !== undefined) throw new HandlerMistake(`${plan.name}.${field} ${words}`);
  }
  return values;
}

function readBody(context: PlanContext, resource: string, name: string, body: Json): Value {
  const transitions = context.resource(resource).resource.states?.transitions ?? [];
  const transition = transitions.find((candidate) => candidate.name === name);
  if (!transition) {
    const near = nearest(
      name,
      transitions.map((item) => item.name),
    );
    throw new HandlerMistake(
      `${resource} has no transition ${name}${near === undefined ? "" : `; did you mean ${near}?`}`,
    );
  }
  return plainReader(context, fieldTypeOf(transition.body))(body, `the body of ${name}`);
}

/** Returns the record that an evaluation context binds to a name. */
export function recordsOf(
  evaluation: EvaluationContext,
): readonly (readonly [string, string, RecordValue])[] {
  return [...evaluation.records].flatMap(([name, resource]) => {
    const record = name === "this" ? evaluation.frame.this : (evaluation.frame.named[name] ?? null);
    return record !== null && name !== "old" ? [[name, resource, record as RecordValue] as const] : [];
  });
}
