/**
 * Problem location: adds the endpoint and the reported inputs to a problem, because rows of part 7
 * are chosen by them. The steps that report problems have only the names of inputs, and rules the
 * values that they read instead of those that were sent.
 */
import { formatDuration } from "../../expressions/time.ts";
import type { Value } from "../../expressions/value.ts";
import { timestampWriters } from "../../expressions/writing/wire.ts";
import type { FieldType } from "../../fields/type.ts";
import { acceptsSubject } from "../../model/errors/conditions.ts";
import { inputNamed, type NamedInput, namedInputs } from "../../model/errors/input-subjects.ts";
import type { Endpoint } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { Problem, type ProblemDetail } from "../problem.ts";
import type { PlanContext } from "../records/plan-context.ts";

/** @param endpoint undefined if none was found */
export type LocateProblem = (problem: Problem, endpoint: Endpoint | undefined) => Problem;

export function createProblemLocator(context: PlanContext): LocateProblem {
  const inputsOf = memoizeBy((endpoint: Endpoint) => planInputs(context, endpoint));
  const typesOf = memoizeBy(
    (endpoint: Endpoint) =>
      new Map(namedInputs(context.model, endpoint).map(({ name, type }) => [name, type] as const)),
  );
  return (problem, endpoint) => {
    if (!endpoint) return problem;
    const place = { method: endpoint.method, path: endpoint.path.text };
    const inputOf = inputsOf(endpoint);
    const details = problem.details.map((detail): ProblemDetail => {
      const input = inputOf(detail);
      if (input === undefined) return { ...detail, endpoint: place };
      return { ...asSent(detail, typesOf(endpoint).get(input), context), endpoint: place, input };
    });
    // Other requests of the same group may share the problem, so a copy is made.
    const { because, hiddenBecause, record, decision } = problem;
    return new Problem(details, { because, hiddenBecause, record, decision });
  };
}

/** Writes a value that a rule or a unique field has read as the client sends it. */
function asSent(detail: ProblemDetail, type: FieldType | undefined, { wire }: PlanContext): ProblemDetail {
  const { condition, code, value } = detail;
  if (code === undefined && condition !== "duplicate") return detail;
  if (type?.kind === "timestamp" && typeof value === "string")
    return { ...detail, value: JSON.parse(timestampWriters[wire.timestamps](value)) as Value };
  if (type?.kind === "duration" && typeof value === "number")
    return { ...detail, value: formatDuration(value) };
  return detail;
}

function planInputs(
  { model, view }: PlanContext,
  endpoint: Endpoint,
): (detail: ProblemDetail) => string | undefined {
  const inputs = namedInputs(model, endpoint);
  const current = new Map(endpoint.inputs.map((input) => [input.position, input]));
  // An older version may have another name for an input; its position in the document is the same.
  const versioned = (view?.endpoint(endpoint) ?? endpoint).inputs.flatMap((input): NamedInput[] => {
    const now = current.get(input.position);
    if (!now || now.name.join(".") === input.name.join(".")) return [];
    const [named] = namedInputs(model, { ...endpoint, inputs: [now] });
    return named ? [{ ...named, own: input.name.join(".") }] : [];
  });
  const setting = endpoint.inputs.flatMap(({ sets }, at): NamedInput[] => {
    const named = inputs[at];
    return named && sets !== undefined ? [{ ...named, own: sets }] : [];
  });
  return ({ condition, field, resource, isVersionedName }) => {
    // A duplicate value was sent, too, although no row of part 7 is about duplicates of an input.
    if (field === undefined || (condition !== "duplicate" && !acceptsSubject(condition, "input")))
      return undefined;
    const sent = inputNamed(isVersionedName ? [...versioned, ...inputs] : inputs, field);
    if (sent !== undefined || (resource !== undefined && resource !== endpoint.resource)) return sent;
    return inputNamed(setting, field);
  };
}
