/**
 * Missing inputs: inputs that a new record requires, and inputs without which the service computes
 * a value that violates a rule (`Set: name = trim(body.title)`). They are reported as missing
 * fields, not as an internal error.
 */
import type { Node } from "../../expressions/node.ts";
import type { Effect, Endpoint, Input } from "../../model/model.ts";
import { type RequestContext, sentValue } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { walk } from "../evaluation/nodes.ts";
import { sentPath } from "../records/assigned-values.ts";
import { type ProblemDetail, Problem } from "../problem.ts";
import type { BrokenRule } from "../records/broken-rule.ts";

/** Rejects a create request that lacks required inputs, and reports all of them at once. */
export function planRequiredInputs(endpoint: Endpoint): (request: RequestContext) => void {
  const needed = endpoint.inputs.filter((input) => input.requiredWhenMade);
  return (request) => {
    const missing = needed.filter((input) => sentValue(request, input) === undefined);
    if (missing.length > 0) throw missingFields(endpoint, missing);
  };
}

/** Returns the problem of the missing inputs; undefined if none is related to the broken rule. */
export function missingInputProblem(
  context: PlanContext,
  endpoint: Endpoint,
  request: RequestContext,
  { resource, field, isMissing }: BrokenRule,
): Problem | undefined {
  const behind = inputsBehind(context, endpoint, resource, field);
  const missing = [...behind.inputs].filter((input) => sentValue(request, input) === undefined);
  if (missing.length > 0) return missingFields(endpoint, missing);
  const [unknown] = isMissing ? behind.unknown : [];
  if (unknown === undefined) return undefined;
  const detail = { condition: "missing field", resource, ofField: field, problem: "is required" } as const;
  return new Problem({ ...detail, field: sentPath(unknown) ?? field }, { because: endpoint.position });
}

function missingFields(endpoint: Endpoint, missing: readonly Input[]): Problem {
  const details = missing.map(
    ({ name, sets, type }): ProblemDetail => ({
      condition: "missing field",
      ...(endpoint.resource === undefined ? {} : { resource: endpoint.resource }),
      field: name.join("."),
      ...(sets === undefined ? {} : { ofField: sets }),
      type: type.kind,
      problem: "is required",
    }),
  );
  return new Problem(details, { because: endpoint.position });
}

interface Assigned {
  readonly resource: string;
  readonly field: string;
  readonly value: Node;
}

interface Behind {
  readonly inputs: ReadonlySet<Input>;
  /** Values of the field whose type is unknown before the request: part of a JSON input. */
  readonly unknown: readonly Node[];
}

/**
 * Returns the inputs that a field may depend on, through `Let`, other fields of the record, and the
 * `with` of a `do`.
 */
function inputsBehind(context: PlanContext, endpoint: Endpoint, resource: string, field: string): Behind {
  const { resources } = context.model;
  const effects = [
    ...endpoint.set,
    ...endpoint.effects,
    ...resources.flatMap(({ states }) =>
      (states?.transitions ?? []).flatMap(({ ends }) => ends.flatMap((end) => end.effects)),
    ),
  ];
  const assigned = effects.flatMap(assignedBy);
  const inputs = new Set<Input>();
  const visited = new Set<string>();

  const ofField = (owner: string, name: string): void => {
    if (!isFirst(`${owner}.${name}`)) return;
    if (owner === endpoint.resource)
      for (const input of endpoint.inputs) if (input.sets === name) inputs.add(input);
    for (const item of assigned)
      if (item.resource === owner && item.field === name) ofNode(item.value, owner);
    const plan = context.resource(owner);
    for (const rule of plan.fields.get(name)?.rules ?? [])
      if ("value" in rule) ofNode(rule.value.node, owner);
    const { identifier } = plan.resource;
    if (identifier.kind === "made" && identifier.by && identifier.field === name)
      ofNode(identifier.by.node, owner);
  };
  const ofNode = (node: Node, owner: string): void => {
    // `body.address.city` does not read the address as a whole: its other parts are unrelated.
    const visitedParents = new Set<Node>();
    walk(node, (inner) => {
      if (inner.op === "named") {
        const named = endpoint.lets.find((letItem) => letItem.name === inner.name);
        if (named && isFirst(`let ${inner.name}`)) ofNode(named.value.node, owner);
      }
      if (inner.op !== "field") return;
      visitedParents.add(inner.of);
      const path = visitedParents.has(inner) ? undefined : pathOf(inner);
      if (path?.location === "this") ofField(owner, path.name[0]);
      else if (path) ofInput(path.location, path.name, owner);
    });
  };
  const ofInput = (location: string, name: readonly string[], owner: string): void => {
    for (const input of endpoint.inputs) if (isAt(input, location, name)) inputs.add(input);
    if (location !== "body" || !isFirst(`body ${name[0]}`)) return;
    for (const effect of effects)
      if (effect.kind === "do")
        for (const item of effect.with) if (item.name === name[0]) ofNode(item.value.node, owner);
  };
  const isFirst = (name: string): boolean => !visited.has(name) && Boolean(visited.add(name));

  ofField(resource, field);
  const own = assigned.filter((candidate) => candidate.resource === resource && candidate.field === field);
  const unknown = own.map(({ value }) => value).filter(({ type }) => type.kind === "any");
  return { inputs, unknown };
}

function assignedBy(effect: Effect): readonly Assigned[] {
  switch (effect.kind) {
    case "assign":
      return [{ resource: effect.resource, field: effect.field, value: effect.value.node }];
    case "create":
      return effect.fields.map((field) => ({
        resource: effect.resource,
        field: field.field,
        value: field.value.node,
      }));
    case "update":
      return effect.set.map((assignment) => ({
        resource: effect.resource,
        field: assignment.field,
        value: assignment.value.node,
      }));
    default:
      return [];
  }
}

/** Returns the location (`body`) and the path of an input such as `body.payment.method`. */
function pathOf(
  node: Node,
): { readonly location: string; readonly name: readonly [string, ...string[]] } | undefined {
  if (node.op !== "field") return undefined;
  if (node.of.op === "fixed") return { location: node.of.name, name: [node.name] };
  const before = pathOf(node.of);
  return before && { location: before.location, name: [...before.name, node.name] };
}

/** Whether the input is at the path, inside it, or contains it. */
function isAt(input: Input, location: string, name: readonly string[]): boolean {
  if (input.in === "header") return location === "headers" && name[0] === input.name[0].toLowerCase();
  return location === input.in && name.every((part, at) => (input.name[at] ?? part) === part);
}
