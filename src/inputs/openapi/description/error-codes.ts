/**
 * Codes of errors by status: constants, enumerations and examples of the member that has them. A code
 * is that of a status if no other status has it.
 */
import { errorMember } from "../../error-members.ts";
import type { Files } from "./files.ts";
import { type Answer, contentOf, type Operation } from "./operations.ts";
import type { Schemas } from "./schemas.ts";
import { isPlain, listOf, member, plainOf } from "./values.ts";

export interface ErrorCodes {
  /** The path of the member that has the code: `error.code`, `errors[].code`. */
  readonly path: string | undefined;
  /** The only code of a status, which each of its responses shows. */
  readonly stated: ReadonlyMap<string, string>;
  /** Other codes that responses of a status show. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
  /** Values of an enumeration that responses of several statuses share. */
  readonly open: readonly string[];
}

/** Maximum depth of the member in an error. */
const depthMax = 4;
/** Maximum number of schemas that are searched for it in one response. */
const schemasMax = 500;

/** The values of each member that may be a code, by its path. */
type Found = ReadonlyMap<string, readonly string[]>;

/** A response with what it shows of one member. */
interface Sample {
  readonly status: string;
  /** The values of its examples. */
  readonly shown: readonly string[];
  /** The values of its schema: one for a constant, more for an enumeration. */
  readonly values: readonly string[];
}

/** The codes that the description shows. Of several members, those of the one that shows most. */
export function errorCodesOf(files: Files, schemas: Schemas, operations: readonly Operation[]): ErrorCodes {
  const samples = new Map<string, Sample[]>();
  const ofSchema = searchSchemas(schemas);
  const perStatus = new Map<string, number>();
  for (const answer of operations.flatMap(({ answers }) => answers)) {
    const { code: status, schema } = answer;
    if (!/^[45]\d\d$/.test(status) || !answer.types.some((type) => /json/i.test(type))) continue;
    perStatus.set(status, (perStatus.get(status) ?? 0) + 1);
    const [stated, examples] = [ofSchema(schema), inExamples(files, answer)];
    for (const path of new Set([...stated.keys(), ...examples.keys()])) {
      const sample = { status, shown: examples.get(path) ?? [], values: stated.get(path) ?? [] };
      const known = samples.get(path);
      if (known) known.push(sample);
      else samples.set(path, [sample]);
    }
  }
  const all = [...samples].map(([path, of]) => codesAt(path, of, perStatus));
  const [best] = all.toSorted(
    (a, b) =>
      b.stated.size - a.stated.size ||
      b.seen.size - a.seen.size ||
      rankOf(a.path) - rankOf(b.path) ||
      b.open.length - a.open.length,
  );
  return best ?? { path: undefined, stated: new Map(), seen: new Map(), open: [] };
}

function codesAt(
  path: string,
  samples: readonly Sample[],
  perStatus: ReadonlyMap<string, number>,
): ErrorCodes & { readonly path: string } {
  const shown = new Map<string, string[][]>();
  const enumerations = new Map<string, Set<string>>();
  for (const { status, shown: examples, values } of samples) {
    const [only, more] = values;
    const codes = examples.length > 0 ? examples : only !== undefined && more === undefined ? [only] : [];
    if (codes.length > 0) shown.set(status, [...(shown.get(status) ?? []), [...codes]]);
    if (only === undefined) continue;
    const key = JSON.stringify(values);
    enumerations.set(key, (enumerations.get(key) ?? new Set()).add(status));
  }
  const statusesOf = new Map<string, Set<string>>();
  for (const [status, found] of shown)
    for (const code of found.flat()) statusesOf.set(code, (statusesOf.get(code) ?? new Set()).add(status));
  const stated = new Map<string, string>();
  const seen = new Map<string, readonly string[]>();
  const open = new Set<string>();
  for (const [status, found] of shown) {
    const codes = [...new Set(found.flat())];
    const own = codes.filter((code) => statusesOf.get(code)?.size === 1);
    const [only] = own;
    if (only !== undefined && codes.length === 1 && found.length === perStatus.get(status))
      stated.set(status, only);
    else if (own.length > 0) seen.set(status, own);
  }
  // One value of a member such as `type` may be the same for all errors.
  if (stated.size === 1 && rankOf(path) > 0) {
    for (const [status, code] of stated) seen.set(status, [code]);
    stated.clear();
  }
  // Only if schemas differ by status, an enumeration is about its status.
  const areByStatus = enumerations.size > 1 && [...enumerations.values()].every(({ size }) => size === 1);
  for (const [text, statuses] of enumerations) {
    const values: readonly string[] = JSON.parse(text);
    const unknown = values.filter((value) => !statusesOf.has(value));
    const [status] = statuses;
    if (areByStatus && status !== undefined)
      seen.set(status, [...new Set([...(seen.get(status) ?? []), ...unknown])]);
    else for (const value of unknown) open.add(value);
  }
  return { path, stated, seen, open: [...open] };
}

/** A member called code before others. */
function rankOf(path: string): number {
  return /(^|[.[\]])(error_?)?code$/i.test(path) ? 0 : 1;
}

function isCodeKey(key: string): boolean {
  return (errorMember(key) === "code" || key === "id") && /^[A-Za-z_]\w*$/.test(key);
}

/** Texts that can be a code. Generated examples have the name of the type. */
function codesIn(values: readonly unknown[]): readonly string[] {
  return values.flatMap((value) =>
    typeof value === "string" && /^[A-Za-z][\w.-]{0,99}$/.test(value) && value !== "string" ? [value] : [],
  );
}

/** Enumerations and constants of a schema, by their paths. Each schema is searched once. */
function searchSchemas(schemas: Schemas): (node: unknown) => Found {
  const known = new Map<object, Found>();
  return (node) => {
    const { identity } = schemas.read(node);
    const found = known.get(identity) ?? inSchema(schemas, node);
    known.set(identity, found);
    return found;
  };
}

function inSchema(schemas: Schemas, root: unknown): Found {
  const found = new Map<string, string[]>();
  let left = schemasMax;
  const visit = (node: unknown, path: string, depth: number): void => {
    if (depth > depthMax || left-- <= 0) return;
    const { union, items, properties } = schemas.read(node);
    for (const alternative of union ?? []) visit(alternative, path, depth);
    if (items !== undefined) visit(items, `${path}[]`, depth + 1);
    for (const [key, inner] of properties) {
      const at = path === "" ? key : `${path}.${key}`;
      const values = isCodeKey(key) ? schemas.read(inner).values : undefined;
      if (values) found.set(at, [...new Set([...(found.get(at) ?? []), ...codesIn(values)])]);
      else visit(inner, at, depth + 1);
    }
  };
  if (root !== undefined) visit(root, "", 0);
  // The rest could have further values of the same members.
  return left < 0 ? new Map() : found;
}

/** The values of all examples of a response, by their paths. */
function inExamples(files: Files, { node }: Answer): Found {
  const found = new Map<string, string[]>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (depth > depthMax) return;
    for (const item of listOf(value).slice(0, schemasMax)) visit(item, `${path}[]`, depth + 1);
    if (!isPlain(value)) return;
    for (const [key, inner] of Object.entries(value).slice(0, schemasMax)) {
      const at = path === "" ? key : `${path}.${key}`;
      const codes = isCodeKey(key) ? codesIn([inner]) : [];
      if (codes.length > 0) found.set(at, [...new Set([...(found.get(at) ?? []), ...codes])]);
      else visit(inner, at, depth + 1);
    }
  };
  for (const [type, media] of Object.entries(contentOf(files, node))) {
    if (!/json/i.test(type)) continue;
    visit(files.follow(member(media, "example")), "", 0);
    for (const example of Object.values(plainOf(member(media, "examples"))))
      visit(member(files.follow(example), "value"), "", 0);
  }
  return found;
}
