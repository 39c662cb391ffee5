/**
 * OpenAPI extensions (`x-ninefold-…`) for what OpenAPI can't express. Each has its JSON Schema in
 * `docs/extensions/`.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { isHidden, sentName } from "../../fields/rule.ts";
import { valueDigest } from "../../support/hashing/value-digest.ts";
import type { Json } from "../../support/json.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Allowed, Endpoint, Gap, Input, Model, TransitionEnd, Trigger } from "../../model/model.ts";
import type { Operation, Wire, WireResource, WireVersion } from "../wire/wire.ts";
import { effectText, itemsOf, partItemsOf, resourceItemsOf, ruleText, typeText } from "./item-texts.ts";

/**
 * A file without extensions, for readers who need only the wire. `x-ninefold-query` stays, because
 * it is a method.
 */
export function withoutExtensions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutExtensions);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("x-ninefold-") || key === "x-ninefold-query")
      .map(([key, inner]) => [key, withoutExtensions(inner)]),
  );
}

/**
 * `x-ninefold-document`: the text of the document, and the digest of the file without it. An import
 * reads the text only if the file is still the same.
 */
export function documentExtension({ text }: Pick<Model, "text">, file: JsonSchema): JsonSchema {
  return { "x-ninefold-document": { text, digest: valueDigest(file) } };
}

/** `x-ninefold-gaps`: what the document doesn't show, with its line. */
export function gapsExtension(gaps: readonly Gap[]): readonly JsonSchema[] {
  return gaps.map(({ part, item, subject, position }) => ({
    part,
    item,
    subject,
    line: position.start.line,
  }));
}

/** `x-ninefold-service`: what the service does, as part 1 states it. */
export function serviceExtension({ purpose, domain, behaviour }: Wire): JsonSchema {
  const stated = {
    ...(purpose === undefined ? {} : { purpose }),
    ...(domain === undefined ? {} : { domain }),
    ...(behaviour === undefined ? {} : { behaviour }),
  };
  return Object.keys(stated).length === 0 ? {} : { "x-ninefold-service": stated };
}

/** `x-ninefold-items` of the document: what part 4 states for all endpoints. */
export function partExtension({ endpointsPart }: Wire): JsonSchema {
  const items = partItemsOf(endpointsPart);
  return items.length === 0 ? {} : { "x-ninefold-items": items };
}

/** `x-ninefold-version`: the version that the file describes, and the input that selects it. */
export function versionExtension({ name, requested }: WireVersion): JsonSchema {
  if (requested.in !== "header" && requested.in !== "query") return {};
  return { "x-ninefold-version": { in: requested.in, name: requested.name, version: name } };
}

/** `x-ninefold-states` of a resource's schema. */
export function statesExtension({ resource, stateField }: WireResource): JsonSchema | undefined {
  const machine = resource.states;
  if (!machine) return undefined;
  return {
    ...(stateField === undefined ? {} : { field: stateField }),
    ...(machine.initial ? { initial: machine.initial.text } : {}),
    states: machine.states.map(({ name, final }) => ({ name, final })),
    transitions: machine.transitions.map(({ name, ends }) => ({ name, ends: ends.map(endOf) })),
  };
}

/**
 * `x-ninefold-resource` of a resource's schema: its items, and the rules of its fields. Absent
 * where a shape or an older version replaces the fields.
 */
export function resourceExtension(
  { resource, isValue }: WireResource,
  schema: JsonSchema,
): JsonSchema | undefined {
  const { identifier } = resource;
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema | undefined>>;
  const keys = Object.keys(properties);
  const shown = resource.fields.filter(({ rules }) => !isHidden(rules));
  const fields = shown.filter(({ name, rules }) => keys.includes(sentName(rules) ?? name));
  if (isValue || fields.length < shown.length || keys.length > fields.length) return undefined;
  const isShown = (name: string) => fields.some((field) => field.name === name);
  const types = fields.flatMap(({ name, type, rules }) => {
    const isNoDateTime = properties[sentName(rules) ?? name]?.["format"] !== "date-time";
    const text = type.kind === "timestamp" && isNoDateTime ? type.kind : typeText(type);
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    items: resourceItemsOf(resource, isShown),
    fields: Object.fromEntries(
      fields
        .filter(({ role, gap, open }) => (role === "plain" || identifier.kind === "joint") && !gap && !open)
        .map(({ name, rules }) => [name, rules.map(ruleText)]),
    ),
    ...(types.length === 0 ? {} : { types: Object.fromEntries(types) }),
  };
}

function endOf({ from, to, same, trigger, guard, effects, gap }: TransitionEnd): JsonSchema {
  return {
    from: from === "any" ? "any" : from,
    to: same ? "same" : to,
    trigger: triggerText(trigger),
    ...(guard ? { guard: guard.condition.text } : {}),
    ...(guard?.otherwise === undefined ? {} : { else: guard.otherwise }),
    effects: gap ? ["not shown"] : effects.map(effectText),
  };
}

function triggerText(trigger: Trigger): string {
  switch (trigger.kind) {
    case "after":
      return `after ${durationText(trigger.milliseconds)}`;
    case "at":
      return `at ${trigger.field}`;
    default:
      return trigger.kind;
  }
}

/** An ISO 8601 duration in seconds, which every reader of durations accepts. */
function durationText(milliseconds: number): string {
  return `PT${milliseconds / 1000}S`;
}

/** The extensions of an operation. */
export function operationExtensions(wire: Wire, operation: Operation): JsonSchema {
  const { endpoint, gap } = operation;
  const transition = transitionExtension(wire, operation);
  const guards = guardsOf(wire, operation);
  const limits = limitsExtension(operation);
  const { idempotency } = endpoint;
  const items = itemsOf(endpoint);
  const inputs = endpoint.inputs.flatMap(inputExtension);
  return {
    ...(items.length === 0 ? {} : { "x-ninefold-items": items }),
    ...(inputs.length === 0 ? {} : { "x-ninefold-inputs": inputs }),
    ...(endpoint.records.length === 0 ? {} : { "x-ninefold-records": recordsExtension(wire, endpoint) }),
    ...(transition ? { "x-ninefold-transition": transition } : {}),
    ...(guards.length === 0 ? {} : { "x-ninefold-guard": guards }),
    ...(Object.keys(limits).length === 0 ? {} : { "x-ninefold-limits": limits }),
    ...(idempotency
      ? {
          "x-ninefold-idempotency": {
            in: idempotency.in,
            name: idempotency.name,
            required: idempotency.required,
            ...(idempotency.milliseconds === undefined
              ? {}
              : { kept: durationText(idempotency.milliseconds) }),
            ...(idempotency.per ? { per: idempotency.per.text } : {}),
          },
        }
      : {}),
    ...(gap ? { "x-ninefold-gaps": gapsExtension([gap]) } : {}),
  };
}

/** The records of the path, as path headings state them, from the shortest path to the longest. */
function recordsExtension({ basePath }: Wire, { records }: Endpoint): readonly JsonSchema[] {
  return records.map(({ path, resource, where }) => ({
    path: basePath + path,
    is: resource,
    ...(where.length === 0 ? {} : { where: where.map(({ text }) => text) }),
  }));
}

/** What an input does, where it sets a field, filters, or is accepted without an effect. */
function inputExtension({
  in: place,
  name,
  type,
  sets,
  filter,
  ignored,
  rules,
}: Input): readonly JsonSchema[] {
  const sentAs = sentName(rules);
  const own = sets === undefined ? typeText(type) : undefined;
  const more = {
    ...(sentAs === undefined ? {} : { sentAs }),
    ...(own === undefined ? {} : { type: own }),
  };
  const at = { in: place, name: name.join("."), ...more };
  if (sets !== undefined) return [{ ...at, sets }];
  if (ignored) return [{ ...at, ignored }];
  if (!filter) return Object.keys(more).length === 0 ? [] : [at];
  if (filter.kind === "condition") return [{ ...at, where: filter.condition.text }];
  return [{ ...at, filter: filter.kind, field: filter.field }];
}

function transitionExtension(wire: Wire, { transition }: Operation): JsonSchema | undefined {
  if (!transition) return undefined;
  const machine = wire.resources.find((resource) => resource.name === transition.resource)?.resource.states;
  const found = machine?.transitions.find((candidate) => candidate.name === transition.name);
  return { resource: transition.resource, name: transition.name, ends: (found?.ends ?? []).map(endOf) };
}

/**
 * The preconditions of the operation, in the document's own text and order, each with the code of
 * its error.
 */
function guardsOf(wire: Wire, { endpoint, transition }: Operation): readonly JsonSchema[] {
  const machine = wire.resources.find((resource) => resource.name === transition?.resource)?.resource.states;
  const found = machine?.transitions.find((candidate) => candidate.name === transition?.name);
  const allowed = (rules: readonly Allowed[]) =>
    rules.flatMap((rule) => (rule.kind === "condition" ? [guardOf("allowed", rule.condition)] : []));
  return [
    ...endpoint.records.flatMap((record) => allowed(record.allowed)),
    ...allowed(endpoint.allowed),
    ...[...endpoint.records.flatMap((record) => record.fails), ...endpoint.fails].map((failRule) => ({
      ...guardOf("fails", failRule.when),
      code: failRule.code,
      ...(failRule.on === undefined ? {} : { field: failRule.on }),
      ...(failRule.nullPasses ? { nullPasses: true } : {}),
      ...statusOf(wire, failRule.code),
    })),
    ...(found?.ends ?? []).flatMap(({ guard }) =>
      guard
        ? [
            {
              ...guardOf("guard", guard.condition),
              ...(guard.otherwise === undefined ? {} : { code: guard.otherwise }),
            },
          ]
        : [],
    ),
  ];
}

function statusOf({ errors }: Wire, code: string): JsonSchema {
  const status = errors.find((error) => error.code === code)?.status;
  return status === undefined ? {} : { status };
}

function guardOf(kind: "allowed" | "fails" | "guard", { text, position }: Expression): JsonSchema {
  return { kind, condition: text, line: position.start.line };
}

function limitsExtension({ rates, bodyBytesMax, timeoutMs, pagination }: Operation): JsonSchema {
  const page = {
    ...(pagination?.sizeDefault === undefined ? {} : { default: pagination.sizeDefault }),
    ...(pagination?.sizeMax === undefined ? {} : { maximum: pagination.sizeMax }),
    ...(pagination?.isClamped ? { over: "clamped" } : {}),
  };
  return {
    ...(rates.length === 0
      ? {}
      : {
          rates: rates.map(({ name, count, periodMs, burst, per, when, cost, exceptAnswers }) => ({
            name: name === "" ? "rate" : name,
            count,
            period: durationText(periodMs),
            ...(burst === undefined ? {} : { burst }),
            per: typeof per === "string" ? per : per.text,
            ...(when ? { when: when.text } : {}),
            ...(cost ? { costing: cost.text } : {}),
            ...(exceptAnswers ? { exceptAnswers } : {}),
          })),
        }),
    ...(bodyBytesMax === undefined ? {} : { bodyBytes: bodyBytesMax }),
    ...(timeoutMs === undefined ? {} : { timeout: durationText(timeoutMs) }),
    ...(Object.keys(page).length === 0 ? {} : { page }),
  };
}
