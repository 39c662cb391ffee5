/**
 * The members of a JSON value as a list: each with its name, type, rules and meaning; nested
 * members expand in place.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Gap } from "../../model/model.ts";
import { inlineCode } from "./highlight.ts";
import { type Html, html, joinHtml, nothing } from "./html.ts";
import { anchorOf } from "./links.ts";
import { inlineProse } from "./prose.ts";
import {
  boundWords,
  choicesOf,
  namesSchema,
  propertiesOf,
  refOf,
  requiredOf,
  schemaAt,
  typeWords,
  withoutNull,
} from "./schema-words.ts";
import { flattened, resolved, variantsOf } from "./schema-flat.ts";
import { linkTo, selfLink, type Site } from "./site.ts";

export interface FieldsOptions {
  /** The prefix of the fields' anchors: `Parcel`. Fields without it have no anchors. */
  readonly owner?: string;
  /** The facts that the document's field at that path adds. */
  readonly factsAt?: (path: readonly string[]) => FieldFacts;
  /**
   * Whether the schema is of a request. A request schema shows which fields are required, a
   * response schema which may be missing.
   */
  readonly sent: boolean;
}

export interface FieldFacts {
  /** The resource that the field refers to. */
  readonly reference?: string;
  /** Present if the document doesn't show the type or a rule. */
  readonly gap?: Gap;
}

/** Nested fields are shown in place up to this depth. */
const depthMax = 6;

export function fieldList(site: Site, schema: JsonSchema, options: FieldsOptions): Html {
  return fieldsOf(site, shownSchema(site, schema, options.sent), options, []);
}

/** Whether the schema has fields to list. */
export function hasFields(site: Site, schema: JsonSchema): boolean {
  const jsonSchema = flattened(site.wire, schema);
  return propertiesOf(jsonSchema).length > 0 || variantsWithFields(site, jsonSchema).length > 0;
}

/** The variants that are not described by the words of their type alone. */
function variantsWithFields(site: Site, schema: JsonSchema): readonly JsonSchema[] {
  const variants = variantsOf(schema);
  if (variants.length < 2) return [];
  return variants.filter((variant) => {
    const inner = flattened(site.wire, variant);
    return propertiesOf(inner).length > 0 || variantsOf(inner).length > 1;
  });
}

/**
 * A request schema shows each variant separately, because the client chooses one; a response may be
 * any of them.
 */
function shownSchema(site: Site, schema: JsonSchema, sent: boolean): JsonSchema {
  return sent ? resolved(site.wire, schema) : flattened(site.wire, schema);
}

function fieldsOf(site: Site, schema: JsonSchema, options: FieldsOptions, path: readonly string[]): Html {
  const required = requiredOf(schema);
  const properties = propertiesOf(schema);
  const fields = properties.map(([name, property]) => {
    const at = [...path, name];
    const anchor = options.owner === undefined ? undefined : anchorOf.field(options.owner, at.join("."));
    return fieldItem(site, property, { name, path: at, anchor, required: required.includes(name) }, options);
  });
  const choices = variantsWithFields(site, schema).map((variant, at) => {
    const inner = resolved(site.wire, variant);
    const name = variant["title"] ?? refOf(variant) ?? `variant ${at + 1}`;
    return html`<li class="field"><details><summary>Either ${String(name)}</summary>${fieldsOf(site, inner, { sent: options.sent }, path)}</details></li>`;
  });
  return fields.length + choices.length === 0 ? nothing : html`<ul class="fields">${fields}${choices}</ul>`;
}

interface FieldPlace {
  readonly name: string;
  readonly path: readonly string[];
  readonly anchor: string | undefined;
  readonly required: boolean;
}

function fieldItem(site: Site, schema: JsonSchema, place: FieldPlace, options: FieldsOptions): Html {
  const { name, anchor, required } = place;
  const title = anchor === undefined ? inlineCode(name) : selfLink(anchor, inlineCode(name));
  const mark = options.sent
    ? required && html`<span class="needed">required</span>`
    : !required && html`<span class="quiet">optional</span>`;
  return html`<li class="field"${anchor !== undefined && html` id="${anchor}"`}>${fieldWords(site, schema, title, mark || nothing, options.factsAt?.(place.path))}${insideOf(site, schema, place, options)}</li>`;
}

/** The description of a field or a parameter without its nested parts. */
export function fieldWords(
  site: Site,
  schema: JsonSchema,
  title: Html,
  mark: Html,
  { reference, gap }: FieldFacts = {},
): Html {
  const description = schema["description"];
  const bounds = boundWords(schema);
  const choices = choicesOf(schema);
  return html`<div class="head">${title} <span class="type">${typeWords(site, schema)}${reference !== undefined && !namesSchema(schema, reference) && html`, of ${linkTo(site, reference, reference)}`}</span> ${mark}${gap && html` <span class="chip open">not shown, line ${gap.position.start.line}</span>`}</div>
${gap && html`<p class="bounds">Not shown: ${gap.subject}. A request that contains it receives 501.</p>`}
${typeof description === "string" && description !== "" && html`<p>${inlineProse(description)}</p>`}
${bounds.length > 0 && html`<p class="bounds">${joinHtml(bounds, " · ")}</p>`}
${choices.length > 0 && choiceWords(choices)}`;
}

function choiceWords(choices: ReturnType<typeof choicesOf>): Html {
  if (choices.every((choice) => choice.meaning === undefined)) {
    return html`<p class="bounds">one of ${joinHtml(
      choices.map((choice) => inlineCode(choice.value)),
      ", ",
    )}</p>`;
  }
  return html`<ul class="plain bounds">${choices.map((choice) => html`<li>${inlineCode(choice.value)} ${choice.meaning ?? ""}</li>`)}</ul>`;
}

/** The facts about a field or an input of the document. */
export function factsOf(field: { readonly type: FieldType; readonly gap?: Gap } | undefined): FieldFacts {
  const reference = referenceOf(field?.type);
  return { ...(reference === undefined ? {} : { reference }), ...(field?.gap ? { gap: field.gap } : {}) };
}

/** The resource that a type refers to, directly or in a list or map. */
function referenceOf(type: FieldType | undefined): string | undefined {
  if (type?.kind === "list" || type?.kind === "map") return referenceOf(type.of);
  return type?.kind === "reference" ? type.resource : undefined;
}

/** The nested fields of a field. Another resource is described on its own page. */
function insideOf(site: Site, schema: JsonSchema, { path }: FieldPlace, options: FieldsOptions): Html {
  if (path.length >= depthMax) return nothing;
  const items =
    schemaAt(withoutNull(schema), "items") ?? schemaAt(withoutNull(schema), "additionalProperties");
  const inner = items ?? schema;
  const ref = refOf(inner);
  const owner = site.wire.resources.find(
    (resource) => ref !== undefined && resource.shown === ref && !resource.isValue,
  );
  if (owner) return html`<p class="bounds">See ${linkTo(site, owner.name, owner.name)}</p>`;
  const jsonSchema = resolved(site.wire, inner);
  const fields = fieldsOf(site, jsonSchema, options, path);
  if (fields === nothing) return nothing;
  return html`<details><summary>Show fields</summary>${fields}</details>`;
}
