/**
 * Response comparison: compares a response with that of the reference. The reference runs twice,
 * with different randomness and time. Where its two responses differ, the document leaves the value
 * to the service. Such values are unified instead of compared: a value must correspond to the same
 * value each time.
 */
import type { Model } from "../../model/model.ts";
import { localOrigin } from "../../scenarios/local-target.ts";
import type { Json } from "../../support/json.ts";
import { headerOf, jsonOf } from "../stories/story.ts";
import type { ReceivedResponse } from "../../verify/scenario-failure.ts";

/** A response, and the clock time of the implementation that sent it. */
export interface TimedResponse {
  readonly response: ReceivedResponse;
  readonly nowMs: number;
}

export interface Difference {
  /** The compared part: `status`, `body data[0].status`, `header Location`. */
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

export interface ComparisonRules {
  /** Keys that hold identifiers. */
  readonly identityNames: ReadonlySet<string>;
  /** The headers that the document states, in lower case. */
  readonly headers: readonly string[];
  /**
   * Whether the service has other records than the reference, after an earlier difference. Lists
   * are then not compared.
   */
  readonly hasDiverged: boolean;
  /**
   * Texts of the engine, such as the reason why a value is wrong. The document leaves their wording
   * open.
   */
  readonly openTexts: readonly string[];
}

/** Names of fields with identifiers: those of records, and references. */
export function identityNamesOf({ resources }: Model): ReadonlySet<string> {
  return new Set(
    resources.flatMap(({ fields }) =>
      fields
        .filter(({ role, type }) => role === "identifier" || type.kind === "reference")
        .map(({ name }) => name),
    ),
  );
}

/**
 * Whether a text equals the expected one but for the address of the service, which must be the same
 * in all texts. A service may have a public address that differs from that of the requests.
 */
function isSameButForOrigin(unifier: Unifier, expected: string, observed: string): boolean {
  const at = expected.indexOf(localOrigin);
  if (at < 0) return false;
  const [origin] = /^https?:\/\/[^/?#\s"]+/.exec(observed.slice(at)) ?? [];
  return (
    origin !== undefined &&
    expected.replaceAll(localOrigin, origin) === observed &&
    unifier.agrees(localOrigin, origin)
  );
}

/** Unifier: maps each value of the service to the value of the reference that it corresponds to. */
export class Unifier {
  readonly #observed = new Map<string, string>();
  readonly #expected = new Map<string, string>();
  /** The identifiers of both runs of the reference that stand for the same record. */
  readonly #twins = new Map<string, string>();

  /**
   * Whether both runs of the reference show the same record. Pages of lists may begin with another
   * one, because their times differ.
   */
  areTwins(first: string, second: string): boolean {
    const known = this.#twins.get(first) ?? second;
    this.#twins.set(first, known);
    return known === second;
  }

  /** The expected text that each random text of the service stood for. */
  readonly #opaque = new Map<string, string>();

  /** Whether a random text of the service stood for no other text before. */
  isOwn(expected: string, observed: string): boolean {
    const known = this.#opaque.get(observed) ?? expected;
    this.#opaque.set(observed, known);
    return known === expected;
  }

  /** Whether a pair of values agrees with all pairs before; records the pair. */
  agrees(expected: string, observed: string): boolean {
    const known = this.#observed.get(expected);
    const stoodFor = this.#expected.get(observed);
    if (known !== undefined || stoodFor !== undefined) return known === observed && stoodFor === expected;
    this.#observed.set(expected, observed);
    this.#expected.set(observed, expected);
    return true;
  }
}

/** The maximum difference of two clocks, in milliseconds. */
const clockToleranceMs = 60_000;
/** Rounding of times: some are serialized in whole seconds. */
const precisionMs = 1_000;

interface Comparing {
  readonly rules: ComparisonRules;
  readonly unifier: Unifier;
  readonly clocks: { readonly first: number; readonly second: number; readonly observed: number };
  readonly found: Difference[];
}

/**
 * @param first the reference's response
 * @param second the response of its other run
 */
export function compareResponses(
  first: TimedResponse,
  second: TimedResponse,
  observed: TimedResponse,
  rules: ComparisonRules,
  unifier: Unifier,
): readonly Difference[] {
  if (first.response.status !== second.response.status) return [];
  if (first.response.status !== observed.response.status) {
    const actual = `${observed.response.status} ${observed.response.body.slice(0, 200)}`.trim();
    return [{ what: "status", expected: String(first.response.status), actual }];
  }
  const comparing: Comparing = {
    rules,
    unifier,
    clocks: { first: first.nowMs, second: second.nowMs, observed: observed.nowMs },
    found: [],
  };
  compareHeaders(comparing, first.response, second.response, observed.response);
  compareBodies(comparing, first.response.body, second.response.body, observed.response.body);
  return comparing.found;
}

function compareHeaders(
  comparing: Comparing,
  first: ReceivedResponse,
  second: ReceivedResponse,
  observed: ReceivedResponse,
): void {
  const { found, rules, unifier } = comparing;
  // The text of an entity tag is the service's choice. Preconditions show whether it changes.
  for (const name of ["content-type", "etag", ...rules.headers]) {
    const expected = headerOf(first, name);
    const actual = headerOf(observed, name);
    const isWithoutBody = name === "content-type" && first.body === "";
    if (expected === undefined || isWithoutBody) continue;
    const what = `header ${name}`;
    if (actual === undefined) found.push({ what, expected, actual: "no such header" });
    else if (name === "content-type") {
      if (mediaTypeOf(expected) !== mediaTypeOf(actual)) found.push({ what, expected, actual });
    } else if (name !== "etag" && expected === headerOf(second, name) && expected !== actual)
      if (!isSameButForOrigin(unifier, expected, actual)) found.push({ what, expected, actual });
  }
}

function mediaTypeOf(text: string): string {
  return (text.split(";")[0] ?? "").trim().toLowerCase();
}

function compareBodies(comparing: Comparing, first: string, second: string, observed: string): void {
  const expected = jsonOf(first);
  const secondJson = jsonOf(second);
  if (expected === undefined || secondJson === undefined) {
    if (first === second && first !== observed)
      comparing.found.push({ what: "body", expected: cut(first), actual: cut(observed) });
    return;
  }
  const actual = jsonOf(observed);
  if (actual === undefined)
    comparing.found.push({
      what: "body",
      expected: "JSON",
      actual: observed === "" ? "no body" : cut(observed),
    });
  else compareValues(comparing, expected, secondJson, actual, []);
}

type Path = readonly (string | number)[];

function compareValues(comparing: Comparing, first: Json, second: Json, observed: Json, path: Path): void {
  if (isList(first)) {
    if (isList(second) && isList(observed)) compareLists(comparing, first, second, observed, path);
    else differ(comparing, path, first, observed);
  } else if (isMap(first)) {
    if (isMap(second) && isMap(observed)) compareMaps(comparing, first, second, observed, path);
    else differ(comparing, path, first, observed);
  } else if (!isMap(second) && !isList(second)) compareScalars(comparing, first, second, observed, path);
}

function compareMaps(
  comparing: Comparing,
  first: Readonly<Record<string, Json>>,
  second: Readonly<Record<string, Json>>,
  observed: Readonly<Record<string, Json>>,
  path: Path,
): void {
  for (const [key, expected] of Object.entries(first)) {
    const actual = observed[key];
    const secondValue = second[key];
    if (secondValue === undefined) continue;
    if (actual === undefined) differ(comparing, [...path, key], expected, undefined);
    else compareValues(comparing, expected, secondValue, actual, [...path, key]);
  }
  for (const [key, actual] of Object.entries(observed))
    if (first[key] === undefined && second[key] === undefined)
      comparing.found.push({
        what: `body ${written([...path, key])}`,
        expected: "no such key",
        actual: cut(JSON.stringify(actual)),
      });
}

function compareLists(
  comparing: Comparing,
  first: readonly Json[],
  second: readonly Json[],
  observed: readonly Json[],
  path: Path,
): void {
  if (first.length !== second.length) return;
  if (first.length !== observed.length) {
    if (comparing.rules.hasDiverged) return;
    comparing.found.push({
      what: `body ${written(path)}`,
      expected: count(first.length),
      actual: `${count(observed.length)}: ${cut(JSON.stringify(observed))}`,
    });
    return;
  }
  const isOrdered = isSameOrder(first, second);
  if (isOrdered) {
    if (comparing.rules.hasDiverged && first.some(isMap)) return;
    for (const [at, element] of first.entries())
      compareValues(comparing, element, second[at] ?? null, observed[at] ?? null, [...path, at]);
  }
}

/**
 * Whether the elements of both runs of the reference are those of the same records. The runs may
 * sort differently, because their times differ. Then a text or number of both lists has moved.
 */
export function isSameOrder(first: readonly Json[], second: readonly Json[]): boolean {
  const [ofFirst, ofSecond] = [new Set<Json>(), new Set<Json>()];
  collectScalars(first, ofFirst);
  collectScalars(second, ofSecond);
  const isSame = (value: Json, other: Json | undefined): boolean => {
    if (other === undefined) return false;
    if (isList(value))
      return (
        isList(other) && value.length === other.length && value.every((part, at) => isSame(part, other[at]))
      );
    if (isMap(value))
      return (
        isMap(other) &&
        Object.entries(value).every(([key, part]) => !(key in other) || isSame(part, other[key]))
      );
    return value === other || (!ofSecond.has(value) && !ofFirst.has(other));
  };
  return isSame(first, second);
}

/** Collects the texts and numbers of a value. */
function collectScalars(value: Json, found: Set<Json>): void {
  if (typeof value === "string" || typeof value === "number") found.add(value);
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) collectScalars(part, found);
}

function compareScalars(
  comparing: Comparing,
  first: string | number | boolean | null,
  second: string | number | boolean | null,
  observed: Json,
  path: Path,
): void {
  const isSame =
    first === second ? isEqual(comparing, first, observed) : fits(comparing, first, second, observed);
  if (!isSame) differ(comparing, path, first, observed);
  else if (first !== second && !isConsistent(comparing, first, second, observed, path))
    comparing.found.push({
      what: `body ${written(path)}`,
      expected: "the same value as before, of this record alone",
      actual: JSON.stringify(observed),
    });
}

/**
 * Whether a value equals the expected one. After an earlier difference, generated numbers may
 * differ.
 */
function isEqual({ rules, unifier }: Comparing, first: Json, observed: Json): boolean {
  if (first === observed) return true;
  if (typeof first === "string" && typeof observed === "string") {
    if (isSameButForOrigin(unifier, first, observed)) return true;
    const open = rules.openTexts.find((text) => first.includes(text));
    if (open === undefined) return false;
    const at = first.indexOf(open);
    return observed.startsWith(first.slice(0, at)) && observed.endsWith(first.slice(at + open.length));
  }
  return rules.hasDiverged && typeof first === "number" && typeof observed === "number";
}

/**
 * Whether a value fits where the document leaves it open: it has the same type, and a time is as
 * far from now.
 */
function fits({ clocks }: Comparing, first: Json, second: Json, observed: Json): boolean {
  if (typeof first !== typeof observed || observed === null) return false;
  const [early, late] = [timeOf(first, clocks.first), timeOf(second, clocks.second)];
  if (early === undefined || late === undefined) return true;
  const actual = timeOf(observed, clocks.observed);
  if (actual === undefined) return false;
  const differenceMs = Math.abs(late - clocks.second - (early - clocks.first));
  return (
    differenceMs > precisionMs ||
    Math.abs(actual - clocks.observed - (early - clocks.first)) <= clockToleranceMs
  );
}

/** Whether an identifier refers to the same record as before. */
function isConsistent(
  { rules, unifier }: Comparing,
  first: Json,
  second: Json,
  observed: Json,
  path: Path,
): boolean {
  const name = path.findLast((key) => typeof key === "string");
  const isIdentity = typeof name === "string" && rules.identityNames.has(name);
  if (typeof first !== "string" || typeof observed !== "string") return true;
  if (!isIdentity)
    return (
      rules.hasDiverged ||
      cursorKeys.test(String(name)) ||
      ![first, String(second), observed].every((text) => opaqueText.test(text)) ||
      unifier.isOwn(first, observed)
    );
  if (!unifier.areTwins(first, String(second))) return true;
  return unifier.agrees(`${first} ${String(second)}`, observed);
}

/** A text as random bytes give it: two records with the same one have exchanged or shared it. */
const opaqueText = /^(?=.*\d)[\w+/=-]{20,}$/;
/** Keys of cursors. Two lists may have the same one. */
const cursorKeys = /next|prev|cursor|after|before|page/i;

/**
 * A timestamp, or a number near the time of the clock, in milliseconds. Undefined for anything
 * else.
 */
function timeOf(value: Json, nowMs: number): number | undefined {
  const yearMs = 366 * 86_400_000;
  if (typeof value === "number")
    return [value, value * 1000].find((time) => Math.abs(time - nowMs) < 3 * yearMs);
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT|^[A-Z][a-z]{2}, \d/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

function differ({ found }: Comparing, path: Path, expected: Json, actual: Json | undefined): void {
  found.push({
    what: path.length === 0 ? "body" : `body ${written(path)}`,
    expected: cut(JSON.stringify(expected)),
    actual: actual === undefined ? "no such key" : cut(JSON.stringify(actual)),
  });
}

/** A path as text: `articles[0].slug`. */
function written(path: Path): string {
  return path.map((key, at) => (typeof key === "number" ? `[${key}]` : at === 0 ? key : `.${key}`)).join("");
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function count(number: number): string {
  return number === 1 ? "1 element" : `${number} elements`;
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isMap(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
