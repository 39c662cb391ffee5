/** Assembly of request handling: the plans of all endpoints, and the phases of a request. */
import { RequestRunner } from "../request-lifecycle/run-request.ts";
import { createRequestIntake } from "../request-lifecycle/intake.ts";
import { createRequestHandler, type RequestHandler } from "../request-lifecycle/request-handler.ts";
import { planPinnedVersion } from "../request-lifecycle/pinned-version.ts";
import { RequestParser } from "../request-lifecycle/parse-request.ts";
import { createDecisionHeader, createErrorResponder } from "../request-lifecycle/error-response.ts";
import { createRouteFinder } from "../request-lifecycle/route.ts";
import { createVersionNegotiation } from "../request-lifecycle/negotiate-version.ts";
import type { UnitOfWork } from "../evaluation/context.ts";
import type { DueTimers } from "../background/due.ts";
import { engineDefaults } from "../defaults.ts";
import { headLimits } from "../http/strict-request.ts";
import { callerOf } from "../observability/answered-request.ts";
import { createRequestReporter } from "../observability/request-reporter.ts";
import type { SharedPlans } from "../plan/shared-plans.ts";
import { planVersion, type NegotiatedVersion } from "../plan/negotiated-version.ts";
import { planAllEffects } from "../records/machine-plan.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { createCrossOrigin } from "../steps/cross-origin.ts";
import type { VersionPlan } from "../steps/version.ts";
import type { Transaction } from "../../store/store.ts";
import type { Assembled } from "./context.ts";
import type { ServiceOptions } from "./options.ts";

interface AnsweringParts extends Pick<Assembled, "frameAt" | "portsAt"> {
  readonly secrets: Secrets;
  readonly versions: VersionPlan;
  readonly shared: SharedPlans;
  readonly timers: DueTimers;
  readonly newWork: (transaction?: Transaction | null) => UnitOfWork;
}

interface Answering {
  readonly requestHandler: RequestHandler;
  /** The number of requests without a response. */
  readonly activeCount: () => number;
  /** Resolves when all requests in progress have a response. */
  readonly finished: () => Promise<void>;
}

export function assembleRequestLifecycle(
  context: PlanContext,
  options: ServiceOptions,
  { secrets, versions, shared, timers, frameAt, portsAt, newWork }: AnsweringParts,
): Answering {
  const { model, ports } = context;
  const { tracer } = options;
  const negotiated = new Map(
    versions.served.map((version) => [version, planVersion(context, version, shared)]),
  );
  if (!options.planLate) planAll(context, [...negotiated.values()]);
  const pin = versions.pinned && planPinnedVersion(context, versions.pinned, timers, secrets);
  // The steps before the response have no side effects, so all requests share one unit of work.
  const reading = newWork();
  const answers = new RequestRunner(context, { secrets, timers, newWork, tracer });
  const crossOrigin = createCrossOrigin(model, options.pageOrigins);
  const because = createDecisionHeader(model, options.explain === true);
  const intake = createRequestIntake({
    model,
    ports,
    limits: {
      ...headLimits,
      urlBytesMax: model.limits.urlBytes ?? engineDefaults.urlBytesMax,
      headerBytesMax: model.limits.headerBytes ?? engineDefaults.headerBytesMax,
    },
    origin: options.origin,
    newFrame: frameAt,
    problems: shared.problems,
    crossOrigin,
    reporter: options.onAnswered && createRequestReporter(context, options.space, options.onAnswered),
    tracer,
    showsCause: options.showsCause ?? false,
  });
  const requestHandler = createRequestHandler({
    intake,
    route: createRouteFinder(model, versions, crossOrigin),
    version: createVersionNegotiation(versions, pin, reading),
    negotiated,
    portsAt,
    parser: new RequestParser(model, reading),
    answers,
    refuse: createErrorResponder({
      model,
      ports,
      decisionHeader: because,
      gapStatus: options.gapStatus ?? 501,
      newWork,
    }),
    decisionHeader: because,
    callerOf: (attempt) => callerOf(attempt, context),
    interference: options.interference,
  });
  return { requestHandler, activeCount: intake.activeCount, finished: () => answers.finished() };
}

/** Plans all endpoints, so that queries that the store does not support fail at start. */
function planAll(context: PlanContext, negotiated: readonly NegotiatedVersion[]): void {
  const { endpoints, resources } = context.model;
  for (const { planOf } of negotiated) for (const endpoint of endpoints) planOf(endpoint);
  for (const { name } of resources) {
    const { machine } = context.resource(name);
    if (machine) planAllEffects(machine);
  }
}
