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
  /** Whether it is embedded in other resources (`Identifier: none`). */
  readonly isValue?: boolean;
  readonly identifier: readonly string[];
  /** Whether the service generates the identifier. */
  readonly isGenerated?: boolean;
  readonly fields: ReadonlyMap<string, StoredFormField>;
  /** Sets of fields that are unique together. An `upsert` finds records by them. */
  readonly unique?: readonly (readonly string[])[];
  /** Whether `old.deleted` exists, because records are retained after their deletion. */
  readonly deletedMarked?: boolean;
  /** Fields that are computed on read and therefore not stored. */
  readonly computed?: readonly string[];
  /** Whether only its existence is known, because a later step removes it. */
  readonly isOpen?: true;
}

export interface StoredFormField {
  /** Absent if only a store has it. */
  readonly type?: Type;
  readonly anyCase?: boolean;
  /** The field of part 2. Absent in earlier forms. */
  readonly field?: Field;
  /** Whether it may not have existed before: a `For each` sets it. */
  readonly mayBeNew?: true;
}

/** The stored form of part 2. */
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
    isGenerated: resource.identifier.kind === "made",
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
