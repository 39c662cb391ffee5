/**
 * Part 7: a condition without a row uses the row of its parent condition, including its message. A
 * fixed message may be wrong for it: a duplicate was answered with "The item is new." Only
 * conditions that the document's endpoints can raise are checked.
 */
import { pieceReads } from "../../expressions/analysis/reads.ts";
import { hasRule } from "../../fields/rule.ts";
import { type ChosenBy, createRowChooser } from "../../model/errors/error-rows.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Endpoint, Model, Resource } from "../../model/model.ts";
import { restrictedResources } from "../../model/resources/reference-places.ts";
import type { Check } from "../check.ts";
import { effectsOf } from "../effects-of.ts";
import { setsFields } from "../../model/endpoints/does.ts";

export const borrowedMessage: Check = (model, reporter) => {
  const choose = createRowChooser(model);
  const reported = new Set<string>();
  for (const blame of conflictsMet(model)) {
    const { row, condition } = choose(blame);
    if (!row?.message || condition === blame.condition) continue;
    // A row with the engine's own message is right for every condition.
    if (pieceReads(row.message, { name: "error", member: "problem" })) continue;
    const position = row.when.find((when) => when.condition === condition)?.position ?? row.position;
    const key = `${blame.condition} ${position.start.line}`;
    if (reported.has(key)) continue;
    reported.add(key);
    reporter.report("errors/borrowed-message", position, {
      condition: blame.condition,
      row: condition,
      resource: blame.resource,
    });
  }
};

/** Conditions about conflicts with stored records. Without a row of their own they use that of *illegal transition*. */
function* conflictsMet(model: Model): Generator<ChosenBy> {
  const resources = new Map(model.resources.map((resource) => [resource.name, resource]));
  for (const endpoint of model.endpoints) {
    const resource = endpoint.resource === undefined ? undefined : resources.get(endpoint.resource);
    if (endpoint.idempotency) yield { condition: "idempotency conflict" };
    if (!resource) continue;
    for (const field of uniqueFieldsSet(endpoint, resource))
      yield { condition: "duplicate", resource: resource.name, field };
    for (const transition of transitionsOf(endpoint))
      for (const { name, ends } of resource.states?.transitions ?? [])
        if (name === transition && ends.every((end) => end.guard && end.guard.otherwise === undefined))
          yield { condition: "guard failed", resource: resource.name, transition };
  }
  for (const name of deletedBy(model))
    if (restrictedResources(model).has(name)) yield { condition: "in use", resource: name };
}

function uniqueFieldsSet({ does, inputs, set }: Endpoint, resource: Resource): readonly string[] {
  const writes = does.some(setsFields);
  if (!writes) return [];
  const made = resource.identifier.kind === "made";
  const unique = new Set([
    ...(made ? [] : identifierFields(resource)),
    ...resource.unique.flatMap((group) => group.fields),
    ...resource.fields.flatMap((field) => (hasRule(field.rules, "unique") ? [field.name] : [])),
  ]);
  const written = [
    ...inputs.flatMap((input) => input.sets ?? []),
    ...set.flatMap((effect) => (effect.kind === "assign" && !effect.of ? [effect.field] : [])),
  ];
  return [...new Set(written)].filter((field) => unique.has(field));
}

function transitionsOf({ does, then }: Endpoint): readonly string[] {
  return [
    ...does.flatMap((action) => (action.kind === "transition" ? [action.transition] : [])),
    ...then.map((next) => next.transition),
  ];
}

function deletedBy(model: Model): ReadonlySet<string> {
  return new Set([
    ...model.endpoints.flatMap(({ does }) =>
      does.flatMap((action) => (action.kind === "delete" ? [action.resource] : [])),
    ),
    ...effectsOf(model).flatMap((effect) => (effect.kind === "delete" ? [effect.resource] : [])),
  ]);
}
