/** The first page: what the service is for, how large it is, and a first request. */
import type { ItemName } from "../../../syntax/nodes.ts";
import { languages, ownExamples, requestToCopy, settingsNote, variableWords } from "../examples.ts";
import { isOpen, itemGaps } from "../gap-box.ts";
import { type Html, html, joinHtml, nothing } from "../html.ts";
import { anchorOf } from "../links.ts";
import { gapCount, gapWords } from "../page.ts";
import { capital, plainText, prose } from "../prose.ts";
import { linkTo, type Page, type Site } from "../site.ts";
import { entityPicture, resourceTable } from "./resources-page.ts";

export function overviewPage(site: Site): Page {
  const { model, wire } = site;
  const { purpose, domain, behaviour } = model.purpose;
  return {
    path: "index.html",
    title: model.name,
    description: plainText(purpose ?? model.name),
    body: html`<h1>${model.name}</h1>
${purpose !== undefined && html`<div class="lead">${prose(capital(purpose))}</div>`}
${itemGaps(site, ["purpose", "domain", "behaviour"])}
${cards(site)}
${domain !== undefined || behaviour !== undefined ? html`<section><h2 id="about">About</h2><dl class="facts">${domain !== undefined && html`<dt>Domain</dt><dd>${prose(capital(domain))}</dd>`}${behaviour !== undefined && html`<dt>Behaviour</dt><dd>${prose(capital(behaviour))}</dd>`}</dl></section>` : nothing}
${firstRequest(site)}
${resources(site)}`,
    found: [
      {
        u: "index.html",
        t: model.name,
        k: "page",
        w: "Overview",
        x: plainText([purpose, domain, behaviour].join(" ")),
      },
      { u: "authentication.html", t: "Authentication", k: "page", w: "", x: "credentials keys sign in" },
      { u: "errors.html", t: "Errors", k: "page", w: "", x: "status codes" },
      { u: "events.html", t: "Events", k: "page", w: "", x: "webhooks signature deliveries retries verify" },
      { u: "limits.html", t: "Limits", k: "page", w: "", x: "rate limits sizes time-outs pages" },
      {
        u: "versions.html",
        t: "Versions",
        k: "page",
        w: "",
        x: `changes compatibility ${wire.version?.name ?? ""}`,
      },
      { u: "gaps.html", t: "Gaps", k: "page", w: "", x: "not shown" },
      { u: "endpoints.html", t: "All endpoints", k: "page", w: "", x: "" },
      { u: "resources.html", t: "All resources", k: "page", w: "", x: "diagram" },
      { u: "states.html", t: "All states", k: "page", w: "", x: "diagram transitions" },
    ],
  };
}

function cards(site: Site): Html {
  const { model, wire } = site;
  // If the item isn't shown, the number is unknown: a zero would be a statement.
  const card = (href: string, count: number, word: string, item?: ItemName) => {
    const open = count === 0 && model.ledger.some((entry) => entry.item === item && isOpen(entry));
    return html`<li><a href="${href}"><strong>${open ? "–" : count}</strong>${word}${count === 1 ? "" : "s"}${open && html` <span class="chip open">not shown</span>`}</a></li>`;
  };
  const machines = model.resources.filter((resource) => resource.states?.states.length);
  return html`<ul class="cards">
${card("resources.html", model.resources.length, "resource", "resources")}
${card("endpoints.html", wire.operations.length, "endpoint", "methods")}
${card("states.html", machines.length, "state machine", "states")}
${card("errors.html", wire.errors.filter((error) => error.code !== undefined && error.position !== undefined).length, "error code", "error codes")}
${card("events.html", wire.events.length, "event", "events")}
${card("gaps.html", gapCount(site), "gap")}
</ul>`;
}

/**
 * The first request of the scenarios that succeeds in the version of the site, if the document has
 * one.
 */
function firstRequest(site: Site): Html {
  const { model, wire } = site;
  const [first] = wire.operations
    .flatMap((operation) => ownExamples(site, operation).map((own) => ({ operation, ...own })))
    .filter(({ example }) => example.response.status < 400)
    .toSorted((a, b) => a.example.position.start.offset - b.example.position.start.offset);
  const schemes = wire.security.map((scheme) => scheme.name);
  if (!first) return nothing;
  const { operation, example, exchange } = first;
  return html`<section><h2 id="first">A first request</h2><div class="pair"><div class="description">
${settingsNote(site)}
${
  schemes.length > 0 &&
  html`<p>Callers authenticate with ${joinHtml(
    schemes.map((name) => linkTo(site, anchorOf.scheme(name), name)),
    " or ",
  )}: see <a href="authentication.html">Authentication</a>.</p>`
}
<p><a href="scenarios.html">The scenarios</a> show whole sequences of requests. All of them are tested.</p>
</div><div class="shown">${languages(requestToCopy(site, operation, exchange), variableWords(model, example.scenario))}</div></div></section>`;
}

function resources(site: Site): Html {
  const { model } = site;
  if (model.resources.length === 0)
    return html`<section><h2 id="things">Resources</h2>${itemGaps(site, ["resources", "identifiers", "fields"]) ?? html`<p>None.</p>`}<p class="quiet">${gapWords(site)} in the whole document.</p></section>`;
  return html`<section><h2 id="things">Resources</h2>
${entityPicture(site)}
${resourceTable(site)}</section>`;
}
