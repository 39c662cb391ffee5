/**
 * Part 7: a row about a resource, a transition or a limit needs a request that raises its condition
 * for that subject. Otherwise it is never used. Only rows with a subject are checked: a table of
 * all conditions may have more rows than a document needs.
 */
import { hasRule } from "../../fields/rule.ts";
import { type Condition, leadsTo } from "../../model/errors/conditions.ts";
import { isOnExistingRecord, createsIfMissing, signsIn } from "../../model/endpoints/does.ts";
import { samePath } from "../../model/limits/applies.ts";
import { hasInput } from "../../model/errors/input-subjects.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Endpoint, ErrorRow, ErrorSubject, Model, Resource } from "../../model/model.ts";
import { valuesIn } from "../../model/resources/values-in.ts";
import { restrictedResources } from "../../model/resources/reference-places.ts";
import type { Check } from "../check.ts";
import { effectsOf } from "../effects-of.ts";

export const neverMatched: Check = (model, reporter) => {
  // The effects of a handler and of an endpoint that is not shown are unknown.
  const isOpen = model.endpoints.some(
    ({ gap, unclear, does }) => gap || unclear || does.some(({ kind }) => kind === "handler"),
  );
  if (isOpen || model.endpoints.length === 0) return;
  // What is not shown may name any code.
  const isComplete = !model.ledger.some(
    ({ part, smallerGaps }) => part !== "errors" && smallerGaps.length > 0,
  );
  const named = codesNamed(model);
  for (const row of model.errors.rows) {
    if (isComplete && row.code !== undefined && isOnlyCode(row) && !named.has(row.code))
      reporter.report("errors/never-named", row.position, { code: row.code });
    for (const when of row.when) {
      const why =
        when.of.map((of) => reasonNever(model, when.condition, of)).find(Boolean) ??
        reasonNeverTogether(model, when.of);
      if (why)
        reporter.report("errors/never-matched", when.position, {
          condition: when.condition,
          of: when.of.map(written).join(" and "),
          why,
        });
    }
  }
};

function isOnlyCode({ when, unread, gaps }: ErrorRow): boolean {
  return when.length === 0 && !unread && gaps.length === 0;
}

/** The codes that `Fails`, `Returns` and guards name. */
function codesNamed({ resources, endpoints }: Model): ReadonlySet<string> {
  const transitions = resources.flatMap(({ states }) => states?.transitions ?? []);
  const fails = [resources, endpoints, endpoints.flatMap(({ records }) => records)].flatMap((all) =>
    all.flatMap((all) => all.fails),
  );
  return new Set([
    ...fails.map(({ code }) => code),
    ...endpoints.flatMap(({ returns }) =>
      returns.flatMap((answer) => (answer.kind === "error" ? [answer.code] : [])),
    ),
    ...transitions.flatMap(({ ends }) => ends.flatMap(({ guard }) => guard?.otherwise ?? [])),
  ]);
}

function written(of: ErrorSubject): string {
  switch (of.kind) {
    case "resource":
      return of.resource;
    case "field":
      return `${of.resource}.${of.field}`;
    case "type":
      return `type ${of.type}`;
    case "transition":
      return of.resource === undefined ? of.transition : `${of.resource} ${of.transition}`;
    case "limit":
      return of.limit;
    case "input":
      return of.input;
    case "endpoint":
      return `${of.method} ${of.path || "/"}`;
    case "scheme":
      return `scheme ${of.scheme}`;
    case "rule":
      return `rule ${of.rule}`;
  }
}

/** An input that the endpoint does not have. */
function reasonNeverTogether(model: Model, of: readonly ErrorSubject[]): string | undefined {
  const input = of.find((subject) => subject.kind === "input");
  const endpoint = of.find((subject) => subject.kind === "endpoint");
  if (!input || !endpoint) return undefined;
  const found = model.endpoints.find(
    ({ method, path }) => method === endpoint.method && samePath(path.text, endpoint.path),
  );
  return found && !hasInput(model, found, input.input) ? "the endpoint has no such input" : undefined;
}

/** Undefined if a request may raise it, or if that is unknown. */
function reasonNever(model: Model, condition: Condition, of: ErrorSubject): string | undefined {
  const isMet = (own: Condition, test: () => boolean) => leadsTo(own, condition) && test();
  switch (of.kind) {
    case "type":
    case "rule":
    case "input":
    case "endpoint":
    case "scheme":
      return undefined;
    case "limit":
      return limitsOf(model, condition).includes(of.limit)
        ? undefined
        : `${of.limit} is another kind of limit`;
    case "transition":
      return firesTransition(model, of.transition) ? undefined : "nothing fires this transition";
    case "resource":
    case "field": {
      const resource = model.resources.find(({ name }) => name === of.resource);
      if (!resource || resource.gap) return undefined;
      if (resource.identifier.kind === "none")
        return model.resources.some(
          ({ name }) => isReached(model, name) && valuesIn(model, name).has(of.resource),
        )
          ? undefined
          : "no endpoint works on a record with such a value";
      const { endpoints, limits } = model;
      const isAt = (test: (endpoint: Endpoint) => boolean) =>
        endpoints.some((endpoint) => endpoint.resource === of.resource && test(endpoint));
      const isReachable =
        isMet("sign-in failed", () => isAt(({ does }) => does.some(signsIn))) ||
        isMet("not found", () =>
          endpoints.some(
            ({ resource: own, does, records, inputs }) =>
              records.some((record) => record.resource === of.resource) ||
              (own === of.resource &&
                (does.some((action) => isOnExistingRecord(action) || createsIfMissing(action)) ||
                  inputs.some((input) => input.in === "path"))),
          ),
        ) ||
        isMet("forbidden", () =>
          isAt(({ allowed, records }) =>
            [...allowed, ...records.flatMap((record) => record.allowed)].some(
              ({ kind }) => kind === "condition",
            ),
          ),
        ) ||
        isMet("precondition failed", () => isAt(({ preconditions }) => preconditions !== undefined)) ||
        isMet("quota exceeded", () => limits.stored.some((stored) => stored.resource === of.resource)) ||
        isMet("duplicate", () => isReached(model, of.resource) && isUnique(resource, of)) ||
        isMet("in use", () => of.kind === "resource" && restrictedResources(model).has(of.resource)) ||
        (["illegal transition", "guard failed"] as const).some((name) =>
          isMet(name, () => (resource.states?.transitions.length ?? 0) > 0),
        ) ||
        (
          ["malformed body", "invalid field", "missing field", "unknown field", "unknown reference"] as const
        ).some((name) => isMet(name, () => isReached(model, of.resource) || isReferred(model, of.resource)));
      return isReachable ? undefined : "no endpoint can meet it";
    }
  }
}

function limitsOf({ limits }: Model, condition: Condition): readonly string[] {
  const named = (kind: string, all: readonly { readonly name: string }[]) =>
    all.map(({ name }) => (name === "" ? kind : name));
  switch (condition) {
    case "rate limited":
      return [...named("rate", limits.rates), ...named("concurrency", limits.concurrency)];
    case "quota exceeded":
      return named("stored", limits.stored);
    case "too large":
      return ["body", "url", "headers"];
    default:
      return ["time-out"];
  }
}

function firesTransition(model: Model, transition: string): boolean {
  const isDone = ({ does, then }: Endpoint) =>
    does.some((action) => action.kind === "transition" && action.transition === transition) ||
    then.some((next) => next.transition === transition);
  return (
    model.endpoints.some(isDone) ||
    effectsOf(model).some((effect) => effect.kind === "do" && effect.transition === transition)
  );
}

function isReached(model: Model, resource: string): boolean {
  return (
    model.endpoints.some(
      ({ resource: own, gives, records }) =>
        own === resource || gives === resource || records.some((record) => record.resource === resource),
    ) || effectsOf(model).some((effect) => "resource" in effect && effect.resource === resource)
  );
}

/** Whether an input refers to the resource. */
function isReferred({ endpoints }: Model, resource: string): boolean {
  const refers = JSON.stringify(endpoints.map(({ inputs }) => inputs.map(({ type }) => type)));
  return refers.includes(`"resource":"${resource}"`);
}

function isUnique(resource: Resource, of: ErrorSubject): boolean {
  const all = [
    ...resource.unique.flatMap((unique) => unique.fields),
    ...(resource.identifier.kind === "made" ? [] : identifierFields(resource)),
    ...resource.fields.filter(({ rules }) => hasRule(rules, "unique")).map(({ name }) => name),
  ];
  return of.kind === "field" ? all.includes(of.field.split(".")[0] ?? "") : all.length > 0;
}
