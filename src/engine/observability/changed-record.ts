/**
 * Changed records: the changes of one transaction by record, computed from its journal on demand.
 */
import { sameValue } from "../../expressions/order.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Field } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { isHidden } from "../records/hidden-fields.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { withRunTimeReferences, toWireForm } from "../records/stored-form.ts";
import type { Journal, TouchedRecord } from "../evaluation/journal.ts";

/** A record that a transaction changed, with the state before and after. */
export interface ChangedRecord {
  readonly resource: string;
  readonly row: number;
  readonly id: string;
  readonly kind: "created" | "updated" | "deleted";
  /** The transitions that fired, in order. */
  readonly transitions: readonly FiredTransitionEntry[];
  /** For an update: the fields with a different value. */
  readonly fields: readonly ChangedField[];
}

export interface ChangedField {
  readonly name: string;
  /** The values as truncated JSON; null if the field is hidden. */
  readonly values: { readonly before: string; readonly after: string } | null;
}

/** Longest value in the journal, in characters. */
const valueMax = 120;

export interface FiredTransitionEntry {
  readonly name: string;
  /**
   * The states before and after; null if the resource has no state field. `to` is null if the
   * effects of the transition deleted the record.
   */
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Returns the records that the transaction touched, except those that it created and deleted, and
 * those with only an event.
 */
export function changedRecords({ touched }: Journal): readonly TouchedRecord[] {
  return touched.filter(({ before, after }) => before !== after);
}

/**
 * Returns the records that the transaction changed, in the order of the changes.
 * @param max the largest number of records
 */
export function recordChanges(context: PlanContext, journal: Journal, max: number): readonly ChangedRecord[] {
  return changedRecords(journal)
    .slice(0, max)
    .map((touched) => changedRecord(context, journal, touched));
}

function changedRecord(context: PlanContext, journal: Journal, touched: TouchedRecord): ChangedRecord {
  const { resource, row, before, after } = touched;
  const plan = context.resource(resource);
  const field = plan.machine?.field;
  const stateIn = (recordValue: RecordValue | null): string | null => {
    const state = recordValue && field !== undefined ? recordValue[field] : null;
    return typeof state === "string" ? state : null;
  };
  const transitions = journal.occurrences.flatMap((occurrence) =>
    occurrence.touched === touched && occurrence.kind === "transition"
      ? [{ name: occurrence.name as string, from: stateIn(occurrence.old), to: stateIn(occurrence.now) }]
      : [],
  );
  const kind = before === null ? "created" : after === null ? "deleted" : "updated";
  const id = plan.nameOf((after ?? before) as RecordValue);
  return { resource, row, id, kind, transitions, fields: changedFields(context, plan, touched) };
}

function changedFields(
  context: PlanContext,
  { fields }: ResourcePlan,
  { before, after }: TouchedRecord,
): readonly ChangedField[] {
  if (!before || !after) return [];
  const textOf = ({ type }: Field, value: Value): string => {
    const text = JSON.stringify(toWireForm(withRunTimeReferences(context), type, value));
    return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
  };
  return [...fields.values()]
    .filter(({ name }) => !sameValue(before[name] ?? null, after[name] ?? null))
    .map((field) => ({
      name: field.name,
      values: isHidden(field)
        ? null
        : {
            before: textOf(field, before[field.name] ?? null),
            after: textOf(field, after[field.name] ?? null),
          },
    }));
}
