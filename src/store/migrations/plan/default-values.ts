/**
 * Default values of a record that a stored change creates: its identifier, `default` values, `on
 * create` values and initial state.
 */
import { compileFunction, readsStore } from "../../../expressions/evaluate.ts";
import type { Node } from "../../../expressions/node.ts";
import { someNode } from "../../../expressions/nodes.ts";
import { type OwnRecord, ownFieldsRead } from "../../../expressions/analysis/own-fields.ts";
import type { Meaning } from "../../../expressions/scope.ts";
import { callsSlug } from "../../../expressions/special-functions.ts";
import type { Frame, Value } from "../../../expressions/value.ts";
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import { ownRecordOf } from "../../../model/resources/own-record.ts";
import { storedFields } from "../../tables.ts";
import type { NamesAtStep } from "./names-at-step.ts";
import { type FieldRules, rulesOf, type Sequence, sequenceNamed } from "./rules-of-field.ts";
import { creationValue } from "../../../model/resources/creation-value.ts";

export interface DefaultValue {
  readonly field: string;
  /** A number of the store's sequence, or the value of the expression over the new record (`this`). */
  readonly from: Sequence | ((frame: Frame) => Value);
  readonly rules: FieldRules;
}

/** In the order of evaluation. */
export type DefaultValues = readonly DefaultValue[];

interface Known {
  readonly model: Model;
  readonly later: NamesAtStep;
}

/** @param given the fields that the effect sets. Returns which fields have no value, as text. */
export function planDefaults(name: string, given: ReadonlySet<string>, known: Known): DefaultValues | string {
  const resource = known.later.resource(name);
  if (!resource) return [];
  const meaning = meaningOf(known.model);
  const wanted = storedFields(resource).flatMap((field) => {
    const made = creationValue(resource, field);
    const called = known.later.called(name, field.name);
    return made && !given.has(called) ? [{ field: field.name, called, made }] : [];
  });
  const defaults: DefaultValue[] = [];
  const record = ownRecordOf(resource, meaning);
  for (const { called, made } of inOrder(wanted, record)) {
    // Part 2 uses the final names of fields.
    const isOtherwise = [...ownFieldsRead(made, record)].some(
      (candidate) => known.later.called(name, candidate) !== candidate,
    );
    const from = isOtherwise
      ? undefined
      : (sequenceNamed(`${name}.${called}`, made, meaning) ?? functionOf(made, meaning));
    if (!from)
      return `${name}.${called} has a default that only the service can compute: set it in this step`;
    defaults.push({ field: called, from, rules: rulesOf(name, called, known) });
  }
  return defaults;
}

/**
 * Undefined if the expression needs something that only a running service has: its secrets, its
 * handlers, or other records.
 */
function functionOf(node: Node, meaning: Meaning): ((frame: Frame) => Value) | undefined {
  if (readsStore(node, meaning) || callsSlug(node)) return undefined;
  const isOfService = someNode(
    node,
    (part) =>
      part.op === "call" &&
      (["token", "verify", "sequence"].includes(part.function) ||
        meaning.vocabulary.handlerFunction(part.function) !== undefined),
  );
  return isOfService ? undefined : compileFunction(node, meaning);
}

interface Wanted {
  readonly field: string;
  readonly called: string;
  readonly made: Node;
}

/** Each field follows those that it reads. `check` has rejected cycles. */
function inOrder(wanted: readonly Wanted[], record: OwnRecord): readonly Wanted[] {
  const waiting = wanted.map((item) => ({ item, reads: ownFieldsRead(item.made, record) }));
  const ordered: Wanted[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(
      ({ item, reads }) => !waiting.some((other) => other.item !== item && reads.has(other.item.field)),
    );
    ordered.push(...waiting.splice(Math.max(0, next), 1).map(({ item }) => item));
  }
  return ordered;
}
