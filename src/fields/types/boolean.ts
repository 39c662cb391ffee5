/** `boolean`: `true` or `false`, also as a text. */
import { Refusal, type ScalarType } from "./scalar-type.ts";

const refusal = new Refusal("must be true or false");

export const boolean: ScalarType = {
  kind: "boolean",
  sentence: "true or false",
  read: (json) => (typeof json === "boolean" ? json : refusal),
  readText: (text) => (text === "true" ? true : text === "false" ? false : refusal),
  schema: () => ({ type: "boolean" }),
};
