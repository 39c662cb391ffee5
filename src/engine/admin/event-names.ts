/**
 * Event names in webhook records: a condition such as `event.type in hook.events` states which
 * texts `Hook.events` can hold.
 */
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { targetsOf, type Target } from "../events/targets.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createEvaluationContext } from "../evaluation/context.ts";
import type { Service } from "../service.ts";
import { frameOf } from "./prepared-queries.ts";

/**
 * The event names by the field that the condition searches, such as `Hook.events`: in the order of
 * the events, with wildcards last.
 */
export const eventNames = memoizeBy((service: Service): ReadonlyMap<string, readonly string[]> => {
  const { context } = service.internals;
  const names = new Map<string, Set<string>>();
  const general = new Map<string, Set<string>>();
  for (const target of targetsOf(context.model)) {
    for (const { sought, field } of memberships(target.when?.node, receiverVariable(context, target))) {
      const name = isOfNameAlone(sought) ? nameOf(service, sought, target.event) : undefined;
      if (name === undefined) continue;
      const place = `${target.resource}.${field}`;
      const known = sought.op === "literal" ? general : names;
      known.set(place, (known.get(place) ?? new Set()).add(name));
    }
  }
  const places = [...new Set([...names.keys(), ...general.keys()])];
  return new Map(
    places.map((place) => [place, [...(names.get(place) ?? []), ...(general.get(place) ?? [])]]),
  );
});

/** Returns the name by which a condition refers to the receiver's record. */
export function receiverVariable({ model }: Pick<PlanContext, "model">, { resource }: Target): string {
  return model.resources.find((candidate) => candidate.name === resource)?.variableName ?? resource;
}

/** Returns the field of the record with this name: `hook.events`. */
export function fieldOf(node: Node, name: string): string | undefined {
  return node.op === "field" && node.of.op === "named" && node.of.name === name ? node.name : undefined;
}

interface Membership {
  readonly sought: Node;
  /** The list that the condition searches. */
  readonly field: string;
}

function memberships(node: Node | undefined, variableName: string): readonly Membership[] {
  if (!node) return [];
  const field =
    node.op === "binary" && node.operator === "in" ? fieldOf(node.right, variableName) : undefined;
  if (field !== undefined && node.op === "binary") return [{ sought: node.left, field }];
  return partsOfNode(node).flatMap((part) => memberships(part, variableName));
}

/** Whether the expression reads only `event.type`, possibly transformed. */
function isOfNameAlone(node: Node): boolean {
  if (node.op === "field" && node.of.op === "fixed" && node.of.name === "event") return node.name === "type";
  if (node.op === "literal") return true;
  const parts = partsOfNode(node);
  return parts.length > 0 && parts.every(isOfNameAlone);
}

function nameOf(service: Service, sought: Node, event: string): string | undefined {
  const { context, newWork } = service.internals;
  const evaluation = createEvaluationContext(newWork(), { ...frameOf(service), event: { type: event } });
  const value = evaluateOf(context, sought)(evaluation);
  return typeof value === "string" ? value : undefined;
}
