/**
 * Schema of a merge patch (RFC 7396): the same inputs, in which any part of an object may be left
 * out, and null removes one. Elements of lists are complete, because a patch replaces a list as a
 * whole.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { type FieldRule, hasRule, isServiceSet } from "../../fields/rule.ts";
import { rulesOfEach } from "../../fields/types/list.ts";
import type { FieldType } from "../../fields/type.ts";
import type { WireContext } from "./context.ts";
import { orNull } from "./json-schemas.ts";
import type { InputWithin, RequestSchemas } from "./input-schemas.ts";

export function createPatchSchemas(
  context: WireContext,
  sent: RequestSchemas,
): Pick<RequestSchemas, "input" | "object"> {
  const { closed } = sent;

  function partOf(inputWithin: InputWithin, type: FieldType, rules: readonly FieldRule[]): JsonSchema {
    switch (type.kind) {
      case "map":
        return {
          type: "object",
          additionalProperties: orNull(partOf(inputWithin, type.of, rulesOfEach(rules))),
        };
      case "object":
        return objectOf(inputWithin, type.parts);
      case "value":
        return patchOfValue(inputWithin, type.resource);
      default:
        return sent.input({ ...inputWithin, type, rules });
    }
  }

  function objectOf(
    inputWithin: InputWithin,
    parts: readonly {
      readonly name: string;
      readonly type: FieldType;
      readonly rules: readonly FieldRule[];
    }[],
  ): JsonSchema {
    // Statements about the whole input don't apply to its parts.
    const { gap: _gap, sets: _sets, filter: _filter, default: _default, ...plain } = inputWithin;
    return {
      type: "object",
      properties: Object.fromEntries(
        parts.map(({ name, type, rules }) => [
          name,
          orNull(partOf({ ...plain, name: [name], required: false }, type, rules)),
        ]),
      ),
      ...closed,
    };
  }

  function patchOfValue(inputWithin: InputWithin, name: string): JsonSchema {
    const resource = context.resources.get(name);
    if (!resource) return {};
    const subject = { subject: `a merge patch of ${name}`, position: resource.position };
    return context.schemas.named(sent.keyOf(`patch ${name}`), sent.namesFor(`${name}Patch`), subject, () => {
      const { fields } = context.view ? context.view.resource(resource) : resource;
      if (resource.gap) return {};
      return objectOf(
        inputWithin,
        fields.filter(({ rules, gap }) => !isServiceSet(rules) && !gap),
      );
    });
  }

  /**
   * Null for an input as a whole means the same as elsewhere: it is allowed where the field may be
   * empty.
   */
  function input(inputWithin: InputWithin): JsonSchema {
    if (!["map", "object", "value"].includes(inputWithin.type.kind)) return sent.input(inputWithin);
    const schema = partOf(inputWithin, inputWithin.type, inputWithin.rules);
    return hasRule(inputWithin.rules, "nullable") || hasRule(inputWithin.rules, "merged")
      ? orNull(schema)
      : schema;
  }

  return { input, object: (inputs) => sent.objectOf(inputs, input) };
}
