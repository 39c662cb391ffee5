/** Descriptions of types for sentences: `a list`, `an integer`, `a reference to Parcel`. */
import type { FieldType } from "./type.ts";

export function typeWords(type: FieldType): string {
  switch (type.kind) {
    case "list":
    case "map":
      return `a ${type.kind}`;
    case "enum":
      return "a `one of`";
    case "reference":
      return `a reference to ${type.resource}`;
    case "value":
      return `a value (${type.resource})`;
    case "json":
      return type.either ? "a field of several types" : "a json";
    case "not shown":
      return "a type that is not shown";
    default:
      return `${/^[aeiou]/.test(type.kind) && type.kind !== "uuid" && type.kind !== "uri" ? "an" : "a"} ${type.kind}`;
  }
}
