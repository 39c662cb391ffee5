/**
 * Objects with known members: `address: object` with its rows, embedded values, and complete
 * request bodies.
 */
import { setDefault } from "../../expressions/input-defaults.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import { nearest } from "../../support/nearest.ts";
import type { Json } from "../../support/json.ts";
import type { FieldContext, FieldReader, FieldSpec } from "../field-reader.ts";
import type { Findings, UnknownKeys } from "../findings.ts";
import { type FormNode, onlyText } from "../form.ts";
import { hasRule, isServiceSet, ruleOf } from "../rule.ts";
import type { FieldPart } from "../type.ts";
import { bareObject } from "../../support/bare-object.ts";

export interface Member {
  readonly name: string;
  readonly reader: FieldReader;
  readonly required: boolean;
  /** For inputs of a request: the position among all inputs. */
  readonly order?: number;
  /** The value if none was sent. Undefined omits the member. */
  readonly absent?: (path: string, findings: Findings) => Value | undefined;
  /** Whether `created[gt]=…` is accepted besides `created=…`. Each bound is a key of its own, under that name. */
  readonly range?: boolean;
}

/**
 * Reader of an object with members. Unknown keys are reported or ignored, as the document says of
 * unknown fields.
 */
export interface ObjectReader extends FieldReader {
  /** Reads an empty object: reports the required members. */
  absent(path: string, findings: Findings): Record<string, Value>;
}

/** Names that ordinary objects inherit. Use `Object.hasOwn` to test whether they were sent. */
const inheritedNames = new Set<string>(Object.getOwnPropertyNames(Object.prototype));

interface CompiledMember extends Member {
  readonly inherited: boolean;
}

export function compileObject(
  members: readonly Member[],
  unknownKeys: UnknownKeys,
  alsoKnown: readonly string[] = [],
): ObjectReader {
  const compiled: readonly CompiledMember[] = members.map((member) => ({
    ...member,
    inherited: inheritedNames.has(member.name),
  }));
  const known = new Set([...members.map((member) => member.name), ...alsoKnown]);

  return {
    json(json, path, findings) {
      if (typeof json !== "object" || json === null || Array.isArray(json)) {
        return findings.refuse("invalid field", path, "must be an object", json);
      }
      const object = json as { readonly [key: string]: Json };
      const values = bareObject<Record<string, Value>>();
      let sentCount = 0;
      for (const member of compiled) {
        const { name } = member;
        const given = member.inherited && !Object.hasOwn(object, name) ? undefined : object[name];
        if (member.order !== undefined) findings.order = member.order;
        if (given === undefined) {
          readAbsent(member, path, values, findings);
          continue;
        }
        sentCount += 1;
        const at = path === "" ? name : `${path}.${name}`;
        if (member.range && isObject(given)) readJsonRange(member, given, at, values, findings);
        else keep(values, name, member.reader.json(given, at, findings));
      }
      if (unknownKeys !== "ignored")
        reportUnknownKeys(object, sentCount, { known, unknownKeys, path }, findings);
      return values;
    },
    form(node, path, findings) {
      if (node.items || node.texts.length > 0) {
        return findings.refuse("invalid field", path, "must be an object", onlyText(node));
      }
      const values = bareObject<Record<string, Value>>();
      let sentCount = 0;
      for (const member of compiled) {
        const given = node.parts?.get(member.name);
        if (member.order !== undefined) findings.order = member.order;
        if (given === undefined) {
          readAbsent(member, path, values, findings);
          continue;
        }
        sentCount += 1;
        const at = path === "" ? member.name : `${path}.${member.name}`;
        if (member.range && given.parts) readFormRange(member, given, at, values, findings);
        else keep(values, member.name, member.reader.form(given, at, findings));
      }
      if (unknownKeys !== "ignored" && node.parts && node.parts.size > sentCount)
        reportUnknown(node.parts.keys(), { known, unknownKeys, path }, findings);
      return values;
    },
    absent(path, findings) {
      const values = bareObject<Record<string, Value>>();
      for (const member of compiled) {
        if (member.order !== undefined) findings.order = member.order;
        readAbsent(member, path, values, findings);
      }
      return values;
    },
  };
}

function keep(values: Record<string, Value>, name: string, value: Value | undefined): void {
  if (value !== undefined) values[name] = value;
}

function isObject(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function readAbsent(member: Member, path: string, values: Record<string, Value>, findings: Findings): void {
  const at = path === "" ? member.name : `${path}.${member.name}`;
  if (member.absent) {
    const value = member.absent(at, findings);
    if (value !== undefined) setDefault(values, member.name, value);
  } else if (member.required) findings.refuse("missing field", at, "is required");
}

// ── Ranges ──────────────────────────────────────────────────────────────────────────────────────

/** The bounds of a filter. */
const rangeBounds = ["gt", "gte", "lt", "lte"] as const;

const knownBounds = new Set<string>(rangeBounds);

function readFormRange(
  member: Member,
  node: FormNode,
  path: string,
  values: Record<string, Value>,
  findings: Findings,
): void {
  for (const [bound, part] of node.parts ?? []) {
    const at = `${path}[${bound}]`;
    if (!knownBounds.has(bound)) findings.refuse("unknown field", at, "is not a known field");
    else keep(values, `${member.name}[${bound}]`, member.reader.form(part, at, findings));
  }
  if (node.texts.length > 0)
    keep(values, member.name, member.reader.form({ texts: node.texts }, path, findings));
}

function readJsonRange(
  member: Member,
  object: { readonly [key: string]: Json },
  path: string,
  values: Record<string, Value>,
  findings: Findings,
): void {
  for (const bound of Object.keys(object)) {
    const at = `${path}[${bound}]`;
    if (!knownBounds.has(bound)) findings.refuse("unknown field", at, "is not a known field");
    else keep(values, `${member.name}[${bound}]`, member.reader.json(object[bound] as Json, at, findings));
  }
}

// ── Unknown keys ────────────────────────────────────────────────────────────────────────────────

/** An object's known keys, and what happens to others. */
interface KnownKeys {
  readonly known: ReadonlySet<string>;
  readonly unknownKeys: UnknownKeys;
  readonly path: string;
}

function reportUnknownKeys(
  object: { readonly [key: string]: Json },
  sentCount: number,
  of: KnownKeys,
  findings: Findings,
): void {
  let count = 0;
  for (const key in object) if (Object.hasOwn(object, key)) count += 1;
  if (count > sentCount) reportUnknown(Object.keys(object), of, findings);
}

/**
 * Unknown fields are reported after all others. At the top level they have the order of the
 * request.
 */
function reportUnknown(
  keys: Iterable<string>,
  { known, unknownKeys, path }: KnownKeys,
  findings: Findings,
): void {
  const order = findings.order;
  if (path === "") findings.order = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    if (known.has(key)) continue;
    // Ten thousand unknown keys are not worth ten thousand searches for the nearest known one.
    if (findings.full) break;
    const at = path === "" ? key : `${path}.${key}`;
    findings.refuseUnknown(unknownKeys, at, { key, nearest: nearest(key, known) });
  }
  findings.order = order;
}

// ── Values and parts ────────────────────────────────────────────────────────────────────────────

/** An object whose parts are rows of the field's own table: `address.city`. */
export function compileParts(parts: readonly FieldPart[], context: FieldContext): FieldReader {
  return wholeObject(
    compileObject(
      parts.map((part) => partMember(part, context)),
      context.options.unknownFields,
    ),
  );
}

/**
 * An embedded value: a resource without identifier. It may contain itself, so its reader is created
 * on first use.
 */
export function compileValue(resource: string, context: FieldContext): FieldReader {
  const known = context.values.get(resource);
  if (known) return known;
  let made: FieldReader | undefined;
  const reader = (): FieldReader => {
    const fields = context.options.resource(resource)?.fields ?? [];
    const sent = fields.filter((field) => !isServiceSet(field.rules));
    made ??= wholeObject(
      compileObject(
        sent.map((field) => partMember(field, context)),
        context.options.unknownFields,
      ),
    );
    return made;
  };
  const lazy: FieldReader = {
    json: (json, path, findings) => reader().json(json, path, findings),
    form: (node, path, findings) => reader().form(node, path, findings),
  };
  context.values.set(resource, lazy);
  return lazy;
}

function partMember(part: FieldPart & Pick<FieldSpec, "gap" | "open">, context: FieldContext): Member {
  if (context.patches) {
    const reader = context.compile(part.type, [...part.rules, { rule: "nullable" }], part.gap);
    return { name: part.name, reader, required: false };
  }
  const byDefault = ruleOf(part.rules, "default")?.value;
  const reader = context.compile(part.type, part.rules, part.gap);
  const open = part.open?.made;
  if (open)
    return {
      name: part.name,
      reader,
      required: false,
      absent: (field, findings) => void findings.gaps.push({ field, gap: open }),
    };
  const work = context.options.defaultValue;
  if (byDefault && work)
    return {
      name: part.name,
      reader,
      required: false,
      absent: () => work(byDefault as Expression, part.type),
    };
  return { name: part.name, reader, required: hasRule(part.rules, "required") && !byDefault };
}

/** Returns an object only if all of its members are valid, because a part of an address must not be stored. */
function wholeObject(reader: ObjectReader): FieldReader {
  return {
    json(json, path, findings) {
      const before = findings.count;
      const value = reader.json(json, path, findings);
      return findings.count === before ? value : undefined;
    },
    form(node, path, findings) {
      const before = findings.count;
      const value = reader.form(node, path, findings);
      return findings.count === before ? value : undefined;
    },
  };
}
