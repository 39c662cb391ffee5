/**
 * Refusals of an operation (part 7): its conditions, the rows that may apply to each, and their
 * bodies. `default`, which any request may get, covers the conditions left out here (a header block
 * that is too long, an internal fault).
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { hasRule } from "../../fields/rule.ts";
import { appliesTo, closestRow, samePath } from "../../model/limits/applies.ts";
import { needsCaller, isWithoutCallers, servingSchemes } from "../../model/authentication/caller-type.ts";
import { hasInput } from "../../model/errors/input-subjects.ts";
import { restrictedResources } from "../../model/resources/reference-places.ts";
import { hasRowFor } from "../../model/errors/error-rows.ts";
import { findsOptional, hasOptionalRecord, isOwnRecord } from "../../model/endpoints/optional-record.ts";
import { mayLack, unanswerable } from "../../model/endpoints/unanswerable-endpoints.ts";
import { mayRejectUnknown } from "../../model/endpoints/unknown-inputs.ts";
import { valuesIn } from "../../model/resources/values-in.ts";
import type {
  Condition,
  Endpoint,
  ErrorRow,
  ErrorSubject,
  Input,
  Model,
  Resource,
} from "../../model/model.ts";
import type { ItemName } from "../../syntax/nodes.ts";
import { requestIdHeader, takesRange } from "./answers.ts";
import { rateHeaders } from "./engine-headers.ts";
import { type Changed, changesOf } from "./changes.ts";
import type { WireContext } from "./context.ts";
import type { ErrorBodies } from "./error-bodies.ts";
import { anyOf } from "./json-schemas.ts";
import type { Refusal, RequestBody, WireError, WireHeader, WireVersion } from "./wire.ts";
import { signsIn } from "../../model/endpoints/does.ts";
import { defaultAnswer, nextOf } from "../../model/errors/conditions.ts";

/** The conditions, codes and records of the errors that an endpoint can raise. */
export interface Reach {
  readonly conditions: ReadonlySet<Condition>;
  /**
   * Codes that `Fails`, guards and `Returns` name, each with the condition whose status applies if
   * the row states none.
   */
  readonly codes: ReadonlyMap<string, Condition>;
  /** Resources that an error may be about. */
  readonly resources: ReadonlySet<string>;
  readonly transitions: ReadonlySet<string>;
}

export function refusalsOf(
  context: WireContext,
  endpoint: Endpoint,
  bodies: ErrorBodies,
  parts: { readonly body: RequestBody | undefined; readonly version: WireVersion | undefined },
): readonly Refusal[] {
  const reach = reachOf(context, endpoint, parts);
  const errors = new Map<string, WireError>();
  for (const condition of reach.conditions)
    for (const error of speakersOf(context, condition, reach, endpoint, bodies))
      errors.set(keyOf(error), error);
  for (const [code, condition] of reach.codes) {
    const row = rowOfCode(context, code);
    if (row) {
      const error = bodies.ofRow(row, row.when[0]?.condition ?? condition);
      errors.set(keyOf(error), error);
    }
  }
  const byStatus = Map.groupBy(errors.values(), (error) => error.status);
  const gap = unanswerable(context.model, context.meaning, endpoint) ?? mayLack(context.model, endpoint);
  const open = gap ? [notShown(bodies)] : [];
  const refusals = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(
      ([status, of]): Refusal => ({
        status,
        errors: uniqueNames(of),
        content: contentOf(of),
        headers: headersOf(context, endpoint, of),
      }),
    );
  const known = [...refusals.filter(({ status }) => status !== 501 || open.length === 0), ...open];
  const statuses = new Set((endpoint.openFails ?? []).map(({ status }) => status));
  for (const { status } of known) statuses.delete(status);
  return [...known, ...[...statuses].map((status) => ofUnknownCondition(status, bodies))].sort(
    (a, b) => a.status - b.status,
  );
}

/** An error that states only its status. */
function ofUnknownCondition(status: number, bodies: ErrorBodies): Refusal {
  const { mediaTypes, schema } = bodies.any();
  const content = mediaTypes.map((mediaType) => ({ mediaType, schema }));
  return { status, errors: [], content, headers: [requestIdHeader] };
}

/** The bodies of several errors, by media type. */
function contentOf(errors: readonly WireError[]): Refusal["content"] {
  const byType = Map.groupBy(errors, ({ mediaType }) => mediaType);
  return [...byType].flatMap(([mediaType, of]) =>
    mediaType === undefined ? [] : { mediaType, schema: anyOf(of.map(({ schema }) => schema)) },
  );
}

function keyOf({ name, status, position }: WireError): string {
  return `${status} ${name} ${position?.start.offset ?? ""}`;
}

/** Several rows with one code may have the same status: each is an example of its own. */
function uniqueNames(errors: readonly WireError[]): readonly WireError[] {
  const counts = new Map<string, number>();
  return errors.map((error) => {
    const count = (counts.get(error.name) ?? 0) + 1;
    counts.set(error.name, count);
    return count === 1 ? error : { ...error, name: `${error.name}_${count}` };
  });
}

function notShown(bodies: ErrorBodies): Refusal {
  const error = bodies.notShown();
  return {
    status: 501,
    errors: [error],
    content: contentOf([error]),
    headers: [requestIdHeader],
  };
}

// ── Which conditions ────────────────────────────────────────────────────────────────────────────

function reachOf(
  context: WireContext,
  endpoint: Endpoint,
  { body, version }: { readonly body: RequestBody | undefined; readonly version: WireVersion | undefined },
): Reach {
  const changed = changesOf(context, endpoint);
  return {
    conditions: new Set([
      ...accessConditions(context, endpoint),
      ...recordConditions(context, endpoint),
      ...bodyConditions(context, endpoint, body !== undefined),
      ...inputConditions(context, endpoint, body !== undefined),
      ...changeConditions(context.model, endpoint, changed),
      ...serviceConditions(context, endpoint, version),
    ]),
    codes: codesOf(context, endpoint, changed),
    resources: new Set([
      ...(endpoint.resource === undefined ? [] : [endpoint.resource]),
      ...endpoint.records.map((record) => record.resource),
      ...changed.written.map((resource) => resource.name),
      ...changed.deleted,
    ]),
    transitions: changed.transitions,
  };
}

function when(is: boolean, ...conditions: readonly Condition[]): readonly Condition[] {
  return is ? conditions : [];
}

function accessConditions(context: WireContext, endpoint: Endpoint): readonly Condition[] {
  const { model } = context;
  const allowed = [...endpoint.allowed, ...endpoint.records.flatMap((record) => record.allowed)];
  const isUnknown = model.authentication.gap !== undefined && hasRow(context, "unauthenticated");
  return [
    ...when(!isWithoutCallers(model), "bad credential"),
    ...when(needsCaller(model, endpoint) || isUnknown, "unauthenticated"),
    ...when(endpoint.does.some(signsIn), "sign-in failed"),
    ...when(
      allowed.some(({ kind }) => kind === "condition"),
      "forbidden",
    ),
  ];
}

function recordConditions(context: WireContext, endpoint: Endpoint): readonly Condition[] {
  const finds = endpoint.does.some(
    (does) => "ifAny" in does && !does.ifAny && !("every" in does && does.every),
  );
  const required = endpoint.records.some(
    (record) => !(hasOptionalRecord(endpoint) && isOwnRecord(endpoint, record)),
  );
  const isUnknown = endpoint.gap !== undefined && hasRow(context, "not found");
  const byParameter = endpoint.inputs.some(
    (input) => mayFindNothing(input, isUnknown) && !findsOptional(endpoint, input.name.join(".")),
  );
  return when(required || finds || byParameter, "not found");
}

function bodyConditions(context: WireContext, endpoint: Endpoint, takesBody: boolean): readonly Condition[] {
  const isBounded =
    closestRow(context.model.limits.bodyBytes, endpoint) !== undefined || hasRow(context, "too large");
  return [
    ...when(takesBody, "malformed body", "unsupported media type"),
    ...when(takesRange(context, endpoint), "range not satisfiable"),
    ...when(takesBody && isBounded, "too large"),
  ];
}

function inputConditions(context: WireContext, endpoint: Endpoint, takesBody: boolean): readonly Condition[] {
  const { idempotency, pagination } = endpoint;
  // A parameter that sets a field of a new record is validated like any other input.
  const sent = endpoint.inputs.filter((input) => input.in !== "path" || input.sets !== undefined);
  const paged = pagination !== undefined && pagination.kind !== "none";
  return [
    ...when(
      sent.some((input) => input.required || !hasRule(input.rules, "nullable")) ||
        idempotency?.required === true,
      "missing field",
    ),
    ...when(
      sent.length > 0 || paged || endpoint.does.length > 1 || idempotency !== undefined || expands(context),
      "invalid field",
    ),
    ...when(mayRejectUnknown(context.model.endpointsPart, endpoint, takesBody), "unknown field"),
    ...when(
      sent.some((input) => input.filter === undefined && refersTo(JSON.stringify(input.type))) ||
        pagination?.kind === "identifier",
      "unknown reference",
    ),
  ];
}

function changeConditions(model: Model, endpoint: Endpoint, changed: Changed): readonly Condition[] {
  const { ifMatch = "none", ifNoneMatch = "none" } = endpoint.preconditions ?? {};
  const restricted = restrictedResources(model);
  return [
    ...when(
      ifMatch !== "none" || (endpoint.method !== "GET" && ifNoneMatch !== "none"),
      "precondition failed",
    ),
    ...when(ifMatch === "required", "precondition required"),
    ...when(changed.transitions.size > 0, "illegal transition", "guard failed"),
    ...when(changed.written.some(mayRepeat), "duplicate"),
    ...when(
      [...changed.deleted].some((name) => restricted.has(name)),
      "in use",
    ),
    ...when(changed.written.length > 0 && model.limits.stored.length > 0, "quota exceeded"),
  ];
}

function serviceConditions(
  context: WireContext,
  endpoint: Endpoint,
  version: WireVersion | undefined,
): readonly Condition[] {
  const { model } = context;
  const { rates, concurrency, timeoutsMs } = model.limits;
  const hasKeys = endpoint.idempotency !== undefined;
  return [
    ...when(hasKeys, "idempotency conflict"),
    // Without a row for this condition, the second request waits for the response of the first.
    ...when(hasKeys && hasRowFor(model, "idempotency in progress"), "idempotency in progress"),
    ...when(
      (isOpen(model, "rate limits") && hasRow(context, "rate limited")) ||
        [...rates, ...concurrency].some(({ applies }) => appliesTo(applies, endpoint)),
      "rate limited",
    ),
    ...when(closestRow(timeoutsMs, endpoint) !== undefined, "timed out"),
    ...when(hasRow(context, "not acceptable"), "not acceptable"),
    ...when(
      version !== undefined && version.requested.in !== "nothing" && version.requested.in !== "path",
      "unknown version",
    ),
  ];
}

/**
 * Whether the item isn't shown: then any operation may raise the errors that part 7 states for it.
 */
function isOpen({ ledger }: Model, item: ItemName): boolean {
  const answer = ledger.find((entry) => entry.item === item)?.answer;
  return answer === "not shown" || answer === "silent";
}

/**
 * Whether a path parameter may find nothing. Each text is a `string`, so only the rules of one that
 * sets no field reject it. An endpoint whose work isn't shown may look up a record by any.
 */
function mayFindNothing({ in: place, type, rules, sets }: Input, isUnknown: boolean): boolean {
  const isRejecting = type.kind !== "string" || (sets === undefined && rules.length > 0);
  return place === "path" && (isUnknown || isRejecting);
}

function expands({ model }: WireContext): boolean {
  return model.endpointsPart.expansion !== undefined;
}

function refersTo(type: string): boolean {
  return type.includes('"kind":"reference"') || type.includes('"kind":"value"');
}

function hasRow({ model }: WireContext, condition: Condition): boolean {
  return model.errors.rows.some((row) => row.when.some((when) => when.condition === condition));
}

function mayRepeat({ unique, identifier, fields }: Resource): boolean {
  return (
    unique.length > 0 ||
    identifier.kind === "given" ||
    identifier.kind === "joint" ||
    fields.some((field) => hasRule(field.rules, "unique"))
  );
}

function codesOf(context: WireContext, endpoint: Endpoint, changed: Changed): ReadonlyMap<string, Condition> {
  const codes = new Map<string, Condition>();
  for (const rule of [...endpoint.fails, ...endpoint.records.flatMap((record) => record.fails)])
    codes.set(rule.code, "invalid field");
  for (const response of endpoint.returns)
    if (response.kind === "error") codes.set(response.code, "internal");
  for (const { fails } of changed.written) for (const rule of fails) codes.set(rule.code, "invalid field");
  for (const key of changed.transitions) {
    const [resource = "", transition] = key.split(".");
    const found = context.resources
      .get(resource)
      ?.states?.transitions.find((candidate) => candidate.name === transition);
    for (const { guard } of found?.ends ?? [])
      if (guard?.otherwise !== undefined) codes.set(guard.otherwise, "guard failed");
  }
  // The author's handler may fail with any code that has no other use.
  if (endpoint.does.some((does) => does.kind === "handler"))
    for (const row of context.model.errors.rows)
      if (row.code !== undefined && row.when.length === 0) codes.set(row.code, "invalid field");
  return codes;
}

// ── Which rows ──────────────────────────────────────────────────────────────────────────────────

/**
 * The rows that may cover a condition; without a row that covers it in general, also the rows of
 * its fallback.
 */
function speakersOf(
  context: WireContext,
  condition: Condition,
  reach: Reach,
  endpoint: Endpoint,
  bodies: ErrorBodies,
): readonly WireError[] {
  const found: WireError[] = [];
  for (let current: Condition | undefined = condition; current; current = nextOf(current)) {
    const cases = context.model.errors.rows.flatMap((row) =>
      row.when
        .filter(
          ({ condition, of }) =>
            condition === current && of.every((subject) => mayBeAbout(subject, reach, context, endpoint)),
        )
        .map(({ of }) => ({ row, of })),
    );
    const isEndpoint = ({ kind }: ErrorSubject) => kind === "endpoint";
    // A row about the endpoint alone applies before all rows that don't name it.
    const isOwn = cases.some(({ of }) => of.length > 0 && of.every(isEndpoint));
    for (const { row, of } of cases)
      if (!isOwn || of.some(isEndpoint)) found.push(bodies.ofRow(row, current));
    if (isOwn || cases.some(({ of }) => of.length === 0)) return found;
  }
  return [...found, bodies.ofCondition(condition, defaultAnswer(condition).status)];
}

function mayBeAbout(of: ErrorSubject, reach: Reach, { model }: WireContext, endpoint: Endpoint): boolean {
  switch (of.kind) {
    case "resource":
    case "field":
      return (
        reach.resources.has(of.resource) ||
        [...reach.resources].some((resource) => valuesIn(model, resource).has(of.resource))
      );
    case "transition":
      return [...reach.transitions].some((key) =>
        of.resource === undefined
          ? key.endsWith(`.${of.transition}`)
          : key === `${of.resource}.${of.transition}`,
      );
    case "limit":
      return (
        of.limit === "body" ||
        model.limits.rates.some(
          (rate) => (rate.name || "rate") === of.limit && appliesTo(rate.applies, endpoint),
        ) ||
        model.limits.concurrency.some((candidate) => appliesTo(candidate.applies, endpoint)) ||
        model.limits.stored.some((candidate) => candidate.name === of.limit)
      );
    case "endpoint":
      return endpoint.method === of.method && samePath(endpoint.path.text, of.path);
    case "input":
      return hasInput(model, endpoint, of.input);
    case "scheme":
      return servingSchemes(model, endpoint).some(({ name }) => name === of.scheme);
    default:
      return true;
  }
}

function rowOfCode({ model }: WireContext, code: string): ErrorRow | undefined {
  const rows = model.errors.rows.filter((row) => row.code === code);
  return rows.find((row) => row.when.length === 0) ?? rows[0];
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────

function headersOf(
  context: WireContext,
  endpoint: Endpoint,
  errors: readonly WireError[],
): readonly WireHeader[] {
  const about = new Set(errors.flatMap((error) => error.conditions));
  const text: JsonSchema = { type: "string" };
  const header = (name: string, description: string): WireHeader => ({
    name,
    schema: text,
    required: false,
    description,
  });
  return [
    ...(about.has("unauthenticated") || about.has("bad credential")
      ? [header("WWW-Authenticate", "The authentication scheme to use (RFC 9110).")]
      : []),
    ...(about.has("rate limited") || about.has("idempotency in progress")
      ? [header("Retry-After", "The seconds to wait before the next attempt.")]
      : []),
    ...context.model.errors.headers
      .filter(({ name }) => !/^(?:content-type|retry-after|www-authenticate)$/i.test(name))
      .map(({ name }) => header(name, "")),
    ...rateHeaders(context, endpoint),
    requestIdHeader,
  ];
}
