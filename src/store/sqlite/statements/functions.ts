/**
 * SQL functions of a SQLite connection, for what SQLite lacks.
 *
 * Each calls the function compiler's own code, so that a statement and a function agree.
 * `registerFunctions` must run on a connection before a statement of `dialect.ts` is prepared on
 * it.
 */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Value } from "../../../expressions/value.ts";
import type { Operation } from "../../sql/dialect.ts";
import type { Decode, Form } from "../../sql/form.ts";
import { decimalOrderKey } from "./decimal-order.ts";
import { decoderOfForm } from "./forms.ts";
import { registerTick } from "../connection/time-bound.ts";

/** Runs the operation with a number: `ninefold(12, a, b)`. */
export const operationFunction = "ninefold";
/** Writes a number as JSON does. SQLite writes fewer digits, and `1.0` for 1. */
export const numberFunction = "ninefold_number";
export const decimalOrderFunction = "ninefold_decimal_order";

type Call = (args: readonly SQLOutputValue[]) => SQLOutputValue;

/**
 * Operations by number. All stores share them, because the key alone determines what an operation
 * does.
 */
const calls: Call[] = [];
const numbers = new Map<string, number>();

/** The number by which statements call an operation. */
export function operationNumber(operation: Operation, forms: readonly Form[]): number {
  const key = `${operation.key} ${forms.join(" ")}`;
  let number = numbers.get(key);
  if (number === undefined) {
    number = calls.length;
    calls.push(callOf(operation, forms));
    numbers.set(key, number);
  }
  return number;
}

function callOf(operation: Operation, forms: readonly Form[]): Call {
  const decoders = forms.map((form): Decode => decoderOfForm(form));
  const encode = encoders[operation.gives] ?? plain;
  return (args) => {
    const values: Value[] = [];
    for (let at = 0; at < decoders.length; at += 1) values.push((decoders[at] as Decode)(args[at]));
    const result = operation.evaluate(values);
    return result === null || result === undefined ? null : encode(result);
  };
}

const plain = (value: Value) => value as SQLOutputValue;

const encoders: Readonly<Partial<Record<Form, (value: Value) => SQLOutputValue>>> = {
  boolean: (value) => (value === true ? 1n : 0n),
  // A JavaScript number would be returned as a binary fraction, and 5 / 2 would be 2.5.
  integer: (value) => BigInt(value as number),
  duration: (value) => (Number.isInteger(value) ? BigInt(value as number) : (value as number)),
  json: (value) => JSON.stringify(value),
  any: (value) => JSON.stringify(value),
};

/** Registers the functions above on a connection. */
export function registerFunctions(database: DatabaseSync): void {
  registerTick(database);
  database.function(
    operationFunction,
    { deterministic: true, varargs: true },
    (...given: SQLOutputValue[]) => {
      const [number, ...args] = given;
      return (calls[Number(number)] as Call)(args);
    },
  );
  database.function(numberFunction, { deterministic: true }, (value: SQLOutputValue) =>
    value === null ? null : JSON.stringify(Number(value)),
  );
  database.function(decimalOrderFunction, { deterministic: true }, (value: SQLOutputValue) =>
    typeof value === "string" ? decimalOrderKey(value) : null,
  );
}
