/**
 * Deciding position: the line of the document that decides a rejection. A step states the line if
 * it has it (a guard, a `Fails`, a limit's row). Otherwise this file derives it from the problem:
 * the row of the field whose rule an input breaks, the violated `Unique`, or the row of part 8. If
 * the engine decides, it is the row of part 7 for the status, if there is one.
 */
import { hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { closestRow } from "../../model/limits/applies.ts";
import { createRowChooser } from "../../model/errors/error-rows.ts";
import type { Endpoint, Field, Input, Model } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { ItemName } from "../../syntax/nodes.ts";
import type { ProblemDetail, Problem } from "../problem.ts";

/**
 * Returns the deciding position; undefined if no line of the document applies.
 * @param endpoint undefined if no endpoint was found
 * @param detail a detail of the problem; by default the first, which decides the status
 */
export type FindDecisionPosition = (
  problem: Problem,
  endpoint: Endpoint | undefined,
  detail?: ProblemDetail,
) => Position | undefined;

export function createDecisionFinder(model: Model): FindDecisionPosition {
  const rowOf = createRowChooser(model);
  return (problem, endpoint, detail = problem.details[0]) => {
    const own = detail.code === undefined ? ownPosition(model, detail, endpoint) : undefined;
    return own ?? problem.because ?? partPosition(model, detail, endpoint) ?? rowOf(detail).row?.position;
  };
}

/**
 * Returns a position that is more precise than that of the steps, which check all inputs together.
 */
function ownPosition(
  model: Model,
  detail: ProblemDetail,
  endpoint: Endpoint | undefined,
): Position | undefined {
  switch (detail.condition) {
    case "invalid field":
    case "missing field":
    case "unknown reference":
      return endpoint && inputPosition(model, detail, endpoint);
    case "duplicate":
      return uniquePosition(model, detail);
    case "in use":
      return detail.referredBy && fieldPosition(model, detail.referredBy);
    default:
      return undefined;
  }
}

function fieldPosition(
  { resources }: Model,
  of: { readonly resource: string; readonly field: string },
): Position | undefined {
  const owner = resources.find(({ name }) => name === of.resource);
  return owner?.fields.find(({ name }) => name === of.field)?.position;
}

/** Returns the position of a rule in a part: for an endpoint, or for all requests. */
function partPosition(
  model: Model,
  { condition, limitName }: ProblemDetail,
  endpoint: Endpoint | undefined,
): Position | undefined {
  switch (condition) {
    case "unknown path":
      return stated(model, "path shapes") ?? stated(model, "methods");
    case "method not allowed":
      return stated(model, "methods");
    case "unknown version":
      return stated(model, "version scheme");
    case "too large":
      if (limitName !== "body") return limitName === undefined ? undefined : stated(model, "size limits");
      return endpoint && closestRow(model.limits.bodyBytes, endpoint)?.position;
    case "timed out":
      return endpoint && closestRow(model.limits.timeoutsMs, endpoint)?.position;
    case "malformed body":
    case "unsupported media type":
    case "range not satisfiable":
    case "not found":
      return endpoint?.position;
    default:
      return undefined;
  }
}

function stated({ ledger }: Model, item: ItemName): Position | undefined {
  return ledger.find((entry) => entry.item === item && entry.answer === "stated")?.position;
}

/**
 * Returns the row that states the rule. It is the endpoint's row of the input, if that states more
 * than the field; otherwise the field's row, at any depth.
 */
function inputPosition(model: Model, detail: ProblemDetail, endpoint: Endpoint): Position | undefined {
  const { field = "" } = detail;
  const input = endpoint.inputs.find(({ name }) => isWithin(field, name.join(".")));
  const deeper = input && fieldWithin(model, input.type, pathWithin(field, input));
  if (deeper) return deeper.position;
  if (!input && isPageInput(endpoint, field)) return endpoint.pagination?.position;
  const owner = model.resources.find((resource) => resource.name === endpoint.resource);
  const [first, ...inside] = (detail.ofField ?? "").replace(/\[\d+\]/g, "").split(".");
  const set = owner?.fields.find((candidate) => candidate.name === first);
  if (!set) return input?.position;
  const within = fieldWithin(model, set.type, inside);
  return (within ?? (input && !isStatedByField(set, input, detail) ? input : set)).position;
}

/** Parameters of `Pagination` are not inputs of the endpoint. */
function isPageInput({ pagination }: Endpoint, field: string): boolean {
  return pagination !== undefined && Object.values(pagination).includes(field);
}

function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

function pathWithin(field: string, { name }: Input): readonly string[] {
  return field
    .slice(name.join(".").length)
    .replace(/\[\d+\]/g, "")
    .split(".")
    .filter((part) => part !== "");
}

/**
 * Whether the endpoint adds nothing to the field's rules, as in `Body: recipient`. Then the field's
 * row decides.
 */
function isStatedByField(field: Field, input: Input, { condition }: ProblemDetail): boolean {
  if (condition === "missing field") return hasRule(field.rules, "required");
  const known = new Set(field.rules.map((rule) => JSON.stringify(rule)));
  return (
    JSON.stringify(input.type) === JSON.stringify(field.type) &&
    input.rules.every((rule) => known.has(JSON.stringify(rule)))
  );
}

/** The field at a path within a value. */
function fieldWithin(model: Model, type: FieldType, path: readonly string[]): Field | undefined {
  if (type.kind === "list" || type.kind === "map")
    return fieldWithin(model, type.of, type.kind === "map" ? path.slice(1) : path);
  const [first, ...inside] = path;
  if (type.kind !== "value" || first === undefined) return undefined;
  const field = model.resources
    .find((resource) => resource.name === type.resource)
    ?.fields.find((candidate) => candidate.name === first);
  return field && (fieldWithin(model, field.type, inside) ?? field);
}

/** Returns the position of `Unique: shop, reference`, or the row of the single unique field. */
function uniquePosition(model: Model, { resource, uniqueFields = [] }: ProblemDetail): Position | undefined {
  const owner = model.resources.find((candidate) => candidate.name === resource);
  const together = owner?.unique.find(
    ({ fields }) =>
      fields.length === uniqueFields.length && fields.every((name) => uniqueFields.includes(name)),
  );
  return (together ?? owner?.fields.find(({ name }) => uniqueFields.includes(name)))?.position;
}
