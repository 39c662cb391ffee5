/** `one of a, b, c`, and a state, which is one of its resource's states. */
import type { Json } from "../../support/json.ts";
import type { FieldReader } from "../field-reader.ts";
import type { Findings } from "../findings.ts";
import { textOrRefuse } from "./scalar.ts";

/** Maximum number of values that a problem lists. */
const quotedMax = 20;

export function compileEnum(values: readonly string[]): FieldReader {
  const known = new Set<Json>(values);
  const quoted =
    values.length <= quotedMax ? values.join(", ") : `${values.slice(0, quotedMax).join(", ")}, …`;
  const words = values.length === 1 ? `must be ${quoted}` : `must be one of ${quoted}`;
  const read = (json: Json, path: string, findings: Findings) =>
    known.has(json) ? (json as string) : findings.refuse("invalid field", path, words, json);
  return {
    json: read,
    form(node, path, findings) {
      const text = textOrRefuse(node, path, findings);
      return text === undefined ? undefined : read(text, path, findings);
    },
  };
}
