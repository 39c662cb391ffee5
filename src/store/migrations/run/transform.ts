/**
 * Transforms one record by the assignments of its table's `For each`. It creates no other records.
 */
import type { Frame, RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import type { ChangeContext, FieldTransform, PlannedEffect } from "../plan/for-each.ts";
import type { Steps } from "../../rows/steps.ts";
import { withKeys } from "./effect-keys.ts";
import { frameOfChange } from "./ports.ts";
import type { SnapshotQueries } from "./snapshot-queries.ts";
import type { ChangeWork } from "./change-work.ts";

/** A field, and its new value. The value still has the keys before the step. */
export interface SetField {
  readonly field: string;
  readonly value: Value;
  readonly rules: FieldTransform["rules"];
}

export type CreateEffect = Extract<PlannedEffect, { readonly kind: "make" }>;

/** Creates the records of an effect, and returns the value of the effect's name. */
export type RunCreateEffect = (effect: CreateEffect, context: ChangeContext) => Steps<Value>;

/** @param make omitted where only the values that don't depend on it are needed, as for an identifier */
export function transformOf(
  change: TableChange,
  { keyBefore, now }: ChangeWork,
  queries: SnapshotQueries,
  make?: RunCreateEffect,
): (old: RecordValue, fields: Value) => Steps<readonly SetField[]> {
  const { forEach } = change;
  const frame = frameOfChange(now);
  const none = frame.named;
  return function* (old, fields) {
    frame.old = old;
    frame.this = fields;
    frame.named = none;
    const results = yield* queries.resultsFor(change, frame);
    const set = new Map<string, SetField>();
    for (const [number, { effects }] of forEach.entries()) {
      frame.named = none;
      const context: ChangeContext = { frame, results: results[number] ?? [], element: 0 };
      for (const effect of effects) {
        if (effect.kind === "delete" || (effect.when && effect.when(context) !== true)) continue;
        if (effect.kind === "assign") {
          const { field, type, rules } = effect;
          set.set(field, { field, rules, value: withKeys(effect.value(context), type, keyBefore) });
        } else if (make) {
          const made = yield* make(effect, context);
          if (effect.as !== undefined) frame.named = named(frame, effect.as, made);
        }
      }
    }
    return [...set.values()];
  };
}

function named(frame: Frame, name: string, value: Value): Frame["named"] {
  return Object.assign(Object.create(null) as Frame["named"], frame.named, { [name]: value });
}
