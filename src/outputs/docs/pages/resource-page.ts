/**
 * A resource: its fields, its states, and its operations. If there are very many operations, the
 * first page links to the rest.
 */
import type { JsonSchema } from "../../../fields/json-schema.ts";
import { hasRule } from "../../../fields/rule.ts";
import type { Field, FailRule, Resource } from "../../../model/model.ts";
import { formatDuration } from "../../../support/quantity.ts";
import { type Relation, entityGraph } from "../../diagrams/entity-graph.ts";
import type { WireResource } from "../../wire/wire.ts";
import { expressionCode } from "../effect-words.ts";
import { ownExamples } from "../examples.ts";
import { fieldTypeWords } from "../field-type-words.ts";
import { gapBox } from "../gap-box.ts";
import { codeBlock, inlineCode } from "../highlight.ts";
import { type Html, html, joinHtml, nothing, type Piece } from "../html.ts";
import { anchorOf, type OperationPage } from "../links.ts";
import { operationEntry, operationSection } from "../operation-section.ts";
import { inlineProse, plainText, prose } from "../prose.ts";
import { shownAnswer } from "../scenario-text.ts";
import { factsOf, fieldList } from "../schema-fields.ts";
import { flattened } from "../schema-flat.ts";
import { propertiesOf } from "../schema-words.ts";
import { countText, linkTo, type Page, type SearchEntry, selfLink, type Site } from "../site.ts";
import { stateSection } from "../state-section.ts";

export function resourcePage(site: Site, page: OperationPage, wireResource: WireResource): Page {
  const { resource } = wireResource;
  const first = page.number === 1;
  return {
    path: page.path,
    title: first ? resource.name : `${resource.name}, page ${page.number}`,
    description: plainText(resource.prose) || `${resource.name} of ${site.model.name}`,
    body: html`${first ? head(site, wireResource) : html`<h1>${linkTo(site, resource.name, resource.name)}, page ${page.number}</h1>`}
${first && resource.states && stateSection(site, resource)}
${endpoints(site, page)}
${first && eventsOf(site, resource)}`,
    found: [
      ...(first ? entriesOf(site, wireResource) : []),
      ...page.operations.map((operation) => operationEntry(site, operation)),
    ],
  };
}

/** Operations that belong to no resource. */
export function groupPage(site: Site, page: OperationPage): Page {
  const title = page.number === 1 ? page.group : `${page.group}, page ${page.number}`;
  return {
    path: page.path,
    title,
    description: `Endpoints of ${site.model.name}: ${page.group}`,
    body: html`<h1>${title}</h1>${endpoints(site, page)}`,
    found: page.operations.map((operation) => operationEntry(site, operation)),
  };
}

function endpoints(site: Site, page: OperationPage): Html {
  if (page.operations.length === 0) return nothing;
  return html`<section id="endpoints"><h2>${selfLink("endpoints", "Endpoints")}</h2>
<ul class="plain outline">${page.operations.map(
    (operation) =>
      html`<li><a href="#${encodeURIComponent(anchorOf.operation(operation))}"><span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <code>${operation.path}</code></a></li>`,
  )}</ul>
${page.operations.map((operation) => operationSection(site, operation))}</section>`;
}

// ── The resource itself ─────────────────────────────────────────────────────────────────────────

function head(site: Site, wireResource: WireResource): Html {
  const { resource, isValue } = wireResource;
  const example = objectExample(site, wireResource);
  return html`<h1 id="${resource.name}">${selfLink(resource.name, resource.name)}</h1>
${resource.prose !== "" && html`<div class="lead">${prose(resource.prose)}</div>`}
${resource.gap && gapBox(resource.gap.subject, resource.gap.position)}
<section id="fields"><h2>${selfLink("fields", "Fields")}</h2>
<div class="pair"><div class="description">
${objectFields(site, wireResource)}
</div><div class="shown">${example}${facts(site, resource, isValue)}</div></div></section>`;
}

/**
 * The object as responses contain it, or as a value is sent; undefined where its members aren't
 * known.
 */
function objectSchema({ wire }: Site, { shown, sent }: WireResource): JsonSchema | undefined {
  const schema = wire.schemas[shown ?? sent ?? ""];
  const flat = schema && flattened(wire, schema);
  return flat && propertiesOf(flat).length > 0 ? flat : undefined;
}

/** All fields except those that only expressions read. */
function openFields({ fields }: Resource): readonly Field[] {
  return fields.filter((field) => !hasRule(field.rules, "internal"));
}

function objectFields(site: Site, wireResource: WireResource): Html {
  const { resource, shown } = wireResource;
  const schema = objectSchema(site, wireResource);
  if (schema) {
    return fieldList(site, schema, {
      owner: resource.name,
      sent: shown === undefined,
      factsAt: (path) => factsOf(resource.fields.find((field) => field.name === path.join("."))),
    });
  }
  const fields = openFields(resource);
  if (fields.length === 0) return html`<p class="quiet">The document shows no field of it.</p>`;
  return html`<p class="quiet">${shown === undefined && "No response contains it. "}Its fields, as the document lists them:</p><ul class="fields">${fields.map((field) => fieldItem(site, resource, field))}</ul>`;
}

function fieldItem(site: Site, resource: Resource, field: Field): Html {
  const anchor = anchorOf.field(resource.name, field.name);
  return html`<li class="field" id="${anchor}"><div class="head">${selfLink(anchor, inlineCode(field.name))} <span class="type">${fieldTypeWords(site, field.type)}</span>${field.gap && html` <span class="chip open">not shown, line ${field.gap.position.start.line}</span>`}</div>${field.meaning !== "" && html`<p>${inlineProse(field.meaning)}</p>`}</li>`;
}

/** An example from a scenario: the response with the most fields of the resource. */
function objectExample(site: Site, wireResource: WireResource): Html | undefined {
  const { shown } = wireResource;
  const names = propertiesOf(objectSchema(site, wireResource) ?? {}).map(([name]) => name);
  let best: { readonly text: string; readonly count: number } | undefined;
  for (const operation of site.wire.operations) {
    const gives = operation.answers.some(
      (answer) => answer.content?.schema["$ref"] === `#/components/schemas/${shown}`,
    );
    if (!gives) continue;
    for (const { example, exchange } of ownExamples(site, operation)) {
      const body = example.response.body;
      const text = exchange.response.body?.text;
      if (example.response.status >= 300 || text === undefined || typeof body !== "object" || body === null)
        continue;
      const count = Object.keys(body).filter((key) => names.includes(key)).length;
      if (count > (best?.count ?? 0)) best = { text, count };
    }
  }
  return (
    best &&
    html`<p class="caption">From a scenario, in part</p>${codeBlock(shownAnswer(best.text), "json", "An example of the object")}`
  );
}

function facts(site: Site, resource: Resource, isValue: boolean): Html {
  const relations = entityGraph(site.model).relations;
  const list: readonly (readonly [string, Piece])[] = [
    ["Identifier", isValue ? "none: it is part of other records" : identifierWords(resource)],
    [
      "Unique",
      resource.unique.length > 0 &&
        joinHtml(
          resource.unique.map((item) => fieldNames(item.fields)),
          "; ",
        ),
    ],
    ["Visible if", resource.visible && expressionCode(resource.visible)],
    ["Always", resource.always.length > 0 && joinHtml(resource.always.map(expressionCode), " and ")],
    [
      "Errors",
      resource.fails.length > 0 &&
        html`<ul class="plain">${resource.fails.map((failRule) => html`<li>${failWords(site, failRule)}</li>`)}</ul>`,
    ],
    ["Kept", resource.kept && `${formatDuration(resource.kept.milliseconds)} after ${resource.kept.after}`],
    ["Deleted", resource.deleted === "marked" && "kept in the store and hidden"],
    [
      "Refers to",
      relationWords(
        site,
        relations.filter((relation) => relation.from === resource.name),
        "to",
      ),
    ],
    [
      "Referred to by",
      relationWords(
        site,
        relations.filter((relation) => relation.to === resource.name),
        "from",
      ),
    ],
    ["From the start", resource.records.length > 0 && countText(resource.records.length, "record")],
  ];
  return html`<dl class="facts">${list
    .filter(([, words]) => words !== undefined && words !== false)
    .map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}</dl>`;
}

function identifierWords({ identifier, fields }: Resource): Piece {
  switch (identifier.kind) {
    case "made":
      return html`${inlineCode(identifier.field)}, made by ${identifier.by ? expressionCode(identifier.by) : html`<span class="chip open">not shown</span>`}`;
    case "given":
      return html`${inlineCode(identifier.field)}, chosen by the caller`;
    case "joint":
      return html`${fieldNames(identifier.fields)} together`;
    case "not shown":
      return html`<span class="chip open">not shown</span>`;
    case "none":
      return fields.length > 0 && "none";
  }
}

function fieldNames(names: readonly string[]): Html {
  return joinHtml(
    names.map((name) => inlineCode(name)),
    " and ",
  );
}

function failWords(site: Site, { code, when }: FailRule): Html {
  return html`${linkTo(site, anchorOf.error(code), inlineCode(code))} when ${expressionCode(when)}`;
}

function relationWords(site: Site, relations: readonly Relation[], end: "from" | "to"): Piece {
  if (relations.length === 0) return undefined;
  return html`<ul class="plain">${relations.map((relation) => html`<li>${linkTo(site, relation[end], relation[end])} <span class="quiet">${relation.field}</span></li>`)}</ul>`;
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────

function eventsOf(site: Site, resource: Resource): Html {
  const events = site.wire.events.filter(({ event }) =>
    event.triggers.some((trigger) => trigger.resource === resource.name),
  );
  if (events.length === 0) return nothing;
  return html`<section id="events"><h2>${selfLink("events", "Events")}</h2>
<table class="cells"><thead><tr><th scope="col">Event</th><th scope="col">Happens</th></tr></thead><tbody>${events.map(
    (event) =>
      html`<tr><td>${linkTo(site, anchorOf.event(event.name), inlineCode(event.name))}</td><td data-column="Happens">${event.when}</td></tr>`,
  )}</tbody></table></section>`;
}

// ── Found by the search ─────────────────────────────────────────────────────────────────────────

function entriesOf(site: Site, wireResource: WireResource): readonly SearchEntry[] {
  const { resource } = wireResource;
  const page = site.links.pageOfResource(resource.name);
  const at = (anchor: string) => `${page}#${encodeURIComponent(anchor)}`;
  const meanings = new Map(resource.fields.map((field) => [field.name, field.meaning]));
  const schema = objectSchema(site, wireResource);
  const names = schema
    ? propertiesOf(schema).map(([name]) => name)
    : openFields(resource).map((field) => field.name);
  return [
    { u: at(resource.name), t: resource.name, k: "resource", w: "", x: plainText(resource.prose) },
    ...names.map((name) => ({
      u: at(anchorOf.field(resource.name, name)),
      t: `${resource.name}.${name}`,
      k: "field",
      w: plainText(meanings.get(name) ?? ""),
      x: "",
    })),
    ...(resource.states?.states ?? []).map(({ name }) => ({
      u: at(anchorOf.state(resource.name, name)),
      t: name,
      k: "state",
      w: `${resource.name} is ${name}`,
      x: "",
    })),
    ...(resource.states?.transitions ?? []).map(({ name }) => ({
      u: at(anchorOf.transition(resource.name, name)),
      t: name,
      k: "transition",
      w: `of ${resource.name}`,
      x: "",
    })),
  ];
}
