/** Part 6: which events there are, who receives them, and how a delivery is verified. */
import { formatDuration } from "../../../support/quantity.ts";
import type { WireEvent } from "../../wire/wire.ts";
import { expressionCode } from "../effect-words.ts";
import { gapBox, isNone, itemGaps } from "../gap-box.ts";
import { codeBlock, inlineCode } from "../highlight.ts";
import { type Html, html, joinHtml, nothing, type Piece } from "../html.ts";
import { anchorOf } from "../links.ts";
import { fieldList, hasFields } from "../schema-fields.ts";
import { typeWords } from "../schema-words.ts";
import { linkTo, type Page, selfLink, type Site } from "../site.ts";
import { operationLink } from "../state-section.ts";
import { verificationCode } from "../verification-code.ts";

export function eventsPage(site: Site): Page {
  const { wire, model } = site;
  return {
    path: "events.html",
    title: "Events",
    description: `The events of ${model.name}`,
    body: html`<h1>Events</h1>
${itemGaps(site, ["events", "webhooks", "notifications"])}
${isNone(site, "events") && html`<p class="lead">The service sends no events.</p>`}
${wire.events.length > 0 && overview(site)}
${webhooks(site)}
${streams(site)}
${mail(site)}
${wire.events.map((event) => eventSection(site, event))}`,
    found: wire.events.map((event) => ({
      u: `events.html#${encodeURIComponent(anchorOf.event(event.name))}`,
      t: event.name,
      k: "event",
      w: event.when,
      x: "",
    })),
  };
}

function overview(site: Site): Html {
  return html`<table class="cells"><thead><tr><th scope="col">Event</th><th scope="col">Happens</th><th scope="col">Sent to</th></tr></thead><tbody>${site.wire.events.map(
    (event) =>
      html`<tr><td><a href="#${encodeURIComponent(anchorOf.event(event.name))}">${inlineCode(event.name)}</a></td><td data-column="Happens">${event.when}</td><td data-column="Sent to">${receiverText(site, event)}</td></tr>`,
  )}</tbody></table>`;
}

function receiverText(site: Site, event: WireEvent): Html {
  const streams = streamsOf(site, event.name);
  const channels = [
    ...(event.toWebhooks ? [html`webhooks`] : []),
    ...streams.map((operation) => operationLink(site, operation)),
  ];
  return channels.length === 0 ? html`<span class="quiet">no one</span>` : joinHtml(channels, ", ");
}

function streamsOf(site: Site, event: string) {
  return site.wire.operations.filter((operation) =>
    operation.stream?.messages.some((message) => message.event === event),
  );
}

// ── Webhooks ────────────────────────────────────────────────────────────────────────────────────

function webhooks(site: Site): Html {
  const { webhooks, events } = { webhooks: site.wire.webhooks, events: site.model.events };
  if (!webhooks) return isNone(site, "webhooks") ? html`<p>There are no webhooks.</p>` : nothing;
  const target = events.webhooks;
  const facts: readonly (readonly [string, Piece])[] = [
    [
      "Sent to",
      target &&
        html`${linkTo(site, target.resource, `${target.resource}.${target.address}`)}${target.when && html`, where ${expressionCode(target.when)}`}`,
    ],
    [
      "Sent as",
      joinHtml(
        webhooks.mediaTypes.map((type) => inlineCode(type)),
        " or ",
      ),
    ],
    [
      "Headers",
      webhooks.headers.length + events.headerMaps.length > 0 &&
        joinHtml(
          [
            ...webhooks.headers.map((header) => inlineCode(header.name)),
            ...events.headerMaps.map(({ value }) => html`those of ${expressionCode(value)}`),
          ],
          ", ",
        ),
    ],
    [
      "Signed",
      events.signature
        ? html`as Standard Webhooks, with ${expressionCode(events.signature.secret)}`
        : signingHeaders(events.headers),
    ],
    ["Time-out", webhooks.timeoutMs !== undefined && formatDuration(webhooks.timeoutMs)],
    ["Retries", retryWords(webhooks.retriesMs, events.retriesJitter === true)],
    [
      "In order",
      events.deliveriesInOrder === true &&
        "the events of one record arrive in the order in which they happened",
    ],
  ];
  const code = verificationCode(events);
  return html`<section id="webhooks"><h2>${selfLink("webhooks", "Webhooks")}</h2>
<p>Each event is a ${joinHtml(
    webhooks.methods.map((method) => html`<code>${method}</code>`),
    " or ",
  )} request with its payload as the body. Respond with any 2xx status once you have received it. An event may arrive twice: use its id to ignore duplicates.</p>
<dl class="facts">${facts.filter(([, words]) => words !== undefined && words !== false).map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}</dl>
${code !== undefined && html`<h3>Verify a delivery</h3>${codeBlock(code, "ts", "How a delivery is verified, in TypeScript")}`}</section>`;
}

function signingHeaders(headers: Site["model"]["events"]["headers"]): Piece {
  const signing = headers.filter((header) => /\bhmac\s*\(/.test(header.value.text));
  if (signing.length === 0) return undefined;
  return html`<ul class="plain">${signing.map((header) => html`<li>${inlineCode(header.name)}: ${expressionCode(header.value)}</li>`)}</ul>`;
}

function retryWords(pausesMs: readonly number[] | undefined, jitter: boolean): Piece {
  if (pausesMs === undefined) return undefined;
  if (pausesMs.length === 0) return "never";
  return `after ${pausesMs.map(formatDuration).join(", ")}${jitter ? ", each up to a tenth longer" : ""}`;
}

// ── Streams and emails ──────────────────────────────────────────────────────────────────────────

function streams(site: Site): Html {
  const operations = site.wire.operations.filter((operation) => operation.stream);
  if (operations.length === 0) return nothing;
  return html`<section id="streams"><h2>${selfLink("streams", "Streams")}</h2>
<p>Server-sent events report changes as they happen. A client that reconnects with <code>Last-Event-ID</code> misses nothing.</p>
<ul class="plain">${operations.map((operation) => html`<li>${operationLink(site, operation)}</li>`)}</ul></section>`;
}

function mail(site: Site): Html {
  const { notifications } = site.model.events;
  if (notifications.length === 0) return nothing;
  return html`<section id="notifications"><h2>${selfLink("notifications", "Emails")}</h2>
<ul class="plain">${notifications.map((notification) => html`<li>To ${expressionCode(notification.to)}${notification.when && html` when ${expressionCode(notification.when)}`}${notification.subject && html`: ${expressionCode(notification.subject)}`}</li>`)}</ul></section>`;
}

// ── Each event ──────────────────────────────────────────────────────────────────────────────────

function eventSection(site: Site, { name, event, when, schema }: WireEvent): Html {
  const anchor = anchorOf.event(name);
  return html`<section id="${anchor}"><h2>${selfLink(anchor, inlineCode(name))}</h2>
<p>Trigger: ${when}.${event.retries && html` Retries ${retryWords(event.retries.pausesMs, event.retries.jitter)}.`}</p>
${event.gap && gapBox(event.gap.subject, event.gap.position)}
${hasFields(site, schema) ? html`<details class="more"><summary>Payload</summary>${fieldList(site, schema, { sent: false })}</details>` : html`<p>Payload: ${typeWords(site, schema)}.</p>`}</section>`;
}
