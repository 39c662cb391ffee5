/** Mutations that change nothing that a request shows, and why. */
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { hasRule } from "../../fields/rule.ts";
import { hasRowFor } from "../../model/errors/error-rows.ts";
import type { Effect, Endpoint, Model, Resource } from "../../model/model.ts";
import { chainOf, fieldsOf } from "../stories/chains.ts";
import { resourceNamed } from "../requests/record-keys.ts";

type States = NonNullable<Resource["states"]>;
type End = States["transitions"][number]["ends"][number];

/**
 * Whether each endpoint of a transition has an input that sets the same field, so that the effect
 * is redundant.
 */
export function isRepeated(
  effect: Effect,
  resource: string,
  transition: string,
  endpoints: readonly Endpoint[],
): boolean {
  if (effect.kind !== "assign" || effect.of || effect.value.text !== `body.${effect.field}`) return false;
  const own = endpoints.filter(({ does }) =>
    does.some(
      (operation) =>
        operation.kind === "transition" &&
        operation.resource === resource &&
        operation.transition === transition,
    ),
  );
  return own.every(({ inputs }) => inputs.some(({ sets }) => sets === effect.field));
}

/**
 * Whether a timed transition from any other state leads to the state that the record has, and
 * assigns what its fields have already.
 */
export function isRest({ from, to, effects }: End, resource: Resource, model: Model): boolean {
  const isElsewhere = resource.states?.states.every(({ name }) => from.includes(name) || name === to);
  return isElsewhere === true && effects.every((effect) => isSettled(effect, resource, model));
}

/** Whether earlier ends of a transition, without a guard, apply in every other state. */
export function isLast(ends: readonly End[], at: number, states: States["states"]): boolean {
  const earlier = ends.slice(0, at).filter(({ guard, trigger }) => !guard && trigger.kind === "call");
  return states.every(({ name }) =>
    [...earlier, ends[at]].some((end) => end && (end.from === "any" || end.from.includes(name))),
  );
}

/** Whether an effect would assign the same value again: only it does, from fields that never change. */
function isSettled(effect: Effect, resource: Resource, model: Model): boolean {
  if (effect.kind !== "assign" || effect.of) return false;
  if (resource.fields.some(({ rules }) => hasRule(rules, "on update"))) return false;
  const isOnly = assignmentsTo(effect.field, resource, model) === 1;
  return isOnly && readsOnly(effect.value, (field) => assignmentsTo(field, resource, model) === 0);
}

/** Whether an expression reads no more than fields of `this` that a test accepts. */
function readsOnly({ node }: Expression, isAccepted: (field: string) => boolean): boolean {
  const all = [...nodesWithin(node)];
  const isCalculation = all.every(({ op }) => ["literal", "fixed", "field", "binary"].includes(op));
  const read = all.flatMap((part) => (part.op === "field" ? [fieldsOf(part, "this")] : []));
  const hasOther = all.some((part) => part.op === "fixed" && part.name !== "this");
  return (
    isCalculation && !hasOther && read.every((fields) => fields?.length === 1 && isAccepted(fields[0] ?? ""))
  );
}

/** How many items may change a field of an existing record. */
function assignmentsTo(field: string, { name }: Resource, { resources, endpoints }: Model): number {
  const ofEffects = resources.flatMap((resource) =>
    (resource.states?.transitions ?? []).flatMap(({ ends }) => ends.flatMap(({ effects }) => effects)),
  );
  const assigned = [...ofEffects, ...endpoints.flatMap(({ effects, set }) => [...effects, ...set])].filter(
    (effect) => effect.kind !== "assign" || (effect.resource === name && effect.field === field),
  );
  // An effect on other records may change any.
  const ofRecords = assigned.filter((effect) => effect.kind !== "assign" && mayChange(effect, name));
  const ofFields = assigned.filter((effect) => effect.kind === "assign");
  const inputs = endpoints.filter(
    ({ resource, does, inputs: all }) =>
      resource === name &&
      does.some(({ kind }) => kind !== "create") &&
      all.some(({ sets }) => sets === field),
  );
  return ofRecords.length + ofFields.length + inputs.length;
}

function mayChange(effect: Effect, resource: string): boolean {
  return effect.kind !== "send" && !("resource" in effect && effect.resource !== resource);
}

/**
 * Whether a new record's response has this status only after the endpoint has waited: both have the
 * same condition, that the record is in a state, and no record starts in it.
 */
export function isAfterWait(
  { when }: Endpoint["returns"][number],
  { does, waits, resource }: Endpoint,
  { resources }: Pick<Model, "resources">,
): boolean {
  const { states } = resources.find(({ name }) => name === resource) ?? {};
  const initial = states?.initial?.node;
  return (
    when !== undefined &&
    when.text === waits?.until.text &&
    does.every(({ kind }) => kind === "create") &&
    initial?.op === "literal" &&
    states?.states.some(
      ({ name }) => name !== initial.value && when.text === `this.${states.field} == "${name}"`,
    ) === true
  );
}

/** Why a removed effect changes nothing, or only what a timer does later. */
export function hidingOfEffect(
  effect: Effect,
  { fields, states }: Pick<Resource, "fields" | "states">,
  { endpoints, resources }: Pick<Model, "endpoints" | "resources">,
): string | undefined {
  if (effect.kind === "send") {
    const isStreamed = endpoints.some(({ stream }) =>
      stream?.sends.some(({ events }) => events.includes(effect.event)),
    );
    // Resources whose records are those of the log.
    const isRecorded = resources.some(
      ({ identifier }) =>
        identifier.kind === "made" &&
        identifier.by !== undefined &&
        someNode(identifier.by.node, (inner) => inner.op === "fixed" && inner.name === "event"),
    );
    return isStreamed || isRecorded ? undefined : "deliveries";
  }
  if (effect.kind !== "assign" || effect.of) return undefined;
  if (effect.value.text === `this.${effect.field}`) return "the value that a field has already";
  const isInternal = fields.some(({ name, rules }) => name === effect.field && hasRule(rules, "internal"));
  const triggers = (states?.transitions ?? []).flatMap(({ ends }) => ends.map(({ trigger }) => trigger));
  return isInternal && triggers.some((trigger) => trigger.kind === "at" && trigger.field === effect.field)
    ? "time"
    : undefined;
}

/**
 * Why a request without credentials is rejected even if `Allowed` is anyone: it needs a record that
 * is visible to its caller alone. Without a row of part 7, the error may be any.
 */
export function hidingOfCaller(endpoint: Endpoint, model: Model): string | undefined {
  if (hasRowFor(model, "unauthenticated")) return undefined;
  const needed = [
    ...endpoint.records.flatMap((record) => (record.by || record.where.length > 0 ? [record.resource] : [])),
    ...endpoint.inputs.flatMap(({ type, required }) =>
      required && type.kind === "reference" ? [type.resource] : [],
    ),
  ];
  const ofResources = needed.some((name) => {
    const resource = resourceNamed(model, name);
    return resource?.visible && isOfCaller(resource.visible.node, name, model);
  });
  const ofPaths = endpoint.records.some(({ resource, where }) =>
    where.some(({ node }) => isOfCaller(node, resource, model)),
  );
  const changesOne = endpoint.does.some(({ kind }) => kind === "update" || kind === "delete");
  const own = endpoint.resource ?? "";
  const ofOwn = changesOne && endpoint.where.some(({ node }) => isOfCaller(node, own, model));
  return ofResources || ofPaths || ofOwn ? "an error that part 7 leaves open" : undefined;
}

/** Whether a condition is false without a caller: it compares the caller with a value that each record has. */
function isOfCaller(node: Node, resource: string, model: Model): boolean {
  if (node.op === "and")
    return isOfCaller(node.left, resource, model) || isOfCaller(node.right, resource, model);
  if (node.op !== "binary" || node.operator !== "==") return false;
  return [
    [node.left, node.right],
    [node.right, node.left],
  ].some(([own, other]) => {
    const root = other && chainOf(other)?.root;
    const fields = own && fieldsOf(own, "this");
    const isCaller = root?.op === "fixed" && root.name === "caller";
    return isCaller && fields !== undefined && isAlwaysSet(fields, resource, model);
  });
}

function isAlwaysSet(fields: readonly string[], resource: string, model: Model): boolean {
  const [name, ...rest] = fields;
  if (name === undefined) return true;
  const field = resourceNamed(model, resource)?.fields.find((candidate) => candidate.name === name);
  if (!field || !(field.role === "identifier" || hasRule(field.rules, "required"))) return false;
  return field.type.kind === "reference" ? isAlwaysSet(rest, field.type.resource, model) : rest.length === 0;
}
