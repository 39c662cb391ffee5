/** Arithmetic in PostgreSQL without errors: results that the notation defines as null are null. */
import type { Operand } from "../../sql/dialect.ts";
import type { Form } from "../../sql/form.ts";
import { type Sql, sql } from "../../sql/fragment.ts";
import {
  betweenFunction,
  decimalFunction,
  laterFunction,
  productFunction,
  quotientFunction,
  sumFunction,
} from "./functions.ts";

/** The smallest number above the range of whole numbers, ±(2^53−1). */
const beyond = 2 ** 53;

/**
 * Arithmetic on decimals, moments and durations in SQL; undefined if PostgreSQL can't compute it
 * (`Dialect.otherCalculation`).
 */
export function decimalCalculation(
  operator: string,
  left: Operand,
  right: Operand,
  gives: Form,
): Sql | undefined {
  return gives === "decimal" ? decimal(operator, left, right) : time(operator, left, right);
}

/**
 * Decimal arithmetic with exact results, equal to those of the functions.
 *
 * Undefined for division, and for operands that aren't exact.
 */
function decimal(operator: string, left: Operand, right: Operand): Sql | undefined {
  const isExact = ({ form }: Operand) => form === "decimal" || form === "integer";
  if (!"+-*".includes(operator) || !isExact(left) || !isExact(right)) return undefined;
  return sql`${decimalFunction}((${left.write()})::numeric ${operator} (${right.write()})::numeric)`;
}

export function integerCalculation(operator: string, a: Sql, b: Sql, within: boolean): Sql {
  switch (operator) {
    case "*":
      return within ? sql`(${a} * ${b})` : sql`${productFunction}(${a}, ${b})`;
    case "/":
    case "%":
      return sql`(${a} ${operator} nullif(${b}, 0))`;
    default: {
      const value = sql`(${a} ${operator} ${b})`;
      return within ? value : safeInteger(value);
    }
  }
}

/**
 * Null for an integer out of bounds.
 *
 * The value is clamped to the bound first, so that the SQL contains it only once. `least` ignores
 * null, so null stays null.
 */
export function safeInteger(value: Sql): Sql {
  return sql`nullif(nullif(greatest(least(${value}, ${beyond}), -${beyond}), ${beyond}), -${beyond})`;
}

export function fractionCalculation(operator: string, a: Sql, b: Sql): Sql | undefined {
  const name = { "+": sumFunction, "-": sumFunction, "*": productFunction, "/": quotientFunction }[operator];
  if (name === undefined) return undefined;
  return operator === "-" ? sql`${name}(${a}, 0 - ${b})` : sql`${name}(${a}, ${b})`;
}

function time(operator: string, left: Operand, right: Operand): Sql | undefined {
  switch (`${left.form} ${operator} ${right.form}`) {
    case "timestamp + duration":
    case "date + duration":
      return sql`${laterFunction}(${left.write()}, ${right.write()})`;
    case "duration + timestamp":
    case "duration + date":
      return sql`${laterFunction}(${right.write()}, ${left.write()})`;
    case "timestamp - duration":
    case "date - duration":
      return sql`${laterFunction}(${left.write()}, 0 - ${right.write()})`;
    case "timestamp - timestamp":
    case "date - date":
      return sql`${betweenFunction}(${left.write()}, ${right.write()})`;
    default:
      return undefined;
  }
}
