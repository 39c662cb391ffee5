/**
 * Callers of a transition: the endpoints that fire it, with their access, and the effects that
 * start it.
 */
import type { Allowed, Effect, Endpoint, Input, Model } from "../../model/model.ts";

export type TransitionCaller =
  | {
      readonly kind: "endpoint";
      readonly method: string;
      readonly path: string;
      readonly line: number;
      /** The conditions of `Allowed`, any of which permits a caller. */
      readonly allowed: readonly { readonly text: string; readonly line: number }[];
    }
  | { readonly kind: "effect"; readonly of: string; readonly line: number };

export function transitionCallers(
  model: Model,
  resource: string,
  transition: string,
): readonly TransitionCaller[] {
  const endpoints = callingEndpoints(model, resource, transition).map(
    (endpoint): TransitionCaller => ({
      kind: "endpoint",
      method: endpoint.method,
      path: model.endpointsPart.basePath.text.replace(/\/$/, "") + endpoint.path.text,
      line: endpoint.position.start.line,
      allowed: endpoint.allowed.map(allowedText),
    }),
  );
  return [...endpoints, ...effectsThatDo(model, resource, transition)];
}

function allowedText(allowed: Allowed): { readonly text: string; readonly line: number } {
  const text = allowed.kind === "condition" ? allowed.condition.text : allowed.kind;
  return { text, line: allowed.position.start.line };
}

function callingEndpoints(model: Model, resource: string, transition: string): readonly Endpoint[] {
  return model.endpoints.filter(
    (endpoint) =>
      endpoint.resource === resource &&
      (endpoint.does.some(
        (operation) => operation.kind === "transition" && operation.transition === transition,
      ) ||
        endpoint.then.some((candidate) => candidate.transition === transition)),
  );
}

/** The inputs in the bodies of the endpoints that call the transition, each name once. */
export function transitionInputs(model: Model, resource: string, transition: string): readonly Input[] {
  const inputs = new Map<string, Input>();
  for (const endpoint of callingEndpoints(model, resource, transition)) {
    for (const input of endpoint.inputs) {
      const name = input.name.join(".");
      if (input.in === "body" && !input.gap && !inputs.has(name)) inputs.set(name, input);
    }
  }
  return [...inputs.values()];
}

function effectsThatDo(model: Model, resource: string, transition: string): readonly TransitionCaller[] {
  const startsTransition = (effect: Effect) =>
    effect.kind === "do" && effect.resource === resource && effect.transition === transition;
  const ofTransitions = model.resources.flatMap((item) =>
    (item.states?.transitions ?? []).flatMap(({ name, ends }) =>
      ends.flatMap((end) =>
        end.effects.filter(startsTransition).map(
          (effect): TransitionCaller => ({
            kind: "effect",
            of: `${item.name} ${name}`,
            line: effect.position.start.line,
          }),
        ),
      ),
    ),
  );
  const ofEndpoints = model.endpoints.flatMap((endpoint) =>
    [...endpoint.set, ...endpoint.effects].filter(startsTransition).map(
      (effect): TransitionCaller => ({
        kind: "effect",
        of: `${endpoint.method} ${endpoint.path.text}`,
        line: effect.position.start.line,
      }),
    ),
  );
  return [...ofTransitions, ...ofEndpoints];
}
