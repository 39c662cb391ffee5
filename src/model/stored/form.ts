/**
 * Stored form: the resources and stored fields of records at one time, before or after a stored
 * change. The last form is that of part 2. `walk-back.ts` computes what is known of earlier ones,
 * and a store knows its own.
 */
import type { Type } from "../../expressions/type.ts";
import { hasRule } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import type { Field, Resource } from "../model.ts";

export interface StoredForm {
  readonly resources: ReadonlyMap<string, StoredFormResource>;
  /**
   * Computed backwards from part 2: earlier values of enumerations, and what is not stated, are
   * unknown.
   */
  readonly isGuess?: true;
}

export interface StoredFormResource {
  readonly name: string;
  /** Lives inside of other resources (`Identifier: none`). */
  readonly isValue?: boolean;
  readonly identifier: readonly string[];
  /** The service makes the identifier. */
  readonly isMade?: boolean;
  readonly fields: ReadonlyMap<string, StoredFormField>;
  /** Fields of which no two records have the same, together; an `upsert` finds by them. */
  readonly unique?: readonly (readonly string[])[];
  /** Whether `old.deleted` exists: records are retained after their deletion. */
  readonly deletedMarked?: boolean;
  /** Worked out when read, so nothing of them is stored. */
  readonly computed?: readonly string[];
  /** Only its existence is known: a later step removes it. */
  readonly isOpen?: true;
}

export interface StoredFormField {
  /** Absent if only a store knows. */
  readonly type?: Type;
  readonly anyCase?: boolean;
  /** As part 2 describes it; absent in earlier forms. */
  readonly field?: Field;
  /** A `For each` sets it, and whether it existed before is unknown. */
  readonly isPerhaps?: true;
}

/** The form that part 2 describes. */
export function storedFormOf(resources: readonly Resource[]): StoredForm {
  return { resources: new Map(resources.map((resource) => [resource.name, formOfResource(resource)])) };
}

function formOfResource(resource: Resource): StoredFormResource {
  const isComputed = ({ rules }: Field): boolean => hasRule(rules, "computed");
  const stored = resource.fields.filter((field) => !isComputed(field));
  const alone = stored.filter(({ rules }) => hasRule(rules, "unique")).map(({ name }) => [name]);
  return {
    name: resource.name,
    isValue: resource.identifier.kind === "none",
    identifier: identifierOf(resource),
    isMade: resource.identifier.kind === "made",
    fields: new Map(stored.map((field) => [field.name, formOfField(field)])),
    deletedMarked: resource.deleted === "marked",
    unique: [...alone, ...resource.unique.map(({ fields }) => fields)],
    computed: resource.fields.filter(isComputed).map(({ name }) => name),
    ...(resource.gap ? { isOpen: true as const } : {}),
  };
}

function formOfField(field: Field): StoredFormField {
  return { type: expressionType(field.type), anyCase: hasRule(field.rules, "any case"), field };
}

function identifierOf({ identifier }: Resource): readonly string[] {
  if (identifier.kind === "joint") return identifier.fields;
  return identifier.kind === "made" || identifier.kind === "given" ? [identifier.field] : [];
}
