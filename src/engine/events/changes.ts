/**
 * `event.changes`: the output fields that differ, with their old values as the document's own
 * responses would show them.
 */
import type { Frame, Value } from "../../expressions/value.ts";
import { sameValue } from "../../expressions/order.ts";
import { compileValueWriter } from "../../expressions/write-json.ts";
import { expressionType } from "../../fields/type.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { TouchedRecord } from "../evaluation/journal.ts";
import { isHidden } from "../records/hidden-fields.ts";

/** @param frame read only by computed fields of embedded values */
export type ChangesOf = (touched: TouchedRecord, frame: Frame) => Value;

interface FieldChange {
  readonly name: string;
  /** The field's name in the version of events. */
  readonly shownAs: string;
  readonly write: (value: Value, frame: Frame) => string;
}

export function planChanges(context: PlanContext): ChangesOf {
  const known = new Map<string, readonly FieldChange[]>();
  const fieldsOf = (resource: string): readonly FieldChange[] => {
    let fields = known.get(resource);
    if (!fields) {
      fields = context
        .resource(resource)
        .stored.filter((field) => !isHidden(field))
        .map((field) => ({
          name: field.name,
          shownAs: context.view?.fieldName(resource, field.name) ?? field.name,
          write: compileValueWriter(expressionType(field.type), context.meaning, context.wire),
        }));
      known.set(resource, fields);
    }
    return fields;
  };
  return ({ resource, before, after }, frame) => {
    const changes = Object.create(null) as Record<string, Value>;
    if (!before || !after) return changes;
    for (const { name, shownAs, write } of fieldsOf(resource)) {
      const old = before[name] ?? null;
      if (!sameValue(old, after[name] ?? null)) changes[shownAs] = JSON.parse(write(old, frame)) as Value;
    }
    return changes;
  };
}
