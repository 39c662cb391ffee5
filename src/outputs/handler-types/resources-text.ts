/**
 * Resources and values as types: a record as it is read, and the arguments for creating, changing
 * and finding one.
 */
import { hasRule } from "../../fields/rule.ts";
import type { Field, Model, Resource } from "../../model/model.ts";
import { isNeverNull } from "../../model/nullness/never-null.ts";
import {
  expressionTypeText,
  type MemberText,
  memberText,
  objectText,
  typeName,
  typeText,
} from "./type-text.ts";

export function resourcesText(model: Model): string {
  const { resources } = model;
  const shown = resources.filter((resource) => resource.identifier.kind !== "not shown");
  const stored = shown.filter((resource) => resource.identifier.kind !== "none");
  const interfaces = shown.map((resource) =>
    resource.identifier.kind === "none"
      ? interfaceText(resource, valueMembers(resource))
      : interfaceText(resource, recordMembers(model, resource)),
  );
  return [
    ...interfaces,
    "/** The parameters and results of the transaction, by resource. */",
    `export interface Resources {\n${stored.map((resource) => entryText(model, resource)).join("")}}\n`,
    "/** A record, or its identifier. */",
    'export type Reference<R extends keyof Resources> = Resources[R]["record"] | Resources[R]["identifier"];\n',
  ].join("\n");
}

function interfaceText(resource: Resource, members: readonly MemberText[]): string {
  const prose = resource.prose.split("\n", 1)[0]?.trim().replaceAll("*/", "* /") ?? "";
  const lines = members.map((member) => `${noteText(member.note)}  ${memberText(member)};\n`);
  return `${prose === "" ? "" : `/** ${prose} */\n`}export interface ${typeName(resource.name)} {\n${lines.join("")}}\n`;
}

function noteText(note: string | undefined): string {
  const text = note?.replaceAll(/\s+/g, " ").replaceAll("*/", "* /").trim();
  return text ? `  /** ${text} */\n` : "";
}

function isSecret({ type }: Field): boolean {
  return type.kind === "password" || type.kind === "credential";
}

function recordMembers(model: Model, resource: Resource): readonly MemberText[] {
  return resource.fields
    .filter((field) => !isSecret(field))
    .map((field) => ({
      name: field.name,
      optional: false,
      type: nullable(typeText(field.type, "reading"), !isNeverNull(model, resource, field)),
      note: field.meaning,
    }));
}

/** A value is both read and returned: an optional part may also be null. */
function valueMembers(resource: Resource): readonly MemberText[] {
  return resource.fields.map((field) => ({
    name: field.name,
    optional: !hasRule(field.rules, "required"),
    type: nullable(typeText(field.type, "reading"), !hasRule(field.rules, "required")),
    note: field.meaning,
  }));
}

function nullable(text: string, mayBeNull: boolean): string {
  return text !== "Json" && mayBeNull ? `${text} | null` : text;
}

function identifiers({ identifier }: Resource): readonly string[] {
  if (identifier.kind === "made" || identifier.kind === "given") return [identifier.field];
  return identifier.kind === "joint" ? identifier.fields : [];
}

function entryText(model: Model, resource: Resource): string {
  const { name } = resource;
  const transitions = (resource.states?.transitions ?? []).map((transition) => ({
    name: transition.name,
    optional: false,
    type: expressionTypeText(transition.body),
  }));
  return [
    `  readonly ${name}: {`,
    `    readonly record: ${typeName(name)};`,
    `    readonly identifier: ${identifierText(resource)};`,
    `    readonly create: ${objectText(settable(model, resource, true))};`,
    `    readonly update: ${objectText(settable(model, resource, false))};`,
    `    readonly find: ${objectText(findable(resource))};`,
    // Without transitions, the key type is `never`, so that no transition can be named.
    `    readonly transitions: ${transitions.length === 0 ? "Record<never, never>" : objectText(transitions)};`,
    "  };",
    "",
  ].join("\n");
}

function identifierText(resource: Resource): string {
  const names = identifiers(resource);
  const typeOf = (name: string) => {
    const field = resource.fields.find((candidate) => candidate.name === name);
    return field ? typeText(field.type, "reading") : "string";
  };
  const [only, second] = names;
  if (only !== undefined && second === undefined) return typeOf(only);
  return objectText(names.map((name) => ({ name, optional: false, type: typeOf(name) })));
}

/**
 * The fields that the transaction may set: all but the computed ones, the state, and, after
 * creation, the identifier.
 */
function settable(model: Model, resource: Resource, making: boolean): readonly MemberText[] {
  const own = identifiers(resource);
  return resource.fields
    .filter((field) => !hasRule(field.rules, "computed") && field.role !== "state")
    .filter((field) => making || !own.includes(field.name))
    .map((field) => ({
      name: field.name,
      optional: !making || !mustBeGiven(resource, field),
      type: nullable(typeText(field.type, "giving"), !isNeverNull(model, resource, field)),
    }));
}

function mustBeGiven(resource: Resource, field: Field): boolean {
  const own = identifiers(resource).includes(field.name);
  if (own && resource.identifier.kind !== "made") return !isFilled(field);
  return !own && hasRule(field.rules, "required") && !isFilled(field);
}

function isFilled({ rules }: Field): boolean {
  return hasRule(rules, "default") || hasRule(rules, "on create");
}

const notFound = new Set(["list", "map", "object", "value", "json", "not shown", "password", "credential"]);

function findable(resource: Resource): readonly MemberText[] {
  return resource.fields
    .filter(({ type }) => !notFound.has(type.kind))
    .map(({ name, type }) => ({ name, optional: true, type: typeText(type, "giving") }));
}
