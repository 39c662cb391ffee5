/**
 * Reference to a record: read and written as its identifier, or as an object if several fields
 * identify it. The value is the record's key (`expressions/key.ts`). The engine looks up whether
 * the record exists.
 */
import { keyText } from "../../expressions/key.ts";
import { renderTimestamp } from "../../expressions/writing/wire.ts";
import type { Value } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { FieldContext, FieldOptions, FieldReader } from "../field-reader.ts";
import type { Findings } from "../findings.ts";
import { onlyText } from "../form.ts";
import { identifyingFields, keyFormsOf } from "../key.ts";
import type { FieldRule } from "../rule.ts";
import { compileNormalise, rulesOfForm } from "../rules/index.ts";
import type { FieldType } from "../type.ts";
import { scalarTypes } from "./index.ts";
import { compileObject, type Member } from "./object.ts";
import { textOrRefuse } from "./scalar.ts";
import { Refusal, type ScalarType } from "./scalar-type.ts";

export function compileReference(resource: string, context: FieldContext): FieldReader {
  const key = compileKey(resource, context);
  const refer = (value: Value | undefined, path: string, findings: Findings) => {
    if (value !== undefined) findings.references.push({ resource, value, field: path });
    return value;
  };
  return {
    json: (json, path, findings) => refer(key.json(json, path, findings), path, findings),
    form: (node, path, findings) => refer(key.form(node, path, findings), path, findings),
  };
}

/**
 * Reads a record's key. The records that its parts refer to need no lookup: they exist if the
 * record does.
 */
function compileKey(resource: string, context: FieldContext): FieldReader {
  const end = identifiedBy(resource, context.options.resource);
  return end.joint === undefined
    ? compileSingle(resource, end, context)
    : compileJoint(resource, end.joint, context);
}

function compileSingle(
  resource: string,
  { type: identifier, normalise = identity }: Exclude<IdentifiedBy, { readonly joint: string }>,
  { options }: FieldContext,
): FieldReader {
  // The problem says what is expected, not how identifiers are written.
  const words = `must be the identifier of ${withArticle(resource)}`;
  const known = (value: Value | Refusal, sent: Json, path: string, findings: Findings) => {
    if (value instanceof Refusal) return findings.refuse("invalid field", path, words, sent);
    return identifyingForm(identifier.kind, value, options);
  };
  return {
    json: (json, path, findings) =>
      known(
        identifier.read(typeof json === "string" ? normalise(json) : json, options),
        json,
        path,
        findings,
      ),
    form(node, path, findings) {
      const text = textOrRefuse(node, path, findings);
      return text === undefined
        ? undefined
        : known(identifier.readText(normalise(text), options), text, path, findings);
    },
  };
}

/**
 * An identifying timestamp is stored as it is serialized, so every notation of it finds the record.
 */
function identifyingForm(kind: FieldType["kind"], value: Value, { timestamps }: FieldOptions): Value {
  return kind === "timestamp" && typeof value === "string" ? renderTimestamp(value, timestamps) : value;
}

const identity = (text: string): string => text;

/** Reader of an identifier of several fields, those of the resource `joint`: an object with a value for each. */
function compileJoint(resource: string, joint: string, context: FieldContext): FieldReader {
  const { options } = context;
  const spec = options.resource(joint);
  const names = spec ? identifyingFields(spec) : [];
  const forms = keyFormsOf(joint, options.resource);
  const words = `must be the identifier of ${withArticle(resource)}, an object with ${names.join(" and ")}`;
  const members = names.map((name): Member => {
    const { type, rules } = spec?.fields.find((field) => field.name === name) ?? notShown;
    return { name, required: true, reader: partReader(type, rulesOfForm(rules), context) };
  });
  const parts = compileObject(members, options.unknownFields);
  const known = (read: Value | undefined, before: number, findings: Findings): Value | undefined => {
    if (read === undefined || findings.count > before) return undefined;
    const values = read as { readonly [name: string]: Value };
    return keyText(
      names.map((name) => values[name] ?? null),
      forms,
    );
  };
  return {
    json(json, path, findings) {
      if (typeof json !== "object" || json === null || Array.isArray(json))
        return findings.refuse("invalid field", path, words, json);
      const before = findings.count;
      return known(parts.json(json, path, findings), before, findings);
    },
    form(node, path, findings) {
      if (!node.parts) return findings.refuse("invalid field", path, words, onlyText(node));
      const before = findings.count;
      return known(parts.form(node, path, findings), before, findings);
    },
  };
}

const notShown = { type: { kind: "not shown" }, rules: [] } as const;

function partReader(type: FieldType, rules: readonly FieldRule[], context: FieldContext): FieldReader {
  if (type.kind === "timestamp") return identifyingReader(context.compile(type, rules), type, context);
  if (type.kind !== "reference") return context.compile(type, rules);
  // Created on first use, because identifiers may form cycles.
  let made: FieldReader | undefined;
  const reader = () => (made ??= compileKey(type.resource, context));
  return {
    json: (json, path, findings) =>
      json === null
        ? findings.refuse("missing field", path, "must not be null", null)
        : reader().json(json, path, findings),
    form: (node, path, findings) => reader().form(node, path, findings),
  };
}

function identifyingReader(reader: FieldReader, { kind }: FieldType, { options }: FieldContext): FieldReader {
  const formed = (value: Value | undefined) =>
    value === undefined ? undefined : identifyingForm(kind, value, options);
  return {
    json: (json, path, findings) => formed(reader.json(json, path, findings)),
    form: (node, path, findings) => formed(reader.form(node, path, findings)),
  };
}

/** Maximum length of a chain of references, if identifiers are references themselves. */
const stepsMax = 8;

type IdentifiedBy =
  | { readonly joint: string; readonly type?: undefined }
  | {
      readonly type: ScalarType;
      /** Brings a text into the stored form of its field. */
      readonly normalise?: ((text: string) => string) | undefined;
      readonly joint?: undefined;
    };

/** The type of a reference's identifier: the type of the single field at its end, or the resource with several. */
function identifiedBy(resource: string, resourceNamed: FieldOptions["resource"]): IdentifiedBy {
  let name = resource;
  for (let step = 0; step < stepsMax; step += 1) {
    const spec = resourceNamed(name);
    const names = spec ? identifyingFields(spec) : [];
    if (names.length > 1) return { joint: name };
    const field = spec?.fields.find((candidate) => candidate.name === names[0]);
    const type = field?.type;
    if (type?.kind === "reference") name = type.resource;
    else if (field && type && type.kind in scalarTypes)
      return {
        type: scalarTypes[type.kind as ScalarType["kind"]],
        normalise: compileNormalise(field.rules),
      };
    else break;
  }
  return { type: scalarTypes.string };
}

/** Paths to the single values of an identifier of several fields: `repository`, `number`. Empty for a single field. */
export function partPaths(
  resource: string,
  resourceNamed: FieldOptions["resource"],
  depth = 0,
): readonly (readonly string[])[] {
  const { joint } = identifiedBy(resource, resourceNamed);
  const spec = joint === undefined || depth >= stepsMax ? undefined : resourceNamed(joint);
  return (spec ? identifyingFields(spec) : []).flatMap((name) => {
    const type = spec?.fields.find((field) => field.name === name)?.type;
    const inner = type?.kind === "reference" ? partPaths(type.resource, resourceNamed, depth + 1) : [];
    return inner.length === 0 ? [[name]] : inner.map((path) => [name, ...path]);
  });
}

export function withArticle(name: string): string {
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
}
