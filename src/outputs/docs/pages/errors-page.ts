/** Part 7: every error, with which rules of which endpoints raise it. */
import type { Operation, WireError } from "../../wire/wire.ts";
import { itemGaps } from "../gap-box.ts";
import { codeBlock, inlineCode } from "../highlight.ts";
import { type Html, html, nothing } from "../html.ts";
import { anchorOf } from "../links.ts";
import { errorName } from "../operation-section.ts";
import { rulesOf } from "../rules.ts";
import { shownAnswer } from "../scenario-text.ts";
import { fieldList, hasFields } from "../schema-fields.ts";
import { type Page, selfLink, type Site } from "../site.ts";
import { operationLink } from "../state-section.ts";

export function errorsPage(site: Site): Page {
  const { wire, model } = site;
  const raisers = raisersOf(site);
  const stated = wire.errors.filter((error) => error.position !== undefined);
  const names = new Set(stated.map((error) => error.name));
  const engineErrors = wire.errors.filter((error) => error.position === undefined && !names.has(error.name));
  const sections = (errors: readonly WireError[]) =>
    [...Map.groupBy(errors, (error) => error.name).values()].map((rows) => errorSection(site, rows, raisers));
  return {
    path: "errors.html",
    title: "Errors",
    description: `The errors of ${model.name}, and what raises each`,
    body: html`<h1>Errors</h1>
<p class="lead">All errors, with their responses and the rules that cause them.</p>
${itemGaps(site, ["error codes", "status codes", "payload shape"])}
${overviewTable(stated)}
${payload(site)}
${sections(stated)}
${engineErrors.length > 0 && html`<section><h2 id="others">Engine defaults</h2><p>The document has no row for these errors, so they have the engine’s default form.</p>${overviewTable(engineErrors)}</section>${sections(engineErrors)}`}`,
    found: wire.errors.map((error) => ({
      u: `errors.html#${encodeURIComponent(anchorOf.error(error.name))}`,
      t: error.code ?? error.name,
      k: "error",
      w: `${error.status} ${error.conditions.join(", ")}`,
      x: error.message,
    })),
  };
}

/** By error and by the rule's text: the operations that raise it. */
type Raisers = ReadonlyMap<
  string,
  ReadonlyMap<string, { readonly words: Html; readonly operations: Operation[] }>
>;

function raisersOf({ model, wire }: Site): Raisers {
  const found = new Map<string, Map<string, { readonly words: Html; readonly operations: Operation[] }>>();
  for (const operation of wire.operations) {
    for (const { error, words } of rulesOf(model, operation)) {
      if (!error) continue;
      const rules = found.get(error.name) ?? new Map();
      found.set(error.name, rules);
      const known = rules.get(words.text) ?? { words, operations: [] };
      rules.set(words.text, known);
      if (known.operations.at(-1) !== operation) known.operations.push(operation);
    }
  }
  return found;
}

function overviewTable(errors: readonly WireError[]): Html | undefined {
  if (errors.length === 0) return undefined;
  return html`<table class="cells"><thead><tr><th scope="col">Error</th><th scope="col">Status</th><th scope="col">When</th></tr></thead><tbody>${errors.map(
    (error) =>
      html`<tr><td><a href="#${encodeURIComponent(anchorOf.error(error.name))}">${errorName(error)}</a></td><td data-column="Status">${error.status}</td><td data-column="When">${error.conditions.length > 0 ? error.conditions.join(", ") : html`<span class="quiet">a rule of its own</span>`}</td></tr>`,
  )}</tbody></table>`;
}

/** The payload of the errors, which most share. */
function payload(site: Site): Html | undefined {
  const [first] = site.wire.errors;
  const { payloadStated } = site.model.errors;
  if (!first || !hasFields(site, first.schema)) return undefined;
  return html`<section><h2 id="payload">Format of an error</h2>
${!payloadStated && html`<p>The document doesn’t state a format, so errors are problem details (RFC 9457).</p>`}
${first.mediaType !== undefined && html`<p>${inlineCode(first.mediaType)}</p>`}
${fieldList(site, first.schema, { sent: false })}</section>`;
}

/** All rows with one name: a code may be sent with several statuses. */
function errorSection(site: Site, errors: readonly WireError[], raisers: Raisers): Html {
  const [first] = errors;
  if (!first) return nothing;
  const anchor = anchorOf.error(first.name);
  const rules = [...(raisers.get(first.name)?.values() ?? [])];
  return html`<section id="${anchor}"><h2>${selfLink(anchor, errorName(first))} ${errors.map((error) => html`<span class="chip bad">${error.status}</span> `)}</h2>
<div class="pair"><div class="description">${errors.map((error) => rowWords(error, errors.length > 1))}
${rules.length > 0 && html`<h3>Raised when</h3><ul class="fields">${rules.map((rule) => html`<li class="field"><div>${rule.words}</div>${raisedBy(site, rule.operations)}</li>`)}</ul>`}</div>
<div class="shown">${errors.map((error) => error.example !== undefined && codeBlock(shownAnswer(JSON.stringify(error.example)), "json", `An example of ${error.name}, ${error.status}`))}</div></div></section>`;
}

function rowWords({ status, message, conditions }: WireError, severalRows: boolean): Html {
  const sent = conditions.length > 0 && html`<p class="quiet">Conditions: ${conditions.join(", ")}.</p>`;
  return html`${severalRows && html`<h3>${status}</h3>`}${message !== "" && html`<p>${messageWords(message)}</p>`}${sent}`;
}

/** `{error.field}` in a message is a placeholder. */
function messageWords(message: string): Html {
  return html`“${message.split(/(\{[^{}]*\})/).map((piece) => (piece.startsWith("{") ? inlineCode(piece, "cel") : piece))}”`;
}

const shownMax = 25;

function raisedBy(site: Site, operations: readonly Operation[]): Html {
  const all = operations.length === site.wire.operations.length && operations.length > 3;
  if (all) return html`<p class="bounds">by every endpoint</p>`;
  const list = html`<ul class="plain">${operations.slice(0, shownMax).map((operation) => html`<li>${operationLink(site, operation)}</li>`)}</ul>`;
  if (operations.length <= 4) return list;
  const more = operations.length - shownMax;
  return html`<details class="more"><summary>by ${operations.length} endpoints</summary>${list}${more > 0 && html`<p class="quiet">and ${more} more, each listed at its endpoint.</p>`}</details>`;
}
