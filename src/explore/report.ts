/**
 * Verification report: a row for each scenario, each endpoint and family of cases, each rule of the
 * other parts, and everything that can't be observed.
 */
import type { EventsPart, Model } from "../model/model.ts";
import { coverageOf, type CoverageReport } from "../scenarios/coverage/report.ts";
import type { RuleKind } from "../scenarios/coverage/rules.ts";
import { formatDuration } from "../support/quantity.ts";
import type { ScenarioResult } from "../verify/run-scenario.ts";
import type { Aspect } from "./requests/case.ts";
import { isStreaming, reasonNotDrawn } from "./requests/not-drawn.ts";
import { earlyAspects } from "./walk/reached.ts";
import type { ObservedWebhooks, VerifiedFault, Verification } from "./verify.ts";
import { endpointName } from "./walk/walked-step.ts";

export type Verdict = "holds" | "broken" | "not observable" | "gap";

export interface ReportRow {
  readonly part: string;
  readonly item: string;
  readonly line: number;
  readonly verdict: Verdict;
  /** The number of compared requests. */
  readonly requests: number;
  /** Why the row is broken, a gap or not observable. For retries: what was observed. */
  readonly reason?: string;
  readonly faults: readonly VerifiedFault[];
}

const partOf: Readonly<Record<Aspect, string>> = {
  behaviour: "Endpoints",
  access: "Authentication",
  inputs: "Endpoints",
  errors: "Errors",
  "records of the path": "Endpoints",
  "filters and orders": "Endpoints",
  pagination: "Endpoints",
  preconditions: "Endpoints",
  idempotency: "Endpoints",
  concurrency: "Endpoints",
  time: "States and transitions",
  versions: "Versioning",
  streams: "Events",
  webhooks: "Events",
};

export function reportRows(model: Model, verification: Verification): readonly ReportRow[] {
  return [
    ...verification.scenarios.map(scenarioRow),
    ...aspectRows(verification),
    ...untriedRows(model, verification),
    ...ruleRows(model, verification),
    ...unobservableRows(model, verification),
  ].toSorted((left, right) => left.line - right.line);
}

/** The coverage of the document by the requests. */
export function coverageOfRequests(model: Model, { met }: Verification): CoverageReport {
  return coverageOf(model, new Map([["verify", met]]));
}

/**
 * Rules with their own row. Rules of endpoints and inputs are in the rows of their families of
 * cases.
 */
const ownRows: ReadonlySet<RuleKind> = new Set([
  "unique",
  "visible",
  "transition",
  "guard",
  "scheme",
  "error",
  "version",
]);

/** A rule holds if requests met each of its sides, and if the responses that it decided were correct. */
function ruleRows(model: Model, verification: Verification): readonly ReportRow[] {
  const timed = timedLines(model);
  const isLate = verification.faults.some(({ steps }) =>
    steps.some(({ step }) => step.afterMs !== undefined),
  );
  return coverageOfRequests(model, verification).parts.flatMap(({ title, rules }) =>
    rules
      .filter(({ kind }) => ownRows.has(kind))
      .map(({ kind, subject, line, sides }): ReportRow => {
        const item = `${kind}: ${subject}`;
        const isFaulty = verification.faults.some((fault) => fault.line === line);
        if (timed.has(line) && isLate)
          return rowOf(title, item, line, "broken", "time passes in the requests of a difference");
        if (isFaulty) return rowOf(title, item, line, "broken", "see its requests");
        const unmet = sides.filter(({ by }) => by.length === 0).map(({ side }) => side);
        if (unmet.length === 0) return rowOf(title, item, line, "holds");
        if (unmet.length < sides.length)
          return rowOf(title, item, line, "not observable", `only in part: never ${unmet.join(" or ")}`);
        const isHidden = timed.has(line) && !verification.hasClock;
        const why = isHidden ? "the service's clock can't be moved" : "no request met it";
        return rowOf(title, item, line, "not observable", why);
      }),
  );
}

/** The lines of timed transitions. */
function timedLines({ resources }: Model): ReadonlySet<number> {
  const ends = resources.flatMap(({ states }) =>
    (states?.transitions ?? []).flatMap((transition) => transition.ends),
  );
  return new Set(
    ends
      .filter(({ trigger }) => trigger.kind === "after" || trigger.kind === "at")
      .map(({ position }) => position.start.line),
  );
}

function scenarioRow({ scenario, outcome, reason, failures }: ScenarioResult): ReportRow {
  const verdict = outcome === "passed" ? "holds" : outcome === "failed" ? "broken" : "not observable";
  const [failure] = failures;
  const why = failure ? `${failure.what}: expected ${failure.expected}, actual ${failure.actual}` : reason;
  return {
    part: "Purpose",
    item: `scenario: ${scenario.name}`,
    line: (failure?.position ?? scenario.position).start.line,
    verdict,
    requests: scenario.steps.filter(({ kind }) => kind === "exchange").length,
    ...(why === undefined ? {} : { reason: why }),
    faults: [],
  };
}

/**
 * A family of cases holds only if requests reached the rules of the endpoint: a service that answers
 * everything with 401 or 404 shows nothing of them.
 */
function aspectRows({ aspects, faults }: Verification): readonly ReportRow[] {
  const reachedEndpoints = new Set(
    aspects.flatMap(({ endpoint, reached }) => (reached > 0 ? [endpoint] : [])),
  );
  return aspects.map(({ endpoint, aspect, requests, reached, uncompared, gaps }) => {
    const own = faults.filter((fault) => fault.endpoint === endpoint && fault.aspect === aspect);
    const isReached = earlyAspects.has(aspect) ? reachedEndpoints.has(endpoint) : reached > 0;
    const unbroken = gaps.length > 0 ? "gap" : isReached ? "holds" : "not observable";
    const verdict = own.length > 0 ? "broken" : unbroken;
    return {
      part: partOf[aspect],
      item: `${endpointName(endpoint)}: ${aspect}`,
      line: own[0]?.line ?? endpoint.position.start.line,
      verdict,
      requests,
      ...(verdict === "gap" ? { reason: `not shown: ${gaps.join(", ")}` } : {}),
      ...(verdict === "not observable" ? { reason: uncompared > 0 ? otherRecords : unreached } : {}),
      faults: own,
    };
  });
}

const otherRecords = "not compared: the service has other records than the document's own";
const unreached = "not reached: each request was rejected before the endpoint's rules, as by 401 or 404";

/** Endpoints without a request, because no record, caller or value was found for them. */
function untriedRows(model: Model, { aspects }: Verification): readonly ReportRow[] {
  const tried = new Set(
    aspects
      .filter(({ endpoint, aspect }) => aspect === "streams" || !isStreaming(endpoint))
      .map(({ endpoint }) => endpoint),
  );
  return model.endpoints
    .filter((endpoint) => !tried.has(endpoint))
    .map((endpoint) =>
      rowOf(
        "Endpoints",
        endpointName(endpoint),
        endpoint.position.start.line,
        "not observable",
        (isStreaming(endpoint) ? "no event followed while its stream was read" : undefined) ??
          reasonNotDrawn(endpoint, model) ??
          "no request could be drawn: it needs a record that no response shows",
      ),
    );
}

function unobservableRows(
  { events, limits }: Model,
  { webhooks, faults, rates: observed }: Verification,
): readonly ReportRow[] {
  const unseen = !webhooks
    ? "no receiver observes deliveries"
    : webhooks.isReached
      ? "none of its webhooks was expected"
      : `no webhook arrived at ${webhooks.url}: none was sent, or the service doesn't call this address`;
  const sent = events.events.map(({ name, position }): ReportRow => {
    const row = ["Events", `event: ${name}`, position.start.line] as const;
    if (!webhooks?.events.has(name)) return rowOf(...row, "not observable", unseen);
    const own = faults.filter(({ differences }) =>
      differences.some(({ what }) => what.startsWith(`webhook ${name} `)),
    );
    return own.length > 0 ? rowOf(...row, "broken", "see its requests") : rowOf(...row, "holds");
  });
  const rates = limits.rates.map(({ name, position }): ReportRow => {
    const row = ["Limits", `rate ${name}`.trim(), position.start.line] as const;
    const own = observed?.find(({ line }) => line === position.start.line);
    if (!own) return rowOf(...row, "not observable", "rates are respected and not provoked");
    return { ...rowOf(...row, own.verdict, own.reason), requests: own.requests };
  });
  return [...sent, ...retryRows(events, webhooks), ...rates];
}

/** Whether the service resends a rejected webhook. */
function retryRows(
  { events, retriesMs }: EventsPart,
  webhooks: ObservedWebhooks | undefined,
): readonly ReportRow[] {
  const [first] = events;
  if (!first || (retriesMs === undefined && events.every(({ retries }) => retries === undefined))) return [];
  const row = ["Events", "retries of a webhook", first.position.start.line] as const;
  const retry = webhooks?.retry;
  if (!retry)
    return [rowOf(...row, "not observable", "no webhook was rejected: too few arrived, or a pause is long")];
  const pause = formatDuration(retry.pauseMs);
  return retry.isRepeated
    ? [rowOf(...row, "holds", `${retry.event} was sent again after ${pause}`)]
    : [rowOf(...row, "broken", `${retry.event} was rejected with 500, and not sent again after ${pause}`)];
}

function rowOf(part: string, item: string, line: number, verdict: Verdict, reason?: string): ReportRow {
  return { part, item, line, verdict, requests: 0, ...(reason === undefined ? {} : { reason }), faults: [] };
}
