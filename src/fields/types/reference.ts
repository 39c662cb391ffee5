/** A reference to a record: in and out as its identifier, of the identifier's type. That the record exists is the engine's to ask. */
import { canonicalDecimal } from "../../expressions/decimal.ts";
import type { Value } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { FieldContext, FieldOptions, FieldReader } from "../field-reader.ts";
import type { Findings } from "../findings.ts";
import { scalarTypes } from "./index.ts";
import { textOrRefuse } from "./scalar.ts";
import { Refusal, type ScalarType } from "./scalar-type.ts";

export function compileReference(resource: string, context: FieldContext): FieldReader {
  const { options } = context;
  const identifier = identifierType(resource, options.resource);
  // The problem says what is wanted, not how identifiers happen to be written.
  const words = `must be the identifier of ${withArticle(resource)}`;
  const refer = (value: Value | Refusal, sent: Json, path: string, findings: Findings) => {
    if (value instanceof Refusal) return findings.refuse("invalid field", path, words, sent);
    // A decimal that identifies is kept without zeros at its end: records are found by it, whichever way it is written.
    const known = identifier.kind === "decimal" ? canonicalDecimal(value as string) : value;
    findings.references.push({ resource, value: known, field: path });
    return known;
  };
  return {
    json: (json, path, findings) => refer(identifier.read(json, options), json, path, findings),
    form(node, path, findings) {
      const text = textOrRefuse(node, path, findings);
      return text === undefined ? undefined : refer(identifier.readText(text, options), text, path, findings);
    },
  };
}

/** Longest way from a reference to its identifier, where identifiers are references themselves. */
const stepsMax = 8;

/** The type of the resource's identifier; a text where it isn't one field. */
export function identifierType(resource: string, resourceNamed: FieldOptions["resource"]): ScalarType {
  let name = resource;
  for (let step = 0; step < stepsMax; step += 1) {
    const spec = resourceNamed(name);
    const field = spec?.fields.find((other) => other.name === spec.identifier.field);
    if (field?.type.kind === "reference") name = field.type.resource;
    else
      return field && field.type.kind in scalarTypes
        ? scalarTypes[field.type.kind as ScalarType["kind"]]
        : scalarTypes.string;
  }
  return scalarTypes.string;
}

function withArticle(name: string): string {
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
}
