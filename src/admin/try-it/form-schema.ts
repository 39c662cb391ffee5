/** Form schemas of *Try it*, as the operations API returns them. */
import { type Static, Type } from "typebox";
import { formTypeSchema } from "../api/routing/form-type-schema.ts";
import { fields, nullable } from "../api/routing/route.ts";

const input = fields({
  name: Type.String(),
  in: Type.Union([Type.Literal("path"), Type.Literal("query"), Type.Literal("header"), Type.Literal("body")]),
  type: Type.String(),
  required: Type.Boolean(),
  when_made: Type.Boolean({ description: "whether it is required in a request that creates a record" }),
  secret: Type.Boolean(),
  rules: Type.Array(Type.String(), { description: "in sentences: `At most 120 characters.`" }),
  values: nullable(Type.Array(Type.String(), { description: "the valid values" })),
  shape: formTypeSchema,
  line: Type.Integer(),
});

const example = fields({
  scenario: Type.String(),
  line: Type.Integer(),
  status: Type.Integer({ description: "the status of its response" }),
  values: Type.Record(Type.String(), Type.String(), { description: "by `place.name`, as typed" }),
});

export const endpointFormSchema = fields({
  key: Type.String({ description: "method and path, as in the heading" }),
  method: Type.String(),
  path: Type.String({ description: "with the base path" }),
  prose: Type.String(),
  line: Type.Integer(),
  caller: Type.Boolean({ description: "whether it needs a credential" }),
  schemes: Type.Array(Type.String()),
  body_in: nullable(Type.String({ description: "the key that wraps the inputs of the body" })),
  body_is: nullable(Type.String({ description: "the input that the whole body is" })),
  types: Type.Array(Type.String(), {
    description: "the accepted media types of its body: JSON and forms of both kinds",
  }),
  inputs: Type.Array(input),
  examples: Type.Array(example, { description: "requests of the document's scenarios" }),
});

export type TriedEndpoint = Static<typeof endpointFormSchema>;

export type TriedExample = Static<typeof example>;
