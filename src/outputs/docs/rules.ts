/**
 * The rules that may refuse a request, in the order in which they are checked, each with its error.
 * A list of status codes doesn't show which rule of the document leads to each.
 */
import type { Expression } from "../../expressions/node.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Allowed, Condition, FailRule, Model, Resource, TransitionEnd } from "../../model/model.ts";
import { formatExactSize } from "../../support/quantity.ts";
import { periodWords } from "./period-words.ts";
import type { Operation, WireError } from "../wire/wire.ts";
import { expressionCode } from "./effect-words.ts";
import { inlineCode } from "./highlight.ts";
import { type Html, html, joinHtml } from "./html.ts";
import { restrictedResources } from "../../model/resources/reference-places.ts";
import { mayCreate, setsFields, signsIn } from "../../model/endpoints/does.ts";

export interface Rule {
  /** The reason for the error: `no credential was sent`. */
  readonly words: Html;
  /** Absent if the operation has no known response for it. */
  readonly error?: WireError;
}

export function rulesOf(model: Model, operation: Operation): readonly Rule[] {
  const resource = model.resources.find((candidate) => candidate.name === operation.endpoint.resource);
  return [
    ...credentialRules(operation),
    ...limitRules(operation),
    ...pathRules(operation),
    ...conditionRules(operation),
    ...inputRules(operation),
    ...preconditionRules(operation),
    ...transitionRules(model, operation),
    ...failRules(operation, operation.endpoint.fails),
    ...storageRules(model, operation, resource),
  ].filter((rule) => rule !== undefined);
}

type Found = readonly (Rule | undefined)[];

/**
 * The rule of a condition that has an error in this operation; undefined for any other condition.
 */
function rule(operation: Operation, condition: Condition, words: Html): Rule | undefined {
  const error = errorFor(operation, condition);
  return error && { words, error };
}

/** Without a row of part 7, the condition isn't refused at all. */
function refusedIfStated(operation: Operation, condition: Condition, words: Html): Rule | undefined {
  const found = rule(operation, condition, words);
  return found?.error?.position && found;
}

export function errorFor(operation: Operation, condition: Condition): WireError | undefined {
  return errorsOf(operation).find((error) => error.conditions.includes(condition));
}

function errorsOf({ refusals }: Operation): readonly WireError[] {
  return refusals.flatMap((refusal) => refusal.errors);
}

function ruleOfCode(operation: Operation, code: string, words: Html): Rule {
  const named = errorsOf(operation).filter((error) => error.code === code);
  // Of several rows with a code, `Fails` names the row with an empty `When`.
  const error = named.find((wireError) => wireError.conditions.length === 0) ?? named[0];
  return { words, ...(error ? { error } : {}) };
}

function credentialRules(operation: Operation): Found {
  const required = operation.security.length > 0 && !operation.anonymous;
  return [
    required ? rule(operation, "unauthenticated", html`no credential was sent`) : undefined,
    operation.security.length > 0
      ? rule(operation, "bad credential", html`the credential is invalid`)
      : undefined,
    operation.endpoint.does.some(signsIn)
      ? rule(operation, "sign-in failed", html`the sign-in data is wrong`)
      : undefined,
  ];
}

function limitRules(operation: Operation): Found {
  return [
    ...operation.rates.map((rate) =>
      rule(
        operation,
        "rate limited",
        html`more than ${rate.count} per ${periodWords(rate.periodMs)}${rate.name !== "" && html` (${inlineCode(`rate ${rate.name}`)})`}`,
      ),
    ),
    operation.body && operation.bodyBytesMax !== undefined
      ? rule(operation, "too large", html`the body is larger than ${formatExactSize(operation.bodyBytesMax)}`)
      : undefined,
  ];
}

function pathRules(operation: Operation): Found {
  const { records } = operation.endpoint;
  const found = records.map((record) =>
    record.by
      ? html`no ${record.resource} has this ${inlineCode(record.by.parameter)}${hiding(record.where)}`
      : html`there is no such ${record.resource}${hiding(record.where)}`,
  );
  return [
    ...found.map((words) => rule(operation, "not found", words)),
    ...operation.endpoint.where.map((where) =>
      operation.endpoint.does.some((does) => does.kind === "list")
        ? undefined
        : rule(operation, "not found", html`${expressionCode(where)} is not true of it`),
    ),
    ...records.flatMap((record) => allowedRules(operation, record.allowed)),
    ...records.flatMap((record) => failRules(operation, record.fails)),
  ];
}

function hiding(where: readonly Expression[]): Html | undefined {
  return where.length === 0
    ? undefined
    : html` of which ${joinHtml(where.map(expressionCode), " and ")} is true`;
}

function conditionRules(operation: Operation): Found {
  return allowedRules(operation, operation.endpoint.allowed);
}

function allowedRules(operation: Operation, allowed: readonly Allowed[]): Found {
  return allowed.map((item) =>
    item.kind === "condition"
      ? rule(operation, "forbidden", html`${expressionCode(item.condition)} is not true`)
      : undefined,
  );
}

function inputRules(operation: Operation): Found {
  const { inputs } = operation.endpoint;
  const required = inputs
    .filter((input) => input.required && input.in !== "path")
    .map((input) => input.name.join("."));
  const references = inputs.filter((input) => input.type.kind === "reference" && input.in !== "query");
  return [
    operation.body ? rule(operation, "malformed body", html`the body is malformed`) : undefined,
    operation.body
      ? rule(operation, "unsupported media type", html`the media type of the body is not accepted`)
      : undefined,
    required.length > 0
      ? rule(
          operation,
          "missing field",
          html`${joinHtml(
            required.map((name) => inlineCode(name)),
            ", ",
          )} ${required.length === 1 ? "is" : "are"} missing`,
        )
      : undefined,
    inputs.length > 0
      ? rule(operation, "invalid field", html`a value has the wrong type, or breaks a rule of its field`)
      : undefined,
    rule(operation, "unknown field", html`the request has an unknown field`),
    ...references.map((input) =>
      rule(
        operation,
        "unknown reference",
        html`${inlineCode(input.name.join("."))} refers to a record that does not exist`,
      ),
    ),
  ];
}

function preconditionRules(operation: Operation): Found {
  const { preconditions, idempotency } = operation.endpoint;
  return [
    idempotency
      ? rule(operation, "idempotency conflict", html`the key was used for another request`)
      : undefined,
    idempotency
      ? refusedIfStated(
          operation,
          "idempotency in progress",
          html`the first request with the key is still in progress`,
        )
      : undefined,
    preconditions && preconditions.ifMatch !== "none"
      ? rule(
          operation,
          "precondition failed",
          html`the record has changed meanwhile (${inlineCode("If-Match")})`,
        )
      : undefined,
    preconditions && preconditions.ifNoneMatch !== "none" && operation.endpoint.does.some(mayCreate)
      ? rule(
          operation,
          "precondition failed",
          html`the record exists already (${inlineCode("If-None-Match")})`,
        )
      : undefined,
    preconditions?.ifMatch === "required"
      ? rule(operation, "precondition required", html`${inlineCode("If-Match")} was not sent`)
      : undefined,
  ];
}

function transitionRules(model: Model, operation: Operation): Found {
  return transitionsOf(operation).flatMap(({ resource, transition }) => {
    const ends = endsOf(model, resource, transition);
    if (ends.length === 0) return [];
    const from = ends.some((end) => end.from === "any") ? [] : [...new Set(ends.flatMap((end) => end.from))];
    const guards = ends.flatMap((end) => (end.guard ? [end.guard] : []));
    return [
      from.length > 0
        ? rule(
            operation,
            "illegal transition",
            html`the ${resource} is not ${joinHtml(
              from.map((state) => inlineCode(state)),
              " or ",
            )}`,
          )
        : undefined,
      ...guards.map(({ condition, otherwise }) => {
        const words = html`${expressionCode(condition)} is not true`;
        return otherwise === undefined
          ? rule(operation, "guard failed", words)
          : ruleOfCode(operation, otherwise, words);
      }),
    ];
  });
}

/** The transitions that an operation fires: its own, and those that follow from them. */
export function transitionsOf({
  endpoint,
}: Operation): readonly { readonly resource: string; readonly transition: string }[] {
  const done = endpoint.does.flatMap((does) =>
    does.kind === "transition" ? [{ resource: does.resource, transition: does.transition }] : [],
  );
  const then = endpoint.then.flatMap(({ transition }) =>
    endpoint.resource === undefined ? [] : [{ resource: endpoint.resource, transition }],
  );
  const seen = new Set<string>();
  return [...done, ...then].filter(({ resource, transition }) => {
    const key = `${resource}.${transition}`;
    return !seen.has(key) && seen.add(key);
  });
}

function endsOf(model: Model, resource: string, transition: string): readonly TransitionEnd[] {
  const machine = model.resources.find((candidate) => candidate.name === resource)?.states;
  return machine?.transitions.find((candidate) => candidate.name === transition)?.ends ?? [];
}

function failRules(operation: Operation, fails: readonly FailRule[]): readonly Rule[] {
  return fails.map(({ code, when }) => ruleOfCode(operation, code, expressionCode(when)));
}

function storageRules(model: Model, operation: Operation, resource: Resource | undefined): Found {
  if (!resource) return [];
  const stores = operation.endpoint.does.some(setsFields);
  const unique = [
    ...resource.unique.map((item) => item.fields),
    ...resource.fields.filter((field) => hasRule(field.rules, "unique")).map((field) => [field.name]),
  ];
  return [
    ...unique.map((fields) =>
      stores
        ? rule(
            operation,
            "duplicate",
            html`another ${resource.name} has the same ${joinHtml(
              fields.map((name) => inlineCode(name)),
              " and ",
            )}`,
          )
        : undefined,
    ),
    ...model.limits.stored
      .filter((candidate) => candidate.resource === resource.name && stores)
      .map((item) =>
        rule(
          operation,
          "quota exceeded",
          html`there are ${item.count} ${resource.name} already${item.per !== undefined && html` for this ${inlineCode(item.per)}`}`,
        ),
      ),
    ...(stores || transitionsOf(operation).length > 0 ? failRules(operation, resource.fails) : []),
    operation.endpoint.does.some(({ kind }) => kind === "delete") &&
    restrictedResources(model).has(resource.name)
      ? rule(operation, "in use", html`other records refer to it`)
      : undefined,
  ];
}
