/** `number`: a finite double. */
import { Refusal, type ScalarType } from "./scalar-type.ts";

const refusal = new Refusal("must be a number");

/** As JSON writes numbers. */
const textForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readNumber(number: number): number | Refusal {
  return Number.isFinite(number) ? number + 0 : refusal;
}

export const number: ScalarType = {
  kind: "number",
  sentence: "a number",
  read: (json) => (typeof json === "number" ? readNumber(json) : refusal),
  readText: (text) => (textForm.test(text) ? readNumber(Number(text)) : refusal),
  schema: () => ({ type: "number" }),
};
