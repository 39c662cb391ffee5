/**
 * `Body is` for a body that is neither JSON nor a form: a text, read by the type of its single
 * input.
 */
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Input } from "../model.ts";

/** The input that is the complete body. Undefined if there is none, or if no text can be its value. */
export function textBody({ bodyIs, inputs }: Pick<Endpoint, "bodyIs" | "inputs">): Input | undefined {
  if (bodyIs === undefined) return undefined;
  const whole = inputs.find((input) => input.in === "body");
  return whole && isText(whole.type) ? whole : undefined;
}

const structured: ReadonlySet<FieldType["kind"]> = new Set(["list", "map", "object", "value", "file"]);

function isText(type: FieldType): boolean {
  return type.kind === "json" && type.either ? type.either.some(isText) : !structured.has(type.kind);
}
