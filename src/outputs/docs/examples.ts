/**
 * The requests of an operation to copy, and their responses, from scenarios. Without a scenario,
 * the request has names as placeholders.
 */
import { captureWords } from "../../model/scenarios/captures.ts";
import type { Model } from "../../model/model.ts";
import type { ExchangeExample, Operation, WireError } from "../wire/wire.ts";
import { callCode } from "../client/call-code.ts";
import { codeBlock } from "./highlight.ts";
import { type Html, html } from "./html.ts";
import { anchorOf } from "./links.ts";
import {
  addressName,
  curlText,
  type RequestText,
  typescriptText,
  type VariableWords,
} from "./request-code.ts";
import { credentialName, requestSkeleton, withOwnCredential } from "./request-skeleton.ts";
import { type Exchange, exchangeOf, shownAnswer, sourceOf } from "./scenario-text.ts";
import { linkTo, type Site } from "./site.ts";
import { tryIt } from "./try-it.ts";
import { negotiatedRequest, negotiatedVersion } from "./negotiated-request.ts";

export function operationExamples(site: Site, operation: Operation): Html {
  const examples = ownExamples(site, operation);
  const best = examples.find(({ example }) => example.response.status < 400) ?? examples[0];
  return html`${best ? requestOf(site, operation, best) : skeletonOf(site, operation)}${answersOf(operation, examples)}`;
}

/** An exchange of a scenario, as the wire view has it and as the document writes it. */
export interface OwnExample {
  readonly example: ExchangeExample;
  readonly exchange: Exchange;
}

/** The examples in the version of the site. */
export function ownExamples({ model, wire }: Site, operation: Operation): readonly OwnExample[] {
  return operation.examples.flatMap((example) => {
    const exchange = exchangeOf(model, example);
    return exchange && negotiatedVersion(model, exchange) === wire.version?.name
      ? [{ example, exchange }]
      : [];
  });
}

function requestOf(site: Site, operation: Operation, { example, exchange }: OwnExample): Html {
  const words = variableWords(site.model, example.scenario);
  const request = requestToCopy(site, operation, exchange);
  return html`${languages(request, words, clientCode(site, operation))}
${
  // Only a request that succeeds gets *Try it*.
  exchange.response.status < 400
    ? tryIt(site, request, words, exchange.response.body?.text)
    : tryIt(site, requestSkeleton(site.wire, operation), skeletonWords)
}
<p class="quiet">From the scenario ${linkTo(site, anchorOf.scenario(example.scenario), example.scenario)}.</p>`;
}

const credentialWords = "yours, see Authentication";

/**
 * The request with its version, and with the reader's credential if the scenario's response
 * succeeds.
 */
export function requestToCopy(
  { model, wire }: Site,
  operation: Operation | undefined,
  exchange: Exchange,
): RequestText {
  const request = negotiatedRequest(model, exchange);
  return operation && exchange.response.status < 400 ? withOwnCredential(wire, operation, request) : request;
}

/** The call of the exported client; undefined if the client has no function for the operation. */
function clientCode({ wire, client, url }: Site, operation: Operation): string | undefined {
  const functions = client.modules.flatMap((module) => module.functions);
  const found = functions.find((clientFunction) => clientFunction.operation === operation);
  return found && callCode(wire, found, url);
}

/** The same request in each language. */
export function languages(request: RequestText, words: VariableWords, client?: string): Html {
  return html`<div class="choice" data-choice="language" data-label="Language">
<div class="choice-panel"><p class="caption">curl</p>${codeBlock(curlText(request, words), "bash", "The request with curl")}</div>
<div class="choice-panel"><p class="caption">TypeScript</p>${codeBlock(typescriptText(request, words), "ts", "The request in TypeScript")}</div>
${client !== undefined && html`<div class="choice-panel"><p class="caption">Client</p>${codeBlock(client, "ts", "The call of the exported client")}</div>`}
</div>`;
}

export function variableWords(model: Model, scenario: string): VariableWords {
  return (name) => {
    if (name === captureWords.run) return "a short text of your own, new each time";
    if (name === credentialName) return credentialWords;
    const source = sourceOf(model, scenario, name);
    if (source === undefined) return "a value of yours";
    if ("given" in source) return `an existing ${source.given}`;
    return `from the response to ${source.exchange.request.method} ${source.exchange.request.target.replace(/\{\{([^{}:]*)[^{}]*\}\}/g, "{$1}")}`;
  };
}

const skeletonWords: VariableWords = (name) =>
  name === credentialName ? credentialWords : "a value of yours";

/** The request of an operation that no scenario shows. */
function skeletonOf(site: Site, operation: Operation): Html {
  const request = requestSkeleton(site.wire, operation);
  return html`${languages(request, skeletonWords, clientCode(site, operation))}
${tryIt(site, request, skeletonWords)}
<p class="quiet">No scenario has this request, so names mark its values.</p>`;
}

/** One response for each status and error code that a scenario shows. */
function answersOf(operation: Operation, examples: readonly OwnExample[]): Html | undefined {
  const shown = new Map<string, Html>();
  for (const { example, exchange } of examples) {
    const name = answerName(operation, example);
    if (!shown.has(name)) shown.set(name, answerBlock(exchange, name));
  }
  if (shown.size === 0) return undefined;
  const byStatus = [...shown].sort(([a], [b]) => a.localeCompare(b, "en"));
  return html`<div class="choice" data-label="Answer">${byStatus.map(([name, block]) => html`<div class="choice-panel"><p class="caption">${name}</p>${block}</div>`)}</div>
<p class="quiet">The members that scenarios check; a response may have more.</p>`;
}

function answerBlock({ response }: Exchange, name: string): Html {
  const lines = [
    `HTTP/1.1 ${response.status}`,
    ...response.headers.map((header) => `${header.name}: ${shownAnswer(header.value)}`),
  ];
  const body = response.body?.text.trim() ?? "";
  return codeBlock(
    [...lines, ...(body === "" ? [] : ["", shownAnswer(body)])].join("\n"),
    "http",
    `The response ${name}`,
  );
}

/** `201`, `409 wrong_state`. */
function answerName(operation: Operation, { response }: ExchangeExample): string {
  if (response.status < 400) return String(response.status);
  const text = JSON.stringify(response.body ?? null);
  const errors = operation.refusals.find((refusal) => refusal.status === response.status)?.errors ?? [];
  const error = errors.find(
    (wireError) => wireError.code !== undefined && text.includes(JSON.stringify(wireError.code)),
  );
  return error ? errorName(error) : String(response.status);
}

function errorName({ status, code }: WireError): string {
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** What the examples leave to the reader: the address of the service, and a credential. */
export function settingsNote(
  { url, wire }: Site,
  { hasCredential = wire.security.length > 0 }: { readonly hasCredential?: boolean } = {},
): Html {
  const lines = [
    `export ${addressName}=${url ?? "http://127.0.0.1:4545"}`,
    ...(!hasCredential ? [] : [`export ${credentialName}=YOUR_CREDENTIAL`]),
  ];
  return html`<p>The examples use <code>$${addressName}</code> for the address of the service${hasCredential && html` and <code>$${credentialName}</code> for your credential`}.${url === undefined && html` If <code>ninefold serve</code> runs on this machine:`}</p>
${codeBlock(lines.join("\n"), "bash", "The settings of the examples")}`;
}
