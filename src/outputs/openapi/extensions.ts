/** What OpenAPI has no words for, in extensions of our own. Each has its JSON Schema in `docs/extensions/`. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Allowed, Gap, TransitionEnd, Trigger } from "../../model/model.ts";
import type { Operation, Wire, WireResource } from "../wire/wire.ts";

/** `x-ninefold-gaps`: what the document doesn't show, with its line. */
export function gapsExtension(gaps: readonly Gap[]): readonly JsonSchema[] {
  return gaps.map(({ part, item, subject, position }) => ({
    part,
    item,
    subject,
    line: position.start.line,
  }));
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

function endOf({ from, to, same, trigger, guard }: TransitionEnd): JsonSchema {
  return {
    from: from === "any" ? "any" : from,
    to: same ? "same" : to,
    trigger: triggerText(trigger),
    ...(guard ? { guard: guard.condition.text } : {}),
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

/** ISO 8601 in seconds, which every reader of durations takes. */
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
  return {
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

function guardOf(kind: "allowed" | "fails" | "guard", { text, position }: Expression): JsonSchema {
  return { kind, condition: text, line: position.start.line };
}

function limitsExtension({ rates, bodyBytesMax, timeoutMs, pagination }: Operation): JsonSchema {
  const page = {
    ...(pagination?.sizeDefault === undefined ? {} : { default: pagination.sizeDefault }),
    ...(pagination?.sizeMax === undefined ? {} : { maximum: pagination.sizeMax }),
  };
  return {
    ...(rates.length === 0
      ? {}
      : {
          rates: rates.map(({ name, count, periodMs, burst, per }) => ({
            name: name === "" ? "rate" : name,
            count,
            period: durationText(periodMs),
            ...(burst === undefined ? {} : { burst }),
            per: typeof per === "string" ? per : per.text,
          })),
        }),
    ...(bodyBytesMax === undefined ? {} : { bodyBytes: bodyBytesMax }),
    ...(timeoutMs === undefined ? {} : { timeout: durationText(timeoutMs) }),
    ...(Object.keys(page).length === 0 ? {} : { page }),
  };
}
