/**
 * Part 9: the versions, how a request selects one, and the changes from each version to the next.
 */
import type { VersionChange, VersioningPart } from "../../../model/model.ts";
import { isNone, itemGaps } from "../gap-box.ts";
import { inlineCode } from "../highlight.ts";
import { expressionCode } from "../effect-words.ts";
import { type Html, html } from "../html.ts";
import { anchorOf } from "../links.ts";
import { capital, prose } from "../prose.ts";
import { type Page, selfLink, type Site } from "../site.ts";

export function versionsPage(site: Site): Page {
  const { versioning, name } = site.model;
  return {
    path: "versions.html",
    title: "Versions",
    description: `The versions of ${name}, and what changed`,
    body: html`<h1>Versions</h1>
${itemGaps(site, ["version scheme", "compatibility rules"])}
${isNone(site, "version scheme") && html`<p class="lead">The service has no versions.</p>`}
${versioning.versions.length > 0 && html`<p>This site documents ${site.wire.version ? inlineCode(site.wire.version.name) : "the only version"}. ${selectionText(versioning)}</p>${table(versioning)}`}
${versioning.compatibility !== undefined && html`<section><h2 id="compatible">Compatible changes</h2>${prose(capital(versioning.compatibility))}</section>`}
${versioning.versions.map((version) => version.changes.length > 0 && html`<section id="${anchorOf.version(version.name)}"><h2>${selfLink(anchorOf.version(version.name), `Changes in ${version.name}`)}</h2><ul>${version.changes.map((change) => html`<li>${changeWords(change)}</li>`)}</ul></section>`)}`,
    found: versioning.versions.map((version) => ({
      u: `versions.html${version.changes.length > 0 ? `#${encodeURIComponent(anchorOf.version(version.name))}` : ""}`,
      t: version.name,
      k: "version",
      w: version.status,
      x: "",
    })),
  };
}

const statusChips = { current: "ok", supported: "info", deprecated: "warn", retired: "bad" } as const;

function table({ versions }: VersioningPart): Html {
  return html`<table class="cells"><thead><tr><th scope="col">Version</th><th scope="col">Status</th><th scope="col">Until</th></tr></thead><tbody>${versions.map(
    (version) =>
      html`<tr><th scope="row">${version.name}</th><td><span class="chip ${statusChips[version.status]}">${version.status}</span>${version.since !== undefined && ` since ${version.since}`}</td><td data-column="Until">${version.until}</td></tr>`,
  )}</tbody></table>`;
}

function selectionText({ scheme, default: defaultName }: VersioningPart): Html {
  const how =
    scheme === undefined || scheme.kind === "none"
      ? html``
      : scheme.kind === "header" || scheme.kind === "query"
        ? html`A request selects a version in the ${scheme.kind} ${inlineCode(scheme.name)}.`
        : html`A request selects a version by its ${scheme.kind}.`;
  if (defaultName === undefined) return how;
  const without =
    typeof defaultName === "string"
      ? html`the ${defaultName} one`
      : "version" in defaultName
        ? inlineCode(defaultName.version)
        : html`the one of ${expressionCode(defaultName.pinned)}`;
  return html`${how} A request without one gets ${without}.`;
}

function changeWords(change: VersionChange): Html {
  switch (change.kind) {
    case "renamed":
      return html`${inlineCode(`${change.subject}.${change.from}`)} is called ${inlineCode(`${change.subject}.${change.to}`)}`;
    case "added":
      return html`${inlineCode(`${change.subject}.${change.name}`)} is new`;
    case "removed":
      return html`${inlineCode(`${change.subject}.${change.name}`)} was removed${change.was && html`; older versions see ${expressionCode(change.was)}`}`;
    case "removed input":
      return html`${inlineCode(change.endpoint)} takes ${inlineCode(change.input)} no more${change.as && html`; older versions’ counts as ${inlineCode(change.as.input)} = ${expressionCode(change.as.value)}`}`;
    case "default":
      return html`The default of ${inlineCode(`${change.subject}.${change.name}`)} is another; it was ${expressionCode(change.was)}`;
    case "replaced":
      return html`${inlineCode(`${change.subject}.${change.name}`)} has another form: the new is ${expressionCode(change.new)}, the old ${expressionCode(change.old)}`;
    case "endpoint added":
      return html`${inlineCode(change.endpoint)} is new`;
    case "endpoint removed":
      return html`${inlineCode(change.endpoint)} was removed`;
  }
}
