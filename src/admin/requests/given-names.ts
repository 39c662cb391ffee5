/**
 * Given items of a scenario: the records that a request needs, each after the records that it
 * refers to, in the notation.
 */
import { plainRecord } from "../../engine/admin/edit-records.ts";
import type { Service } from "../../engine/service.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { Field, Resource } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { currentRecord } from "./current-record.ts";

export interface GivenNames {
  /** The name of a record in the scenario; undefined if no such record exists. */
  named(resource: string, row: number): Promise<string | undefined>;
  /** The substitute for a secret field. The store has only a hash, so its text is unknown. */
  secretOf(name: string, field: string): string;
  readonly lines: readonly string[];
  /** Names for identifiers that the scenario generates anew, by the old identifier. */
  readonly identifiers: ReadonlyMap<string, string>;
}

/** @param before records before the request, by resource and row */
export function createGivens(service: Service, before: ReadonlyMap<string, RecordValue>): GivenNames {
  const { context } = service.internals;
  const names = new Map<string, Promise<string | undefined>>();
  const usedNames = new Set<string>();
  const lines: string[] = [];
  const identifiers = new Map<string, string>();
  const secretOf = (name: string, field: string) => `${name}-${field}-secret`;

  const nameFor = ({ variableName }: Resource): string => {
    let name = variableName;
    for (let count = 2; usedNames.has(name); count += 1) name = `${variableName}${count}`;
    usedNames.add(name);
    return name;
  };

  const referred = async (field: Field, key: Json): Promise<string | undefined> => {
    if (field.type.kind !== "reference" || key === null) return undefined;
    const plan = context.resource(field.type.resource);
    const frame = service.internals.newFrame(context.ports.clock.now());
    const found = await plan.find(context.store.session, frame, key as string);
    return found ? named(plan.name, found["#row"]) : undefined;
  };

  const make = async (resourceName: string, row: number): Promise<string | undefined> => {
    const plan = context.resource(resourceName);
    const record = before.get(`${resourceName}#${row}`) ?? (await currentRecord(service, resourceName, row));
    if (!record) return undefined;
    const { resource } = plan;
    const name = nameFor(resource);
    const plain = plainRecord(context, resource, record) as Readonly<Record<string, Json>>;
    const given: string[] = [];
    for (const field of resource.fields) {
      const kind = field.type.kind;
      if (kind === "password" || kind === "credential")
        given.push(`${field.name} = ${literal(secretOf(name, field.name))}`);
      const value = plain[field.name];
      if (value === undefined || value === null || isGenerated(field, resource)) continue;
      if (isDefaultState(field, resource, value)) continue;
      const reference = await referred(field, record[field.name] as Json);
      given.push(`${field.name} = ${reference ?? literal(value)}`);
    }
    const { identifier } = resource;
    if (identifier.kind === "made") identifiers.set(String(plain[identifier.field] ?? ""), name);
    lines.push(
      `- Given: \`${resourceName}${given.length > 0 ? ` with ${given.join(", ")}` : ""} as ${name}\``,
    );
    return name;
  };

  const named = (resource: string, row: number): Promise<string | undefined> => {
    const key = `${resource}#${row}`;
    const known = names.get(key) ?? make(resource, row);
    names.set(key, known);
    return known;
  };

  return { named, secretOf, lines, identifiers };
}

/** Whether the service sets the field: an identifier, the time of creation, a computed value. */
function isGenerated({ name, rules, type }: Field, { identifier }: Resource): boolean {
  if (identifier.kind === "made" && identifier.field === name) return true;
  return type.kind === "timestamp" && ruleOf(rules, "on create") !== undefined;
}

function isDefaultState({ role }: Field, { states }: Resource, value: Json): boolean {
  if (role !== "state" || !states?.initial) return false;
  const { node } = states.initial;
  return node.op === "literal" && node.value === value;
}

/** A value as an expression. A backtick would end the item. */
function literal(value: Json): string {
  return JSON.stringify(withoutNulls(value)).replaceAll("`", "\\u0060");
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      child === null ? [] : [[key, withoutNulls(child as Json)]],
    ),
  );
}
