/**
 * Resources whose identifier, or everything, is not shown. No reference leads to their records, so
 * whatever reads or changes them is unanswerable.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { resourcesRead } from "../../expressions/analysis/reads.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Effect, Endpoint, Gap, Model, Resource } from "../model.ts";

const gapsOf = memoizeBy(
  ({ resources }: Model): ReadonlyMap<string, Gap> =>
    new Map(
      resources.flatMap(({ name, gap, identifier }) => {
        const found = gap ?? (identifier.kind === "not shown" ? identifier.gap : undefined);
        return found ? [[name, found] as const] : [];
      }),
    ),
);

/** Resources whose identifier the service generates in a way that is not shown. */
const makingsOf = memoizeBy(
  ({ resources }: Model): ReadonlyMap<string, { readonly field: string; readonly gap: Gap }> =>
    new Map(
      resources.flatMap(({ name, identifier, fields }) => {
        if (identifier.kind !== "made" || identifier.by) return [];
        const { field } = identifier;
        const gap = fields.find((candidate) => candidate.name === field)?.open?.made;
        return gap ? [[name, { field, gap }] as const] : [];
      }),
    ),
);

/** The gap that parts of the model raise, including the effects in them and all that those fire. */
export function unidentifiedGap(
  model: Model,
  meaning: Meaning,
  pieces: readonly unknown[],
  effects: readonly Effect[],
): Gap | undefined {
  const gaps = gapsOf(model);
  if (gaps.size === 0) return undefined;
  const changed = changedBy(model, effects);
  const started = model.resources.filter(({ name }) => changed.has(name)).map(partsOfChange);
  for (const name of changed) if (gaps.has(name)) return gaps.get(name);
  for (const { expression } of expressionsIn([...pieces, effects, ...started]))
    for (const name of resourcesRead(expression.node, meaning)) if (gaps.has(name)) return gaps.get(name);
  return undefined;
}

/**
 * The gap of a `create` whose requests state no identifier where its making is not shown: each of
 * them is answered 501.
 */
export function createGap(model: Model, { does, inputs, set }: Endpoint): Gap | undefined {
  for (const action of does) {
    const making = action.kind === "create" ? makingsOf(model).get(action.resource) : undefined;
    if (!making) continue;
    const isSent = inputs.some(({ sets }) => sets === making.field);
    const isSet = set.some(
      (effect) => effect.kind === "assign" && !effect.of && effect.field === making.field,
    );
    if (!isSent && !isSet) return making.gap;
  }
  return undefined;
}

/** The gap of effects that create a record without an identifier, if its generation is not shown. */
export function makingGap(model: Model, effects: readonly Effect[]): Gap | undefined {
  const makings = makingsOf(model);
  if (makings.size === 0) return undefined;
  for (const effect of effects) {
    if (effect.kind !== "create") continue;
    const making = makings.get(effect.resource);
    if (making && effect.fields.every(({ field }) => field !== making.field)) return making.gap;
  }
  return undefined;
}

/** The resources whose records the effects change, including those changed by the transitions that they fire. */
function changedBy({ resources }: Model, effects: readonly Effect[]): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (effect: Effect): void => {
    if (!("resource" in effect) || effect.resource === undefined || found.has(effect.resource)) return;
    found.add(effect.resource);
    const resource = resources.find(({ name }) => name === effect.resource);
    if (resource) for (const started of effectsOf(resource)) note(started);
  };
  for (const effect of effects) note(effect);
  return found;
}

/** The effects of all transitions of a resource. */
export function effectsOf({ states }: Resource): readonly Effect[] {
  return (states?.transitions ?? []).flatMap(({ ends }) => ends.flatMap((end) => end.effects));
}

function partsOfChange({ fields, fails, always, states }: Resource): readonly unknown[] {
  return [fields.map(({ rules }) => rules), fails, always, states];
}
