/**
 * Hidden parts of values: an operator who edits an embedded value can't send its `internal` fields,
 * so these keep their values. In a list or a map, parts can't be matched to their values. Such an
 * edit is rejected, because it would lose them.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Values } from "../records/change.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isHidden } from "../records/hidden-fields.ts";
import { type FieldError, FieldsRefused } from "./refusals.ts";

/**
 * Restores the hidden parts of changed values.
 * @throws FieldsRefused
 */
export function restoreHiddenParts(
  context: PlanContext,
  plan: ResourcePlan,
  record: RecordValue,
  values: Readonly<Values>,
): Values {
  const errors: FieldError[] = [];
  const kept = bareObject<Values>();
  for (const [name, value] of Object.entries(values)) {
    const type = plan.fields.get(name)?.type as FieldType;
    const made = keep(context, type, record[name] ?? null, value);
    if (made !== undefined) kept[name] = made;
    else
      errors.push({
        field: name,
        message: "contains hidden fields that an edit would lose, so it can't be edited here",
      });
  }
  if (errors.length > 0) throw new FieldsRefused(plan.name, errors);
  return kept;
}

/** The sent value with the hidden parts of the former one; undefined if those would be lost. */
function keep(context: PlanContext, type: FieldType, before: Value, sent: Value): Value | undefined {
  if (sent === null || before === null || !hasHiddenParts(context, type, new Set())) return sent;
  if (type.kind === "list" || type.kind === "map") {
    return Object.keys(before).length > 0 ? undefined : sent;
  }
  const own = before as { readonly [part: string]: Value };
  const made = Object.assign(bareObject<Record<string, Value>>(), sent as object);
  for (const part of partsOf(context, type)) {
    const was = own[part.name] ?? null;
    const now = made[part.name] ?? null;
    const kept = isHidden(part) ? (now ?? was) : keep(context, part.type, was, now);
    if (kept === undefined) return undefined;
    made[part.name] = kept;
  }
  return made;
}

/** The stored fields of a value. */
export function partsOf(context: Pick<PlanContext, "resource">, type: FieldType): readonly FieldPart[] {
  if (type.kind === "object") return type.parts;
  return type.kind === "value" ? context.resource(type.resource).stored : [];
}

/** @param seen values that are being visited, because a value may contain itself */
function hasHiddenParts(context: PlanContext, type: FieldType, seen: ReadonlySet<string>): boolean {
  if (type.kind === "list" || type.kind === "map") return hasHiddenParts(context, type.of, seen);
  if (type.kind === "value" && seen.has(type.resource)) return false;
  const within = type.kind === "value" ? new Set([...seen, type.resource]) : seen;
  return partsOf(context, type).some((part) => isHidden(part) || hasHiddenParts(context, part.type, within));
}
