/** Assembly of shared plans: the plans that all endpoints use in all versions. */
import type { DisabledReceivers } from "../events/disabled-receivers.ts";
import { planEvents } from "../events/events.ts";
import { planPinnedVersion } from "../events/pinned-payloads.ts";
import { createWakeUps } from "../events/wake-ups.ts";
import { createCursorSeal } from "../pagination/cursor.ts";
import type { SharedPlans } from "../plan/shared-plans.ts";
import { createProblemWriter } from "../problems/problem-writer.ts";
import { createSealedAnswers } from "../secrets/sealed-answers.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { createSlotPools } from "../steps/concurrency.ts";
import { createRateCounters } from "../steps/limit.ts";
import type { VersionPlan } from "../steps/version.ts";
import { createChanges } from "../streams/changes.ts";
import { createStreamIds } from "../streams/stream-ids.ts";
import { createStreams } from "../streams/streams.ts";
import { inVersion } from "../versions/in-version.ts";
import { createWaits } from "../waits/waits.ts";

interface SharedParts {
  readonly secrets: Secrets;
  readonly versions: VersionPlan;
  readonly disabled: DisabledReceivers;
  readonly runDue: SharedPlans["runDue"];
}

export function shareAmongEndpoints(
  context: PlanContext,
  { secrets, versions, disabled, runDue }: SharedParts,
): SharedPlans {
  const { model, store, ports } = context;
  const mediaType = model.endpointsPart.mediaType ?? "application/json";
  const random = (count: number) => ports.randomBytes(count);
  const wakeUps = createWakeUps(store, ports.log);
  const changes = createChanges(store, ports.log);
  const streamIds = createStreamIds(secrets.signingKeys("stream ids"), random);
  const standard = inVersion(context, versions.standard);
  const pinned = planPinnedVersion(versions, (version) => inVersion(context, version));
  return {
    mediaType,
    events: planEvents(standard, disabled, pinned),
    rates: createRateCounters(model.limits, store.shared?.rates, ports.clock),
    slots: createSlotPools(model.limits, store.shared?.places),
    inFlightKeys: { own: new Map(), shared: store.shared?.keys },
    seal: createCursorSeal(secrets.signingKeys("cursors"), random),
    sealed: createSealedAnswers(model, {
      key: secrets.keyFor("kept answers"),
      hash: secrets.hashCredential,
      randomBytes: random,
    }),
    problems: createProblemWriter(context, mediaType),
    wakeUps,
    streams: createStreams(store, wakeUps, changes, ports, streamIds),
    waits: createWaits(changes, ports),
    runDue,
    defaultVersion: standard,
  };
}
