/** Nullness: inputs that are always sent, at an endpoint and in the transitions that endpoints fire. */
import type { InputFact, Place } from "./place.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Endpoint, Input, Model } from "../model.ts";

type InputFacts = NonNullable<Place["input"]>;

export function inputFactsOf({ inputs }: Endpoint): InputFacts {
  const byPath = new Map(
    inputs.map((input) => [pathOf(input.in === "header" ? "headers" : input.in, input.name), input]),
  );
  return (place, path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const input = byPath.get(pathOf(place, path.slice(0, length)));
      if (input) return length < path.length ? undefined : factOf(input);
    }
    return undefined;
  };
}

function pathOf(place: string, names: readonly string[]): string {
  return `${place} ${names.join(".").toLowerCase()}`;
}

function factOf(input: Input): InputFact {
  return { isAlwaysSent: isAlwaysSent(input), type: input.type };
}

/** Whether the input has a value other than null in each request that passes. */
export function isAlwaysSent(input: Input): boolean {
  const isSent = input.in === "path" || input.required || input.default !== undefined;
  return isSent && !hasRule(input.rules, "nullable");
}

/** An input of a transition is always sent if every endpoint that fires the transition requires it. */
export function inputFactsIn(model: Model, resource: string, transition: string): InputFacts {
  const facts = model.endpoints.filter(({ does, then, resource: own }) => {
    const isDone = does.some(
      (action) =>
        action.kind === "transition" && action.resource === resource && action.transition === transition,
    );
    return isDone || (own === resource && then.some((next) => next.transition === transition));
  });
  const inputs = facts.map(inputFactsOf);
  return (place, path) => {
    const found = inputs.map((input) => input(place, path));
    const [first] = found;
    if (!first || found.includes(undefined)) return undefined;
    return { type: first.type, isAlwaysSent: found.every((inputFact) => inputFact?.isAlwaysSent === true) };
  };
}
