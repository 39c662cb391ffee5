/**
 * Scenario execution: runs one scenario of a document (part 1) against a target, such as the engine
 * in this process or a service at a URL. A scenario that needs `Given`, `Wait` or `Event` is
 * skipped, with a reason, if the target lacks it.
 */
import type { HttpRequestText, HttpResponseText, Model, Scenario, ScenarioStep } from "../model/model.ts";
import { currentVersion, withVersion } from "../model/versions/request-version.ts";
import type { Position } from "../source/source.ts";
import type { Json } from "../support/json.ts";
import { compareStream, enoughReceived, isEventStream } from "./event-stream.ts";
import { matchJson, type Mismatch } from "./match-json.ts";
import {
  type Captures,
  fillJson,
  fillText,
  matchText,
  quotePlaceholders,
  UnknownCapture,
} from "./template.ts";
import { messageOf } from "../support/failure.ts";
import { machine } from "../support/machine.ts";
import type { ScenarioFailure, SentRequest, ReceivedResponse } from "./scenario-failure.ts";

export interface ScenarioTarget {
  /**
   * @param isEnough called with a stream's body so far: whether to disconnect. Without it, the
   * complete body is awaited.
   */
  send(request: SentRequest, isEnough?: (body: string) => boolean): Promise<ReceivedResponse>;
  /** The addresses of this service. The target of a request may be a full URL with one of them. */
  readonly origin: string;
  /** Creates a record and returns its identifier. */
  given?(step: Extract<ScenarioStep, { kind: "given" }>): Promise<Json>;
  wait?(milliseconds: number): Promise<void>;
  /** All events so far. */
  events?(): Promise<readonly { readonly type: string; readonly payload: Json }[]>;
}

/** An executed step. */
export interface StepResult {
  readonly step: ScenarioStep;
  /** Empty if the step passed. */
  readonly failures: readonly ScenarioFailure[];
  readonly request?: SentRequest;
  readonly response?: ReceivedResponse;
}

export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly failures: readonly ScenarioFailure[];
  /** Why the scenario was skipped. */
  readonly reason?: string;
  /** The executed steps: all, or those up to the failed one. */
  readonly steps: readonly StepResult[];
  readonly tookMs: number;
}

/** @param run the text that replaces `{{run}}` */
export async function runScenario(
  model: Model,
  scenario: Scenario,
  target: ScenarioTarget,
  run: string,
): Promise<ScenarioResult> {
  const missing = missingAbility(scenario, target);
  if (missing !== undefined)
    return { scenario, outcome: "skipped", failures: [], reason: missing, steps: [], tookMs: 0 };
  const captures: Captures = new Map<string, Json>([["run", run]]);
  const steps: StepResult[] = [];
  const startedAt = machine.elapsed();
  for (const step of scenario.steps) {
    const result = await runStep(model, step, target, captures);
    steps.push(result);
    // Later steps depend on earlier ones, so the first failed step ends the scenario.
    if (result.failures.length > 0) break;
  }
  const failures = steps.at(-1)?.failures ?? [];
  const outcome = failures.length > 0 ? "failed" : "passed";
  return { scenario, outcome, failures, steps, tookMs: machine.elapsed() - startedAt };
}

function missingAbility(scenario: Scenario, target: ScenarioTarget): string | undefined {
  for (const step of scenario.steps) {
    if (step.kind === "given" && !target.given) return "needs `Given`, and records can't be created there";
    if (step.kind === "wait" && !target.wait) return "needs `Wait`, and the clock can't be moved there";
    if (step.kind === "event" && !target.events) return "needs `Event`, and events can't be seen there";
  }
  return undefined;
}

async function runStep(
  model: Model,
  step: ScenarioStep,
  target: ScenarioTarget,
  captures: Captures,
): Promise<StepResult> {
  try {
    switch (step.kind) {
      case "given": {
        const identifier = await target.given?.(step);
        if (step.as !== undefined) captures.set(step.as, identifier ?? null);
        return { step, failures: [] };
      }
      case "wait":
        await target.wait?.(step.milliseconds);
        return { step, failures: [] };
      case "event":
        return { step, failures: await expectEvent(step, target, captures) };
      case "exchange":
        return await exchange(model, step, target, captures);
    }
  } catch (error) {
    const what = error instanceof UnknownCapture ? "capture" : step.kind;
    const actual = messageOf(error);
    return { step, failures: [{ position: step.position, what, expected: "no error", actual }] };
  }
}

async function expectEvent(
  step: Extract<ScenarioStep, { kind: "event" }>,
  target: ScenarioTarget,
  captures: Captures,
): Promise<readonly ScenarioFailure[]> {
  const all = (await target.events?.()) ?? [];
  const ofType = all.filter((event) => event.type === step.event);
  if (ofType.length === 0) {
    const known = [...new Set(all.map((event) => event.type))].join(", ");
    return [
      {
        position: step.position,
        what: "event",
        expected: step.event,
        actual: known === "" ? "no event" : `only ${known}`,
      },
    ];
  }
  if (!step.payload) return [];
  const expected = JSON.parse(quotePlaceholders(step.payload.text)) as Json;
  let closest: readonly Mismatch[] | undefined;
  for (const event of ofType) {
    const tried: Captures = new Map(captures);
    const mismatches = matchJson(expected, event.payload, tried);
    if (mismatches.length === 0) {
      for (const [name, value] of tried) captures.set(name, value);
      return [];
    }
    if (!closest || mismatches.length < closest.length) closest = mismatches;
  }
  return (closest ?? []).map((mismatch) =>
    failureOf(step.payload?.position ?? step.position, `event ${step.event}`, mismatch),
  );
}

async function exchange(
  model: Model,
  step: Extract<ScenarioStep, { kind: "exchange" }>,
  target: ScenarioTarget,
  captures: Captures,
): Promise<StepResult> {
  const expected = step.response;
  const request = requestOf(model, step.request, target, captures);
  const response = await target.send(
    request,
    isEventStream(expected.headers) ? enoughReceived(expected.body?.text) : undefined,
  );
  const failures = compare(expected, response, captures);
  return {
    step,
    failures: failures.map((failure) => ({ ...failure, request, response })),
    request,
    response,
  };
}

function requestOf(
  model: Model,
  request: HttpRequestText,
  target: ScenarioTarget,
  captures: Captures,
): SentRequest {
  const headers = request.headers.map((header) => [header.name, fillText(header.value, captures)] as const);
  const more: (readonly [string, string])[] = [];
  const written = fillText(request.target, captures);
  const local = written.startsWith(target.origin) ? written.slice(target.origin.length) || "/" : written;
  let body: string | undefined;
  if (request.body) {
    const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
    // Part 1: a body without `Content-Type` is JSON.
    const isJson = type === undefined || /\bjson\b/i.test(type);
    if (type === undefined) more.push(["Content-Type", "application/json"]);
    const text = isJson ? fillJson(request.body.text, captures) : fillText(request.body.text, captures);
    // Lines of a document end in LF, and lines between parts of a multipart body in CRLF.
    body = /^multipart\//i.test(type ?? "") ? text.replaceAll(/\r?\n/g, "\r\n") : text;
  }
  const sent = withVersion(model.versioning, currentVersion(model.versioning), {
    target: local,
    headers: headers.map(([name, value]) => ({ name, value })),
  });
  return {
    method: request.method,
    target: sent.target,
    headers: [...sent.headers.map(({ name, value }) => [name, value] as const), ...more],
    ...(body === undefined ? {} : { body }),
  };
}

function compare(
  expected: HttpResponseText,
  received: ReceivedResponse,
  captures: Captures,
): readonly ScenarioFailure[] {
  const failures: ScenarioFailure[] = [];
  if (received.status !== expected.status) {
    return [
      {
        position: expected.position,
        what: "status",
        expected: String(expected.status),
        actual: `${received.status} ${received.body.slice(0, 500)}`.trim(),
      },
    ];
  }
  // The body is compared first, because it gives captures their JSON types. A header has only text.
  const compareIt = isEventStream(expected.headers) ? compareStream : compareBody;
  const ofBody = expected.body ? compareIt(expected.body, received.body, captures) : [];
  for (const header of expected.headers) {
    const values = received.headers
      .filter(([name]) => name.toLowerCase() === header.name.toLowerCase())
      .map(([, value]) => value.trim());
    const [first] = values;
    const isUnwanted = /^\{\{\s*absent\s*\}\}$/.test(header.value.trim());
    if (isUnwanted) {
      if (first !== undefined)
        failures.push({
          position: header.position,
          what: `header ${header.name}`,
          expected: "no such header",
          actual: first,
        });
    } else if (first === undefined)
      failures.push({
        position: header.position,
        what: `header ${header.name}`,
        expected: header.value,
        actual: "no such header",
      });
    else if (!values.some((value) => matchText(header.value.trim(), value, captures))) {
      failures.push({
        position: header.position,
        what: `header ${header.name}`,
        expected: fillKnown(header.value, captures),
        actual: values.join(", "),
      });
    }
  }
  return [...failures, ...ofBody];
}

function compareBody(
  expected: { readonly text: string; readonly position: Position },
  actual: string,
  captures: Captures,
): readonly ScenarioFailure[] {
  let pattern: Json;
  try {
    pattern = JSON.parse(quotePlaceholders(expected.text)) as Json;
  } catch {
    // An expected body that isn't JSON is compared as text.
    return matchText(expected.text.trim(), actual.trim(), captures)
      ? []
      : [{ position: expected.position, what: "body", expected: expected.text.trim(), actual }];
  }
  let json: Json;
  try {
    json = JSON.parse(actual) as Json;
  } catch {
    return [
      {
        position: expected.position,
        what: "body",
        expected: "JSON",
        actual: actual === "" ? "no body" : actual.slice(0, 500),
      },
    ];
  }
  return matchJson(pattern, json, captures).map((mismatch) => failureOf(expected.position, "body", mismatch));
}

function failureOf(position: Position, what: string, mismatch: Mismatch): ScenarioFailure {
  return {
    position,
    what: mismatch.path === "" ? what : `${what} ${mismatch.path}`,
    path: mismatch.path,
    expected: mismatch.expected,
    actual: mismatch.actual,
  };
}

/** The expected text with the known captures filled in, for messages. */
function fillKnown(text: string, captures: Captures): string {
  try {
    return fillText(text, captures);
  } catch {
    return text;
  }
}
