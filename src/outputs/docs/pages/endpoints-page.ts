/** Part 4 as a whole: every endpoint in one table, and the settings that apply to all of them. */
import { unknownFieldsText } from "../../../model/endpoints/unknown-inputs.ts";
import { settingsNote } from "../examples.ts";
import { itemGaps } from "../gap-box.ts";
import { inlineCode } from "../highlight.ts";
import { type Html, html, joinHtml, type Piece } from "../html.ts";
import { anchorOf } from "../links.ts";
import { linkTo, type Page, type Site } from "../site.ts";

export function endpointsPage(site: Site): Page {
  const { wire, model } = site;
  return {
    path: "endpoints.html",
    title: "All endpoints",
    description: `The endpoints of ${model.name}`,
    body: html`<h1>All endpoints</h1>
${itemGaps(site, ["methods", "path shapes", "payload shapes"])}
${
  wire.operations.length > 0 &&
  html`${table(site)}
<section><h2 id="all">Common rules</h2>${settingsNote(site)}${rules(site)}</section>`
}`,
    found: [],
  };
}

function table(site: Site): Html {
  return html`<table class="cells"><thead><tr><th scope="col">Endpoint</th><th scope="col">What it does</th><th scope="col">Name</th></tr></thead><tbody>${site.wire.operations.map(
    (operation) =>
      html`<tr><td>${linkTo(site, anchorOf.operation(operation), html`<span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <code>${site.wire.basePath}${operation.path}</code>`)}</td><td>${site.links.titleOf(operation)}${operation.gap && html` <span class="chip open">not shown</span>`}</td><td data-column="Name"><code>${operation.id}</code></td></tr>`,
  )}</tbody></table>`;
}

const timestampWords: Readonly<Record<string, string>> = {
  milliseconds: "RFC 3339 in UTC, with milliseconds",
  seconds: "RFC 3339 in UTC, with seconds",
  microseconds: "RFC 3339 in UTC, with microseconds",
  "milliseconds without zone": "RFC 3339 in UTC, with milliseconds, without the zone",
  "seconds without zone": "RFC 3339 in UTC, with seconds, without the zone",
  "microseconds without zone": "RFC 3339 in UTC, with microseconds, without the zone",
};

function rules(site: Site): Html {
  const part = site.model.endpointsPart;
  const list: readonly (readonly [string, Piece])[] = [
    ["Base path", site.wire.basePath !== "" && inlineCode(site.wire.basePath)],
    ["Sent", part.mediaType !== undefined && inlineCode(part.mediaType)],
    [
      "Accepted",
      part.accepts &&
        joinHtml(
          part.accepts.map((type) => inlineCode(type)),
          ", ",
        ),
    ],
    ["Unknown fields", unknownFieldsText(part.unknownFields)],
    ["Null fields", part.nullFields],
    ["Empty inputs", part.emptyInputs && "count as null"],
    ["Timestamps", part.timestamps && (timestampWords[part.timestamps] ?? part.timestamps)],
    [
      "In full",
      part.expansion !== undefined &&
        html`${inlineCode(part.expansion)} lists the references to be given in full`,
    ],
    [
      "Other origins",
      part.crossOrigin &&
        (typeof part.crossOrigin === "string" ? part.crossOrigin : part.crossOrigin.join(", ")),
    ],
  ];
  const stated = list.filter(([, words]) => words !== undefined && words !== false);
  if (stated.length === 0) return html`<p class="quiet">The document states no other common rules.</p>`;
  return html`<dl class="facts">${stated.map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}</dl>`;
}
