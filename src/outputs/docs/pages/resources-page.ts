/** Part 2 as a whole: the resources and the references between them. */
import { type EntityGraph, entityGraph } from "../../diagrams/entity-graph.ts";
import { entitySvg } from "../../diagrams/entity-svg.ts";
import { itemGaps } from "../gap-box.ts";
import { inlineCode } from "../highlight.ts";
import { Html, html, joinHtml } from "../html.ts";
import { firstSentence, inlineProse } from "../prose.ts";
import { countText, linkTo, type Page, type Site } from "../site.ts";

export function resourcesPage(site: Site): Page {
  const { model } = site;
  const graph = entityGraph(model);
  return {
    path: "resources.html",
    title: "All resources",
    description: `The resources of ${model.name}`,
    body: html`<h1>All resources</h1>
${itemGaps(site, ["resources", "identifiers", "fields"])}
${
  model.resources.length > 0 &&
  html`${entityPicture(site)}${referenceTable(site, graph)}
<section><h2 id="list">Resources and values</h2>
${resourceTable(site)}</section>`
}`,
    found: [],
  };
}

/**
 * The diagram of the resources that have references. The others would only make it wide, and are in
 * the table.
 */
export function entityPicture(site: Site): Html | undefined {
  const { model, links, lay } = site;
  const { entities, relations } = entityGraph(model);
  const related = entities.filter(({ name }) =>
    relations.some(({ from, to }) => from === name || to === name),
  );
  if (related.length === 0) return undefined;
  const svg = entitySvg({ entities: related, relations }, lay, (name) => links.to(name));
  if (svg === undefined) return undefined;
  const unrelatedCount = entities.length - related.length;
  return html`<div class="picture" tabindex="0" role="group" aria-label="Picture of the resources">${new Html(svg)}</div>${unrelatedCount > 0 && html`<p class="quiet">${countText(unrelatedCount, "resource")} without references ${unrelatedCount === 1 ? "is" : "are"} not in the picture.</p>`}`;
}

const countWords = { "1": "one", "0..1": "at most one", "0..*": "any number" } as const;

function referenceTable(site: Site, { relations }: EntityGraph): Html | undefined {
  if (relations.length === 0) return undefined;
  return html`<details class="more"><summary>${countText(relations.length, "reference")} as a table</summary>
<table class="cells"><thead><tr><th scope="col">From</th><th scope="col">Field</th><th scope="col">To</th><th scope="col">How many of the latter</th></tr></thead><tbody>${relations.map(
    (relation) =>
      html`<tr><th scope="row">${linkTo(site, relation.from, relation.from)}</th><td data-column="Field">${inlineCode(relation.field)}</td><td data-column="To">${linkTo(site, relation.to, relation.to)}${relation.embedded && html` <span class="quiet">inside</span>`}</td><td data-column="How many">${countWords[relation.toCount]}</td></tr>`,
  )}</tbody></table></details>`;
}

export function resourceTable(site: Site): Html {
  const graph = entityGraph(site.model);
  return html`<table class="cells"><thead><tr><th scope="col">Name</th><th scope="col">What it is</th><th scope="col">Identifier</th><th scope="col">States</th><th scope="col">Endpoints</th></tr></thead><tbody>${site.model.resources.map(
    (resource) => {
      const entity = graph.entities.find((candidate) => candidate.name === resource.name);
      const operations = site.wire.operations.filter((operation) => operation.group === resource.name).length;
      const states = resource.states?.states.length ?? 0;
      return html`<tr><th scope="row">${linkTo(site, resource.name, inlineCode(resource.name))}</th><td>${inlineProse(firstSentence(resource.prose))}</td><td data-column="Identifier">${
        entity?.value
          ? html`<span class="quiet">inside others</span>`
          : joinHtml(
              (entity?.identifiers ?? []).map((name) => inlineCode(name)),
              ", ",
            )
      }</td><td data-column="States">${states > 0 && html`${states}`}</td><td data-column="Endpoints">${operations > 0 && html`${operations}`}</td></tr>`;
    },
  )}</tbody></table>`;
}
