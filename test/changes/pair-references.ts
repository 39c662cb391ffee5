/** References of random pairs (`pairs.ts`): each leads to a record, and follows new keys. */
import assert from "node:assert/strict";
import { newFrame } from "../../src/expressions/evaluate.ts";
import type { RecordValue, Value } from "../../src/expressions/value.ts";
import type { FieldType } from "../../src/fields/type.ts";
import { hasRule } from "../../src/fields/rule.ts";
import type { Model } from "../../src/model/model.ts";
import type { Store } from "../../src/store/store.ts";

/** The owners that pairs have: the second is a target of few references. */
export const owners = ["ada", "bob"] as const;

/** What a stored change adds to the identifiers of owners. */
export const newKeyPrefix = "o-";

export async function recordsIn(store: Store, resource: string): Promise<readonly RecordValue[]> {
  const frame = newFrame({} as never, { now: "2026-11-20T10:00:00.000Z" });
  return store.session.records(store.prepareRecords({ resource, where: [], order: [] }), frame);
}

/** A value with its references to a resource replaced. */
export function withReferences(
  value: Value,
  type: FieldType,
  model: Model,
  replace: (resource: string, key: string) => Value,
): Value {
  if (value === null) return null;
  if (type.kind === "reference") return replace(type.resource, String(value));
  if (type.kind === "list")
    return (value as readonly Value[]).map((item) => withReferences(item, type.of, model, replace));
  if (type.kind !== "map" && type.kind !== "value") return value;
  const parts =
    type.kind === "value" ? model.resources.find(({ name }) => name === type.resource) : undefined;
  const typeOf = (name: string): FieldType | undefined =>
    type.kind === "map" ? type.of : parts?.fields.find((field) => field.name === name)?.type;
  const replaced = Object.entries(value as RecordValue).map(([name, part]) => {
    const inner = typeOf(name);
    return [name, inner ? withReferences(part, inner, model, replace) : part];
  });
  return Object.fromEntries(replaced) as Value;
}

/** @throws if a reference leads to no record, or two records have the same unique value */
export async function checkTogether(
  store: Store,
  model: Model,
  items: readonly RecordValue[],
): Promise<void> {
  const known = new Map<string, ReadonlySet<string>>();
  for (const { name, identifier, fields } of model.resources) {
    if (identifier.kind === "none") continue;
    const isAnyCase = fields.some(({ role, rules }) => role === "identifier" && hasRule(rules, "any case"));
    const ids = (await recordsIn(store, name)).map(({ id }) => String(id));
    known.set(name, new Set(isAnyCase ? ids.flatMap((id) => [id, id.toUpperCase(), id.toLowerCase()]) : ids));
  }
  for (const field of model.resources.find(({ name }) => name === "Item")?.fields ?? []) {
    for (const item of items)
      withReferences(item[field.name] ?? null, field.type, model, (resource, key) => {
        assert.ok(
          known.get(resource)?.has(key),
          `${field.name} of Item ${item["id"]} refers to no ${resource}: ${key}`,
        );
        return key;
      });
    if (!hasRule(field.rules, "unique")) continue;
    const values = items.flatMap((item) => item[field.name] ?? []);
    assert.equal(new Set(values).size, values.length, `${field.name} must be unique`);
  }
}
