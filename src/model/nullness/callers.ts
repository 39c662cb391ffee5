/** Nullness: whether an effect may run without a caller: at an endpoint for anyone, or by a timer. */
import { needsCaller } from "../caller-type.ts";
import { isChanging, isMaking } from "../does.ts";
import type { Effect, Endpoint, Model, Resource } from "../model.ts";

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
  const touches = (effect: Effect) =>
    "resource" in effect && effect.resource === resource && (how === "changed" || effect.kind === "create");
  const changes = ({ effects, resource: own, does }: Endpoint) =>
    effects.some(touches) || (own === resource && does.some(how === "made" ? isMaking : isChanging));
  return (
    model.endpoints.some((endpoint) => !needsCaller(model, endpoint) && changes(endpoint)) ||
    model.resources.some(({ name, states }) =>
      (states?.transitions ?? []).some(({ name: transition, ends }) =>
        ends.some(
          ({ effects, trigger }) =>
            effects.some(touches) &&
            (trigger.kind === "call"
              ? firesWithoutCaller(model, name, transition)
              : trigger.kind !== "immediately" || changesWithoutCaller(model, name, "changed", within)),
        ),
      ),
    )
  );
}

function transitionsOf({ resources }: Model) {
  return resources.flatMap(({ name: of, states }: Resource) =>
    (states?.transitions ?? []).map(({ name, ends }) => ({
      of,
      name,
      effects: ends.flatMap(({ effects }) => effects),
    })),
  );
}
