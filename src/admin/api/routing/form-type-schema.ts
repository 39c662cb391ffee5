/** Schema of a form type. It is recursive: parts and elements have form types of their own. */
import { Type } from "typebox";
import type { FormType } from "../../form-type.ts";

const inner = { type: "object", description: "a type like the one that contains it" };

export const formTypeSchema = Type.Unsafe<FormType>({
  type: "object",
  properties: {
    kind: { type: "string", description: "`string`, `enum`, `reference`, `list` …" },
    resource: { type: "string", description: "of a reference and of an embedded value" },
    values: { type: "array", items: { type: "string" }, description: "of an enum and of a state" },
    of: { type: "string", description: "the kind of the elements of a list or a map" },
    item: { ...inner },
    choices: {
      type: "array",
      items: { type: "string" },
      description: "the values that a list accepts; if `of` isn't `enum`, those with a meaning of their own",
    },
    parts: {
      type: "array",
      items: { type: "string" },
      description: "of an object or an embedded value: its names",
    },
    members: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          type: { ...inner },
          required: { type: "boolean" },
          rules: { type: "array", items: { type: "string" } },
        },
        required: ["name", "type", "required", "rules"],
        additionalProperties: false,
      },
      description: "the same with their types",
    },
  },
  required: ["kind"],
  additionalProperties: false,
});
