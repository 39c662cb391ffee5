/**
 * Due scope of an endpoint: the due work that must run before its requests (decision "What is due,
 * and how far it reaches"), as far as the endpoint alone determines it. It separates resources of
 * which a request may see any record from those of which it sees only named or referenced records.
 * `due-records.ts` finds these records for each request.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { conjuncts } from "../../expressions/nodes.ts";
import { types } from "../../expressions/type.ts";
import { ruleOf } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import { callerResourcesOf } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { fieldNode, namedNode } from "../evaluation/nodes.ts";
import { ownRecord } from "../records/path-conditions.ts";
import { InfluenceCollector } from "./influence.ts";
import { addReach, createReach, type Reach, type ReachedRecord, type EvaluationPoint } from "./reach.ts";
import { overlap, type TimedModel, type DueUnit } from "./units.ts";
import {
  mayCreate,
  isOnlyReading,
  isOnExistingRecord,
  doesKinds,
  reachOf,
  signsIn,
} from "../../model/endpoints/does.ts";

export interface EndpointDueScope {
  /** Units whose due work runs before any request. */
  readonly whole: readonly DueUnit[];
  /** Resources of which only the due work of named or reached records runs. */
  readonly single: ReadonlySet<string>;
  /** The records that each record of the path refers to, in the order of the path. */
  readonly fromPath: readonly (readonly ReachedRecord[])[];
  /** The records that the caller and the credential refer to. */
  readonly fromCaller: readonly ReachedRecord[];
  /** By resource: the records that a record of an input refers to. */
  readonly fromInput: ReadonlyMap<string, readonly ReachedRecord[]>;
  /** The records that the target refers to, by names that are known at the start. */
  readonly fromTarget: readonly ReachedRecord[];
}

/** Operations whose reads are unknown: the author's code, and work after the response. */
const onAnything: ReadonlySet<string> = new Set(["handler", "stream"]);

export function endpointDueScope(
  context: PlanContext,
  timed: TimedModel,
  endpoint: Endpoint,
): EndpointDueScope {
  const { model, meaning } = context;
  const seen = new InfluenceCollector(model, meaning);
  const at = standpointOf(context, endpoint);
  const reachFrom = (expressions: readonly (Expression | Node)[], from: EvaluationPoint): Reach => {
    const reach = createReach();
    for (const expression of expressions)
      addReach(reach, "node" in expression ? expression.node : expression, meaning, from);
    for (const resource of reach.whole) seen.reach.whole.add(resource);
    return reach;
  };
  const visibleOf = (resource: string) =>
    model.resources.flatMap(({ name, visible }) => (name === resource && visible ? [visible] : []));

  const names = new Set<string>();
  const paths = endpoint.records.map((record) => {
    const requested = [record.where, record.allowed, record.fails, record.target ? endpoint.where : []];
    const reach = reachFrom([...visibleOf(record.resource), ...allIn(requested)], {
      isThisAtHand: true,
      names: new Set(names).add(record.name),
    });
    names.add(record.name);
    return reach;
  });
  const caller = reachFrom(
    endpointSchemes(context, endpoint).flatMap((scheme) => allIn(scheme)),
    { isThisAtHand: true, names: new Set() },
  );
  const inputs = new Map(
    referredBy(endpoint).map((resource) => [
      resource,
      reachFrom(visibleOf(resource), { isThisAtHand: true, names }),
    ]),
  );

  addChecks(context, seen, endpoint, at);
  for (const does of endpoint.does) addOperation(context, seen, endpoint, does, at);
  if (endpoint.resource !== undefined)
    for (const expression of visibleOf(endpoint.resource)) seen.reads(expression, at);

  const reaches = [seen.reach, caller, ...paths, ...inputs.values()];
  const named = new Set([
    ...endpoint.records.map((record) => record.resource),
    ...(endpoint.resource === undefined ? [] : [endpoint.resource]),
    ...inputs.keys(),
    ...callerResources(context, endpoint),
    ...reaches.flatMap(listed).map(({ resource }) => resource),
  ]);
  const changed = new Set([...seen.changed, ...changedItself(endpoint)]);
  const sees = new Set([...seen.reach.whole, ...named, ...changed]);
  for (const resource of seen.keyed) if (timed.movesKeys.has(resource)) seen.reach.whole.add(resource);
  addUnpicked(timed, seen.reach.whole, endpoint);
  for (const { credentials } of endpointSchemes(context, endpoint))
    if (credentials?.by.some((field) => timed.assigned.has(`${credentials.resource}.${field}`)))
      seen.reach.whole.add(credentials.resource);

  return {
    ...(endpoint.does.some((does) => onAnything.has(does.kind))
      ? { whole: timed.units, single: new Set() }
      : unitsFor(timed.units, { changed, sees, whole: seen.reach.whole })),
    fromPath: paths.map(listed),
    fromCaller: listed(caller),
    fromInput: new Map([...inputs].map(([resource, reach]) => [resource, listed(reach)])),
    fromTarget: listed(seen.reach),
  };
}

function listed(reach: Reach): readonly ReachedRecord[] {
  return [...reach.records.values()];
}

/** The units that must run as a whole, and the resources of which only the records at hand must. */
function unitsFor(
  units: readonly DueUnit[],
  { changed, sees, whole }: Readonly<Record<"changed" | "sees" | "whole", ReadonlySet<string>>>,
): Pick<EndpointDueScope, "whole" | "single"> {
  const found = { whole: [] as DueUnit[], single: new Set<string>() };
  for (const unit of units) {
    const isRead = overlap(whole, unit.changes);
    if (overlap(changed, unit.sees)) found.whole.push(unit);
    else if (!overlap(sees, unit.changes) && !isRead) continue;
    else if (!unit.isIndependent || isRead) found.whole.push(unit);
    else for (const resource of unit.resources) found.single.add(resource);
  }
  return found;
}

/**
 * The parts of an endpoint that the service evaluates before it reads a request: the caller, and
 * the expression that selects the version, if there is one.
 */
export function identifyingCaller(endpoint: Endpoint, versionExpression?: Expression): Endpoint {
  const { method, path, position, prose, schemes } = endpoint;
  return {
    method,
    path,
    position,
    prose,
    ...(schemes ? { schemes } : {}),
    does: [],
    then: [],
    inputs: [],
    records: [],
    where: [],
    allowed: [],
    fails: [],
    lets: versionExpression ? [{ name: "said", value: versionExpression, position }] : [],
    set: [],
    effects: [],
    order: [],
    returns: [],
    headers: [],
    headerMaps: [],
  };
}

/** The standpoint in which the endpoint's own expressions are evaluated. */
function standpointOf(context: PlanContext, endpoint: Endpoint): EvaluationPoint {
  const names = new Set(endpoint.records.map((record) => record.name));
  const isOne = endpoint.does.every(isOnExistingRecord);
  const hasTarget = isOne || endpoint.records.some((record) => record.target);
  if (hasTarget && endpoint.resource !== undefined)
    names.add(context.resource(endpoint.resource).resource.variableName);
  const lets = new Map(endpoint.lets.map((letItem) => [letItem.name, letItem.value.node]));
  const made = hasTarget ? new Map<string, Node>() : fieldsMade(context, endpoint);
  return {
    isThisAtHand: hasTarget,
    isThisNew: !hasTarget && endpoint.does.every((does) => does.kind === "create"),
    names,
    instead(node) {
      if (node.op === "named") return lets.get(node.name);
      if (node.op !== "field" || node.of.op !== "fixed" || node.of.name !== "this") return undefined;
      return made.get(node.name);
    },
  };
}

/**
 * The references of a new record: those of the inputs, and the reference to the record of the path.
 */
function fieldsMade(context: PlanContext, endpoint: Endpoint): ReadonlyMap<string, Node> {
  const made = new Map<string, Node>();
  const isMade = endpoint.does.every((does) => does.kind === "create");
  if (!isMade || endpoint.resource === undefined) return made;
  const plan = context.resource(endpoint.resource);
  const set = new Set(endpoint.set.flatMap((effect) => (effect.kind === "assign" ? [effect.field] : [])));
  for (const input of endpoint.inputs) {
    const field = input.sets === undefined ? undefined : plan.fields.get(input.sets);
    if (field?.type.kind !== "reference" || set.has(field.name) || input.default) continue;
    if (ruleOf(field.rules, "default") || ruleOf(field.rules, "on create")) continue;
    made.set(field.name, inputNode(input));
  }
  const { scope } = endpoint;
  const field = scope && plan.fields.get(scope.field);
  if (scope && field) made.set(scope.field, namedNode(scope.record, expressionType(field.type)));
  return made;
}

/** The expression for the value of an input. */
function inputNode(input: Input): Node {
  const place = input.in === "header" ? "headers" : input.in;
  const whole: Node = { op: "fixed", name: place, type: types.any };
  return input.name.reduce<Node>(
    (of, part, at) =>
      fieldNode(of, part, at === input.name.length - 1 ? expressionType(input.type) : types.any),
    whole,
  );
}

/** Adds the checks around the operation, and those of every request. */
function addChecks(
  context: PlanContext,
  seen: InfluenceCollector,
  endpoint: Endpoint,
  at: EvaluationPoint,
): void {
  const { model } = context;
  const { set, effects, then, records, ...requested } = endpoint;
  const ofAll = [model.errors, model.limits.rates, model.limits.concurrency, model.versioning];
  const isList = endpoint.does.some((does) => does.kind === "list");
  for (const expression of allIn([requested, ofAll, model.endpointsPart]))
    seen.reads(expression, isList ? { ...at, isThisAtHand: false } : at);
  seen.runs(set, at);
  seen.runs(effects, at);
  for (const item of then) {
    seen.reads(item.when, at);
    if (endpoint.resource !== undefined) seen.takes(endpoint.resource, item.transition, at, false);
  }
}

function addOperation(
  context: PlanContext,
  seen: InfluenceCollector,
  endpoint: Endpoint,
  does: Endpoint["does"][number],
  at: EvaluationPoint,
): void {
  const { resource } = endpoint;
  if (resource === undefined) return;
  const sets = () => {
    for (const input of endpoint.inputs) if (input.sets !== undefined) seen.sets(resource, input.sets);
  };
  const whole = () => seen.reach.whole.add(resource);
  const { changes, reach } = doesKinds[does.kind];
  if (reachOf(does) === "many") whole();
  // Without a path, its unique values find the record.
  if (reach === "new or one" && !ownRecord(endpoint)) whole();
  if (changes === "fields" || changes === "state") sets();
  if (does.kind === "replace")
    for (const field of context.resource(resource).stored)
      seen.reads(ruleOf(field.rules, "default")?.value, at);
  if (mayCreate(does)) seen.makes(resource, at);
  if (changes === "fields" && reach !== "new") seen.changes(resource, at, false);
  if (changes === "existence") seen.removes(resource, at, false);
  if (does.kind === "transition") seen.takes(resource, does.transition, at, false);
}

/**
 * Adds records selected by a condition that time may make true, or by no condition: any record may
 * be selected.
 */
function addUnpicked(timed: TimedModel, whole: Set<string>, endpoint: Endpoint): void {
  for (const record of endpoint.records)
    if (!record.by || timed.assigned.has(`${record.resource}.${record.by.field}`)) whole.add(record.resource);
  const isPicked = endpoint.records.some((record) => record.target);
  const picks = endpoint.does.some((does) => doesKinds[does.kind].reach === "one");
  if (!picks || isPicked || endpoint.resource === undefined) return;
  if (untimedTargetConditions(timed, endpoint).length === 0) whole.add(endpoint.resource);
}

/**
 * Returns the conditions that select the target of an endpoint without a target in its path, and
 * that time can't change.
 */
export function untimedTargetConditions(timed: TimedModel, endpoint: Endpoint): readonly Node[] {
  const { resource } = endpoint;
  if (resource === undefined) return [];
  const isSignIn = endpoint.does.some(signsIn);
  const byInputs = endpoint.inputs.flatMap((input): Node[] => {
    if (!isSignIn || input.sets === undefined || input.type.kind === "password") return [];
    const type = expressionType(input.type);
    const left = fieldNode(
      { op: "fixed", name: "this", type: { kind: "record", resource } },
      input.sets,
      type,
    );
    return [{ op: "binary", operator: "==", left, right: inputNode(input), type: types.boolean }];
  });
  const all = [...byInputs, ...endpoint.where.map((expression) => expression.node)].flatMap(conjuncts);
  return all.filter((node) => isSteady(timed, resource, node));
}

/** Whether a node compares an immutable field of the record with a value of the request. */
function isSteady(timed: TimedModel, resource: string, node: Node): boolean {
  if (node.op !== "binary" || node.operator !== "==") return false;
  return [node.left, node.right].some((side, index) => {
    const otherSide = index === 0 ? node.right : node.left;
    return isOwnField(timed, resource, side) && isPlain(otherSide);
  });
}

function isOwnField(timed: TimedModel, resource: string, node: Node): boolean {
  if (node.op === "fixed") return node.name === "this";
  if (node.op !== "field" || node.of.op !== "fixed" || node.of.name !== "this") return false;
  return !timed.assigned.has(`${resource}.${node.name}`);
}

/** Whether a node is a name of the request or the caller, without computation. */
function isPlain(node: Node): boolean {
  if (node.op === "fixed")
    return ["caller", "credential", "body", "query", "path", "headers"].includes(node.name);
  if (node.op === "literal") return true;
  return (
    node.op === "field" && isPlain(node.of) && (node.of.op === "fixed" || node.of.type.kind !== "record")
  );
}

/** Returns the resources that inputs refer to. */
function referredBy(endpoint: Endpoint): readonly string[] {
  const found = new Set<string>();
  const look = (type: unknown): void => {
    if (type === null || typeof type !== "object") return;
    const { kind, resource } = type as { readonly kind?: unknown; readonly resource?: unknown };
    if (kind === "reference" && typeof resource === "string") found.add(resource);
    for (const part of Object.values(type)) look(part);
  };
  for (const input of endpoint.inputs) look(input.type);
  return [...found];
}

function endpointSchemes(context: PlanContext, endpoint: Endpoint) {
  const { schemes } = context.model.authentication;
  return schemes.filter((scheme) => endpoint.schemes === undefined || endpoint.schemes.includes(scheme.name));
}

/** Returns the resources of the caller and the credential. */
export function callerResources(context: PlanContext, endpoint: Endpoint): readonly string[] {
  const schemes = endpointSchemes(context, endpoint);
  return [
    ...callerResourcesOf(schemes),
    ...schemes.flatMap(({ credentials }) => (credentials ? [credentials.resource] : [])),
  ];
}

/** Returns the endpoint's own resource, if the endpoint changes it. */
function changedItself(endpoint: Endpoint): readonly string[] {
  const changes = endpoint.does.some((does) => !isOnlyReading(does));
  const more = endpoint.effects.length + endpoint.then.length > 0;
  return endpoint.resource !== undefined && (changes || more) ? [endpoint.resource] : [];
}

function allIn(piece: unknown): readonly Expression[] {
  return expressionsIn(piece).map((found) => found.expression);
}
