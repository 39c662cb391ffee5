/**
 * Compares two schemas of a request or a response. Requests may accept more and responses may contain less without
 * effect on clients; the other way round, clients fail.
 */
import type { JsonSchema } from "../fields/json-schema.ts";
import { isObject, refName, withoutNull } from "../outputs/wire/json-schemas.ts";
import type { Json } from "../support/json.ts";
import type { RuleName } from "./rules.ts";

export type Role = "request" | "answer";

/** Location of a member: the named schema `owner`, or the operation itself, and the keys that lead to the member. */
export interface Member {
  readonly owner?: string;
  /** The name of that schema in the old document. */
  readonly ownerBefore?: string;
  readonly keys: readonly string[];
}

export interface SchemaChange {
  readonly rule: RuleName;
  readonly member: Member;
  readonly message: string;
  /** Only the old schemas have the member. */
  readonly isRemoved?: true;
  /** Only the new schemas have the member, and it must be sent. */
  readonly isNew?: true;
  /** The schema of a member that was removed or added. */
  readonly schema?: JsonSchema;
}

type Named = Readonly<Record<string, JsonSchema>>;

/** Compares schemas with two sets of named schemas. A pair of named schemas is compared once for each role. */
export class SchemaComparison {
  readonly #before: Named;
  readonly #after: Named;
  readonly #known = new Map<string, SchemaChange[]>();

  constructor(before: Named, after: Named) {
    this.#before = before;
    this.#after = after;
  }

  /**
   * @param keys the keys of the schema in the operation: `["body"]`
   * @param rejectsUnknown whether requests with unknown fields are rejected, which no schema says
   * where the document is silent
   */
  compare(
    before: JsonSchema,
    after: JsonSchema,
    role: Role,
    keys: readonly string[],
    rejectsUnknown = false,
  ): readonly SchemaChange[] {
    const found: SchemaChange[] = [];
    this.#compare(before, after, { role, member: { keys }, found, rejectsUnknown });
    return found;
  }

  #compare(before: JsonSchema, after: JsonSchema, at: At): void {
    const [from, to] = [refName(before), refName(after)];
    if (from !== undefined && to !== undefined) {
      at.found.push(...this.#named(from, to, at));
      return;
    }
    this.#open(
      (from !== undefined && this.#before[from]) || before,
      (to !== undefined && this.#after[to]) || after,
      at,
    );
  }

  /** Compares two named schemas. A schema that contains itself is already being compared. */
  #named(from: string, to: string, { role, rejectsUnknown }: At): readonly SchemaChange[] {
    const key = JSON.stringify([role, from, to, rejectsUnknown]);
    const known = this.#known.get(key);
    if (known) return known;
    const found: SchemaChange[] = [];
    this.#known.set(key, found);
    const [before, after] = [this.#before[from] ?? {}, this.#after[to] ?? {}];
    this.#open(before, after, {
      role,
      member: { owner: to, ownerBefore: from, keys: [] },
      found,
      rejectsUnknown,
    });
    return found;
  }

  #open(before: JsonSchema, after: JsonSchema, at: At): void {
    if (JSON.stringify(before) === JSON.stringify(after) && !hasReference(before)) return;
    const [beforeRest, afterRest] = [withoutNull(before), withoutNull(after)];
    const isAny = (schema: JsonSchema) => Object.keys(meant(schema)).length === 0;
    if (beforeRest && !afterRest && !isAny(after)) add(at, "nulls", "less", "null");
    if (!beforeRest && afterRest && !isAny(before)) add(at, "nulls", "more", "null");
    const [beforeMeant, afterMeant] = [meant(beforeRest ?? before), meant(afterRest ?? after)];
    if (isAny(beforeMeant) || isAny(afterMeant)) {
      if (!isAny(afterMeant)) add(at, "values", "less", `only ${wordsOf(afterMeant)}`);
      else if (!isAny(beforeMeant)) add(at, "values", "more", "anything");
      return;
    }
    const [options, others] = [optionsOf(beforeMeant), optionsOf(afterMeant)];
    if (options.length > 1 || others.length > 1) this.#either(options, others, at);
    else {
      const [option = beforeMeant] = options;
      const [other = afterMeant] = others;
      if (refName(option) !== undefined || refName(other) !== undefined) this.#compare(option, other, at);
      else this.#plain(option, other, at);
    }
  }

  /** Compares alternatives: similar ones with each other. The others were added or removed. */
  #either(before: readonly JsonSchema[], after: readonly JsonSchema[], at: At): void {
    const left = [...after];
    const removed: JsonSchema[] = [];
    for (const option of before) {
      const index = left.findIndex(
        (jsonSchema) => kindOf(jsonSchema, this.#after) === kindOf(option, this.#before),
      );
      if (index === -1) removed.push(option);
      for (const jsonSchema of index === -1 ? [] : left.splice(index, 1))
        this.#compare(option, jsonSchema, at);
    }
    for (const option of removed) add(at, "values", "less", `no longer ${wordsOf(option)}`);
    // A client can't read a value of a new type. One more value of a known type it may be able to read.
    for (const option of left)
      if (at.role === "answer" && !valuesOf(option))
        put(at, "answer-type-changed", `may also be ${wordsOf(option)} now`);
      else add(at, "values", "more", `also ${wordsOf(option)}`);
  }

  #plain(before: JsonSchema, after: JsonSchema, at: At): void {
    const [types, newTypes] = [typesOf(before), typesOf(after)];
    const [removed, added] = [missing(types, newTypes), missing(newTypes, types)];
    if (removed.length > 0 && added.length > 0) {
      put(
        at,
        at.role === "request" ? "input-type-changed" : "answer-type-changed",
        `is ${wordsOf(after)} instead of ${wordsOf(before)}`,
      );
      return;
    }
    // Clients can't read a response whose type became wider.
    if (added.length > 0 && at.role === "answer")
      put(at, "answer-type-changed", `is ${wordsOf(after)} instead of ${wordsOf(before)}`);
    else if (removed.length > 0) add(at, "values", "less", `only ${wordsOf(after)}`);
    else if (added.length > 0) add(at, "values", "more", `also ${added.join(", ")}`);
    compareValues(before, after, at);
    compareBounds(before, after, at, removed.length + added.length > 0);
    if (at.role === "request" && meaningOf(before["default"]) !== meaningOf(after["default"]))
      put(
        at,
        "input-default-changed",
        `means ${fallback(after)} when it is left out, and ${fallback(before)} before`,
      );
    if (isObject(before["items"]) && isObject(after["items"]))
      this.#compare(before["items"], after["items"], within(at, "[]"));
    this.#tuples(before["prefixItems"], after["prefixItems"], at);
    this.#objects(before, after, at);
  }

  /** Compares lists that have a schema for each position. */
  #tuples(before: Json | undefined, after: Json | undefined, at: At): void {
    const [old, now] = [before, after].map((list) => (isList(list) ? list.filter(isObject) : []));
    for (const [index, schema] of (old ?? []).entries()) {
      const next = now?.[index];
      if (next) this.#compare(schema, next, within(at, String(index)));
    }
    if (old?.length !== now?.length)
      put(
        at,
        at.role === "request" ? "input-type-changed" : "answer-type-changed",
        `has ${now?.length ?? 0} members instead of ${old?.length ?? 0}`,
      );
  }

  #objects(before: JsonSchema, after: JsonSchema, at: At): void {
    const [old, now] = [propertiesOf(before), propertiesOf(after)];
    const [requiredBefore, requiredAfter] = [requiredOf(before), requiredOf(after)];
    for (const [name, schema] of Object.entries(old)) {
      const inner = within(at, name);
      const next = now[name];
      if (next) {
        compareRequired(inner, requiredBefore.has(name), requiredAfter.has(name), next);
        this.#compare(schema, next, inner);
      } else if (at.role === "request")
        put(
          inner,
          at.rejectsUnknown ? "input-refused" : "input-removed",
          at.rejectsUnknown ? "is rejected now" : "is no longer read",
          { schema, isRemoved: true },
        );
      else put(inner, "answer-field-removed", "is no longer in responses", { schema, isRemoved: true });
    }
    for (const [name, schema] of Object.entries(now)) {
      if (name in old) continue;
      const inner = within(at, name);
      if (at.role === "answer") put(inner, "answer-field-added", "is new in responses", { schema });
      else if (requiredAfter.has(name))
        put(inner, "input-required", "is new, and must be sent", { schema, isNew: true });
      else put(inner, "input-added", "is new, and may be sent", { schema });
    }
    const [open, further] = [before["additionalProperties"], after["additionalProperties"]];
    if (isObject(open) && isObject(further)) this.#compare(open, further, within(at, "*"));
    // The comparison of `Unknown fields` reports whether requests may have unknown fields.
    else if (at.role === "request" && !isObject(open) && !isObject(further)) return;
    else if (open !== false && further === false) add(at, "values", "less", "no further keys");
    else if (open === false && further !== false) add(at, "values", "more", "further keys");
  }
}

interface At {
  readonly role: Role;
  readonly member: Member;
  readonly found: SchemaChange[];
  readonly rejectsUnknown: boolean;
}

function within(at: At, key: string): At {
  return { ...at, member: { ...at.member, keys: [...at.member.keys, key] } };
}

function put(at: At, rule: RuleName, message: string, more: Partial<SchemaChange> = {}): void {
  at.found.push({ rule, member: at.member, message, ...more });
}

const ruleOfValues: Readonly<
  Record<Role, Readonly<Record<"nulls" | "values", Readonly<Record<"more" | "less", RuleName>>>>>
> = {
  request: {
    nulls: { more: "input-nullable", less: "input-not-nullable" },
    values: { more: "input-widened", less: "input-narrowed" },
  },
  answer: {
    nulls: { more: "answer-nullable", less: "answer-not-nullable" },
    values: { more: "answer-widened", less: "answer-narrowed" },
  },
};

/** Adds that there are more or fewer values. `no longer …` names the removed ones. */
function add(at: At, of: "nulls" | "values", change: "more" | "less", what: string): void {
  const isGone = of === "nulls" ? change === "less" : what.startsWith("no longer ");
  const values = what.replace(/^no longer /, "");
  const message =
    at.role === "request"
      ? isGone
        ? `no longer accepts ${values}`
        : `accepts ${values} now`
      : isGone
        ? `is never ${values} now`
        : `may be ${values} now`;
  put(at, ruleOfValues[at.role][of][change], message);
}

function compareRequired(at: At, was: boolean, is: boolean, schema: JsonSchema): void {
  if (was === is) return;
  if (at.role === "request")
    put(
      at,
      is ? "input-required" : "input-optional",
      is ? "must be sent now" : "may be left out now",
      is ? { schema } : {},
    );
  else
    put(
      at,
      is ? "answer-field-always" : "answer-field-optional",
      is ? "is always in responses now" : "may be missing in responses now",
    );
}

function compareValues(before: JsonSchema, after: JsonSchema, at: At): void {
  const [values, newValues] = [valuesOf(before), valuesOf(after)];
  if (!values && !newValues) return;
  if (!newValues) add(at, "values", "more", "any value of its type");
  else if (!values) add(at, "values", "less", `only ${listed(newValues)}`);
  else {
    const [removed, more] = [missing(values, newValues), missing(newValues, values)];
    if (removed.length > 0) add(at, "values", "less", `no longer ${listed(removed)}`);
    if (more.length > 0) add(at, "values", "more", `also ${listed(more)}`);
  }
}

/** Keywords of bounds, with the direction in which they become stricter and the unit. */
const ends = {
  minLength: ["up", "characters"],
  minimum: ["up", ""],
  exclusiveMinimum: ["up", ""],
  minItems: ["up", "items"],
  minProperties: ["up", "keys"],
  maxLength: ["down", "characters"],
  maximum: ["down", ""],
  exclusiveMaximum: ["down", ""],
  maxItems: ["down", "items"],
  maxProperties: ["down", "keys"],
} as const;

/** Keywords that restrict a value, and whose values can't be ordered by strictness. */
const forms = [
  "format",
  "pattern",
  "multipleOf",
  "uniqueItems",
  "contentMediaType",
  "propertyNames",
] as const;

/** @param isOtherType whether the type differs, which says more than its format */
function compareBounds(before: JsonSchema, after: JsonSchema, at: At, isOtherType: boolean): void {
  // The bounds of listed values say nothing more than the values.
  if (valuesOf(after)) return;
  for (const [keyword, [narrower, counted]] of Object.entries(ends)) {
    const [was, is] = [before[keyword], after[keyword]];
    if (was === is || (typeof was !== "number" && typeof is !== "number")) continue;
    const isNarrower =
      typeof is === "number" && (typeof was !== "number" || (narrower === "up" ? is > was : is < was));
    const bound = `${narrower === "up" ? "at least" : "at most"} ${String(is ?? was)}${counted === "" ? "" : ` ${counted}`}`;
    const formerly = typeof was === "number" && typeof is === "number" ? `, ${was} before` : "";
    const message = typeof is === "number" ? `has ${bound} now${formerly}` : `no longer has ${bound}`;
    put(at, ruleOfValues[at.role].values[isNarrower ? "less" : "more"], message);
  }
  for (const keyword of forms) {
    const [was, is] = [before[keyword], after[keyword]];
    if (meaningOf(was) === meaningOf(is) || (keyword === "format" && isOtherType)) continue;
    const message = `has ${is === undefined ? `no ${keyword}` : `the ${keyword} ${shown(is)}`} now${was === undefined ? "" : `, ${shown(was)} before`}`;
    if (is === undefined) put(at, ruleOfValues[at.role].values.more, message);
    else if (was === undefined) put(at, ruleOfValues[at.role].values.less, message);
    else put(at, otherForm(at.role, keyword), message);
  }
}

/**
 * The rule for a changed form. Nothing decides which of two patterns matches more, so a client may fail. A different
 * format or step means a different value.
 */
function otherForm(role: Role, keyword: (typeof forms)[number]): RuleName {
  if (role === "answer") return "answer-widened";
  return keyword === "pattern" ? "input-pattern-changed" : "input-narrowed";
}

/** Keywords that describe and don't restrict values. */
const notes = new Set(["description", "title", "examples", "example", "readOnly", "writeOnly", "deprecated"]);

function meant(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !notes.has(keyword) && !keyword.startsWith("x-")),
  );
}

function optionsOf(schema: JsonSchema): readonly JsonSchema[] {
  for (const keyword of ["anyOf", "oneOf"]) {
    const options = schema[keyword];
    if (isList(options)) return withOneEnumeration(options.filter((option) => isObject(option)));
  }
  return [schema];
}

/** The alternatives, with the listed values of several texts as one: `a | b` is the same as one of a, b. */
function withOneEnumeration(options: readonly JsonSchema[]): readonly JsonSchema[] {
  const isListed = (option: JsonSchema) => option["type"] === "string" && valuesOf(option) !== undefined;
  const listedOptions = options.filter(isListed);
  if (listedOptions.length < 2) return options;
  const values = new Set(listedOptions.flatMap((option) => valuesOf(option) ?? []));
  return [{ type: "string", enum: [...values] }, ...options.filter((option) => !isListed(option))];
}

/**
 * What alternatives are matched by: the name, otherwise the type without null, otherwise the single
 * value.
 */
function kindOf(schema: JsonSchema, named: Named): string {
  const name = refName(schema);
  if (name !== undefined) return `$${name in named ? name : ""}`;
  if ("const" in schema) return shown(schema["const"] ?? null);
  const types = typesOf(schema);
  return (types.length === 1 ? types : types.filter((type) => type !== "null")).join();
}

function typesOf({ type, const: only, enum: among }: JsonSchema): readonly string[] {
  const named = Array.isArray(type) ? type : [type];
  const types = named.filter((candidate) => typeof candidate === "string");
  if (types.length > 0)
    return types.flatMap((candidate) => (candidate === "number" ? ["integer", "number"] : [candidate]));
  const values = only !== undefined ? [only] : isList(among) ? among : [];
  return [...new Set(values.map((value) => typeof value))];
}

function valuesOf({ const: only, enum: among }: JsonSchema): readonly Json[] | undefined {
  if (only !== undefined) return [only];
  return isList(among) ? among.filter((value) => value !== null) : undefined;
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isObject(property) ? [[name, property] as const] : [],
    ),
  );
}

function requiredOf({ required }: JsonSchema): ReadonlySet<Json> {
  return new Set(isList(required) ? required : []);
}

function missing<T extends Json>(of: readonly T[], among: readonly T[]): readonly T[] {
  return of.filter((value) => !among.some((candidate) => meaningOf(candidate) === meaningOf(value)));
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function hasReference(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"$ref"');
}

function meaningOf(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(value);
}

function wordsOf(schema: JsonSchema): string {
  const name = refName(schema);
  if (name !== undefined) return name;
  const values = valuesOf(schema);
  if (values) return listed(values);
  const types = typesOf(schema).filter((type, _at, all) => !(type === "integer" && all.includes("number")));
  return types.length === 0 ? "something else" : types.join(" or ");
}

const listedMax = 5;

function listed(values: readonly Json[]): string {
  const more = values.length - listedMax;
  return `${values.slice(0, listedMax).map(shown).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function fallback(schema: JsonSchema): string {
  return schema["default"] === undefined ? "nothing" : shown(schema["default"]);
}
