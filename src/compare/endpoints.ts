/** Compares what endpoints do, find, allow and reject, as far as it isn't visible on the wire. */
import type { Endpoint, EndpointsPart, Input, Model, PathRecord } from "../model/model.ts";
import { type UnknownFieldPlace, unknownFieldsIn } from "../model/endpoints/unknown-inputs.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import type { Differences } from "./difference.ts";
import { compareAllowed, compareCondition, compareFails } from "./guards.ts";
import { allOf, meaningOf, sameMeaning } from "./meaning.ts";
import { compareOrder } from "./orders.ts";
import { compareWhereChoices } from "./where-choices.ts";

const changed = (what: string) => ({ rule: "operation-changed", what }) as const;

const aspects: Aspects<Endpoint> = {
  method: "same",
  path: "same",
  position: "same",
  prose: "same",
  resource: changed("acts on another resource"),
  does: changed("has another effect"),
  gives: "elsewhere",
  then: changed("fires other transitions afterwards"),
  inputs: "elsewhere",
  bodyIn: { rule: "input-form-changed", what: "reads its inputs under another key" },
  bodyIs: "elsewhere",
  accepts: "elsewhere",
  encodings: { rule: "input-form-changed", what: "accepts other content codings" },
  unknownFields: "elsewhere",
  records: "elsewhere",
  scope: changed("finds records by another parent"),
  where: "elsewhere",
  whereChoices: "elsewhere",
  allowed: "elsewhere",
  fails: "elsewhere",
  lets: "same",
  set: changed("sets fields to other values"),
  effects: changed("has other effects"),
  order: "elsewhere",
  pagination: { rule: "pagination-changed", what: "has another pagination" },
  returns: "elsewhere",
  headers: "elsewhere",
  headerMaps: { rule: "answer-header-changed", what: "sends other headers from a map" },
  openHeaders: "elsewhere",
  openReturns: "elsewhere",
  openFails: "elsewhere",
  idempotency: { rule: "idempotency-changed", what: "handles repeated requests differently" },
  inputsFirst: { rule: "operation-changed", what: "validates its inputs at another time" },
  preconditions: "elsewhere",
  schemes: "elsewhere",
  // The description says it, and the comparison of the wire reports it.
  deprecated: "same",
  extensions: "same",
  finds: changed("handles deleted records differently"),
  waits: changed("holds its response differently"),
  stream: "elsewhere",
  gap: "elsewhere",
  checksFirst: "elsewhere",
  unclear: "elsewhere",
};

export function compareEndpoints(before: Model, after: Model, differences: Differences): void {
  const old = new Map(before.endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
  for (const now of after.endpoints) {
    const was = old.get(keyOf(now));
    if (!was) continue;
    const name = `${now.method} ${now.path.text || "/"}`;
    const piece: Piece = { subject: name, position: now.position, operations: [name] };
    if (was.gap || now.gap) {
      // What is stated next to a gap is kept. What the gap stands for may be anything.
      if (was.gap?.subject !== now.gap?.subject) continue;
      compareAllowed(was.allowed, now.allowed, piece, differences);
      compareFails(failsOf(was), failsOf(now), piece, differences);
      continue;
    }
    compareAspects(ofOneRecord(was), ofOneRecord(now), aspects, piece, differences);
    compareAllowed(was.allowed, now.allowed, piece, differences);
    compareFails(failsOf(was), failsOf(now), piece, differences);
    compareWhere(was, now, piece, differences);
    compareRecords(was.records, now.records, piece, differences);
    compareInputs(was.inputs, now.inputs, piece, differences);
    compareOrder(was, now, piece, differences);
    compareAnswers(ofOneRecord(was), ofOneRecord(now), piece, differences);
    compareHeaders(was, now, piece, differences);
    if (!sameMeaning(preconditionsOf(was), preconditionsOf(now)))
      report(
        differences,
        piece,
        "operation-changed",
        "has other preconditions",
        (now.preconditions ?? was.preconditions)?.position,
      );
    compareStream(was, now, piece, differences);
    // What the part states alone is compared once, for the part.
    const isOwn = (place: UnknownFieldPlace) => [was, now].some((of) => of.unknownFields?.[place]);
    compareUnknownFields(
      (place) =>
        isOwn(place)
          ? [
              unknownFieldsIn(place, before.endpointsPart, was),
              unknownFieldsIn(place, after.endpointsPart, now),
            ]
          : [undefined, undefined],
      piece,
      differences,
    );
  }
}

/**
 * The endpoint as it is for a body with one record. The comparison on the wire covers whether it may
 * be a list of them.
 */
function ofOneRecord(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    does: endpoint.does.map((does) => {
      if (!("orList" in does)) return does;
      const { orList: _list, ...single } = does;
      return single;
    }),
    returns: endpoint.returns.map((response) => {
      if (response.kind !== "list" || !response.orOne) return response;
      const { kind: _list, orOne: _one, status, item, ...others } = response;
      return { kind: "expression", status, body: item, ...others };
    }),
  };
}

/** The endpoint without the status of its only response: statuses are compared on the wire. */
function withoutOnlyStatus(endpoint: Endpoint): Endpoint {
  const [only, ...others] = endpoint.returns;
  if (!only || !("status" in only) || others.length > 0) return endpoint;
  return { ...endpoint, returns: [{ ...only, status: 0 }] };
}

/** The wire comparison covers the events and their content. This covers who may read a stream, its start and its end. */
function compareStream(was: Endpoint, now: Endpoint, piece: Piece, differences: Differences): void {
  if (!was.stream || !now.stream) return;
  const sent = ({ stream }: Endpoint) =>
    new Map(stream?.sends.flatMap(({ events, when }) => events.map((event) => [event, when] as const)));
  const [old, current] = [sent(was), sent(now)];
  const changed = [...current.keys()].filter(
    (event) => old.has(event) && !sameMeaning(old.get(event), current.get(event)),
  );
  if (changed.length > 0) {
    const events = changed.map((event) => `\`${event}\``).join(", ");
    report(differences, piece, "stream-changed", `sends ${events} of other records`);
  }
  if (!sameMeaning(was.stream.starts, now.stream.starts))
    report(differences, piece, "stream-changed", "starts its stream elsewhere");
  if (!sameMeaning(was.stream.ends, now.stream.ends))
    report(differences, piece, "stream-changed", "ends its stream in other cases");
}

/** The preconditions without whether they are required, which the comparison of the wire reports. */
function preconditionsOf({ preconditions }: Endpoint): unknown {
  return preconditions?.ifMatch === "required" ? { ...preconditions, ifMatch: "accepted" } : preconditions;
}

/** Compares the content of headers. Their names are compared on the wire. */
function compareHeaders(was: Endpoint, now: Endpoint, piece: Piece, differences: Differences): void {
  for (const { name, value, position } of now.headers) {
    const old = was.headers.find((header) => header.name.toLowerCase() === name.toLowerCase());
    if (old && !sameMeaning(old.value, value))
      report(
        differences,
        piece,
        "answer-header-changed",
        `sends another value in the header \`${name}\``,
        position,
      );
  }
}

function keyOf({ method, path }: Endpoint): string {
  return `${method} ${path.text.replaceAll(/\{[^}]*\}/g, "{}").replace(/(.)\/$/, "$1")}`;
}

function failsOf({ fails, records }: Endpoint): Endpoint["fails"] {
  return [...fails, ...records.flatMap((record) => record.fails)];
}

function compareWhere(was: Endpoint, now: Endpoint, piece: Piece, differences: Differences): void {
  const rules = {
    stricter: "where-stricter",
    looser: "operation-changed",
    other: "operation-changed",
  } as const;
  const at = { ...piece, position: now.where[0]?.position ?? now.position };
  compareCondition(allOf(was.where), allOf(now.where), rules, "Where", at, differences);
  compareWhereChoices(was, now, piece, differences);
}

/** Compares how the records of a path are found, and who may use them. */
function compareRecords(
  was: readonly PathRecord[],
  now: readonly PathRecord[],
  piece: Piece,
  differences: Differences,
): void {
  const picked = (records: readonly PathRecord[]) =>
    records.map(({ resource, by, where }) => ({ resource, by: by?.field, where }));
  if (!sameMeaning(picked(was), picked(now)))
    report(
      differences,
      piece,
      "operation-changed",
      "selects the records of its path differently",
      now[0]?.position,
    );
  for (const [at, record] of now.entries()) {
    const old = was[at];
    if (old && old.resource === record.resource)
      compareAllowed(old.allowed, record.allowed, piece, differences);
    else compareAllowed([], record.allowed, piece, differences);
  }
}

/** Compares what inputs do. Their types and rules are compared on the wire. */
function compareInputs(
  was: readonly Input[],
  now: readonly Input[],
  piece: Piece,
  differences: Differences,
): void {
  for (const input of now) {
    const old = was.find(
      (candidate) => candidate.in === input.in && candidate.name.join(".") === input.name.join("."),
    );
    if (!old) continue;
    // A default that wasn't shown may be any.
    const isOpen = old.absentGap !== undefined;
    const meaning = ({
      sets,
      filter,
      ignored,
      default: fallback,
      separator,
      asJson,
      requiredWhenMade,
    }: Input) => ({
      sets,
      filter,
      ignored,
      fallback: isOpen ? undefined : fallback,
      separator,
      asJson,
      requiredWhenMade,
      rules: undefined,
    });
    const withoutDefault = (of: Input) => ({ ...meaning(of), fallback: undefined });
    // The comparison of the wire has found another default that is a plain value.
    const isFound =
      sameMeaning(withoutDefault(old), withoutDefault(input)) &&
      differences.has(`${piece.subject} ${input.in}.${input.name.join(".")}`);
    if (!isFound && !sameMeaning(meaning(old), meaning(input)))
      report(
        differences,
        piece,
        "input-meaning-changed",
        `uses \`${input.name.join(".")}\` differently`,
        input.position,
      );
  }
}

/** Compares which response is given when, and errors that replace responses. */
function compareAnswers(was: Endpoint, now: Endpoint, piece: Piece, differences: Differences): void {
  const cases = ({ returns }: Endpoint) => returns.map(({ kind, when }) => ({ kind, when }));
  const bodies = ({ returns }: Endpoint) =>
    new Set(
      returns.map(({ when: _case, position: _position, ...response }) =>
        meaningOf({ ...response, status: 0 }),
      ),
    );
  const at = now.returns[0]?.position;
  const hasOtherCases = was.returns.length !== now.returns.length && !sameMeaning(cases(was), cases(now));
  if (hasOtherCases) report(differences, piece, "answer-changed", "responds in other cases", at);
  const hasOtherBody = hasOtherCases
    ? !bodies(now).isSubsetOf(bodies(was))
    : !sameMeaning(withoutOnlyStatus(was).returns, withoutOnlyStatus(now).returns);
  if (hasOtherBody) report(differences, piece, "answer-changed", "has another response body", at);
}

const partAspects: Aspects<EndpointsPart> = {
  basePath: "elsewhere",
  basePathAt: "same",
  gap: "elsewhere",
  mediaType: "elsewhere",
  accepts: "elsewhere",
  emptyInputs: { rule: "operation-changed", what: "handles empty inputs differently" },
  unknownFields: "elsewhere",
  nullFields: { rule: "answer-field-optional", what: "shows or omits fields that are null" },
  timestamps: { rule: "answer-type-changed", what: "writes timestamps in another form" },
  expansion: "elsewhere",
  crossOrigin: { rule: "access-changed", what: "serves pages of other origins" },
  functions: { rule: "operation-changed", what: "has other functions of the module" },
  errorHeaders: { rule: "answer-header-changed", what: "sends other headers with errors" },
};

type Treatment = ReturnType<typeof unknownFieldsIn>;

/** @param treatments before and after, of a place */
function compareUnknownFields(
  treatments: (place: UnknownFieldPlace) => readonly [Treatment, Treatment],
  piece: Piece,
  differences: Differences,
): void {
  const changed = (["query", "body"] as const).flatMap((place) => {
    // Where the document is silent, unknown fields are rejected: an engine default.
    const [was, now] = treatments(place).map((treatment) => treatment ?? "rejected");
    return typeof now !== "string" || sameMeaning(was, now) ? [] : [{ place, now }];
  });
  for (const [now, places] of Map.groupBy(changed, ({ now }) => now)) {
    const where = places.length === 1 ? ` in the ${places.map(({ place }) => place).join("")}` : "";
    const rule = now === "rejected" ? "input-refused" : "input-widened";
    const does = now === "rejected" ? "rejects" : "ignores";
    report(differences, piece, rule, `${does} unknown fields${where} now`);
  }
}

export function compareEndpointsPart(before: Model, after: Model, differences: Differences): void {
  const [was, now] = [before.endpointsPart, after.endpointsPart];
  const start = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: 0 } };
  const piece: Piece = { subject: "part 4", position: after.endpoints[0]?.position ?? start };
  compareAspects(was, now, partAspects, piece, differences);
  compareUnknownFields(
    (place) => [unknownFieldsIn(place, was), unknownFieldsIn(place, now)],
    piece,
    differences,
  );
  if (was.basePath.text !== now.basePath.text)
    report(
      differences,
      piece,
      "base-path-changed",
      `has the base path \`${now.basePath.text || "/"}\`, and had \`${was.basePath.text || "/"}\``,
      now.basePathAt,
    );
}
