/**
 * `event.changes`: the output fields that differ, with their old values as the document's own
 * responses would show them.
 */
import { compileNode } from "../../expressions/compiling/compile.ts";
import { rootContext } from "../../expressions/compiling/context.ts";
import { copyFrame } from "../../expressions/frame.ts";
import type { MapEntry, Node } from "../../expressions/node.ts";
import { fieldNode } from "../../expressions/nodes.ts";
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { sameValue } from "../../expressions/order.ts";
import { compileValueWriter } from "../../expressions/write-json.ts";
import { expressionType } from "../../fields/type.ts";
import type { Field } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { TouchedRecord } from "../evaluation/journal.ts";
import { isHidden } from "../records/hidden-fields.ts";

/** @param frame read only by computed fields of embedded values */
export type ChangesOf = (touched: TouchedRecord, frame: Frame) => Value;

interface FieldChange {
  readonly name: string;
  /** The field's name in the version of events. */
  readonly shownAs: string;
  /** @param before the record before the change */
  readonly write: (before: RecordValue, frame: Frame) => string;
}

export function planChanges(context: PlanContext): ChangesOf {
  const known = new Map<string, readonly FieldChange[]>();
  const fieldsOf = (resource: string): readonly FieldChange[] => {
    let fields = known.get(resource);
    if (!fields) {
      fields = context
        .resource(resource)
        .stored.filter((field) => !isHidden(field))
        .flatMap((field) => planField(context, resource, field) ?? []);
      known.set(resource, fields);
    }
    return fields;
  };
  return ({ resource, before, after }, frame) => {
    const changes = Object.create(null) as Record<string, Value>;
    if (!before || !after) return changes;
    for (const { name, shownAs, write } of fieldsOf(resource)) {
      if (!sameValue(before[name] ?? null, after[name] ?? null))
        changes[shownAs] = JSON.parse(write(before, frame)) as Value;
    }
    return changes;
  };
}

/** Undefined if the version of events doesn't have the field. */
function planField(
  context: PlanContext,
  resource: string,
  { name, type }: Pick<Field, "name" | "type">,
): FieldChange | undefined {
  const { view, meaning, wire } = context;
  const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource } };
  const stored = fieldNode(self, name, expressionType(type));
  const entriesOf = (entries: readonly MapEntry[]) =>
    view?.entries({ name: resource, thing: self }, entries) ?? entries;
  // A version may have fields of its own, which follow those of the document.
  const entries = entriesOf([{ key: name, optional: false, value: stored }]);
  const [shown] = entries.length > entriesOf([]).length ? entries : [];
  if (!shown) return undefined;
  const write = compileValueWriter(shown.value.type, meaning, wire);
  if (shown.value === stored)
    return { name, shownAs: shown.key, write: (before, frame) => write(before[name] ?? null, frame) };
  const evaluate = compileNode(shown.value, rootContext(meaning));
  return {
    name,
    shownAs: shown.key,
    write(before, frame) {
      const earlier = copyFrame(frame);
      earlier.this = before;
      return write(evaluate(earlier), earlier);
    },
  };
}
