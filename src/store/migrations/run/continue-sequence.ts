/**
 * Continues sequences of a field that becomes a sequence. They start after the existing numbers, or
 * the next record would get one of these.
 */
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import { machine } from "../../../support/machine.ts";
import { sequenceNamed } from "../plan/rules-of-field.ts";
import { sequenceOf } from "../../../expressions/special-functions.ts";
import type { Node } from "../../../expressions/node.ts";
import type { Frame } from "../../../expressions/value.ts";
import { scopeText } from "../../sequence-scope.ts";
import { compileValue, createCompiler } from "../../sql/queries.ts";
import type { Tables } from "../../tables.ts";
import { firstRow, type Steps } from "../../rows/steps.ts";
import { frameOfChange } from "./ports.ts";
import { advancePast } from "./sequences.ts";
import { eachSlice } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { creationValue } from "../../../model/resources/creation-value.ts";
import type { Column, Table } from "../../table.ts";

export interface CountingContext {
  readonly words: MigrationDialect;
  readonly model: Model;
  /** The tables as part 2 states, which the store has already. */
  readonly tables: Tables;
}

/** @throws NotInSql if the database can't evaluate the scope */
export function* countOn(table: Table, { name }: Column, context: CountingContext): Steps<void> {
  const { words, model } = context;
  const resource = model.resources.find((candidate) => candidate.name === table.name);
  const field = resource?.fields.find((candidate) => candidate.name === name);
  const made = resource && field && creationValue(resource, field);
  if (!made || !sequenceOf(made)) return;
  const sequence = `${table.name}.${name}`;
  const scopeOf = scopeOfRecord(sequence, made, context);
  const frame = frameOfChange(new Date(machine.now()).toISOString());
  // One statement for each sequence of a slice: most fields have one for all records.
  yield* eachSlice(table, words, {}, function* (records) {
    const highest = new Map<string, number>();
    for (const record of records) {
      const value = record[name];
      if (typeof value !== "number") continue;
      frame.this = record;
      const within = yield* scopeOf(frame);
      highest.set(within, Math.max(value, highest.get(within) ?? value));
    }
    for (const [within, value] of highest) yield* advancePast(sequence, within, value);
  });
}

/** The scope of a record's number. One that reads other records is a query for each. */
function scopeOfRecord(
  name: string,
  made: Node,
  { words, model, tables }: CountingContext,
): (frame: Frame) => Steps<string> {
  const meaning = meaningOf(model);
  const sequence = sequenceNamed(name, made, meaning);
  if (sequence)
    // biome-ignore lint/correctness/useYield: this scope needs no query
    return function* (frame) {
      return sequence.within(frame);
    };
  const within = sequenceOf(made)?.within as Node;
  const query = compileValue(within, createCompiler(meaning, tables, words.dialect));
  return function* (frame) {
    const [row] = (yield firstRow(query, query.bind(frame))).rows;
    return scopeText(row ? query.decode(row, frame) : null);
  };
}
