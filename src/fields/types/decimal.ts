/**
 * `decimal`: an exact number, written as a text so that no reader rounds it. Stored as written:
 * `"12.50"` is returned unchanged.
 */
import { readDecimal as read } from "../../expressions/decimal.ts";
import { Refusal, textType } from "./scalar-type.ts";

/** Maximum length of a decimal: far more than money or measurements need, and short enough for cheap exact arithmetic. */
const lengthMax = 100;

const tooLong = new Refusal(`must have at most ${lengthMax} digits`);

/** Canonical text of a decimal: `"007.50"` is `"7.50"`, `"-0.0"` is `"0.0"`. */
function readDecimal(text: string): string | Refusal | undefined {
  const decimal = read(text);
  return decimal !== undefined && text.length > lengthMax ? tooLong : decimal;
}

export const decimal = textType(
  "decimal",
  {
    refusal: 'must be a decimal number in a string, such as "12.50"',
    sentence: "an exact decimal number, written as a text",
    schema: { type: "string", pattern: "^-?\\d+(\\.\\d+)?$" },
  },
  readDecimal,
);
