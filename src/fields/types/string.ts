/**
 * `string`, and the two secret types that arrive as strings; the engine stores those. A text is any
 * sequence of characters that every database returns unchanged: without U+0000 and without lone
 * surrogates.
 */
import { Refusal, type ScalarType, textType } from "./scalar-type.ts";

const impossible = new Refusal("must not contain U+0000 or half of a surrogate pair");

export function readString(text: string): string | Refusal {
  return text.isWellFormed() && !text.includes("\0") ? text : impossible;
}

function stringType(
  kind: "string" | "password" | "credential",
  sentence: string,
  schema: Record<string, string | boolean>,
): ScalarType {
  return textType(
    kind,
    { refusal: "must be a string", sentence, schema: { type: "string", ...schema } },
    readString,
  );
}

export const string = stringType("string", "a text", {});
export const password = stringType("password", "a password, stored as a slow hash", {
  format: "password",
  writeOnly: true,
});
export const credential = stringType("credential", "a secret, stored as a hash", {});
