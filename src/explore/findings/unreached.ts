/**
 * Behaviour that an exploration never met. If many attempts were made, it is a finding. Otherwise
 * it is only listed, because a missing story proves nothing.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { excludes } from "../../expressions/analysis/exclusion.ts";
import type { Node } from "../../expressions/node.ts";
import { fieldNode, someNode } from "../../expressions/nodes.ts";
import { resourcesRead } from "../../expressions/analysis/reads.ts";
import { types } from "../../expressions/type.ts";
import { ruleOf } from "../../fields/rule.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Condition } from "../../model/errors/conditions.ts";
import { mayCreate } from "../../model/endpoints/does.ts";
import type { Endpoint, FailRule, Model, Resource, StateMachine } from "../../model/model.ts";
import type { Finding, FindingKind } from "./finding.ts";
import type { EndpointTally, Observations, StateTally } from "./observations.ts";
import { endpointName } from "../walk/walked-step.ts";
import { reasonNotDrawn } from "../requests/not-drawn.ts";

/** The number of unsuccessful attempts that make a finding. */
const attemptsMin = 20;

/** Listed but no finding: the attempts were few, or could not succeed. */
export interface Unreached {
  readonly subject: string;
  readonly line: number;
  readonly why: string;
}

export interface UnreachedReport {
  readonly findings: readonly Finding[];
  readonly unreached: readonly Unreached[];
}

export function findUnreached(observations: Observations): UnreachedReport {
  const collector = new Collector();
  for (const tally of observations.endpoints.values()) judgeEndpoint(collector, tally, observations);
  for (const resource of observations.model.resources) {
    judgeStates(collector, resource, observations);
    judgeVisibility(collector, resource, observations);
  }
  judgeRules(collector, observations);
  judgeFails(collector, observations.model);
  return collector;
}

class Collector implements UnreachedReport {
  readonly findings: Finding[] = [];
  readonly unreached: Unreached[] = [];

  find(kind: FindingKind, subject: string, line: number, message: string): void {
    this.findings.push({ kind, subject, line, message, proof: "attempts" });
  }

  list(subject: string, line: number, why: string): void {
    this.unreached.push({ subject, line, why });
  }
}

// ── Part 4 ──────────────────────────────────────────────────────────────────────────────────────

function judgeEndpoint(collector: Collector, tally: EndpointTally, { model, callers }: Observations): void {
  const { endpoint, valid, succeeded, gaps, rejections } = tally;
  const name = endpointName(endpoint);
  const line = endpoint.position.start.line;
  if (succeeded > 0 || endpoint.gap) return;
  const isOnlyRejecting =
    endpoint.returns.length > 0 && endpoint.returns.every(({ kind }) => kind === "error");
  if (isOnlyRejecting) return;
  if (valid === 0) {
    collector.list(name, line, reasonNotDrawn(endpoint, model) ?? "no request could be drawn for it");
    return;
  }
  const all = [...rejections].toSorted(([, left], [, right]) => right.count - left.count);
  const counted = all.reduce((sum, [, { count }]) => sum + count, 0);
  const reasons = all
    .map(([at, { count, condition }]) => `line ${at}: ${condition}, ${count} times`)
    .join("; ");
  const isDecided = valid >= attemptsMin && gaps === 0 && counted === valid;
  if (!isDecided) {
    collector.list(name, line, `none of ${valid} requests succeeded (${reasons === "" ? "gaps" : reasons})`);
    return;
  }
  const countOf = (isMeant: (line: number, isAccess: boolean) => boolean): number =>
    all.reduce((sum, [at, { count, isAccess }]) => sum + (isMeant(at, isAccess) ? count : 0), 0);
  const rules = linesOfOwnRules(endpoint, model);
  if (countOf((at) => rules.has(at)) >= attemptsMin)
    collector.find("contradiction", name, line, `Each of ${valid} requests was rejected (${reasons}).`);
  else if (
    countOf((_, isAccess) => isAccess) >= attemptsMin &&
    callers.size > 1 &&
    all.every(([, { condition }]) => beforeAccess.has(condition))
  )
    collector.find(
      "no caller",
      name,
      line,
      `None of ${valid} requests by ${callers.size} callers was allowed (${reasons}).`,
    );
  else collector.list(name, line, `none of ${valid} requests succeeded (${reasons})`);
}

/** Rejections that leave open whether the endpoint admits the caller. All others come after access. */
const beforeAccess: ReadonlySet<string> = new Set<Condition>([
  "unauthenticated",
  "bad credential",
  "forbidden",
  "not found",
]);

/** The lines of rules that a request can satisfy by itself, without other records. */
function linesOfOwnRules({ fails, records, resource }: Endpoint, model: Model): ReadonlySet<number> {
  const ofResource = model.resources.find(({ name }) => name === resource)?.fails ?? [];
  return new Set(
    [...fails, ...records.flatMap((record) => record.fails), ...ofResource]
      .filter(({ when }) => !someNode(when.node, ({ op }) => op === "collection" || op === "named"))
      .map(({ position }) => position.start.line),
  );
}

// ── Parts 2 and 3 ───────────────────────────────────────────────────────────────────────────────

function judgeStates(collector: Collector, { name, states }: Resource, observations: Observations): void {
  if (states?.field === undefined) return;
  const tallies = observations.states.get(name) ?? new Map<string, StateTally>();
  const seen = [...tallies.values()].reduce((sum, { entered }) => sum + entered, 0);
  for (const { name: state, final, position } of states.states) {
    const { entered, left } = tallies.get(state) ?? { entered: 0, left: 0 };
    const line = position.start.line;
    const subject = `${name} in ${state}`;
    if (entered === 0) {
      const tried = attemptsOf(states, state, name, observations);
      if (seen >= attemptsMin && tried >= attemptsMin)
        collector.find(
          "unreached state",
          subject,
          line,
          `No ${name} reached ${state}, in ${tried} attempts.`,
        );
      else collector.list(subject, line, `no ${name} reached this state`);
    } else if (!final && left === 0) {
      const tried = attemptsFrom(states, state, name, observations);
      if (entered >= attemptsMin && tried >= attemptsMin)
        collector.find(
          "stuck state",
          subject,
          line,
          `None of ${entered} records left ${state}, in ${tried} attempts.`,
        );
      else collector.list(subject, line, `no ${name} left this state`);
    }
  }
}

/** How often a transition's end was attempted: the number of evaluations of its guard. */
function attemptsOf(
  states: StateMachine,
  state: string,
  resource: string,
  observations: Observations,
): number {
  return guardAttempts(observations, resource, states, ({ to }) => to === state);
}

function attemptsFrom(
  states: StateMachine,
  state: string,
  resource: string,
  observations: Observations,
): number {
  return guardAttempts(observations, resource, states, ({ from }) => from === "any" || from.includes(state));
}

type End = StateMachine["transitions"][number]["ends"][number];

function guardAttempts(
  { sides }: Observations,
  resource: string,
  states: StateMachine,
  isMeant: (end: End) => boolean,
): number {
  const guards = new Set(
    states.transitions.flatMap(({ ends }) =>
      ends.filter(isMeant).flatMap(({ guard }) => guard?.condition ?? []),
    ),
  );
  return sides
    .filter(({ rule }) => rule.kind === "guard" && rule.subject.startsWith(`${resource} `))
    .filter(({ rule }) => rule.pieces.some((piece) => [...guards].some((guard) => guard === piece)))
    .reduce((sum, { no }) => sum + no, 0);
}

/** Reports resources whose records exist, but that no endpoint shows, changes or deletes. */
function judgeVisibility(
  collector: Collector,
  resource: Resource,
  { model, recordsMax }: Observations,
): void {
  const { name, identifier, position, kept } = resource;
  if (identifier.kind === "none" || kept || (recordsMax.get(name) ?? 0) === 0) return;
  const isMade = model.endpoints.some(({ does }) =>
    does.some((operation) => mayCreate(operation) && "resource" in operation && operation.resource === name),
  );
  const isUsed = model.endpoints.some(
    (endpoint) =>
      endpoint.gap !== undefined ||
      endpoint.does.some(
        (operation) =>
          operation.kind === "handler" ||
          (!mayCreate(operation) && "resource" in operation && operation.resource === name),
      ),
  );
  if (!isMade || isUsed || readsOf(model).has(name)) return;
  collector.find(
    "unseen records",
    name,
    position.start.line,
    `Endpoints create records of ${name}, and nothing reads or deletes them.`,
  );
}

/** Resources that some expression reads. */
function readsOf(model: Model): ReadonlySet<string> {
  const meaning = meaningOf(model);
  const pieces = [
    model.endpoints,
    model.shapes,
    model.authentication,
    model.events,
    model.resources,
    model.limits,
  ];
  return new Set(
    pieces.flatMap(expressionsIn).flatMap(({ expression }) => [...resourcesRead(expression.node, meaning)]),
  );
}

// ── Rules ───────────────────────────────────────────────────────────────────────────────────────

function judgeRules(collector: Collector, { sides, callers }: Observations): void {
  for (const { rule, yes, no } of sides) {
    const { kind, subject, position } = rule;
    const line = position.start.line;
    const isWanted = (side: "yes" | "no") => rule.sides.includes(side);
    if (kind === "guard" && yes === 0) {
      if (no >= attemptsMin)
        collector.find("guard never holds", subject, line, `The guard held in none of ${no} evaluations.`);
      else collector.list(subject, line, `the guard was evaluated ${no} times, and never held`);
    } else if (kind === "visible" && yes === 0 && no >= attemptsMin && callers.size > 1)
      collector.find(
        "unseen records",
        subject,
        line,
        `\`Visible\` held in none of ${no} evaluations: no caller saw a record.`,
      );
    else if (kind === "fails" && isWanted("no") && no === 0)
      collector.list(subject, line, `it rejected none of ${yes} requests`);
    else if (kind === "transition" && yes === 0) collector.list(subject, line, "the transition never fired");
    else if (kind === "event" && yes === 0)
      collector.list(`event ${subject}`, line, "the event never happened");
    else if (kind === "error" && yes === 0)
      collector.list(`error ${subject}`, line, "no response had this error");
  }
}

// ── Errors that can't apply ─────────────────────────────────────────────────────────────────────

/** Reports a `Fails` whose condition the rules of its own fields exclude. */
function judgeFails(collector: Collector, { resources, endpoints }: Model): void {
  for (const resource of resources) {
    const own = endpoints.filter((endpoint) => endpoint.resource === resource.name);
    const lists = [
      resource.fails,
      ...own.flatMap(({ fails, records }) => [
        fails,
        ...records.filter(({ target }) => target).map((record) => record.fails),
      ]),
    ];
    for (const fail of new Set(lists.flat())) {
      const rule = excludedBy(fail, resource);
      if (rule !== undefined)
        collector.find(
          "error never applies",
          fail.code,
          fail.position.start.line,
          `\`${fail.when.text}\` never holds: ${resource.name}.${rule}.`,
        );
    }
  }
}

function excludedBy({ when }: FailRule, { name, fields }: Resource): string | undefined {
  const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource: name } };
  for (const field of fields) {
    if (field.type.kind !== "integer" && field.type.kind !== "number") continue;
    const range = ruleOf(field.rules, "range");
    if (!range) continue;
    const at = fieldNode(self, field.name, { kind: field.type.kind });
    const facts = [
      { bound: range.min, operator: ">=" as const, words: "at least" },
      { bound: range.max, operator: "<=" as const, words: "at most" },
    ];
    for (const { bound, operator, words } of facts) {
      if (bound === undefined) continue;
      const right: Node = { op: "literal", value: bound, type: types.integer };
      if (excludes({ op: "binary", operator, left: at, right, type: types.boolean }, when.node))
        return `${field.name} is ${words} ${bound} (line ${field.position.start.line})`;
    }
  }
  return undefined;
}
