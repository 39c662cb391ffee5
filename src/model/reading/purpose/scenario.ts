/**
 * Steps of a scenario: items between pairs of `http` blocks. Static checks: requests and responses
 * pair up, bodies are JSON, and every name is given or captured before it is sent.
 */
import { nonNull } from "../../../support/non-null.ts";
import { type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import { jsonError } from "../../../support/formats/json-error.ts";
import { nearest } from "../../../support/nearest.ts";
import { nearestHint } from "../nearest-hint.ts";
import { durationMs } from "../../../support/quantity.ts";
import { isResponse, readHttpMessage } from "../../../syntax/http-message.ts";
import type { Block, FenceNode, ItemNode, Section } from "../../../syntax/nodes.ts";
import { keyText } from "../../../syntax/read.ts";
import { withoutBareCaptures } from "../../scenarios/captures.ts";
import type { HttpRequestText, ScenarioStep, TextAt } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { checkExpected, checkSent } from "./captured-names.ts";
import { type GivenNames, givenNames } from "./given.ts";
import { buildRequest, buildResponse } from "./http-text.ts";
import { addGiven, type SharedGivens } from "./shared-givens.ts";

/** State of a scenario at one point. */
interface Progress {
  readonly context: BuildContext;
  readonly shared: SharedGivens;
  readonly steps: ScenarioStep[];
  /** Records created by `Given … as`, for the values of later ones. */
  readonly givenNames: GivenNames;
  /** Names that a request may use: set by `as`, or captured in a response. */
  readonly names: Set<string>;
  /** A request without its response yet. `request` is absent if its block couldn't be read. */
  pending: { readonly fence: FenceNode; readonly request: HttpRequestText | undefined } | undefined;
}

/** The keys of items in a scenario. */
export const scenarioKeys = ["Given", "Wait", "Event"];

/** @param shared records that the scenario may use by a name */
export function buildScenario(
  context: BuildContext,
  section: Section,
  name: Phrase,
  shared: SharedGivens,
): ScenarioStep[] {
  const progress: Progress = {
    context,
    shared,
    steps: [],
    givenNames: givenNames(context),
    names: new Set(),
    pending: undefined,
  };
  let exchanges = 0;
  for (let at = 0; at < section.body.length; at += 1) {
    const block = section.body[at] as Block;
    if (block.kind === "item") {
      expectNoResponse(progress);
      at += readItem(progress, block, section.body[at + 1]) ? 1 : 0;
    } else if (block.kind === "fence" && block.language === "http") {
      exchanges += 1;
      readFence(progress, block);
    } else if (block.kind !== "prose") {
      const what = block.kind === "table" ? "table" : "block";
      context.reporter.report("purpose/not-run", block.position, { what });
    }
  }
  expectNoResponse(progress);
  if (exchanges === 0 && name.text !== "")
    context.reporter.report("purpose/empty-scenario", positionIn(name), { name: name.text });
  return progress.steps;
}

// ── Items ───────────────────────────────────────────────────────────────────────────────────────

/** Reads an item. Returns whether the following block belongs to it. */
function readItem(progress: Progress, item: ItemNode, next: Block | undefined): boolean {
  const { context } = progress;
  switch (keyText(item.key)) {
    case "given": {
      if (!progress.shared.take(item, progress)) addGiven(context, item, progress, progress.shared.names);
      return false;
    }
    case "wait": {
      const milliseconds = durationMs(unquote(item.value).text);
      if (milliseconds !== undefined)
        progress.steps.push({ kind: "wait", milliseconds, position: item.position });
      else
        context.reporter.report("purpose/unreadable-wait", positionOfValue(item), { text: item.value.text });
      return false;
    }
    case "event":
      return readEvent(progress, item, next?.kind === "fence" && next.language === "json" ? next : undefined);
    default:
      context.reporter.report("purpose/unknown-key", positionIn(item.key), {
        key: item.key.text,
        nearest: nearest(item.key.text, scenarioKeys),
        known: scenarioKeys,
      });
      return false;
  }
}

/** Reads `parcel.returned {…}`, or a name with the payload in a `json` block below. */
function readEvent(progress: Progress, item: ItemNode, below: FenceNode | undefined): boolean {
  const { context } = progress;
  const value = unquote(item.value);
  const match = /^([^\s{]+)\s*/.exec(value.text);
  if (!match) {
    context.reporter.report("purpose/unreadable-event", positionOfValue(item), { text: value.text });
    return false;
  }
  const name = unquote(slice(value, 0, nonNull(match[1]).length));
  const inline = unquote(slice(value, match[0].length));
  const { events } = context.declarations;
  if (!events.has(name.text)) {
    context.reporter.report("purpose/unknown-event", positionIn(name), {
      name: name.text,
      ...nearestHint(name.text, events.keys()),
    });
  }
  const payload = inline.text !== "" ? inline : below ? trim(below.content) : undefined;
  const position =
    below && inline.text === "" ? { start: item.position.start, end: below.position.end } : item.position;
  const text = payload && payloadText(progress, payload);
  progress.steps.push({ kind: "event", event: name.text, ...(text && { payload: text }), position });
  return inline.text === "" && below !== undefined;
}

function payloadText(progress: Progress, payload: Phrase): TextAt {
  const { reporter } = progress.context;
  if (!payload.text.startsWith("{")) {
    reporter.report("purpose/unreadable-event", positionIn(payload), { text: payload.text });
  } else {
    checkJson(progress.context, payload);
    checkExpected(payload, progress.names, reporter);
  }
  return { text: payload.text, position: positionIn(payload) };
}

// ── Requests and responses ──────────────────────────────────────────────────────────────────────

function readFence(progress: Progress, fence: FenceNode): void {
  const { context, names } = progress;
  const message = readHttpMessage(fence.content);
  if (!isResponse(message)) {
    expectNoResponse(progress);
    const request = buildRequest(message, fence, context.reporter);
    for (const phrase of [
      message.startLine,
      ...message.headerLines,
      ...(message.body ? [message.body] : []),
    ]) {
      checkSent(phrase, names, context.reporter);
    }
    checkBody(context, request?.headers, message.body);
    progress.pending = { fence, request };
    return;
  }
  const response = buildResponse(message, context.reporter);
  for (const phrase of [...message.headerLines, ...(message.body ? [message.body] : [])]) {
    checkExpected(phrase, names, context.reporter);
  }
  checkBody(context, response?.headers, message.body);
  const { pending } = progress;
  progress.pending = undefined;
  if (!pending) {
    context.reporter.report("purpose/response-without-request", fence.position, {});
  } else if (pending.request && response) {
    const position = { start: pending.fence.position.start, end: fence.position.end };
    progress.steps.push({ kind: "exchange", request: pending.request, response, position });
  }
}

function expectNoResponse(progress: Progress): void {
  if (!progress.pending) return;
  progress.context.reporter.report("purpose/request-without-response", progress.pending.fence.position, {});
  progress.pending = undefined;
}

/**
 * A body is JSON unless the block's own `Content-Type` differs. A request that states its type is
 * sent unchanged, because scenarios may test malformed bodies.
 */
function checkBody(
  context: BuildContext,
  headers: HttpRequestText["headers"] | undefined,
  body: Phrase | undefined,
): void {
  const type = headers?.find((header) => header.name.toLowerCase() === "content-type")?.value;
  if (body && type === undefined) checkJson(context, body);
}

function checkJson(context: BuildContext, body: Phrase): void {
  const error = jsonError(withoutBareCaptures(body.text));
  if (!error) return;
  const at = Math.min(error.at, body.text.length);
  context.reporter.report("purpose/body-not-json", positionIn(body, at, Math.min(at + 1, body.text.length)), {
    problem: error.problem,
  });
}

function positionOfValue(item: ItemNode) {
  return item.value.text === "" ? item.position : positionIn(item.value);
}
