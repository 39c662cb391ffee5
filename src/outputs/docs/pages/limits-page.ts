/** Part 8: sizes, rates and durations. */
import type { Applies, RateLimit } from "../../../model/model.ts";
import { formatDuration, formatExactSize } from "../../../support/quantity.ts";
import { periodWords } from "../period-words.ts";
import { expressionCode } from "../effect-words.ts";
import { isNone, itemGaps } from "../gap-box.ts";
import { inlineCode } from "../highlight.ts";
import { type Html, html, joinHtml, type Piece } from "../html.ts";
import { anchorOf } from "../links.ts";
import { linkTo, type Page, type Site } from "../site.ts";
import { errorName } from "../operation-section.ts";
import { operationLink } from "../state-section.ts";

export function limitsPage(site: Site): Page {
  const { limits, name } = site.model;
  const rows = rowsOf(site);
  const none = (["rate limits", "size limits", "time-outs", "pagination bounds"] as const).filter((item) =>
    isNone(site, item),
  );
  return {
    path: "limits.html",
    title: "Limits",
    description: `The limits of ${name}`,
    body: html`<h1>Limits</h1>
<p class="lead">How many requests are allowed, how large they may be, how long a response may take.</p>
${itemGaps(site, ["rate limits", "size limits", "time-outs", "pagination bounds"])}
${none.length > 0 && html`<p>The document states that there are none of these: ${none.join(", ")}.</p>`}
${
  rows.length > 0 &&
  html`<table class="cells"><thead><tr><th scope="col">Limit</th><th scope="col">Bound</th><th scope="col">Applies to</th><th scope="col">Beyond it</th></tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr><th scope="row">${row.name}</th><td data-column="Bound">${row.bound}</td><td data-column="Applies to">${row.to}</td><td data-column="Beyond it">${row.beyond}</td></tr>`,
  )}</tbody></table>`
}
${limits.rateHeaders && html`<section><h2 id="headers">Headers</h2><p>${headerWords(limits.rateHeaders)}</p></section>`}`,
    found: [],
  };
}

interface Row {
  readonly name: string;
  readonly bound: Piece;
  readonly to: Piece;
  readonly beyond: Piece;
}

function rowsOf(site: Site): readonly Row[] {
  const { limits } = site.model;
  const beyond = (condition: "rate limited" | "too large" | "timed out" | "quota exceeded"): Piece => {
    const error = site.wire.errors.find((wireError) => wireError.conditions.includes(condition));
    return (
      error &&
      html`<span class="chip bad">${error.status}</span> ${linkTo(site, anchorOf.error(error.name), errorName(error))}`
    );
  };
  const ofEveryRequest = (name: string, bytes: number | undefined): readonly Row[] =>
    bytes === undefined
      ? []
      : [{ name, bound: formatExactSize(bytes), to: "every request", beyond: beyond("too large") }];
  const named = (kind: string, name: string) => (name === "" ? kind : `${kind} ${name}`);
  return [
    ...limits.rates.map((rate) => ({
      name: named("rate", rate.name),
      bound: html`${rate.count} per ${periodWords(rate.periodMs)}${rate.burst !== undefined && `, bursts of ${rate.burst}`}${rate.cost && html`, each costing ${expressionCode(rate.cost)}`}`,
      to: html`${perWords(rate.per)}: ${appliesWords(site, rate.applies)}${rate.exceptAnswers && `, not counted if the response is ${rate.exceptAnswers.join(" or ")}`}${rate.when && html`, when ${expressionCode(rate.when)}`}`,
      beyond: beyond("rate limited"),
    })),
    ...limits.concurrency.map((item) => ({
      name: named("concurrency", item.name),
      bound: `${item.count} at the same time`,
      to: html`${item.per === undefined ? "the service" : perWords(item.per)}: ${appliesWords(site, item.applies)}`,
      beyond: beyond("rate limited"),
    })),
    ...limits.bodyBytes.map((bodyByte) => ({
      name: "body",
      bound: formatExactSize(bodyByte.bytes),
      to: appliesWords(site, bodyByte.applies),
      beyond: beyond("too large"),
    })),
    ...ofEveryRequest("address", limits.urlBytes),
    ...ofEveryRequest("headers", limits.headerBytes),
    ...limits.timeoutsMs.map((timeoutsM) => ({
      name: "time-out",
      bound: formatDuration(timeoutsM.milliseconds),
      to: appliesWords(site, timeoutsM.applies),
      beyond: beyond("timed out"),
    })),
    ...limits.pages.map((page) => ({
      name: "page",
      bound: [
        ...(page.default === undefined ? [] : [`${page.default} by default`]),
        ...(page.maximum === undefined ? [] : [`at most ${page.maximum}`]),
      ].join(", "),
      to: appliesWords(site, page.applies),
      beyond: page.over === "clamped" ? "the maximum applies" : "refused",
    })),
    ...limits.stored.map((item) => ({
      name: named("stored", item.name),
      bound: html`${item.count} ${linkTo(site, item.resource, item.resource)}${item.where && html` where ${expressionCode(item.where)}`}`,
      to: item.per === undefined ? "in total" : html`each ${inlineCode(item.per)}`,
      beyond: beyond("quota exceeded"),
    })),
  ];
}

function perWords(per: RateLimit["per"]): Piece {
  if (typeof per !== "string") return html`each ${expressionCode(per)}`;
  return per === "service" ? "the whole service" : `each ${per}`;
}

function appliesWords(site: Site, { to, except }: Applies): Html {
  const link = (endpoint: { readonly method: string; readonly path: string }) => {
    const operation = site.wire.operations.find(
      (candidate) => candidate.method === endpoint.method && candidate.endpoint.path.text === endpoint.path,
    );
    return operation ? operationLink(site, operation) : inlineCode(`${endpoint.method} ${endpoint.path}`);
  };
  const what = typeof to === "string" ? to : joinHtml(to.map(link), ", ");
  return html`${what}${except.length > 0 && html`, but not ${joinHtml(except.map(link), ", ")}`}`;
}

function headerWords(headers: NonNullable<Site["model"]["limits"]["rateHeaders"]>): Html {
  if (headers === "none") return html`Responses don’t report the remaining quota.`;
  if (headers === "RateLimit")
    return html`The remaining quota is in the response header ${inlineCode("RateLimit")}.`;
  return html`The remaining quota is in the response headers ${joinHtml(
    headers.fields.map((field) =>
      inlineCode(`X-RateLimit-${field.charAt(0).toUpperCase()}${(field.split(" ")[0] as string).slice(1)}`),
    ),
    ", ",
  )}.`;
}
