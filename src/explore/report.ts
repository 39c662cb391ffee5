/** The report of a verification: one row for each scenario, each endpoint and family of cases, and whatever can't be observed. */
import type { Model } from "../model/model.ts";
import type { ScenarioResult } from "../verify/run-scenario.ts";
import type { Aspect } from "./cases.ts";
import { unobservable } from "./draw-request.ts";
import type { VerifiedFault, Verification } from "./verify.ts";
import { endpointName } from "./walk.ts";

export type Verdict = "holds" | "broken" | "not observable" | "gap";

export interface ReportRow {
  readonly part: string;
  readonly item: string;
  readonly line: number;
  readonly verdict: Verdict;
  /** Requests that were compared. */
  readonly requests: number;
  /** Why it is broken, not observable or a gap. */
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
  versions: "Versioning",
  webhooks: "Events",
};

export function reportRows(
  model: Model,
  scenarios: readonly ScenarioResult[],
  verification: Verification,
): readonly ReportRow[] {
  return [
    ...scenarios.map(scenarioRow),
    ...aspectRows(verification),
    ...untriedRows(model, verification),
    ...unobservableRows(model, verification),
  ].toSorted((left, right) => left.line - right.line);
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

function aspectRows({ aspects, faults }: Verification): readonly ReportRow[] {
  return aspects.map(({ endpoint, aspect, requests, gaps }) => {
    const own = faults.filter((fault) => fault.endpoint === endpoint && fault.aspect === aspect);
    const verdict = own.length > 0 ? "broken" : gaps.length > 0 ? "gap" : "holds";
    return {
      part: partOf[aspect],
      item: `${endpointName(endpoint)}: ${aspect}`,
      line: own[0]?.line ?? endpoint.position.start.line,
      verdict,
      requests,
      ...(verdict === "gap" ? { reason: `not shown: ${gaps.join(", ")}` } : {}),
      faults: own,
    };
  });
}

/** Endpoints without a single request: no record, caller or value for them was found. */
function untriedRows(model: Model, { aspects }: Verification): readonly ReportRow[] {
  const tried = new Set(aspects.map(({ endpoint }) => endpoint));
  return model.endpoints
    .filter((endpoint) => !tried.has(endpoint))
    .map((endpoint) =>
      openRow(
        "Endpoints",
        endpointName(endpoint),
        endpoint.position.start.line,
        unobservable(endpoint, model) ??
          "no request could be drawn: it needs a record that no response shows",
      ),
    );
}

function unobservableRows(
  { events, resources, limits }: Model,
  { webhooks }: Verification,
): readonly ReportRow[] {
  const timed = resources.flatMap(({ states }) =>
    (states?.transitions ?? []).flatMap(({ name, ends }) => {
      const end = ends.find(({ trigger }) => trigger.kind === "after" || trigger.kind === "at");
      return end
        ? [
            openRow(
              "States and transitions",
              `timed transition: ${name}`,
              end.position.start.line,
              "the service's clock can't be moved",
            ),
          ]
        : [];
    }),
  );
  const unseen = webhooks
    ? `no webhook arrived at ${webhooks.url}: none was sent, or the service doesn't call this address`
    : "no receiver observes deliveries";
  const sent = webhooks?.isReached
    ? []
    : events.events.map(({ name, position }) =>
        openRow("Events", `event: ${name}`, position.start.line, unseen),
      );
  const rates = limits.rates.map(({ name, position }) =>
    openRow("Limits", `rate ${name}`.trim(), position.start.line, "rates are respected and not provoked"),
  );
  return [...timed, ...sent, ...rates];
}

function openRow(part: string, item: string, line: number, reason: string): ReportRow {
  return { part, item, line, verdict: "not observable", requests: 0, reason, faults: [] };
}
