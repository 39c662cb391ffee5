/** Part 3 as a whole: all state machines, each with its picture. */
import { isNone, itemGaps } from "../gap-box.ts";
import { html } from "../html.ts";
import { linkTo, type Page, type Site } from "../site.ts";
import { statePicture } from "../state-section.ts";

/** For a large document, the diagrams are only on the pages of the resources. */
const picturesMax = 30;

export function statesPage(site: Site): Page {
  const { model } = site;
  const machines = model.resources.filter((resource) => resource.states);
  return {
    path: "states.html",
    title: "All states",
    description: `The states of ${model.name}`,
    body: html`<h1>All states</h1>
<p class="lead">The states of records, their transitions, and automatic changes.</p>
${itemGaps(site, ["states", "transitions"])}
${machines.length === 0 && isNone(site, "states") && html`<p>No resource has states.</p>`}
${machines.map((resource, at) => {
  const states = resource.states?.states ?? [];
  const transitions = resource.states?.transitions ?? [];
  const href = `${site.links.pageOfResource(resource.name)}#states`;
  return html`<section><h2 id="machine-${resource.name}">${linkTo(site, resource.name, resource.name)}</h2>
<p>${states.length} states, ${transitions.length} transitions. <a href="${href}">Every transition of ${resource.name}, and what is possible next</a></p>
${at < picturesMax && statePicture(site, resource)}</section>`;
})}`,
    found: [],
  };
}
