/**
 * Record access for handlers: reads, finds and changes the stored records of one resource. Queries
 * are prepared once for each resource and set of fields; the document's rules are those of
 * `records/`.
 */
import { nonNull } from "../../support/non-null.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { hasRule, rulesOfSent } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Field } from "../../model/model.ts";
import type { Query, ShapedRow } from "../../store/store.ts";
import type { Json } from "../../support/json.ts";
import { nearest } from "../../support/nearest.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { rowEquals, fieldEquals } from "../evaluation/nodes.ts";
import type { Values } from "../records/change.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { HandlerMistake, type Plain } from "../handler-module.ts";
import { isSecret, plainReader, plainRecordNode, plainWire, type PlainReader, toJson } from "./plain.ts";
import { bareObject } from "../../support/bare-object.ts";

/**
 * Maximum number of sets of fields for which the lists of one resource stay prepared. Other lists
 * are prepared for each call.
 */
const preparedMax = 64;

/** Returns the identifier of a record that a handler received; undefined for any other object. */
export type IdentifierOf = (object: object) => Json | undefined;

export interface Access {
  readonly plan: ResourcePlan;
  /** Reads the record with its `#row`, for the result of a handler. */
  readonly byRow: Query<RecordValue>;
  readonly shapedByRow: Query<ShapedRow>;
  readonly shapedByIdentifier: Query<ShapedRow>;
  /** Prepares a list by the fields that equal the parameters `field NAME`. */
  list(fields: readonly string[], skips: boolean): Query<ShapedRow>;
  readIdentifier(given: Json): Value;
  /** Parses values for fields by the type and the rules of each field. */
  readValues(given: Plain, where: "making" | "changing" | "finding", identifierOf: IdentifierOf): Values;
}

export function createAccess(context: PlanContext, resource: string): Access {
  const plan = context.resource(resource);
  const { store } = context;
  const whole = plainRecordNode(plan);
  const isThatRow = rowEquals(resource);
  const lists = new Map<string, Query<ShapedRow>>();
  const readKey = plainReader(context, { kind: "reference", resource });
  const readers = new Map<string, PlainReader>();
  const readerOf = (field: Field, finding: boolean): PlainReader => {
    const key = `${field.name}${finding ? "?" : ""}`;
    let reader = readers.get(key);
    if (!reader) {
      reader = plainReader(context, field.type, finding ? [] : rulesOfSent(field.rules), field.gap);
      readers.set(key, reader);
    }
    return reader;
  };
  return {
    plan,
    byRow: store.prepareRecords({ resource, where: [isThatRow], order: [], includesDeleted: true }),
    shapedByRow: store.prepareShaped(
      { resource, where: [isThatRow], order: [], includesDeleted: true },
      whole,
      plainWire,
    ),
    shapedByIdentifier: store.prepareShaped(
      { resource, where: [plan.identifierEquals()], order: [] },
      whole,
      plainWire,
    ),
    list(fields, skips) {
      const key = `${skips} ${fields.join(",")}`;
      const known = lists.get(key);
      if (known) return known;
      const where = fields.map((name) => fieldEquals(resource, nonNull(plan.fields.get(name))));
      const query = store.prepareShaped(
        { resource, where, order: [], limited: true, skips },
        whole,
        plainWire,
      );
      if (lists.size < preparedMax) lists.set(key, query);
      return query;
    },
    readIdentifier(given) {
      const [only, ...others] = plan.identifier;
      if (only === undefined) throw new HandlerMistake(`${resource} has no records of its own`);
      if (others.length > 0) return readKey(given, resource);
      if (given === null || given === undefined) throw new HandlerMistake(`${resource}.${only} is missing`);
      return readerOf(nonNull(plan.fields.get(only)), true)(given, `${resource}.${only}`);
    },
    readValues(given, where, identifierOf) {
      const values = bareObject<Values>();
      for (const [name, sent] of Object.entries(given)) {
        if (sent === undefined) continue;
        const field = plan.fields.get(name);
        if (!field) throw unknownField(plan, name);
        refuseField(plan, field, where);
        const json = toJson([sent], identifierOf) as readonly Json[];
        values[name] = readerOf(field, where === "finding")(json[0] as Json, `${resource}.${name}`);
      }
      return values;
    },
  };
}

function unknownField(plan: ResourcePlan, name: string): HandlerMistake {
  const near = nearest(name, plan.fields.keys());
  return new HandlerMistake(
    `${plan.name} has no field ${name}${near === undefined ? "" : `; did you mean ${near}?`}`,
  );
}

/**
 * Rejects fields that handlers may not assign, as effects may not. Lists, maps and secrets cannot
 * be filters either.
 */
function refuseField(plan: ResourcePlan, field: Field, where: "making" | "changing" | "finding"): void {
  const name = `${plan.name}.${field.name}`;
  if (where === "finding") {
    if (isSecret(field.type) || !isComparable(field.type))
      throw new HandlerMistake(`${name} can't be searched`);
    return;
  }
  if (hasRule(field.rules, "computed"))
    throw new HandlerMistake(`${name} is computed when it is read, and can't be set`);
  if (field.role === "state") throw new HandlerMistake(`${name} is the state; only transitions change it`);
  if (where === "changing" && plan.identifier.includes(field.name))
    throw new HandlerMistake(`${name} identifies the record, and can't be changed`);
}

function isComparable(type: FieldType): boolean {
  return !["list", "map", "object", "value", "json", "not shown"].includes(type.kind);
}
