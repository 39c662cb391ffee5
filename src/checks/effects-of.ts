/** All effects of the document: those of transitions and those of endpoints. */
import type { Effect, Model } from "../model/model.ts";

export function effectsOf(model: Model): readonly Effect[] {
  const transitions = model.resources.flatMap((resource) => resource.states?.transitions ?? []);
  return [
    ...transitions.flatMap((transition) => transition.ends.flatMap((end) => end.effects)),
    ...model.endpoints.flatMap((endpoint) => [...endpoint.set, ...endpoint.effects]),
  ];
}
