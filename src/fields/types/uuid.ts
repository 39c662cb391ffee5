/**
 * `uuid`: the text form of RFC 9562, accepted in any case and stored in lower case so that equal
 * ones are equal texts.
 */
import { textType } from "./scalar-type.ts";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const uuid = textType(
  "uuid",
  { refusal: "must be a UUID", sentence: "a UUID", schema: { type: "string", format: "uuid" } },
  (text) => (form.test(text) ? text.toLowerCase() : undefined),
);
