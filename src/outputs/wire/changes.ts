/** Changes of an operation: the records and transitions that a request may create, change or delete. */
import { setsFields } from "../../model/endpoints/does.ts";
import type { Effect, Endpoint, Resource } from "../../model/model.ts";
import type { WireContext } from "./context.ts";

export interface Changed {
  /** Resources whose records are created or changed. */
  readonly written: readonly Resource[];
  readonly deleted: ReadonlySet<string>;
  /** `Parcel.deliver`. */
  readonly transitions: ReadonlySet<string>;
}

/**
 * The records and transitions that a request may change: what the endpoint does, its effects, and
 * what follows from them.
 */
export function changesOf(context: WireContext, endpoint: Endpoint): Changed {
  const written = new Set<string>();
  const deleted = new Set<string>();
  const transitions = new Set<string>();
  const addTransition = (resource: string, transition: string): void => {
    const key = `${resource}.${transition}`;
    if (transitions.has(key)) return;
    transitions.add(key);
    written.add(resource);
    const found = context.resources
      .get(resource)
      ?.states?.transitions.find((candidate) => candidate.name === transition);
    for (const end of found?.ends ?? []) run(end.effects);
  };
  const run = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === "send") continue;
      if (effect.kind === "delete") deleted.add(effect.resource);
      else if (effect.kind === "do") addTransition(effect.resource, effect.transition);
      else written.add(effect.resource);
    }
  };
  for (const does of endpoint.does) {
    // An author's handler may change anything.
    if (does.kind === "handler")
      for (const { name, states } of context.resources.values()) {
        written.add(name);
        deleted.add(name);
        for (const transition of states?.transitions ?? []) transitions.add(`${name}.${transition.name}`);
      }
    else if (does.kind === "delete") deleted.add(does.resource);
    else if (does.kind === "transition") addTransition(does.resource, does.transition);
    else if (setsFields(does) && "resource" in does) written.add(does.resource);
  }
  for (const then of endpoint.then)
    if (endpoint.resource !== undefined) addTransition(endpoint.resource, then.transition);
  run([...endpoint.set, ...endpoint.effects]);
  // `immediately` transitions follow from a change.
  for (const resource of [...written])
    for (const transition of context.resources.get(resource)?.states?.transitions ?? [])
      if (transition.ends.some((end) => end.trigger.kind === "immediately"))
        for (const end of transition.ends) run(end.effects);
  return {
    written: [...written].flatMap((name) => context.resources.get(name) ?? []),
    deleted,
    transitions,
  };
}
