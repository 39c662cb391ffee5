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
import { HandlerMistake, type HandlerTransaction, type Plain, type PlainRecord } from "../handler-module.ts";
import { NotShown } from "../problem.ts";
import { fieldTypeOf, plainReader, toJson } from "./plain.ts";
import type { ShapedRow } from "../../store/store.ts";
import { bind } from "../../expressions/parameters.ts";
import { fieldParameters } from "../evaluation/nodes.ts";

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

/** Runs the calls of a handler in sequence, because a handler may start several at once. */
class CallSequence {
  #tail: Promise<unknown> = Promise.resolve();
  #isOpen = true;
  /** The first error of a call. It ends the request, even if the handler never awaits that call. */
  refusal: unknown;

  run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return refused(new HandlerMistake("the handler and its transaction have finished"));
    const done = this.#tail.then(async () => {
      if (this.refusal !== undefined) throw this.refusal;
      try {
        return await work();
      } catch (error) {
        this.refusal ??= error;
        throw error;
      }
    });
    this.#tail = done.catch(() => {});
    return done;
  }

  /** Waits for running calls, and rejects new calls. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#tail;
  }
}

export class OpenTransaction {
  readonly #context: PlanContext;
  readonly #evaluation: EvaluationContext;
  readonly #access: Accesses;
  readonly known: KnownRecords;
  readonly calls = new CallSequence();
  readonly #identifierOf: IdentifierOf = (object) => this.known.find(object)?.identifier;
  /** What the handler receives. A handler may detach its functions. */
  readonly api: HandlerTransaction = {
    get: (resource, identifier) => this.calls.run(() => this.#get(resource, identifier)),
    list: (resource, { where = {}, limit, skip = 0 } = {}) =>
      this.calls.run(() => this.#list(resource, where, limit, skip)),
    create: (resource, values) => this.calls.run(() => this.#create(resource, values)),
    update: (resource, given, changes) => this.calls.run(() => this.#update(resource, given, changes)),
    remove: (resource, given) => this.calls.run(() => this.#remove(resource, given)),
    do: (resource, given, transition, body = {}) =>
      this.calls.run(() => this.#do(resource, given, transition, body)),
  };

  constructor(
    context: PlanContext,
    evaluation: EvaluationContext,
    access: Accesses,
    known: KnownRecords = createKnownRecords(),
  ) {
    this.#context = context;
    this.#evaluation = evaluation;
    this.#access = access;
    this.known = known;
  }

  /** Converts a stored record to a plain record. */
  async show(resource: string, record: RecordValue): Promise<PlainRecord> {
    const { frame, work } = this.#evaluation;
    const { shapedByRow } = this.#access(resource);
    const [row] = await work.session.shaped(shapedByRow, bind(frame, { row: record["#row"] }));
    if (!row) throw new HandlerMistake(`the ${resource} was deleted`);
    return this.#note(resource, row);
  }

  /**
   * Returns the current record for a handler's argument: a record that it received, or an
   * identifier.
   */
  async take(resource: string, given: unknown): Promise<RecordValue> {
    const { plan, byRow, readIdentifier } = this.#access(resource);
    const knownRecord = this.known.find(given);
    if (knownRecord && knownRecord.resource !== resource)
      throw new HandlerMistake(`a ${knownRecord.resource} was passed instead of a ${resource}`);
    if (knownRecord?.removed) return knownRecord.removed;
    const json = typeof given === "object" && given !== null ? identifierIn(plan.identifier, given) : given;
    const { frame, work } = this.#evaluation;
    const record = knownRecord
      ? await work.session.record(byRow, bind(frame, { row: knownRecord.row }))
      : await plan.find(work.session, frame, readIdentifier(toJson(json ?? null, () => undefined)));
    if (!record) throw new HandlerMistake(`there is no ${resource} ${JSON.stringify(given)}`);
    return record;
  }

  #note(resource: string, { json, row }: ShapedRow): PlainRecord {
    const plain = JSON.parse(json) as PlainRecord;
    const { identifier } = this.#access(resource).plan;
    this.known.add(plain, {
      resource,
      row,
      identifier:
        identifier.length === 1
          ? (plain[nonNull(identifier[0])] as Json)
          : Object.fromEntries(identifier.map((name) => [name, plain[name] as Json])),
    });
    return plain;
  }

  async #get(resource: string, identifier: Json): Promise<PlainRecord | null> {
    const { frame, work } = this.#evaluation;
    const { readIdentifier, shapedByIdentifier } = this.#access(resource);
    const bound = bind(frame, { identifier: readIdentifier(identifier) });
    const [row] = await work.session.shaped(shapedByIdentifier, bound);
    return row ? this.#note(resource, row) : null;
  }

  async #list(
    resource: string,
    where: Plain,
    limit: number | undefined,
    skip: number,
  ): Promise<readonly PlainRecord[]> {
    const max = engineDefaults.handlerListMax;
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 0 || limit > max))
      throw new HandlerMistake(`limit must be from 0 to ${max}`);
    if (!Number.isSafeInteger(skip) || skip < 0) throw new HandlerMistake("skip must be a whole number");
    const { readValues, list } = this.#access(resource);
    const values = readValues(where, "finding", this.#identifierOf);
    const fields = Object.keys(values).sort();
    const frame = bind(this.#evaluation.frame, fieldParameters(fields, values));
    frame.page = { limit: limit ?? max + 1, offset: skip };
    const rows = await this.#evaluation.work.session.shaped(list(fields, skip > 0), frame);
    // A truncated list would look complete, so a longer list is an error.
    if (rows.length > max)
      throw new HandlerMistake(
        `there are more than ${max} ${resource}: pass \`limit\`, and \`skip\` the records that were read before`,
      );
    return rows.map((row) => this.#note(resource, row));
  }

  async #create(resource: string, values: Plain): Promise<PlainRecord> {
    const { plan, readValues } = this.#access(resource);
    const inputs = merged(plan, {}, readValues(values, "making", this.#identifierOf));
    const inner = recordContext(this.#evaluation, plan, null);
    return this.show(resource, await createRecord(this.#context, plan, inner, inputs));
  }

  async #update(resource: string, given: PlainRecord | Json, changes: Plain): Promise<PlainRecord> {
    const { plan, readValues } = this.#access(resource);
    const record = await this.take(resource, given);
    const values = merged(plan, record, readValues(changes, "changing", this.#identifierOf));
    const inner = recordContext(this.#evaluation, plan, record);
    return this.show(resource, await updateRecord(this.#context, plan, inner, record, values));
  }

  async #remove(resource: string, given: PlainRecord | Json): Promise<void> {
    const record = await this.take(resource, given);
    await deleteRecord(this.#context, this.#access(resource).plan, this.#evaluation, record);
    const knownRecord = this.known.find(given);
    if (knownRecord) knownRecord.removed = record;
  }

  async #do(
    resource: string,
    given: PlainRecord | Json,
    transition: string,
    body: Plain,
  ): Promise<PlainRecord> {
    const { plan } = this.#access(resource);
    const record = await this.take(resource, given);
    const bound = readBody(this.#context, resource, transition, toJson(body, this.#identifierOf));
    return this.show(
      resource,
      await fireTransition(this.#context, plan, this.#evaluation, record, transition, bound),
    );
  }
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
