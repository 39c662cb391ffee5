/**
 * Entity graph: the resources of a document and the references between them, for the entity diagram
 * and its table.
 */
import { hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Field, Model, Resource } from "../../model/model.ts";

export interface EntityGraph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

export interface Entity {
  readonly name: string;
  /** Whether the resource has no records of its own and is stored inside other resources. */
  readonly value: boolean;
  /** The fields that identify its records. */
  readonly identifiers: readonly string[];
}

/** A field of one resource that refers to another resource. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly field: string;
  /** How many records of `to` one record of `from` may have. */
  readonly toCount: Count;
  /** How many records of `from` may have the same record of `to`. */
  readonly fromCount: Count;
  /** Whether `to` is stored inside `from` and has no records of its own. */
  readonly embedded: boolean;
}

export type Count = "1" | "0..1" | "0..*";

export function entityGraph(model: Model): EntityGraph {
  const known = new Set(model.resources.map((resource) => resource.name));
  return {
    entities: model.resources.map((resource) => ({
      name: resource.name,
      value: resource.identifier.kind === "none",
      identifiers: identifiersOf(resource),
    })),
    relations: model.resources.flatMap((resource) =>
      resource.fields
        .flatMap((field) => relationsOf(resource, field))
        .filter((relation) => known.has(relation.to)),
    ),
  };
}

function identifiersOf({ identifier }: Resource): readonly string[] {
  if (identifier.kind === "joint") return identifier.fields;
  return "field" in identifier ? [identifier.field] : [];
}

function relationsOf(resource: Resource, field: Field): readonly Relation[] {
  const required = hasRule(field.rules, "required") || field.role === "identifier";
  const alone = hasRule(field.rules, "unique") || field.role === "identifier";
  return reachesOf(field.type, field.name, required ? "1" : "0..1").map(({ to, path, count, embedded }) => ({
    from: resource.name,
    to,
    field: path,
    toCount: count,
    fromCount: embedded ? "1" : alone ? "0..1" : "0..*",
    embedded,
  }));
}

interface Reach {
  readonly to: string;
  readonly path: string;
  readonly count: Count;
  readonly embedded: boolean;
}

/** The resources that a type refers to: directly, in its elements, or in its parts. */
function reachesOf(type: FieldType, path: string, count: Count): readonly Reach[] {
  switch (type.kind) {
    case "reference":
    case "value":
      return [{ to: type.resource, path, count, embedded: type.kind === "value" }];
    case "list":
    case "map":
      return reachesOf(type.of, path, "0..*");
    case "object":
      return type.parts.flatMap((part) => {
        const least = hasRule(part.rules, "required") ? count : count === "1" ? "0..1" : count;
        return reachesOf(part.type, `${path}.${part.name}`, least);
      });
    default:
      return [];
  }
}
