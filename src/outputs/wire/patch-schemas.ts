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

export class PatchSchemas implements Pick<RequestSchemas, "input" | "object"> {
  readonly #context: WireContext;
  readonly #sent: RequestSchemas;

  constructor(context: WireContext, sent: RequestSchemas) {
    this.#context = context;
    this.#sent = sent;
  }

  /**
   * Null for an input as a whole means the same as elsewhere: it is allowed where the field may be
   * empty.
   */
  input(inputWithin: InputWithin): JsonSchema {
    if (!["map", "object", "value"].includes(inputWithin.type.kind)) return this.#sent.input(inputWithin);
    const schema = this.#partOf(inputWithin, inputWithin.type, inputWithin.rules);
    return hasRule(inputWithin.rules, "nullable") || hasRule(inputWithin.rules, "merged")
      ? orNull(schema)
      : schema;
  }

  object(inputs: readonly InputWithin[]): JsonSchema {
    return this.#sent.objectOf(inputs, (inputWithin) => this.input(inputWithin));
  }

  #partOf(inputWithin: InputWithin, type: FieldType, rules: readonly FieldRule[]): JsonSchema {
    switch (type.kind) {
      case "map":
        return {
          type: "object",
          additionalProperties: orNull(this.#partOf(inputWithin, type.of, rulesOfEach(rules))),
        };
      case "object":
        return this.#objectOf(inputWithin, type.parts);
      case "value":
        return this.#patchOfValue(inputWithin, type.resource);
      default:
        return this.#sent.input({ ...inputWithin, type, rules });
    }
  }

  #objectOf(
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
          orNull(this.#partOf({ ...plain, name: [name], required: false }, type, rules)),
        ]),
      ),
      ...this.#sent.closed,
    };
  }

  #patchOfValue(inputWithin: InputWithin, name: string): JsonSchema {
    const resource = this.#context.resources.get(name);
    if (!resource) return {};
    const subject = { subject: `a merge patch of ${name}`, position: resource.position };
    return this.#context.schemas.named(
      this.#sent.keyOf(`patch ${name}`),
      this.#sent.namesFor(`${name}Patch`),
      subject,
      () => {
        const { fields } = this.#context.view ? this.#context.view.resource(resource) : resource;
        if (resource.gap) return {};
        return this.#objectOf(
          inputWithin,
          fields.filter(({ rules, gap }) => !isServiceSet(rules) && !gap),
        );
      },
    );
  }
}
