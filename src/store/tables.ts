/**
 * From the model's resources to tables: a description that no database's name stands in. It is kept in the store, too, so
 * that the next start can compare (`migrate.ts`). Which further indexes help is worked out in `indexes.ts`; statements are
 * made of all this in the folder of each database.
 */
import type { KeyForm } from "../expressions/key.ts";
import { keyFormsOf } from "../fields/key.ts";
import { sequenceOf } from "../expressions/special-functions.ts";
import { hasRule, isHidden, isShownOnce, ruleOf, type FieldRule } from "../fields/rule.ts";
import type { FieldType } from "../fields/type.ts";
import type { Meaning } from "../expressions/scope.ts";
import type { Type } from "../expressions/type.ts";
import { createMeaning, identifierFields } from "../model/meaning.ts";
import type { Field, Model, Resource } from "../model/model.ts";
import type { Json } from "../support/json.ts";
import { madeBy } from "./migrations/plan/rules-of-field.ts";
import { indexesOf } from "./indexes.ts";
import { formOf, type JsonShape, jsonShapeOf } from "./json-shape.ts";
import { type ComputedField, computedFields, type KeptRule, keptRules, lawsOf } from "./kept-rules.ts";
import { referencePlaces, type ReferencePlace } from "./references.ts";

/**
 * How a column's values are kept. Texts of one form stand in text order as they stand in their own: timestamps always with
 * milliseconds and `Z`, dates as `2026-11-20`. Lists, maps, values and objects are JSON.
 */
export type Storage =
  | "text"
  | "integer"
  | "number"
  | "boolean"
  | "timestamp"
  | "date"
  | "duration"
  | "decimal"
  | "json";

export interface Column {
  readonly name: string;
  readonly storage: Storage;
  /** The field's type in words, for plans that people read, and to compare. */
  readonly type: string;
  /** What it is as far as that decides how it is kept: texts of all kinds are one. */
  readonly form: string;
  /** Compared and ordered past ASCII case. */
  readonly anyCase: boolean;
  readonly required: boolean;
  /** The only texts that may stand in it: an enum's values, the states. */
  readonly values?: readonly string[];
  /** What records that were there before the field are given: a literal default, a plain initial state. */
  readonly fill?: Json;
  /** Of JSON: the one form in which its objects are kept. */
  readonly shape?: JsonShape;
  /** The resource of which it holds the key, and the column there: a foreign key. */
  readonly refersTo?: { readonly resource: string; readonly field: string };
  /** No client sees its content: a secret, or a field that is `internal`, `write-only` or `shown once`. */
  readonly hidden?: true;
  /** The rules of its values. Undefined where they aren't known: in stores of earlier releases, and where a stored change has set some of them. */
  readonly rules?: readonly KeptRule[];
  /** New records get the next number of a sequence. */
  readonly counts?: true;
}

export interface UniqueKey {
  readonly columns: readonly string[];
  readonly identifier: boolean;
}

export interface Index {
  readonly columns: readonly IndexColumn[];
}

export interface IndexColumn {
  readonly name: string;
  readonly descending: boolean;
}

/**
 * One resource's table. Besides its columns each has `#row` (made by the database, never used twice: the order of making)
 * and `#revision`; `#deleted` (0 or 1) where deleting only marks; `#key` where several fields identify.
 */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The identifying columns; empty where the document doesn't show them. */
  readonly identifier: readonly string[];
  /** Of several identifying columns: how each stands in the key that they make (`expressions/key.ts`). */
  readonly key?: readonly KeyForm[];
  readonly uniques: readonly UniqueKey[];
  readonly indexes: readonly Index[];
  readonly marked: boolean;
  /** Digests of its laws (`kept-rules.ts`), and the fields that aren't stored. Undefined in stores of earlier releases. */
  readonly laws?: readonly string[];
  readonly computed?: readonly ComputedField[];
}

export interface Tables {
  readonly tables: readonly Table[];
  /** Every place of every resource where identifiers of others stand. */
  readonly references: readonly ReferencePlace[];
}

/** The column by which records are referred to; undefined where the document doesn't show what identifies them. */
export function keyColumn(table: Pick<Table, "identifier" | "key">): string | undefined {
  return table.key ? jointKeyColumn : table.identifier[0];
}

/** It holds the text that stands for several identifying columns. No field has such a name. */
export const jointKeyColumn = "#key";

/** Whether any text may stand in a column: one of a list of words, and what refers to a record or identifies one, is bounded. */
export function mayBeLong({ name, storage, type, values, refersTo }: Column, table: Table): boolean {
  return (
    storage === "text" && !values && !refersTo && type !== "credential" && !table.identifier.includes(name)
  );
}

/** The tables of a model, in the document's order. Values (`Identifier: none`) have none. */
export function tablesOf(model: Model): Tables {
  const stored = model.resources.filter((resource) => resource.identifier.kind !== "none");
  const meaning = createMeaning(model);
  const bare = stored.map((resource) => tableOf(resource, model, meaning));
  const indexes = indexesOf(model, bare);
  return {
    tables: bare.map((table) => ({ ...table, indexes: indexes.get(table.name) ?? [] })),
    references: referencePlaces(model),
  };
}

/** The fields that are stored: all but those worked out when read. */
export function storedFields(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => !hasRule(field.rules, "computed"));
}

function tableOf(resource: Resource, model: Model, meaning: Meaning): Table {
  const identifier = identifierFields(resource);
  const columns = storedFields(resource).map((field) => columnOf(field, resource, model));
  return {
    name: resource.name,
    columns,
    identifier,
    ...(identifier.length > 1 && { key: keyFormsOf(resource.name, (name) => resourceIn(model, name)) }),
    uniques: uniquesOf(resource, columns, identifier),
    indexes: [],
    marked: resource.deleted === "marked",
    laws: lawsOf(resource, meaning).map(({ digest }) => digest),
    computed: computedFields(resource),
  };
}

function uniquesOf(
  resource: Resource,
  columns: readonly Column[],
  identifier: readonly string[],
): UniqueKey[] {
  const isStored = (name: string): boolean => columns.some((column) => column.name === name);
  const keys = new Map<string, UniqueKey>();
  const add = (names: readonly string[], isIdentifier: boolean): void => {
    const key = names.join(" ");
    if (names.length > 0 && names.every(isStored) && !keys.has(key))
      keys.set(key, { columns: names, identifier: isIdentifier });
  };
  add(identifier, true);
  for (const field of resource.fields) if (hasRule(field.rules, "unique")) add([field.name], false);
  for (const unique of resource.unique) add(unique.fields, false);
  return [...keys.values()];
}

function columnOf(field: Field, resource: Resource, model: Model): Column {
  const target = field.type.kind === "reference" ? targetOf(field.type.resource, model) : undefined;
  const values =
    field.type.kind === "enum"
      ? field.type.values
      : field.type.kind === "state"
        ? field.type.states
        : undefined;
  const fill = fillOf(field, resource);
  const shape = jsonShapeOf(field.type, model);
  const made = madeBy(resource, field);
  return {
    name: field.name,
    storage: storageOf(field.type, model),
    type: typeInWords(field.type),
    form: formOf(field.type),
    anyCase: hasRule(field.rules, "any case") || target?.anyCase === true,
    required: hasRule(field.rules, "required") || field.role !== "plain",
    ...(values && { values }),
    ...(fill !== undefined && { fill }),
    ...(shape && { shape }),
    ...(target && { refersTo: { resource: target.resource, field: target.field } }),
    ...(isUnseen(field, model) && { hidden: true as const }),
    rules: keptRules(field, model),
    ...(made && sequenceOf(made) && { counts: true as const }),
  };
}

function isUnseen(
  { rules, type }: Pick<Field, "rules" | "type">,
  model: Model,
  inside: readonly string[] = [],
): boolean {
  return isHidden(rules) || isShownOnce(rules) || hasUnseen(type, model, inside);
}

function hasUnseen(type: FieldType, model: Model, inside: readonly string[]): boolean {
  switch (type.kind) {
    case "password":
    case "credential":
      return true;
    case "list":
    case "map":
      return hasUnseen(type.of, model, inside);
    case "object":
      return type.parts.some((part) => isUnseen(part, model, inside));
    case "value": {
      const value = inside.includes(type.resource) ? undefined : resourceIn(model, type.resource);
      return value?.fields.some((field) => isUnseen(field, model, [...inside, value.name])) === true;
    }
    default:
      return false;
  }
}

/** The column that holds the key of a resource that is referred to; undefined where none is shown. */
function targetOf(
  name: string,
  model: Model,
): { resource: string; field: string; anyCase: boolean } | undefined {
  const resource = resourceIn(model, name);
  const [identifier, second] = resource ? identifierFields(resource) : [];
  if (!resource || !identifier) return undefined;
  // A key holds values that compare without case in lower case.
  if (second) return { resource: name, field: jointKeyColumn, anyCase: false };
  const field = resource.fields.find((candidate) => candidate.name === identifier);
  return { resource: name, field: identifier, anyCase: field ? hasRule(field.rules, "any case") : false };
}

function fillOf(field: Field, resource: Resource): Json | undefined {
  const initial =
    field.role === "state"
      ? resource.states?.initial
      : ruleOf(field.rules as readonly FieldRule[], "default")?.value;
  return initial?.node.op === "literal" && initial.node.value !== null ? initial.node.value : undefined;
}

function resourceIn(model: Model, name: string): Resource | undefined {
  return model.resources.find((candidate) => candidate.name === name);
}

/** How values of a type are kept. A reference is kept as the key it stands for. */
function storageOf(type: FieldType, model: Model, seen: readonly string[] = []): Storage {
  return type.kind === "reference" ? referenceStorage(type.resource, model, seen) : storageOfKind(type.kind);
}

const ownForm = ["integer", "number", "boolean", "timestamp", "date", "duration", "decimal"] as const;
const asJson: ReadonlySet<string> = new Set(["list", "map", "value", "object", "json", "any", "not shown"]);

/** Of the kinds of fields and of expressions; what has no form of its own is a text. */
export function storageOfKind(kind: Exclude<FieldType["kind"], "reference"> | Type["kind"]): Storage {
  return ownForm.find((one) => one === kind) ?? (asJson.has(kind) ? "json" : "text");
}

function referenceStorage(name: string, model: Model, seen: readonly string[]): Storage {
  const resource = resourceIn(model, name);
  const identifier = resource ? identifierFields(resource) : [];
  const field = resource?.fields.find((candidate) => candidate.name === identifier[0]);
  // A resource that is identified by a reference has its identifier's form; a circle of those has none.
  return identifier.length < 2 && field && !seen.includes(name)
    ? storageOf(field.type, model, [...seen, name])
    : "text";
}

function typeInWords(type: FieldType): string {
  switch (type.kind) {
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "list":
    case "map":
      return `${type.kind} of ${typeInWords(type.of)}`;
    case "reference":
    case "value":
      return type.resource;
    default:
      return type.kind;
  }
}
