/**
 * One endpoint: its purpose, its inputs, its responses, and the rules that refuse it; next to them,
 * requests to copy.
 */
import { nonNull } from "../../support/non-null.ts";
import type { OrList } from "../../model/endpoints/does.ts";
import type { Allowed, Does, Endpoint } from "../../model/model.ts";
import { unknownFieldsText } from "../../model/endpoints/unknown-inputs.ts";
import { formatDuration, formatExactSize } from "../../support/quantity.ts";
import { periodWords } from "./period-words.ts";
import type { Operation, Parameter, SecurityScheme, WireAnswer, WireHeader } from "../wire/wire.ts";
import { expressionCode, resourceLink, whenWords } from "./effect-words.ts";
import { operationExamples } from "./examples.ts";
import { inlineCode } from "./highlight.ts";
import { type Html, html, joinHtml, nothing, type Piece } from "./html.ts";
import { anchorOf } from "./links.ts";
import { plainText, prose } from "./prose.ts";
import { rulesOf } from "./rules.ts";
import { factsOf, type FieldFacts, fieldList, fieldWords, hasFields } from "./schema-fields.ts";
import { typeWords } from "./schema-words.ts";
import { linkTo, type SearchEntry, selfLink, type Site } from "./site.ts";
import { gapBox } from "./gap-box.ts";

export function operationSection(site: Site, operation: Operation): Html {
  const anchor = anchorOf.operation(operation);
  return html`<section id="${anchor}">
<h3>${selfLink(anchor, site.links.titleOf(operation))}</h3>
<div class="pair"><div class="description">
${routeOf(site, operation)}
${operation.gap && gapBox(operation.gap.subject, operation.gap.position, html`Until then it responds with 501.`)}
${operation.endpoint.prose.trim() !== "" && prose(operation.description)}
${operationFacts(site, operation)}
${inputsOf(site, operation)}
${answers(site, operation)}
${refusals(site, operation)}
</div><div class="shown">${operationExamples(site, operation)}</div></div>
</section>`;
}

function routeOf(site: Site, { method, path }: Operation): Html {
  const pieces = (site.wire.basePath + path || "/").split(/(\{[^{}]*\})/);
  return html`<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${pieces.map(
    (piece) => (piece.startsWith("{") ? html`<span class="parameter">${piece}</span>` : piece),
  )}</code></p>`;
}

// ── Facts ───────────────────────────────────────────────────────────────────────────────────────

function operationFacts(site: Site, operation: Operation): Html {
  const { endpoint } = operation;
  const facts: readonly (readonly [string, Piece])[] = [
    ["Does", doesWords(site, endpoint)],
    ["Authorization", whoWords(site, operation)],
    ["Idempotency", endpoint.idempotency && idempotencyWords(endpoint)],
    ["Conditions", whereChoiceWords(endpoint)],
    ["Order", orderWords(endpoint)],
    ["Pages", operation.pagination && pageWords(operation)],
    ["Sends", operation.stream && streamWords(site, operation)],
    [
      "Waits",
      endpoint.waits &&
        html`until ${expressionCode(endpoint.waits.until)}, at most ${expressionCode(endpoint.waits.atMost)}`,
    ],
    ["Limits", limitWords(operation)],
    ["Unknown fields", unknownFieldsText(endpoint.unknownFields)],
    ["Deprecated", deprecationWords(endpoint)],
  ];
  return html`<dl class="facts">${facts
    .filter(([, words]) => words !== undefined && words !== nothing)
    .map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}</dl>`;
}

function deprecationWords({ deprecated }: Endpoint): string | undefined {
  if (!deprecated) return undefined;
  const { since, until } = deprecated;
  const days = [
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`served until ${until}`]),
  ];
  return days.length === 0 ? "yes" : days.join(", ");
}

function doesWords(site: Site, { does, then }: Endpoint): Html {
  const all = [
    ...does.map(
      (operation) =>
        html`${oneDoesWords(site, operation)}${"ifAny" in operation && operation.ifAny && ", if there is one"}${whenWords(operation.when)}`,
    ),
    ...then.map((item) => html`then ${inlineCode(item.transition)}${whenWords(item.when)}`),
  ];
  if (all.length === 0) return nothing;
  return all.length === 1
    ? nonNull(all[0])
    : html`<ul class="plain">${all.map((item) => html`<li>${item}</li>`)}</ul>`;
}

function oneDoesWords(site: Site, does: Does): Html {
  switch (does.kind) {
    case "create":
      return html`creates a ${resourceLink(site, does.resource)}${orListWords(does)}`;
    case "read":
      return html`reads a ${resourceLink(site, does.resource)}`;
    case "list":
      return html`lists ${resourceLink(site, does.resource)} records`;
    case "replace":
      return html`replaces a ${resourceLink(site, does.resource)}: fields that aren’t sent are cleared`;
    case "upsert":
      return html`updates a ${resourceLink(site, does.resource)}, or creates it if there is none${orListWords(does)}`;
    case "update":
      return html`updates ${does.every ? "every" : "a"} ${resourceLink(site, does.resource)}`;
    case "delete":
      return html`deletes ${does.every ? "every" : "a"} ${resourceLink(site, does.resource)}`;
    case "transition":
      return html`performs the transition ${linkTo(site, anchorOf.transition(does.resource, does.transition), inlineCode(does.transition))} of a ${resourceLink(site, does.resource)}${movesWords(site, does.resource, does.transition)}`;
    case "sign in":
      return html`signs in a ${resourceLink(site, does.resource)}`;
    case "stream":
      return html`sends events as they happen (server-sent events)`;
    case "answer":
      return html`responds, and changes nothing itself`;
    case "handler":
      return html`custom code: ${inlineCode(does.name)}`;
  }
}

function orListWords({ orList }: { readonly orList?: OrList }): string {
  return orList ? "; of a list, all of its elements or none" : "";
}

/** `: registered → in_transit`. */
function movesWords(site: Site, resource: string, transition: string): Html {
  const machine = site.model.resources.find((candidate) => candidate.name === resource)?.states;
  const ends = machine?.transitions.find((candidate) => candidate.name === transition)?.ends ?? [];
  if (machine?.field === undefined || ends.length === 0) return nothing;
  const state = (name: string) => linkTo(site, anchorOf.state(resource, name), inlineCode(name));
  const moves = ends.map((end) => {
    const from = end.from === "any" ? html`any state` : joinHtml(end.from.map(state), " or ");
    return end.same ? html`${from} stays` : html`${from} → ${state(end.to)}`;
  });
  return html`: ${joinHtml(moves, "; ")}`;
}

function whoWords(site: Site, operation: Operation): Html {
  const { endpoint } = operation;
  const allowed = [...endpoint.records.flatMap((record) => record.allowed), ...endpoint.allowed];
  const conditions = allowed.filter(
    (rule): rule is Extract<Allowed, { kind: "condition" }> => rule.kind === "condition",
  );
  const rest =
    conditions.length === 0
      ? nothing
      : html`, where ${joinHtml(
          conditions.map((condition) => expressionCode(condition.condition)),
          " and ",
        )}`;
  if (site.model.authentication.gap && operation.security.length === 0) return html`not shown`;
  if (operation.security.length === 0) return html`anyone${rest}`;
  const schemes = joinHtml(
    schemesOf(site, operation).map(({ name }) => linkTo(site, anchorOf.scheme(name), name)),
    " or ",
  );
  return operation.anonymous
    ? html`anyone; callers with ${schemes} are recognized${rest}`
    : html`callers with ${schemes}${rest}`;
}

function schemesOf({ wire }: Site, { security }: Operation): readonly SecurityScheme[] {
  return wire.security.filter((scheme) => security.includes(scheme.key));
}

function idempotencyWords({ idempotency }: Endpoint): Html {
  if (!idempotency) return nothing;
  const { name, milliseconds, required } = idempotency;
  return html`${required ? "needs" : "takes"} a key in ${inlineCode(name)}: a repeated request with the same key gets the first response${milliseconds !== undefined && `, for ${formatDuration(milliseconds)}`}`;
}

function whereChoiceWords({ whereChoices }: Endpoint): Html | undefined {
  if (!whereChoices) return undefined;
  const items = whereChoices.map(
    ({ of, condition }) => html`over ${fieldNames(of)} by ${expressionCode(condition)}`,
  );
  return joinHtml(items, "; ");
}

function orderWords({ order }: Endpoint): Html | undefined {
  if (order.length === 0) return undefined;
  const items = order.map(
    (item) =>
      html`${choiceWords(item)}${joinHtml(
        item.keys.map(
          (key) =>
            html`${expressionCode(key.by)} ${key.direction ? html`by ${expressionCode(key.direction)}` : key.descending ? "descending" : "ascending"}`,
        ),
        ", then ",
      )}${whenWords(item.when)}`,
  );
  return joinHtml(items, "; ");
}

/** `any of title, id by query.sort, else `. */
function choiceWords({ choice, keys }: Endpoint["order"][number]): Html {
  if (!choice) return nothing;
  return html`any of ${fieldNames(choice.of)} by ${expressionCode(choice.text)}${keys.length > 0 && ", else "}`;
}

function fieldNames(of: readonly { readonly name: string }[]): Html {
  return joinHtml(
    of.map(({ name }) => inlineCode(name)),
    ", ",
  );
}

function pageWords({ pagination }: Operation): Html {
  if (!pagination) return nothing;
  const { kind, size, sizeDefault, sizeMax, links, next, nextAddress } = pagination;
  const paginationWords: Readonly<Record<typeof kind, string>> = {
    cursor: "by cursor",
    identifier: "by identifier",
    page: "by number",
    offset: "by offset",
  };
  const bounds = [
    ...(sizeDefault === undefined ? [] : [html`${sizeDefault} by default`]),
    ...(sizeMax === undefined ? [] : [html`at most ${sizeMax}`]),
    ...(size === undefined ? [] : [html`set by ${inlineCode(size)}`]),
  ];
  const more = nextAddress ?? next;
  return html`${paginationWords[kind]}${bounds.length > 0 && html`, ${joinHtml(bounds, ", ")}`}${more && more.length > 0 && html`; the next page is in ${inlineCode(more.join("."))}`}${links && html`; ${inlineCode("Link")} names the next page`}`;
}

function streamWords(site: Site, { stream }: Operation): Html {
  const names = [...new Set(stream?.messages.map((message) => message.event))];
  const ends = stream?.endsAfter ?? [];
  return html`${joinHtml(
    names.map((name) => linkTo(site, anchorOf.event(name), inlineCode(name))),
    ", ",
  )}${
    ends.length > 0 &&
    html`; it ends after ${joinHtml(
      ends.map((name) => inlineCode(name)),
      " or ",
    )}`
  }; ${inlineCode("Last-Event-ID")} resumes it`;
}

function limitWords({ rates, bodyBytesMax, timeoutMs, body }: Operation): Html | undefined {
  const limits = [
    ...rates.map(
      (rate) =>
        html`${rate.count} per ${periodWords(rate.periodMs)}${rate.burst !== undefined && `, bursts of ${rate.burst}`}`,
    ),
    ...(body && bodyBytesMax !== undefined ? [html`body ${formatExactSize(bodyBytesMax)}`] : []),
    ...(timeoutMs === undefined ? [] : [html`time-out ${formatDuration(timeoutMs)}`]),
  ];
  return limits.length === 0 ? undefined : html`<a href="limits.html">${joinHtml(limits, " · ")}</a>`;
}

// ── Inputs ───────────────────────────────────────────────────────────────────────────────

const places: readonly (readonly [Parameter["in"], string])[] = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Headers"],
];

function inputsOf(site: Site, operation: Operation): Html {
  const { body, parameters } = operation;
  const lists = places.map(([place, words]) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    return (
      own.length > 0 &&
      html`<h4>${words}</h4><ul class="fields">${own.map((parameter) => parameterItem(site, operation, parameter))}</ul>`
    );
  });
  const types = body?.mediaTypes.map((mediaType) => mediaType.type) ?? [];
  return html`${lists}${body && html`<h4>Request body${body.required ? "" : " (optional)"}${types.length > 0 && ` · ${types.join(" or ")}`}</h4>${hasFields(site, body.schema) ? fieldList(site, body.schema, { sent: true, factsAt: (path) => inputFacts(operation, path, "body") }) : html`<p>${typeWords(site, body.schema)}</p>`}`}`;
}

function inputFacts({ endpoint }: Operation, path: readonly string[], place: string): FieldFacts {
  const name = path.join(".");
  return factsOf(endpoint.inputs.find((input) => input.in === place && input.name.join(".") === name));
}

function parameterItem(site: Site, operation: Operation, parameter: Parameter): Html {
  const schema =
    parameter.description === ""
      ? parameter.schema
      : { ...parameter.schema, description: parameter.description };
  const needed = parameter.required && parameter.in !== "path" && html`<span class="needed">required</span>`;
  const separated =
    parameter.style === "separated" && `separated by ${JSON.stringify(parameter.separator ?? ",")}`;
  return html`<li class="field">${fieldWords(site, schema, inlineCode(parameter.name), needed || nothing, inputFacts(operation, [parameter.name], parameter.in))}${separated && html`<p class="bounds">${separated}</p>`}</li>`;
}

// ── Responses ─────────────────────────────────────────────────────────────────────────────

function answers(site: Site, operation: Operation): Html {
  if (operation.answers.length === 0) return nothing;
  return html`<h4>Responses</h4><ul class="fields">${operation.answers.map((answer) => answerItem(site, answer))}</ul>`;
}

function answerItem(site: Site, { status, description, content, headers }: WireAnswer): Html {
  const inside = content && hasFields(site, content.schema);
  return html`<li class="field"><div class="head"><span class="chip ${status < 300 ? "ok" : "info"}">${status}</span> ${content ? html`<span class="type">${typeWords(site, content.schema)}</span>` : html`<span class="type">${description}</span>`}</div>
${headers.length > 0 && headerWords(headers)}
${inside && html`<details><summary>Show fields</summary>${fieldList(site, content.schema, { sent: false })}</details>`}</li>`;
}

function headerWords(headers: readonly WireHeader[]): Html {
  return html`<p class="bounds">with ${joinHtml(
    headers.map((header) => inlineCode(header.name)),
    ", ",
  )}</p>`;
}

function refusals(site: Site, operation: Operation): Html {
  const rules = rulesOf(site.model, operation);
  const named = new Set(rules.flatMap((rule) => rule.error?.name ?? []));
  const rest = operation.refusals
    .flatMap((refusal) => refusal.errors)
    .filter((error) => !named.has(error.name));
  const open = operation.refusals.filter(({ errors }) => errors.length === 0);
  if (rules.length + rest.length + open.length === 0) return nothing;
  return html`<h4>Errors</h4>
<table class="cells"><thead><tr><th scope="col">Rule</th><th scope="col">Error</th></tr></thead><tbody>${rules.map(
    (rule) =>
      html`<tr><td>${rule.words}</td><td>${rule.error ? errorChip(site, rule.error) : "not shown"}</td></tr>`,
  )}${open.map(({ status }) => html`<tr><td>not shown</td><td><span class="chip bad">${status}</span></td></tr>`)}</tbody></table>
${rest.length > 0 && html`<details class="more"><summary>${rest.length} more that any request may return</summary><ul class="plain">${rest.map((error) => html`<li>${errorChip(site, error)} ${error.conditions.join(", ")}</li>`)}</ul></details>`}`;
}

/** `409 wrong_state`, linked. */
export function errorChip(
  site: Site,
  error: { readonly status: number; readonly name: string; readonly code?: string },
): Html {
  return html`<span class="chip bad">${error.status}</span> ${linkTo(site, anchorOf.error(error.name), errorName(error))}`;
}

/** The code of an error; without a code, its reason as text. */
export function errorName({ code, name }: { readonly name: string; readonly code?: string }): Html {
  return code === undefined ? html`${name.replaceAll("_", " ")}` : inlineCode(code);
}

export function operationEntry(site: Site, operation: Operation): SearchEntry {
  return {
    u: site.links.to(anchorOf.operation(operation)) ?? "",
    t: site.links.titleOf(operation),
    k: "endpoint",
    w: `${operation.method} ${site.wire.basePath}${operation.path}`,
    x: [
      operation.id,
      plainText(operation.description),
      ...operation.parameters.map((parameter) => parameter.name),
    ].join(" "),
  };
}
