/**
 * Creates the records of a stored change, or finds them by unique fields. New records get the
 * defaults of part 2, without events.
 */
import { isList, type Frame, type Value } from "../../../expressions/value.ts";
import type { ChangeContext, FieldTransform } from "../plan/for-each.ts";
import type { Steps } from "../../rows/steps.ts";
import type { RunCreateEffect, CreateEffect } from "./transform.ts";
import { withKeys, registerRecord } from "./effect-keys.ts";
import { isNeverNullColumn } from "../../table.ts";
import { NewRecordsTable } from "./new-records-table.ts";
import type { NewKeys } from "./new-keys.ts";
import type { NextTable } from "./next-tables.ts";
import type { SnapshotQueries } from "./snapshot-queries.ts";
import { frameOfChange } from "./ports.ts";
import { nextOfSequence, advancePast } from "./sequences.ts";
import type { ChangeWork } from "./change-work.ts";

export interface EffectRunner {
  readonly make: RunCreateEffect;
  /** The number of records that it created or changed. */
  readonly records: number;
  /** To be called after all records are created. */
  end(): Steps<void>;
}

export interface Options {
  readonly finalValue: NewKeys["finalValue"];
  /** By the name of their resource. */
  readonly next: ReadonlyMap<string, NextTable>;
  readonly deleted: SnapshotQueries["deleted"];
  /** Records what can't be created. */
  onBroken(words: string): void;
}

export function createEffectRunner(
  work: ChangeWork,
  { finalValue, next, deleted, onBroken }: Options,
): EffectRunner {
  const tables = new Map<string, NewRecordsTable>();
  const frame = frameOfChange(work.now);
  let records = 0;

  const tableOf = (resource: string): NewRecordsTable => {
    const known = tables.get(resource);
    if (known) return known;
    const before = work.changed.changes.find(({ after }) => after?.name === resource)?.before;
    const gone = before && deleted.get(before.name);
    const made = new NewRecordsTable(next.get(resource) as NextTable, work, gone);
    tables.set(resource, made);
    return made;
  };

  const valuesOf = function* (
    { resource, fields }: CreateEffect,
    context: ChangeContext,
  ): Steps<Record<string, Value>> {
    const values: Record<string, Value> = {};
    for (const { field, type, value, rules } of fields)
      values[field] = rules.kept(
        yield* finalValue(resource, field, withKeys(value(context), type, work.keyBefore)),
      );
    return values;
  };

  const reportWrong = (
    fields: readonly Pick<FieldTransform, "field" | "rules">[],
    values: Values,
    of: string,
  ) => {
    for (const { field, rules } of fields) {
      const words = rules.wrong(values[field] ?? null);
      if (words !== undefined) onBroken(`${of}: ${field} ${words}`);
    }
  };

  const makeOne: RunCreateEffect = function* (effect, context) {
    const { resource, fields, defaults, by, findsNull } = effect;
    const table = tableOf(resource);
    const values = yield* valuesOf(effect, context);
    const isKey = by && (findsNull || by.every((field) => (values[field] ?? null) !== null));
    const found = isKey ? yield* table.find(by, values) : undefined;
    if (by && found) {
      const kept = [...table.table.identifier, ...by];
      const names = fields.map(({ field }) => field).filter((field) => !kept.includes(field));
      const changed = yield* table.change(found, names, values);
      const different = fields.filter(({ field }) => changed.includes(field));
      reportWrong(different, values, `the ${resource} found for it`);
      if (changed.length > 0) records += 1;
      return registerRecord(table.keyOf(found));
    }
    yield* fill(effect, values, frame);
    const of = `the ${resource} made of it`;
    reportWrong([...fields, ...defaults], values, of);
    for (const column of table.table.columns) {
      const { name, required } = column;
      const isMissing = isNeverNullColumn(column) && (values[name] ?? null) === null;
      if (isMissing && !fields.some(({ field }) => field === name))
        onBroken(`${of}: ${name} ${required ? "is required" : "must have a value"}, and nothing sets it`);
    }
    yield* table.insert(values);
    records += 1;
    return registerRecord(table.keyOf(values));
  };

  return {
    *make(effect, context) {
      if (!effect.each) return yield* makeOne(effect, context);
      const list = effect.each.list(context);
      for (const [place, element] of (isList(list) ? list : []).entries()) {
        context.frame.locals = [element];
        context.element = place;
        if (!effect.each.when || effect.each.when(context) === true) yield* makeOne(effect, context);
      }
      context.frame.locals = [];
      context.element = 0;
      return null;
    },
    get records() {
      return records;
    },
    *end() {
      for (const table of tables.values()) yield* table.dropIndexes();
    },
  };
}

type Values = Readonly<Record<string, Value>>;

/**
 * Defaults: the identifier, default values, `on create` values, the initial state. A number that
 * was assigned is not assigned again.
 */
function* fill({ fields, defaults }: CreateEffect, values: Record<string, Value>, frame: Frame): Steps<void> {
  frame.this = values;
  for (const { field, rules } of fields) {
    const value = values[field];
    if (rules.sequence && typeof value === "number")
      yield* advancePast(rules.sequence.name, rules.sequence.within(frame), value);
  }
  for (const { field, from, rules } of defaults) {
    const value =
      typeof from === "function" ? from(frame) : yield* nextOfSequence(from.name, from.within(frame));
    values[field] = rules.kept(value);
  }
}
