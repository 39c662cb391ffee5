/**
 * Vocabulary of a finished model for the expression compilers: resources, fields, shapes and their
 * bodies.
 */
import type { Node } from "../expressions/node.ts";
import type { FieldWords, Meaning, ResourceWords, ShapeWords, Vocabulary } from "../expressions/scope.ts";
import { hasRule, isHidden, ruleOf } from "../fields/rule.ts";
import { expressionType } from "../fields/type.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import { wordsOfFunction } from "./function-words.ts";
import type { Field, Model, Resource, Shape } from "./model.ts";

/** The vocabulary of a model, created once for each. */
export const meaningOf = memoizeBy((model: Model): Meaning => {
  const resources = new Map(model.resources.map((resource) => [resource.name, wordsOf(resource)]));
  const shapes = new Map(model.shapes.map((shape) => [shape.name, shape]));
  const computed = new Map<string, Node>();
  for (const resource of model.resources) {
    for (const field of resource.fields) {
      const rule = ruleOf(field.rules, "computed");
      if (rule) computed.set(`${resource.name}.${field.name}`, rule.value.node);
    }
  }
  const functions = new Map(
    (model.endpointsPart.functions ?? []).map((declared) => [declared.name, wordsOfFunction(declared)]),
  );
  const vocabulary: Vocabulary = {
    resourceNames: [...resources.keys()],
    resource: (name) => resources.get(name),
    shapeNames: [...shapes.keys()],
    shape: (name) => {
      const shape = shapes.get(name);
      return shape && shapeWords(shape);
    },
    handlerFunction: (name) => functions.get(name),
    timestamps: model.endpointsPart.timestamps,
  };
  return {
    vocabulary,
    computed: (resource, field) => computed.get(`${resource}.${field}`),
    shapeBody: (name) => shapes.get(name)?.body.node,
  };
});

function shapeWords(shape: Shape): ShapeWords {
  return {
    name: shape.name,
    ...(shape.of === undefined ? {} : { of: shape.of }),
    type: () => shape.body.node.type,
  };
}

function wordsOf(resource: Resource): ResourceWords {
  return {
    name: resource.name,
    isValue: resource.identifier.kind === "none",
    fields: new Map(resource.fields.map((field) => [field.name, fieldWords(field)])),
    identifier: identifierFields(resource),
    deletedMarked: resource.deleted === "marked",
  };
}

function fieldWords(field: Field): FieldWords {
  return {
    name: field.name,
    type: expressionType(field.type),
    computed: hasRule(field.rules, "computed"),
    hidden: isHidden(field.rules),
    anyCase: hasRule(field.rules, "any case"),
  };
}

/** The names of the identifying fields. Several for a joint identifier, none for a value or a gap. */
export function identifierFields(resource: Resource): readonly string[] {
  switch (resource.identifier.kind) {
    case "made":
    case "given":
      return [resource.identifier.field];
    case "joint":
      return resource.identifier.fields;
    default:
      return [];
  }
}
