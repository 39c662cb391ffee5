/**
 * Stored forms that clients don't get: names on the wire, hidden and computed parts, joint keys and
 * the document's own form of timestamps. Such values can't become plain JSON or text unchanged.
 */
import { type FieldRule, hasRule, isHidden, isShownOnce, sentName } from "../fields/rule.ts";
import type { FieldType } from "../fields/type.ts";
import { identifierFields } from "../model/meaning.ts";
import type { Model } from "../model/model.ts";

type Part = { readonly type: FieldType; readonly rules: readonly FieldRule[] };

/** @param inside the resources around the type, because a value or an identifier may contain itself */
export function isSentOtherwise(type: FieldType, model: Model, inside: readonly string[] = []): boolean {
  const { nullFields, timestamps = "milliseconds" } = model.endpointsPart;
  const isOmitted = nullFields === "omitted";
  const isPartOther = ({ rules, type: of }: Part, within: readonly string[]): boolean =>
    sentName(rules) !== undefined ||
    isHidden(rules) ||
    isShownOnce(rules) ||
    hasRule(rules, "computed") ||
    (isOmitted && !hasRule(rules, "required")) ||
    isSentOtherwise(of, model, within);
  switch (type.kind) {
    case "duration":
    case "password":
    case "credential":
      return true;
    case "timestamp":
      return timestamps !== "milliseconds";
    case "list":
      return isSentOtherwise(type.of, model, inside);
    case "map":
      return (isOmitted && type.of.kind === "json") || isSentOtherwise(type.of, model, inside);
    case "object":
      return type.parts.some((part) => isPartOther(part, inside));
    case "value":
    case "reference": {
      const resource = inside.includes(type.resource)
        ? undefined
        : model.resources.find(({ name }) => name === type.resource);
      if (!resource) return false;
      const within = [...inside, resource.name];
      if (type.kind === "value") return resource.fields.some((field) => isPartOther(field, within));
      const identifier = identifierFields(resource);
      const key = resource.fields.find(({ name }) => name === identifier[0]);
      return identifier.length > 1 || (key !== undefined && isSentOtherwise(key.type, model, within));
    }
    default:
      return false;
  }
}
