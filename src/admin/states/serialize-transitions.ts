/**
 * State serialization: the states of a resource as the document states them, each with its line,
 * and the callers that may fire each transition.
 */
import { needsCaller } from "../../model/authentication/caller-type.ts";
import type { Effect, Endpoint, Model, Resource, Transition, TransitionEnd } from "../../model/model.ts";
import { triggerText } from "../../outputs/diagrams/trigger-text.ts";
import type { Position } from "../../source/source.ts";

export interface SerializedTransition {
  readonly name: string;
  readonly line: number;
  readonly ends: readonly SerializedEnd[];
  /** The endpoints that fire it. */
  readonly taken_by: readonly SerializedEndpoint[];
  /** Other effects that fire it, with their positions. */
  readonly done_by: readonly { readonly place: string; readonly line: number }[];
}

export interface SerializedEnd {
  /** The states from which it fires; null for any state. */
  readonly from: string[] | null;
  /** The new state; null if the state stays the same. */
  readonly to: string | null;
  readonly trigger: "call" | "immediately" | "after" | "at" | "not shown";
  /** The time of a timed transition: `after 14 days`. */
  readonly when: string;
  readonly guard: { readonly text: string; readonly line: number; readonly otherwise: string | null } | null;
  readonly effects: { readonly text: string; readonly line: number }[];
  readonly line: number;
  /** The undecided part, as text. */
  readonly gap: string | null;
}

export interface SerializedEndpoint {
  readonly method: string;
  readonly path: string;
  readonly line: number;
  /** The conditions on callers, all of which apply; empty if any caller may fire it. */
  readonly allowed: { readonly text: string | null; readonly line: number }[];
  /** The schemes, of which a caller needs one; empty if the document has none. */
  readonly schemes: string[];
}

export function hasStates(resource: Resource): boolean {
  return (resource.states?.transitions.length ?? 0) > 0;
}

export function serializeTransitions(
  model: Model,
  resource: Resource,
  document: string,
): SerializedTransition[] {
  return (resource.states?.transitions ?? []).map((transition) => ({
    name: transition.name,
    line: lineOf(transition),
    ends: transition.ends.map((end) => serializeEnd(end, document)),
    taken_by: model.endpoints
      .filter((endpoint) => fires(endpoint, resource.name, transition.name))
      .map((endpoint) => serializeEndpoint(model, endpoint)),
    done_by: firingEffectsOf(model, resource.name, transition),
  }));
}

function serializeEnd(end: TransitionEnd, document: string): SerializedEnd {
  const { from, to, same, trigger, guard, gap } = end;
  return {
    from: from === "any" ? null : [...from],
    to: same ? null : to,
    trigger: trigger.kind,
    when: triggerText(trigger),
    guard: guard
      ? {
          text: inOneLine(guard.condition.text),
          line: lineOf(guard.condition),
          otherwise: guard.otherwise ?? null,
        }
      : null,
    effects: end.effects.map((effect) => ({ text: effectText(effect, document), line: lineOf(effect) })),
    line: lineOf(end),
    gap: gap?.subject ?? null,
  };
}

/** The text of an effect as the author wrote it. */
function effectText({ position: { start, end } }: Effect, document: string): string {
  return inOneLine(document.slice(start.offset, end.offset));
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function fires(endpoint: Endpoint, resource: string, transition: string): boolean {
  return (
    endpoint.does.some(
      (does) => does.kind === "transition" && does.resource === resource && does.transition === transition,
    ) ||
    (endpoint.resource === resource && endpoint.then.some((then) => then.transition === transition))
  );
}

function serializeEndpoint(model: Model, endpoint: Endpoint): SerializedEndpoint {
  const rules = [...endpoint.allowed, ...endpoint.records.flatMap((record) => record.allowed)];
  return {
    method: endpoint.method,
    path: model.endpointsPart.basePath.text.replace(/\/$/, "") + endpoint.path.text,
    line: lineOf(endpoint),
    allowed: rules.map((rule) => ({
      text:
        rule.kind === "condition" ? inOneLine(rule.condition.text) : rule.kind === "anyone" ? "anyone" : null,
      line: lineOf(rule),
    })),
    schemes: needsCaller(model, endpoint)
      ? [...(endpoint.schemes ?? model.authentication.schemes.map((scheme) => scheme.name))]
      : [],
  };
}

/** The `do` effects of other transitions and of endpoints that fire a transition. */
function firingEffectsOf(
  model: Model,
  resource: string,
  { name }: Transition,
): { place: string; line: number }[] {
  const does = (effects: readonly Effect[]) =>
    effects.filter(
      (effect) => effect.kind === "do" && effect.resource === resource && effect.transition === name,
    );
  const places = [
    ...model.resources.flatMap((resource) =>
      (resource.states?.transitions ?? []).flatMap((transition) =>
        transition.ends.map((end) => ({
          place: `${resource.name} ${transition.name}`,
          found: does(end.effects),
        })),
      ),
    ),
    ...model.endpoints.map((endpoint) => ({
      place: `${endpoint.method} ${endpoint.path.text}`,
      found: does([...endpoint.set, ...endpoint.effects]),
    })),
  ];
  return places.flatMap(({ place, found }) => found.map((effect) => ({ place, line: lineOf(effect) })));
}

function lineOf({ position }: { readonly position: Position }): number {
  return position.start.line;
}
