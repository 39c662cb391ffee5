/** What answers requests: the plans of all endpoints, and the stations of a request's life. */
import { createAnswersInTurn } from "../answering/answer-in-turn.ts";
import { createArrivals } from "../answering/arrive.ts";
import { createLife, type Life } from "../answering/life.ts";
import { planPin } from "../answering/pin.ts";
import { createRequestReader } from "../answering/read-request.ts";
import { createBecause, createRefuser } from "../answering/refusals.ts";
import { createRouting } from "../answering/route.ts";
import { createVersionFinder } from "../answering/speak.ts";
import type { UnitOfWork } from "../evaluation/context.ts";
import type { DueTimers } from "../background/due.ts";
import { engineDefaults } from "../defaults.ts";
import { headLimits } from "../http/strict-request.ts";
import { createTeller } from "../observing/teller.ts";
import type { SharedPlans } from "../plan/shared-plans.ts";
import { planVersion, type SpokenVersion } from "../plan/spoken-version.ts";
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
  readonly life: Life;
  /** How many requests have come and aren't answered yet. */
  readonly underWay: () => number;
  /** Until all that are being answered are. */
  readonly finished: () => Promise<void>;
}

export function assembleAnswering(
  context: PlanContext,
  options: ServiceOptions,
  { secrets, versions, shared, timers, frameAt, portsAt, newWork }: AnsweringParts,
): Answering {
  const { model, ports } = context;
  const { tracer } = options;
  const spoken = new Map(versions.served.map((version) => [version, planVersion(context, version, shared)]));
  if (!options.planLate) planAll(context, [...spoken.values()]);
  const pin = versions.pinned && planPin(context, versions.pinned, timers, secrets);
  // What comes before an answer leaves no traces, so all share one.
  const reading = newWork();
  const answers = createAnswersInTurn(context, { secrets, timers, newWork, tracer });
  const crossOrigin = createCrossOrigin(model);
  const because = createBecause(model, options.explain === true);
  const arrivals = createArrivals({
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
    tell: options.onAnswered && createTeller(context, options.space, options.onAnswered),
    tracer,
  });
  const life = createLife({
    arrivals,
    route: createRouting(model, versions, crossOrigin),
    version: createVersionFinder(versions, pin, reading),
    spoken,
    portsAt,
    read: createRequestReader(model, reading),
    answers,
    refuse: createRefuser({ model, ports, because, newWork }),
    because,
  });
  return { life, underWay: arrivals.underWay, finished: answers.finished };
}

/** So a start tells what the store can't be asked. */
function planAll(context: PlanContext, spoken: readonly SpokenVersion[]): void {
  const { endpoints, resources } = context.model;
  for (const { planOf } of spoken) for (const endpoint of endpoints) planOf(endpoint);
  for (const { name } of resources) {
    const { machine } = context.resource(name);
    if (machine) planAllEffects(machine);
  }
}
