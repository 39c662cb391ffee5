/** Part 3: a transition with the trigger `call` needs an endpoint or an effect that fires it. */
import { effectsOf } from "../effects-of.ts";
import type { Check } from "../check.ts";

export const neverCalled: Check = (model, reporter) => {
  // An endpoint that isn't shown may fire it, and so may a handler.
  const { endpoints, ledger } = model;
  const methods = ledger.find((entry) => entry.item === "methods");
  const isOpen = endpoints.some(
    (endpoint) => endpoint.gap || endpoint.does.some((does) => does.kind === "handler"),
  );
  if (isOpen || methods?.answer !== "stated" || methods.smallerGaps.length > 0) return;
  const called = new Set([
    ...endpoints.flatMap(({ does, resource, then }) => [
      ...does.flatMap((action) =>
        action.kind === "transition" ? [`${action.resource} ${action.transition}`] : [],
      ),
      ...then.map((next) => `${resource} ${next.transition}`),
    ]),
    ...effectsOf(model).flatMap((effect) =>
      effect.kind === "do" ? [`${effect.resource} ${effect.transition}`] : [],
    ),
  ]);
  for (const { name: resource, states } of model.resources)
    for (const { name, ends, position } of states?.transitions ?? [])
      if (ends.every((end) => end.trigger.kind === "call") && !called.has(`${resource} ${name}`))
        reporter.report("states/never-called", position, { transition: name, resource });
};
