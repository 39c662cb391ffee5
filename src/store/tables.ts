/**
 * Tables of a model: a description that is independent of the database. The store records it, so
 * that the next start can compare it (`migrate.ts`). `indexes.ts` derives further indexes; each
 * database's folder produces the statements.
 */
import { keyFormsOf } from "../fields/key.ts";
import { hasRule, isHidden, isShownOnce, ruleOf, type FieldRule } from "../fields/rule.ts";
import type { FieldType } from "../fields/type.ts";
import type { Meaning } from "../expressions/scope.ts";
import type { Type } from "../expressions/type.ts";
import { meaningOf, identifierFields } from "../model/meaning.ts";
import type { Field, Model, Resource } from "../model/model.ts";
import type { Json } from "../support/json.ts";
import { indexesOf } from "./indexes.ts";
import { formOf, jsonShapeOf, storedLiteral } from "./json-shape.ts";
import { isSentOtherwise } from "./sent-form.ts";
import { sequenceScope } from "./sequence-scope.ts";
import { computedFields, storedRules, recordRulesOf } from "./stored-rules.ts";
import { referencePlaces, type ReferencePlace } from "../model/resources/reference-places.ts";
import { creationValue } from "../model/resources/creation-value.ts";
import { isAlwaysSet } from "../model/nullness/never-null.ts";
import { timerRulesOf } from "./timer-setting.ts";
import type { Column, Table, Storage, UniqueKey } from "./table.ts";

export interface Tables {
  readonly tables: readonly Table[];
  /** All reference places of all resources. */
  readonly references: readonly ReferencePlace[];
}

/** The column that references use; undefined if the document doesn't show the identifier. */
export function keyColumn(table: Pick<Table, "identifier" | "key">): string | undefined {
  return table.key ? jointKeyColumn : table.identifier[0];
}

/** The joint key column of several identifying columns. No field has such a name. */
export const jointKeyColumn = "#key";

/** Whether a column may hold any text: enums, references and identifiers are bounded. */
export function mayBeLong({ name, storage, type, values, refersTo }: Column, table: Table): boolean {
  return (
    storage === "text" && !values && !refersTo && type !== "credential" && !table.identifier.includes(name)
  );
}

/** The tables of a model, in the document's order. Values (`Identifier: none`) have none. */
export function tablesOf(model: Model): Tables {
  const stored = model.resources.filter((resource) => resource.identifier.kind !== "none");
  const meaning = meaningOf(model);
  const bare = stored.map((resource) => tableOf(resource, model, meaning));
  const indexes = indexesOf(model, bare);
  return {
    tables: bare.map((table) => ({ ...table, indexes: indexes.get(table.name) ?? [] })),
    references: referencePlaces(model),
  };
}

/** The stored fields: all but computed ones. */
export function storedFields(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => !hasRule(field.rules, "computed"));
}

function tableOf(resource: Resource, model: Model, meaning: Meaning): Table {
  const identifier = identifierFields(resource);
  const columns = storedFields(resource).map((field) => columnOf(field, resource, { model, meaning }));
  return {
    name: resource.name,
    columns,
    identifier,
    ...(identifier.length > 1 && { key: keyFormsOf(resource.name, (name) => resourceIn(model, name)) }),
    uniques: uniquesOf(resource, columns, identifier),
    indexes: [],
    marked: resource.deleted === "marked",
    laws: recordRulesOf(resource, meaning).map(({ digest }) => digest),
    computed: computedFields(resource),
    timers: timerRulesOf(resource),
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

interface Meant {
  readonly model: Model;
  readonly meaning: Meaning;
}

function columnOf(field: Field, resource: Resource, { model, meaning }: Meant): Column {
  const target = field.type.kind === "reference" ? targetOf(field.type.resource, model) : undefined;
  const values =
    field.type.kind === "enum"
      ? field.type.values
      : field.type.kind === "state"
        ? field.type.states
        : undefined;
  const fill = fillOf(field, resource, model);
  const shape = jsonShapeOf(field.type, model);
  const made = creationValue(resource, field);
  const counts = made && sequenceScope(made, model, meaning);
  return {
    name: field.name,
    storage: storageOf(field.type, model),
    type: typeInWords(field.type),
    form: formOf(field.type),
    anyCase: hasRule(field.rules, "any case") || target?.anyCase === true,
    required: hasRule(field.rules, "required") || field.role !== "plain",
    ...(isAlwaysSet(model, resource, field) && { alwaysSet: true as const }),
    ...(values && { values }),
    ...(fill !== undefined && { fill }),
    ...(shape && { shape }),
    ...(target && { refersTo: { resource: target.resource, field: target.field } }),
    ...(isUnseen(field, model) && { hidden: true as const }),
    ...(isSentOtherwise(field.type, model) && { sentOtherwise: true as const }),
    rules: storedRules(field, model),
    ...(counts && { counts }),
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

/** The column that holds the key of a referenced resource; undefined if the document shows none. */
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

/** The stored form of a literal default. */
function fillOf(field: Field, resource: Resource, model: Model): Json | undefined {
  const initial =
    field.role === "state"
      ? resource.states?.initial
      : ruleOf(field.rules as readonly FieldRule[], "default")?.value;
  return storedLiteral(initial?.node, field, model);
}

function resourceIn(model: Model, name: string): Resource | undefined {
  return model.resources.find((candidate) => candidate.name === name);
}

/** The stored form of values of a type. A reference is stored as its key. */
function storageOf(type: FieldType, model: Model, seen: readonly string[] = []): Storage {
  return type.kind === "reference" ? referenceStorage(type.resource, model, seen) : storageOfKind(type.kind);
}

const ownForm = ["integer", "number", "boolean", "timestamp", "date", "duration", "decimal"] as const;
const asJson: ReadonlySet<string> = new Set(["list", "map", "value", "object", "json", "any", "not shown"]);

/** The storage of a kind of field or expression. A kind without a form of its own is a text. */
export function storageOfKind(kind: Exclude<FieldType["kind"], "reference"> | Type["kind"]): Storage {
  return ownForm.find((candidate) => candidate === kind) ?? (asJson.has(kind) ? "json" : "text");
}

function referenceStorage(name: string, model: Model, seen: readonly string[]): Storage {
  const resource = resourceIn(model, name);
  const identifier = resource ? identifierFields(resource) : [];
  const field = resource?.fields.find((candidate) => candidate.name === identifier[0]);
  // A resource that is identified by a reference has the form of that identifier; a cycle of those
  // has none.
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
