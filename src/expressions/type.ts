/** The types of expressions: those of part 2, each with or without null (null fits any type). */

export type Type =
  | { readonly kind: ScalarKind }
  /** A text that is one of these values. */
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly of: Type }
  | { readonly kind: "map"; readonly of: Type }
  /** An object with known keys: `body`, `request`, a map literal, an object of parts. An `open` one may have other keys, too. */
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Type>>; readonly open?: boolean }
  /** A record of a resource, or a reference to one. */
  | { readonly kind: "record"; readonly resource: string }
  /** An embedded value (a resource with `Identifier: none`). */
  | { readonly kind: "value"; readonly resource: string }
  /** All records of a resource, or those that pass a filter. Only operations of collections accept it. */
  | { readonly kind: "collection"; readonly resource: string };

/**
 * Text kinds with a form of their own, which `fields/types/` defines; expressions treat them as
 * texts.
 */
export const formedTexts = ["uuid", "email", "uri"] as const;
type FormedText = (typeof formedTexts)[number];

/** Kinds of which a field accepts every value of the same kind, before its rules. */
const exactKinds = ["integer", "number", "decimal", "boolean", "timestamp", "date", "duration"] as const;

/** Kinds of single values that have the same names in expressions, fields and errors. */
export const plainKinds = ["string", ...exactKinds, ...formedTexts] as const;

export type ScalarKind =
  | "null"
  | "any"
  | (typeof plainKinds)[number]
  | "bytes"
  /** Stored hashes, which can only be compared. */
  | "password"
  | "credential";

export const types = {
  null: { kind: "null" },
  any: { kind: "any" },
  string: { kind: "string" },
  integer: { kind: "integer" },
  number: { kind: "number" },
  decimal: { kind: "decimal" },
  boolean: { kind: "boolean" },
  timestamp: { kind: "timestamp" },
  date: { kind: "date" },
  duration: { kind: "duration" },
  bytes: { kind: "bytes" },
} as const satisfies Record<string, Type>;

export function isExactKind(kind: string): boolean {
  return exactKinds.some((exact) => exact === kind);
}

export function isFormedText(kind: string): kind is FormedText {
  return formedTexts.some((text) => text === kind);
}

/** Whether values of the type are texts that can be mixed with `string`. */
export function isText({ kind }: Type): boolean {
  return kind === "string" || kind === "enum" || isFormedText(kind);
}
