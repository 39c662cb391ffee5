/**
 * Equality and order of run-time values, with null as an ordinary value. `compiling/operators.ts`
 * has the null rules of operators.
 */
import { compareDecimals, decimalOf } from "./decimal.ts";
import { compareText } from "./text.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

/** Whether two values are equal, including lists and maps. The order of keys doesn't matter. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b);
  if (a instanceof Uint8Array || b instanceof Uint8Array) return sameBytes(a, b);
  return sameMap(a as Readonly<Record<string, Value>>, b as Readonly<Record<string, Value>>);
}

function sameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((value: Value, at) => sameValue(value, b[at] as Value));
}

function sameBytes(a: unknown, b: unknown): boolean {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return false;
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function sameMap(a: Readonly<Record<string, Value>>, b: Readonly<Record<string, Value>>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]));
}

/**
 * Negative, zero or positive; undefined if the values have no order. Types distinguish decimals
 * from other texts; with open types the values decide.
 */
export function compareValues(a: Value, b: Value, ofA: Type, ofB: Type): number | undefined {
  if (ofA.kind === "decimal" || ofB.kind === "decimal") return compareAsDecimals(a, b);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  return undefined;
}

/** Whether two values are equal as decimals. A number can be equal to the text of a decimal. */
export function sameDecimal(a: Value, b: Value): boolean {
  return compareAsDecimals(a, b) === 0;
}

const decimalForm = /^-?\d+(?:\.\d+)?$/;

/** A value of a numeric type as a decimal. Null for any other value. */
export function asDecimal(value: Value): string | null {
  if (typeof value === "number") return decimalOf(value);
  return typeof value === "string" && decimalForm.test(value) ? value : null;
}

function compareAsDecimals(a: Value, b: Value): number | undefined {
  const left = asDecimal(a);
  const right = asDecimal(b);
  return left === null || right === null ? undefined : compareDecimals(left, right);
}
