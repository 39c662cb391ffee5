/**
 * Record keys: which record a reference names, and how a request names it. Several identifying
 * fields are one key in the store, and an object in a request.
 */
import { keyText } from "../../expressions/key.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { identifyingFields, keyFormsOf } from "../../fields/key.ts";
import type { Model, Resource } from "../../model/model.ts";
import type { Caller } from "../stories/callers.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { Template } from "../stories/story.ts";

type Records = ReadonlyMap<string, readonly RecordValue[]>;

/** The value of references to a record. */
export function keyOf(model: Model, resource: Resource, record: RecordValue): Value {
  const fields = identifyingFields(resource);
  const [only, ...others] = fields;
  if (only === undefined) return null;
  if (others.length === 0) return record[only] ?? null;
  const forms = keyFormsOf(resource.name, (name) => resourceNamed(model, name));
  return keyText(
    fields.map((field) => record[field] ?? null),
    forms,
  );
}

/** The record that a reference names. */
export function referredRecord(
  model: Model,
  records: Records,
  resource: string,
  value: unknown,
): RecordValue | undefined {
  if (value === null || value === undefined) return undefined;
  const all = records.get(resource) ?? [];
  const known = byKey.get(all) ?? indexed(model, resource, all);
  return known.get(value);
}

/** The records of a resource by their keys. Each read of the records is another list. */
const byKey = new WeakMap<readonly RecordValue[], ReadonlyMap<unknown, RecordValue>>();

function indexed(model: Model, name: string, all: readonly RecordValue[]): ReadonlyMap<unknown, RecordValue> {
  const resource = resourceNamed(model, name);
  const index = new Map(resource ? all.map((record) => [keyOf(model, resource, record), record]) : []);
  byKey.set(all, index);
  return index;
}

/**
 * How a request names a record: the value of its identifying field, or an object with several.
 * Undefined if no response contained them.
 */
export function identityOf(
  context: StoryContext,
  resource: Resource,
  record: RecordValue | undefined,
): Template | undefined {
  if (!record) return undefined;
  const fields = identifyingFields(resource);
  const parts = fields.map((field) => [field, templateOfField(context, resource, field, record)] as const);
  const [only, ...others] = parts;
  if (others.length === 0) return only?.[1];
  const known = parts.flatMap(([field, part]) => (part === undefined ? [] : [[field, part] as const]));
  return known.length === parts.length ? Object.fromEntries(known) : undefined;
}

/** How a request names the value of a record's field. Undefined if no response contained it. */
export function templateOfField(
  context: StoryContext,
  { fields }: Resource,
  field: string,
  record: RecordValue,
): Template | undefined {
  const type = fields.find(({ name }) => name === field)?.type;
  const value = record[field];
  const target = type?.kind === "reference" ? resourceNamed(context.model, type.resource) : undefined;
  if (target?.identifier.kind !== "joint") return context.templateOf(value);
  return identityOf(context, target, referredRecord(context.model, context.records, target.name, value));
}

/** The records that a caller can see, because responses to it named them. */
export function seenBy(
  context: StoryContext,
  caller: Caller,
  resource: Resource,
  records: readonly RecordValue[],
): readonly RecordValue[] {
  const fields = identifyingFields(resource);
  const [only = ""] = fields;
  // The values of several fields are rarely unique, so the last one alone shows little.
  return fields.length > 1
    ? records.filter((record) => context.creatorOf(resource.name, record) === caller.name)
    : records.filter((record) => context.hasSeen(caller, record[only]));
}

export function resourceNamed({ resources }: Model, name: string | undefined): Resource | undefined {
  return resources.find((resource) => resource.name === name);
}
