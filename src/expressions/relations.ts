/** Relations of types: assignability, comparability, common type, and descriptions. */
import type { FieldWords, Vocabulary } from "./scope.ts";
import { isFormedText, isText, type Type, types } from "./type.ts";

/** Whether values are stored as hashes. As inputs they are texts. */
export function isSecret(type: Type): boolean {
  return type.kind === "password" || type.kind === "credential";
}

export function isNumeric(type: Type): boolean {
  return type.kind === "integer" || type.kind === "number" || type.kind === "decimal";
}

/** Whether the type is only known at run time. It fits every type, and every type fits it. */
export function isOpen(type: Type): boolean {
  return type.kind === "any" || type.kind === "null";
}

/** The type of the field that identifies records of a resource. Undefined for several identifying fields and for values. */
export function identifierType(resource: string, words: Vocabulary): Type | undefined {
  const found = words.resource(resource);
  const name = found?.identifier.length === 1 ? found.identifier[0] : undefined;
  return name === undefined ? undefined : (found?.fields.get(name)?.type ?? types.any);
}

/** The fields of an embedded value or an object, by name. Undefined if they are unknown. */
export function partsOf(type: Type, words: Vocabulary): ReadonlyMap<string, Type> | undefined {
  if (type.kind === "object") return new Map(Object.entries(type.fields));
  if (type.kind !== "value") return undefined;
  const found = words.resource(type.resource);
  return found && new Map([...found.fields].map(([name, field]: [string, FieldWords]) => [name, field.type]));
}

/** Whether a value of one type is assignable to another. */
export function fits(from: Type, to: Type, words: Vocabulary): boolean {
  if (isOpen(from) || isOpen(to)) return true;
  switch (to.kind) {
    case "string":
      return isText(from) || isSecret(from);
    case "enum":
      if (from.kind === "enum") return from.values.some((value) => to.values.includes(value));
      return from.kind === "string";
    case "password":
    case "credential":
      return isText(from) || from.kind === to.kind;
    case "number":
      return from.kind === "number" || from.kind === "integer";
    case "decimal":
      return from.kind === "decimal" || from.kind === "integer";
    case "list":
      if (from.kind === "collection") return fits({ kind: "record", resource: from.resource }, to.of, words);
      return from.kind === "list" && fits(from.of, to.of, words);
    case "map":
      if (from.kind === "map") return fits(from.of, to.of, words);
      return from.kind === "object" && Object.values(from.fields).every((field) => fits(field, to.of, words));
    case "object":
    case "value":
      return partsFit(from, to, words);
    case "record":
      if (from.kind === "record") return from.resource === to.resource;
      return identifies(from, to.resource, words);
    case "collection":
      return from.kind === "collection" && from.resource === to.resource;
    default:
      return from.kind === to.kind || (from.kind === "string" && isFormedText(to.kind));
  }
}

function partsFit(from: Type, to: Type, words: Vocabulary): boolean {
  if (from.kind === "value" && to.kind === "value") return from.resource === to.resource;
  if (from.kind === "map") return true;
  const given = partsOf(from, words);
  const expected = partsOf(to, words);
  if (!given || !expected) return false;
  const open = to.kind === "object" && to.open === true;
  return [...given].every(([name, type]) => {
    const part = expected.get(name);
    return part ? fits(type, part, words) : open;
  });
}

/** Whether a value of this type can be a record's identifier. */
function identifies(type: Type, resource: string, words: Vocabulary): boolean {
  const expected = identifierType(resource, words);
  return expected !== undefined && (expected.kind === "record" ? false : fits(type, expected, words));
}

/** Whether `==` between the types can be true. */
export function comparable(a: Type, b: Type, words: Vocabulary): boolean {
  if (isNumeric(a) && isNumeric(b)) return true;
  if (a.kind === "collection" || b.kind === "collection") return false;
  return fits(a, b, words) || fits(b, a, words);
}

/** Whether `<` between the types is defined. */
export function orderable(a: Type, b: Type): boolean {
  if (isOpen(a) || isOpen(b)) return isOrdered(a) && isOrdered(b);
  if (isNumeric(a) && isNumeric(b)) return true;
  if (isText(a) && isText(b)) return true;
  return a.kind === b.kind && isOrdered(a);
}

/** Whether values of the type have an order. */
export function isOrdered(type: Type): boolean {
  return isOpen(type) || isNumeric(type) || isText(type) || orderedKinds.has(type.kind);
}

const orderedKinds: ReadonlySet<string> = new Set(["boolean", "timestamp", "date", "duration"]);

/** The common type of two alternatives. */
export function join(a: Type, b: Type, words: Vocabulary): Type {
  if (a.kind === "null") return b;
  if (b.kind === "null") return a;
  if (a.kind === "any" || b.kind === "any") return types.any;
  if (a.kind === "enum" && b.kind === "enum")
    return { kind: "enum", values: [...new Set([...a.values, ...b.values])] };
  if (a.kind === b.kind && !("of" in a) && !("fields" in a) && !("resource" in a)) return a;
  if (isNumeric(a) && isNumeric(b)) return joinNumbers(a, b);
  if (isText(a) && isText(b)) return types.string;
  if (a.kind === "list" && b.kind === "list") return { kind: "list", of: join(a.of, b.of, words) };
  if (a.kind === "map" && b.kind === "map") return { kind: "map", of: join(a.of, b.of, words) };
  if (a.kind === "object" && b.kind === "object") return joinObjects(a, b, words);
  if ("resource" in a && "resource" in b && a.kind === b.kind && a.resource === b.resource) return a;
  if (a.kind === "record" && identifies(b, a.resource, words)) return a;
  if (b.kind === "record" && identifies(a, b.resource, words)) return b;
  return types.any;
}

function joinNumbers(a: Type, b: Type): Type {
  if (a.kind === "decimal" || b.kind === "decimal") {
    // A binary fraction has no exact decimal, so the common type is JSON.
    return a.kind === "number" || b.kind === "number" ? types.any : types.decimal;
  }
  return a.kind === "integer" && b.kind === "integer" ? types.integer : types.number;
}

function joinObjects(
  a: Extract<Type, { kind: "object" }>,
  b: Extract<Type, { kind: "object" }>,
  words: Vocabulary,
): Type {
  const fields: Record<string, Type> = { ...a.fields };
  for (const [name, type] of Object.entries(b.fields)) {
    const known = a.fields[name];
    fields[name] = known ? join(known, type, words) : type;
  }
  return { kind: "object", fields, ...(a.open || b.open ? { open: true } : {}) };
}

/**
 * The element type of a list, a collection or (by keys) a map. Undefined if there are no elements.
 */
export function elementOf(type: Type): Type | undefined {
  switch (type.kind) {
    case "any":
    case "null":
      return types.any;
    case "list":
      return type.of.kind === "null" ? types.any : type.of;
    case "collection":
      return { kind: "record", resource: type.resource };
    case "map":
      return types.string;
    default:
      return undefined;
  }
}

const words: Readonly<Partial<Record<Type["kind"], string>>> = {
  null: "null",
  any: "any value",
  string: "a string",
  integer: "an integer",
  number: "a number",
  decimal: "a decimal",
  boolean: "true or false",
  timestamp: "a timestamp",
  date: "a date",
  duration: "a duration",
  uuid: "a uuid",
  email: "an email address",
  uri: "a uri",
  bytes: "bytes",
  password: "a password",
  credential: "a credential",
};

/** A vowel sound at the start of a name: `an Unlock`, but `a User`, `a URL`. */
const startsWithVowel = /^(?:[AEIO]|U(?!s[aeiou]|ni|r[il]|t[ei]|[A-Z]))/;

/** The type as authors write it: `a string`, `one of a, b, c`, `a Parcel`, `a list of strings`. */
export function describeType(type: Type): string {
  switch (type.kind) {
    case "enum":
      return `a value of \`one of ${type.values.slice(0, 8).join(", ")}${type.values.length > 8 ? ", …" : ""}\``;
    case "list":
      return isOpen(type.of) ? "a list" : `a list of ${describeMany(type.of)}`;
    case "map":
      return isOpen(type.of) ? "a map" : `a map of ${describeMany(type.of)}`;
    case "object":
      return "an object";
    case "record":
    case "value":
      return `${startsWithVowel.test(type.resource) ? "an" : "a"} ${type.resource}`;
    case "collection":
      return `the collection of every ${type.resource}`;
    default:
      return words[type.kind] ?? type.kind;
  }
}

/** The type in the plural: `strings`, `lists of strings`, `Parcel records`. */
function describeMany(type: Type): string {
  if (type.kind === "boolean") return "booleans";
  if (type.kind === "record" || type.kind === "value") return `${type.resource} records`;
  return describeType(type).replace(/^an? (\w+(?: address)?)/, (_, word: string) =>
    word.endsWith("address") ? `${word}es` : `${word}s`,
  );
}
