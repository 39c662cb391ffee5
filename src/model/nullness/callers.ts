/** Nullness: whether an effect may run without a caller: at an endpoint for anyone, or by a timer. */
import { needsCaller } from "../authentication/caller-type.ts";
import { isChanging, mayCreate } from "../endpoints/does.ts";
import type { Effect, Endpoint, Model, Resource, Trigger } from "../model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";

/** Whether a transition may fire without a caller. */
export function firesWithoutCaller(
  model: Model,
  resource: string,
  transition: string,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const key = `${resource}.${transition}`;
  if (seen.has(key)) return false;
  const fires = (effect: Effect) =>
    effect.kind === "do" && effect.resource === resource && effect.transition === transition;
  const own = model.resources
    .find(({ name }) => name === resource)
    ?.states?.transitions.find(({ name }) => name === transition);
  if (own?.ends.some(({ trigger }) => trigger.kind === "after" || trigger.kind === "at")) return true;
  const firesIt = ({ effects, resource: own, does, then }: Endpoint) =>
    effects.some(fires) ||
    (own === resource &&
      (does.some((action) => action.kind === "transition" && action.transition === transition) ||
        then.some((next) => next.transition === transition)));
  if (model.endpoints.some((endpoint) => !needsCaller(model, endpoint) && firesIt(endpoint))) return true;
  const within = new Set([...seen, key]);
  return transitionsOf(model).some(
    ({ of, name, effects }) => effects.some(fires) && firesWithoutCaller(model, of, name, within),
  );
}

/**
 * Whether a record of the resource may be created or changed without a caller.
 * @param how `made`: by a `create`; `changed`: by any effect
 */
export function changesWithoutCaller(
  model: Model,
  resource: string,
  how: "made" | "changed",
  seen: ReadonlySet<string> = new Set(),
): boolean {
  if (seen.has(resource)) return false;
  const within = new Set([...seen, resource]);
  return (changesOf(model).get(resource) ?? []).some(({ isMaking, end }) => {
    if (how === "made" && !isMaking) return false;
    if (!end) return true;
    const { kind } = end.trigger;
    if (kind === "call") return firesWithoutCaller(model, end.resource, end.transition);
    return kind !== "immediately" || changesWithoutCaller(model, end.resource, "changed", within);
  });
}

/** A change to records of a resource, by an endpoint that needs no caller or by the end of a transition. */
interface Change {
  readonly isMaking: boolean;
  /** Absent for an endpoint. */
  readonly end?: { readonly resource: string; readonly transition: string; readonly trigger: Trigger };
}

/** The changes, by the name of the changed resource. */
const changesOf = memoizeBy((model: Model): ReadonlyMap<string, readonly Change[]> => {
  const changes = new Map<string, Change[]>();
  const add = (resource: string, change: Change) => {
    const known = changes.get(resource);
    if (known) known.push(change);
    else changes.set(resource, [change]);
  };
  const addEffects = (effects: readonly Effect[], end?: Change["end"]) => {
    for (const effect of effects)
      if ("resource" in effect && effect.resource !== undefined)
        add(effect.resource, { isMaking: effect.kind === "create", ...(end && { end }) });
  };
  for (const endpoint of model.endpoints) {
    const { effects, resource, does } = endpoint;
    if (needsCaller(model, endpoint)) continue;
    addEffects(effects);
    if (resource !== undefined && does.some(isChanging)) add(resource, { isMaking: does.some(mayCreate) });
  }
  for (const { name: resource, states } of model.resources)
    for (const { name: transition, ends } of states?.transitions ?? [])
      for (const { effects, trigger } of ends) addEffects(effects, { resource, transition, trigger });
  return changes;
});

function transitionsOf({ resources }: Model) {
  return resources.flatMap(({ name: of, states }: Resource) =>
    (states?.transitions ?? []).map(({ name, ends }) => ({
      of,
      name,
      effects: ends.flatMap(({ effects }) => effects),
    })),
  );
}
