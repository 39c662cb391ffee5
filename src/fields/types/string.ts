/**
 * `string`, and the two secret types that arrive as one; how these are kept is the engine's. A text is any sequence
 * of characters that every database gives back as it came: no U+0000 and no half of a surrogate pair.
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
export const password = stringType("password", "a password, kept as a slow hash", {
  format: "password",
  writeOnly: true,
});
export const credential = stringType("credential", "a secret, kept as a hash", {});
