/**
 * Validation: reports all problems of the body and the inputs together, including references to
 * missing records, then applies the inputs' defaults.
 */
import { setDefault } from "../../expressions/input-defaults.ts";
import { partAt, type Value } from "../../expressions/value.ts";
import { compileTypeCheck } from "../../fields/check-type.ts";
import { compileValueCheck } from "../../fields/check-value.ts";
import type { FieldRule } from "../../fields/rule.ts";
import { compileToStored } from "../../fields/stored-form.ts";
import type { FieldType } from "../../fields/type.ts";
import { rulesOfEach } from "../../fields/types/list.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import { hasVersionDefault } from "../../model/versions/versioned-inputs.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { RequestContext, InputProblemDetail } from "../request-context.ts";
import { fieldNames } from "./decode.ts";
import type { CoverageObserver } from "../evaluation/coverage-observer.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import type { Evaluate } from "../evaluation/context.ts";
import { NotShown, type ProblemDetail, Problem } from "../problem.ts";
import { withPartDefaults } from "../records/part-defaults.ts";
import { wireIdentifier } from "../records/stored-form.ts";
import { bareObject } from "../../support/bare-object.ts";

export interface Validate {
  /** @param more further problems of the request, reported with those of the inputs */
  (request: RequestContext, more?: readonly ProblemDetail[]): Awaitable<void>;
  /** Applies the defaults of the body's inputs to one element of a body that is a list. */
  ofElement(element: RequestContext): Awaitable<void>;
}

export function planValidate(context: PlanContext, endpoint: Endpoint): Validate {
  const { inputs: negotiated } = context.view?.endpoint(endpoint) ?? endpoint;
  const fieldOf = fieldNames(negotiated);
  const order = new Map(negotiated.map((input, at) => [input.name.join("."), at]));
  // Defaults of an older version are stored under current names; the inputs have the same positions
  // in the document.
  const negotiatedAt = new Map(negotiated.map((input) => [input.position, input]));
  const defaults = endpoint.inputs.flatMap((input): Default[] => {
    const byDefault = negotiatedAt.has(input.position)
      ? negotiatedAt.get(input.position)?.default
      : (unknownDefault(context, endpoint, input) ?? input.default);
    if (!byDefault) return [];
    const evaluate = evaluateOf(context, byDefault);
    return [{ input, evaluate, checked: planDefaultCheck(context, input) }];
  });
  const openDefaults = endpoint.inputs.filter((input) => input.absentGap);
  const requireOpenDefaults = (request: RequestContext): void => {
    const missing = openDefaults.find((input) => !isSent(request, input));
    if (missing?.absentGap) throw new NotShown(missing.absentGap);
  };
  const reportProblems = (found: readonly InputProblemDetail[], more: readonly ProblemDetail[]): void => {
    if (found.length + more.length === 0) return;
    const location = (detail: InputProblemDetail) =>
      order.get(detail.field.replace(/[.[].*$/, "")) ?? order.get(detail.field) ?? order.size;
    const details = found
      .toSorted((a, b) => (a.element ?? 0) - (b.element ?? 0) || location(a) - location(b))
      .map((detail): ProblemDetail => blameOf(detail, endpoint));
    const furtherDetails = more.map((detail): ProblemDetail => ({ ...resourceOf(endpoint), ...detail }));
    if (context.observer) observeViolations(context.observer, endpoint, details);
    throw new Problem([...details, ...furtherDetails], { because: endpoint.position });
  };
  const applyDefaults = (request: RequestContext, of: readonly Default[]): Awaitable<void> =>
    forEachInOrder(of, ({ input, evaluate, checked }) => {
      if (isSent(request, input)) return;
      return after(evaluate(request.evaluation), (value) =>
        setInput(request, input.in, input.name, withPartDefaults(context, input.type, checked(value))),
      );
    });
  const [ofBody, others] = [
    defaults.filter(({ input }) => input.in === "body"),
    defaults.filter(({ input }) => input.in !== "body"),
  ];
  const validate = (request: RequestContext, more: readonly ProblemDetail[] = []): Awaitable<void> => {
    const { inputs } = request;
    if (inputs.bodyProblem) throw inputs.bodyProblem;
    const found = inputs.references.length + inputs.inputProblems.length + more.length + defaults.length;
    if (found === 0 && !inputs.gap && openDefaults.length === 0) return;
    const looking = after(missingReferences(context, request, fieldOf), (missing) => {
      reportProblems([...inputs.inputProblems, ...missing], more);
      // The stated inputs are valid, and the request depends on an input that is not shown.
      if (inputs.gap) throw inputs.gap;
      if (!inputs.elements) requireOpenDefaults(request);
    });
    return after(looking, () => applyDefaults(request, inputs.elements ? others : defaults));
  };
  const ofElement = (element: RequestContext) => {
    requireOpenDefaults(element);
    return applyDefaults(element, ofBody);
  };
  const validation = Object.assign(validate, { ofElement });
  return context.observer ? observed(validation, context, context.observer, endpoint) : validation;
}

/** Reports the inputs and rules that a valid request satisfies. */
function observed(
  validate: Validate,
  context: PlanContext,
  observer: CoverageObserver,
  endpoint: Endpoint,
): Validate {
  const observe = (request: RequestContext, work: () => Awaitable<void>, inputs: readonly Input[]) => {
    const sent = inputs.filter((input) => isSent(request, input));
    return after(work(), () => {
      for (const input of sent) {
        observer(input, true);
        observeSatisfied(context, observer, input.type, input.rules, sentAt(request, input) ?? null);
      }
    });
  };
  const inBody = endpoint.inputs.filter((input) => input.in === "body");
  return Object.assign(
    (request: RequestContext, more?: readonly ProblemDetail[]) =>
      observe(request, () => validate(request, more), endpoint.inputs),
    { ofElement: (element: RequestContext) => observe(element, () => validate.ofElement(element), inBody) },
  );
}

interface Default {
  readonly input: Input;
  readonly evaluate: Evaluate;
  /**
   * Returns the value in the form of a sent one.
   * @throws Problem if the input's rules refuse it
   */
  readonly checked: (value: Value) => Value;
}

/** `check` knows only some literals. The value of any other expression may break the rules of the input. */
function planDefaultCheck(
  context: PlanContext,
  { name, type, rules, position }: Input,
): (value: Value) => Value {
  if (type.kind === "reference") return (value) => value;
  const fieldsOf = (resource: string) => context.resource(resource).stored;
  const known = { fieldsOf, resource: context.reading.resource };
  const form = compileToStored(type, rules, fieldsOf);
  const mistyped = type.kind === "enum" ? compileTypeCheck(type, rules, known) : undefined;
  const check = compileValueCheck(type, rules, known);
  return (given) => {
    const value = form ? form(given) : given;
    const wrong = value === null ? undefined : (mistyped?.(value)?.problem ?? check?.(value));
    if (wrong === undefined) return value;
    const problem = `the default of ${name.join(".")} ${wrong}`;
    throw new Problem({ condition: "internal", problem }, { because: position });
  };
}

/** The default of an input that the older version does not have. */
function unknownDefault({ view }: PlanContext, endpoint: Endpoint, input: Input): Expression | undefined {
  return hasVersionDefault(endpoint, input) ? view?.unknownDefault(endpoint.resource, input.name) : undefined;
}

/** Reports the rules that a value and its parts satisfy. */
function observeSatisfied(
  context: PlanContext,
  observer: CoverageObserver,
  type: FieldType,
  rules: readonly FieldRule[],
  value: Value,
): void {
  if (value === null) return;
  for (const rule of rules) observer(rule, true);
  const inner = (of: FieldType, own: readonly FieldRule[], part: Value | undefined) =>
    observeSatisfied(context, observer, of, own, part ?? null);
  const members = value as { readonly [name: string]: Value };
  if (type.kind === "list" || type.kind === "map")
    for (const element of Object.values(members)) inner(type.of, rulesOfEach(rules), element);
  else if (type.kind === "object")
    for (const part of type.parts) inner(part.type, part.rules, members[part.name]);
  else if (type.kind === "value")
    for (const field of context.resource(type.resource).resource.fields)
      inner(field.type, field.rules, members[field.name]);
}

/** Reports the rules that inputs violate, by object identity. */
function observeViolations(
  observer: CoverageObserver,
  { inputs }: Endpoint,
  details: readonly ProblemDetail[],
): void {
  for (const { condition, rule, field } of details) {
    if (rule) observer(rule, false);
    if (condition !== "missing field") continue;
    const missing = inputs.find((input) => input.name.join(".") === field);
    if (missing) observer(missing, false);
  }
}

/** Names the input or field of a problem. An empty field name refers to the request as a whole. */
function blameOf(detail: InputProblemDetail, endpoint: Endpoint): ProblemDetail {
  const { field, ...rest } = detail;
  return { ...rest, ...resourceOf(endpoint), ...(field === "" ? {} : { field }) };
}

function resourceOf({ resource }: Endpoint): { readonly resource?: string } {
  return resource === undefined ? {} : { resource };
}

/**
 * Finds references to records that are missing or not visible. In a filter they give an empty list,
 * not an error (decision "Filters with impossible values").
 */
function missingReferences(
  context: PlanContext,
  request: RequestContext,
  fieldOf: (blamed: string) => string | undefined,
): Awaitable<readonly InputProblemDetail[]> {
  const missing: InputProblemDetail[] = [];
  const { evaluation } = request;
  const looking = forEachInOrder(request.inputs.references, (reference) => {
    if (reference.filter || reference.value === null) return;
    const plan = context.resource(reference.resource);
    const { work, frame } = evaluation;
    return after(plan.findVisible(work.session, frame, reference.value), (found) => {
      if (found) return;
      const ofField = fieldOf(reference.field);
      missing.push({
        condition: "unknown reference",
        isVersionedName: true,
        field: reference.field,
        ...(reference.element === undefined ? {} : { element: reference.element }),
        ...(ofField === undefined ? {} : { ofField }),
        // For a record that is not visible, the response repeats only the received value.
        value: reference.sentAs ?? wireIdentifier(context, reference.resource, reference.value),
        refersTo: plan.name,
        problem: `is not a known ${plan.resource.called.replace(/_/g, " ")}`,
      });
    });
  });
  return after(looking, () => missing);
}

function isSent(request: RequestContext, input: Pick<Input, "in" | "name">): boolean {
  return sentAt(request, input) !== undefined;
}

function sentAt(
  request: RequestContext,
  { in: location, name }: Pick<Input, "in" | "name">,
): Value | undefined {
  const { frame } = request.evaluation;
  return partAt(location === "header" ? frame.headers : frame[location], namesIn(location, name));
}

function setInput(
  request: RequestContext,
  location: Input["in"],
  name: readonly string[],
  value: Value,
): void {
  const { frame } = request.evaluation;
  const key = location === "header" ? "headers" : location;
  frame[key] = withValue(frame[key], namesIn(location, name), value);
}

/** The frame has headers by lower-case name. */
function namesIn(location: Input["in"], name: readonly string[]): readonly string[] {
  return location === "header" ? name.map((part) => part.toLowerCase()) : name;
}

function withValue(container: Value, name: readonly string[], value: Value): Value {
  const [first, ...rest] = name;
  if (first === undefined) return value;
  const object = Object.assign(bareObject(), container as object | null) as Record<string, Value>;
  const inner = withValue(object[first] ?? null, rest, value);
  if (object[first] === undefined) setDefault(object, first, inner);
  else object[first] = inner;
  return object;
}
