/** What was wrong with the body and the inputs, all at once, with the existence of what they refer to; then the inputs' defaults. */
import { putByDefault } from "../../expressions/by-default.ts";
import { partAt, type Value } from "../../expressions/value.ts";
import type { FieldRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { rulesOfEach } from "../../fields/types/list.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import { takesDefault } from "../../model/versions/spoken-inputs.ts";
import { after, type Awaitable, eachInTurn } from "../../support/awaitable.ts";
import type { Exchange, InputBlame } from "../exchange.ts";
import { fieldNames } from "./decode.ts";
import type { Witness } from "../evaluation/witness.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { type Blame, Problem } from "../problem.ts";
import { withPartDefaults } from "../records/part-defaults.ts";
import { identifierShown } from "../records/stored-form.ts";
import { bareObject } from "../../support/bare-object.ts";

/** @param more what else is wrong with the request, told together with the inputs */
export type Validate = (exchange: Exchange, more?: readonly Blame[]) => Awaitable<void>;

export function planValidate(context: PlanContext, endpoint: Endpoint): Validate {
  const { inputs: spoken } = context.view?.endpoint(endpoint) ?? endpoint;
  const fieldOf = fieldNames(spoken);
  const order = new Map(spoken.map((input, at) => [input.name.join("."), at]));
  // What an older version takes for granted goes under the names of now: the inputs stand at the same places of the document.
  const spokenAt = new Map(spoken.map((input) => [input.position, input]));
  const defaults = endpoint.inputs.flatMap((input) => {
    const byDefault = spokenAt.has(input.position)
      ? spokenAt.get(input.position)?.default
      : (unknownDefault(context, endpoint, input) ?? input.default);
    return byDefault ? [{ input, evaluate: evaluateOf(context, byDefault) }] : [];
  });
  const tellWrong = (found: readonly InputBlame[], more: readonly Blame[]): void => {
    if (found.length + more.length === 0) return;
    const place = (blame: InputBlame) =>
      order.get(blame.field.replace(/[.[].*$/, "")) ?? order.get(blame.field) ?? order.size;
    const blames = found
      .toSorted((a, b) => place(a) - place(b))
      .map((blame): Blame => blameOf(blame, endpoint));
    const others = more.map((blame): Blame => ({ ...resourceOf(endpoint), ...blame }));
    if (context.witness) tellBroken(context.witness, endpoint, blames);
    throw new Problem([...blames, ...others], { because: endpoint.position });
  };
  const validate: Validate = (exchange, more = []) => {
    const { inputs } = exchange;
    if (inputs.bodyProblem) throw inputs.bodyProblem;
    // A request that carries a field of unknown type or rules can't be judged at all.
    if (inputs.gap) throw inputs.gap;
    if (inputs.references.length + inputs.inputProblems.length + more.length + defaults.length === 0) return;
    const looking = after(missingReferences(context, exchange, fieldOf), (missing) =>
      tellWrong([...inputs.inputProblems, ...missing], more),
    );
    return after(looking, () =>
      eachInTurn(defaults, ({ input, evaluate }) => {
        if (isSent(exchange, input)) return;
        return after(evaluate(exchange.scene), (value) =>
          put(exchange, input.in, input.name, withPartDefaults(context, input.type, value)),
        );
      }),
    );
  };
  const { witness } = context;
  if (!witness) return validate;
  return (exchange, more) => {
    const sent = endpoint.inputs.filter((input) => isSent(exchange, input));
    return after(validate(exchange, more), () => {
      for (const input of sent) {
        witness(input, true);
        tellKept(context, witness, input.type, input.rules, sentAt(exchange, input) ?? null);
      }
    });
  };
}

/** What is taken for what an older version's callers don't know. */
function unknownDefault({ view }: PlanContext, endpoint: Endpoint, input: Input): Expression | undefined {
  return takesDefault(endpoint, input) ? view?.unknownDefault(endpoint.resource, input.name) : undefined;
}

/** The rules that a value that was sent has kept, and those of all that is in it. */
function tellKept(
  context: PlanContext,
  witness: Witness,
  type: FieldType,
  rules: readonly FieldRule[],
  value: Value,
): void {
  if (value === null) return;
  for (const rule of rules) witness(rule, true);
  const inner = (of: FieldType, own: readonly FieldRule[], part: Value | undefined) =>
    tellKept(context, witness, of, own, part ?? null);
  const members = value as { readonly [name: string]: Value };
  if (type.kind === "list" || type.kind === "map")
    for (const element of Object.values(members)) inner(type.of, rulesOfEach(rules), element);
  else if (type.kind === "object")
    for (const part of type.parts) inner(part.type, part.rules, members[part.name]);
  else if (type.kind === "value")
    for (const field of context.resource(type.resource).resource.fields)
      inner(field.type, field.rules, members[field.name]);
}

/** The rules that inputs have broken, by the very objects that were asked. */
function tellBroken(witness: Witness, { inputs }: Endpoint, blames: readonly Blame[]): void {
  for (const { condition, rule, field } of blames) {
    if (rule) witness(rule, false);
    if (condition !== "missing field") continue;
    const missing = inputs.find((input) => input.name.join(".") === field);
    if (missing) witness(missing, false);
  }
}

/** An empty field name blames the request as a whole. */
function blameOf(blame: InputBlame, endpoint: Endpoint): Blame {
  const { field, ...rest } = blame;
  return { ...rest, ...resourceOf(endpoint), ...(field === "" ? {} : { field }) };
}

function resourceOf({ resource }: Endpoint): { readonly resource?: string } {
  return resource === undefined ? {} : { resource };
}

/**
 * References that lead nowhere, or to what the caller may not see. In a filter that is an empty list, not a mistake (decision "Filters with
 * impossible values").
 */
function missingReferences(
  context: PlanContext,
  exchange: Exchange,
  fieldOf: (blamed: string) => string | undefined,
): Awaitable<readonly InputBlame[]> {
  const missing: InputBlame[] = [];
  const { scene } = exchange;
  const looking = eachInTurn(exchange.inputs.references, (reference) => {
    if (reference.filter || reference.value === null) return;
    const plan = context.resource(reference.resource);
    scene.frame.named["#identifier"] = reference.value;
    return after(scene.work.session.record(plan.visibleByIdentifier(), scene.frame), (found) => {
      if (found) return;
      const ofField = fieldOf(reference.field);
      missing.push({
        condition: "unknown reference",
        spoken: true,
        field: reference.field,
        ...(ofField === undefined ? {} : { ofField }),
        // Of what isn't visible, nobody is told more than they sent.
        value: reference.told ?? identifierShown(context, reference.resource, reference.value),
        refersTo: plan.name,
        problem: `is no known ${plan.resource.called.replace(/_/g, " ")}`,
      });
    });
  });
  return after(looking, () => missing);
}

function isSent(exchange: Exchange, input: Pick<Input, "in" | "name">): boolean {
  return sentAt(exchange, input) !== undefined;
}

function sentAt(exchange: Exchange, { in: place, name }: Pick<Input, "in" | "name">): Value | undefined {
  const { frame } = exchange.scene;
  return partAt(place === "header" ? frame.headers : frame[place], namesIn(place, name));
}

function put(exchange: Exchange, place: Input["in"], name: readonly string[], value: Value): void {
  const { frame } = exchange.scene;
  const key = place === "header" ? "headers" : place;
  frame[key] = withValue(frame[key], namesIn(place, name), value);
}

/** Headers stand in the frame by their names in small letters. */
function namesIn(place: Input["in"], name: readonly string[]): readonly string[] {
  return place === "header" ? name.map((part) => part.toLowerCase()) : name;
}

function withValue(whole: Value, name: readonly string[], value: Value): Value {
  const [first, ...rest] = name;
  if (first === undefined) return value;
  const object = Object.assign(bareObject(), whole as object | null) as Record<string, Value>;
  const inner = withValue(object[first] ?? null, rest, value);
  if (object[first] === undefined) putByDefault(object, first, inner);
  else object[first] = inner;
  return object;
}
