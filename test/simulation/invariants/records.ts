/**
 * Invariants of stored records: rules, uniqueness, references, states, and sequences without gaps.
 */
import type { RecordValue } from "../../../src/expressions/value.ts";
import { hasRule } from "../../../src/fields/rule.ts";
import type { Field, Model, Resource } from "../../../src/model/model.ts";
import { nullnessOf } from "../../../src/model/nullness/nullness.ts";
import { memoizeBy } from "../../../src/support/memoize-by.ts";
import { compileValueCheck } from "../../../src/fields/check-value.ts";
import type { Invariant, Moment } from "../moment.ts";
import { type Held, keyOf } from "../expected-state.ts";
import type { World } from "../world.ts";

/** The input of invariants of stored records. */
export interface Kept {
  readonly played: { readonly model: Model };
  readonly world: Pick<World, "recordsOf" | "frame">;
  readonly after: Pick<Held, "records">;
}

function recordsOf({ after }: Pick<Kept, "after">, { name }: Resource): readonly RecordValue[] {
  const found: RecordValue[] = [];
  for (const [key, record] of after.records) if (key.startsWith(`${name} `)) found.push(record);
  return found;
}

/** The records that this step has changed, as they are now. */
function changedOf({ writes, after }: Moment, { name }: Resource): readonly RecordValue[] {
  const rows = new Set(
    writes.flatMap(({ touches }) => touches.filter((touch) => touch.resource === name).map(({ row }) => row)),
  );
  return [...rows].flatMap((row) => after.records.get(keyOf(name, row)) ?? []);
}

const stored = ({ played }: Kept) =>
  played.model.resources.filter(({ identifier, gap }) => identifier.kind !== "none" && !gap);

const isWorkedOut = (field: Field) => hasRule(field.rules, "computed");

/**
 * `Always`, evaluated as a query. The engine evaluates it as a function before it stores a record.
 */
export const always = async (moment: Kept): Promise<readonly string[]> => {
  const { world } = moment;
  const wrong: string[] = [];
  for (const resource of stored(moment)) {
    if (resource.always.length === 0) continue;
    for (const invariant of resource.always) {
      const holding = await world.recordsOf(resource.name, invariant, world.frame(null));
      const rows = new Set(holding.map((record) => record["#row"]));
      const broken = recordsOf(moment, resource).find((record) => !rows.has(record["#row"]));
      if (broken) wrong.push(`${resource.name} breaks ${invariant.text}: ${JSON.stringify(broken)}`);
    }
  }
  return wrong;
};

export const uniques = (moment: Kept): readonly string[] => {
  const wrong: string[] = [];
  for (const resource of stored(moment)) {
    const sets = [
      ...resource.unique.map(({ fields }) => fields),
      ...resource.fields.filter((field) => hasRule(field.rules, "unique")).map(({ name }) => [name]),
      ...("field" in resource.identifier ? [[resource.identifier.field]] : []),
      ...(resource.identifier.kind === "joint" ? [resource.identifier.fields] : []),
    ];
    const all = recordsOf(moment, resource);
    for (const fields of sets) {
      const seen = new Set<string>();
      for (const record of all) {
        const values = fields.map((name) => record[name] ?? null);
        if (values.includes(null)) continue;
        const foldsCase = (name: string | undefined) =>
          resource.fields.some((field) => field.name === name && hasRule(field.rules, "any case"));
        const key = JSON.stringify(
          values.map((value, at) =>
            typeof value === "string" && foldsCase(fields[at]) ? value.toLowerCase() : value,
          ),
        );
        if (seen.has(key)) wrong.push(`two records of ${resource.name} have ${fields.join(", ")} = ${key}`);
        seen.add(key);
      }
    }
  }
  return wrong;
};

export const references = (moment: Kept): readonly string[] => {
  const wrong: string[] = [];
  const identifiers = new Map<string, Set<string>>();
  for (const resource of stored(moment)) {
    if (!("field" in resource.identifier)) continue;
    const { field } = resource.identifier;
    const all = recordsOf(moment, resource).map((record) => String(record[field]));
    identifiers.set(resource.name, new Set(all));
  }
  for (const resource of stored(moment)) {
    for (const field of resource.fields) {
      if (field.type.kind !== "reference" || isWorkedOut(field)) continue;
      const there = identifiers.get(field.type.resource);
      if (!there) continue;
      for (const record of recordsOf(moment, resource)) {
        const value = record[field.name] ?? null;
        // A record marked as deleted stays when its target is deleted, so its reference may dangle.
        if (record["#deleted"] === true) continue;
        if (value !== null && !there.has(String(value)))
          wrong.push(
            `${resource.name}.${field.name} refers to ${String(value)}, and there is no such ${field.type.resource}`,
          );
      }
    }
  }
  return wrong;
};

/** Checks the records that a step has changed. */
export const fields: Invariant = (moment) =>
  stored(moment).flatMap((resource) => wrongFields(moment, resource, changedOf(moment, resource)));

/** Checks all stored records. */
export const allFields = (moment: Kept): readonly string[] =>
  stored(moment).flatMap((resource) => wrongFields(moment, resource, recordsOf(moment, resource)));

const nullnessFor = memoizeBy((model: Model) => nullnessOf(model, "certain"));

function wrongFields(
  { played }: Kept,
  resource: Resource,
  records: readonly RecordValue[],
): readonly string[] {
  const resourceOf = (name: string) => played.model.resources.find((resource) => resource.name === name);
  const known = { fieldsOf: (name: string) => resourceOf(name)?.fields ?? [], resource: resourceOf };
  const wrong: string[] = [];
  const states = new Set(resource.states?.states.map(({ name }) => name));
  const checks = new Map(
    resource.fields.map(({ name, type, rules }) => [name, compileValueCheck(type, rules, known)]),
  );
  for (const record of records) {
    for (const field of resource.fields) {
      if (isWorkedOut(field) || field.gap) continue;
      const value = record[field.name] ?? null;
      const at = `${resource.name}.${field.name}`;
      if (value === null && hasRule(field.rules, "required")) wrong.push(`${at} is required, and not there`);
      if (value === null && nullnessFor(played.model).field(resource.name, field.name).length === 0)
        wrong.push(`${at} is null, and by the model it never is`);
      if (field.role === "state" && value !== null && !states.has(String(value)))
        wrong.push(`${at} is ${String(value)}, which is no state`);
      if (field.type.kind === "enum" && value !== null && !field.type.values.includes(String(value)))
        wrong.push(`${at} is ${String(value)}, which is none of its values`);
      const words = value === null ? undefined : checks.get(field.name)?.(value);
      if (words !== undefined) wrong.push(`${at} ${words}: ${JSON.stringify(value)}`);
    }
  }
  return wrong;
}

/**
 * `sequence()`: 1, 2, 3 … without gaps, in the order of creation, and never again.
 * @param last the last assigned number, by resource; updated as the story goes on
 */
export function sequencesOf(last: Map<string, number>): Invariant {
  return (moment) => {
    const wrong: string[] = [];
    for (const { name, identifier } of stored(moment)) {
      if (identifier.kind !== "made" || identifier.by?.text !== "sequence()") continue;
      // The initial records are only complete at the start: some may be deleted later.
      if (!last.has(name)) last.set(name, highest(moment, name, identifier.field));
      const made = moment.writes.flatMap(({ touches }) =>
        touches.flatMap(({ resource, before, after }) =>
          resource === name && !before && after ? [after] : [],
        ),
      );
      for (const record of made) {
        const number = Number(record[identifier.field]);
        const before = last.get(name) as number;
        if (number !== before + 1) wrong.push(`${name} ${number} was made behind ${before}`);
        last.set(name, number);
      }
    }
    return wrong;
  };
}

function highest({ before }: Moment, name: string, field: string): number {
  const numbers = [...before.records].flatMap(([key, record]) =>
    key.startsWith(`${name} `) ? [Number(record[field])] : [],
  );
  return Math.max(0, ...numbers);
}
