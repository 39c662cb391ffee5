/**
 * Continues sequences of a field that becomes a sequence. They start after the existing numbers, or
 * the next record would get one of these.
 */
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import { machine } from "../../../support/machine.ts";
import { sequenceNamed } from "../plan/rules-of-field.ts";
import type { Steps } from "../../rows/steps.ts";
import { frameOfChange } from "./ports.ts";
import { advancePast } from "./sequences.ts";
import { eachSlice } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { creationValue } from "../../../model/resources/creation-value.ts";
import type { Column, Table } from "../../table.ts";

export function* countOn(
  table: Table,
  { name }: Column,
  { words, model }: { readonly words: MigrationDialect; readonly model: Model },
): Steps<void> {
  const resource = model.resources.find((candidate) => candidate.name === table.name);
  const field = resource?.fields.find((candidate) => candidate.name === name);
  const made = resource && field && creationValue(resource, field);
  const sequence = made && sequenceNamed(`${table.name}.${name}`, made, meaningOf(model));
  if (!sequence) return;
  const frame = frameOfChange(new Date(machine.now()).toISOString());
  // One statement for each sequence of a slice: most fields have one for all records.
  yield* eachSlice(table, words, {}, function* (records) {
    const highest = new Map<string, number>();
    for (const record of records) {
      const value = record[name];
      if (typeof value !== "number") continue;
      frame.this = record;
      const within = sequence.within(frame);
      highest.set(within, Math.max(value, highest.get(within) ?? value));
    }
    for (const [within, value] of highest) yield* advancePast(sequence.name, within, value);
  });
}
