/**
 * A document as a service: puts together, once, what answers its requests, and does nothing itself. The life of a request is
 * `answering/request-handler.ts`; what an endpoint does behind its route is `plan/endpoint-plan.ts`. No sockets here: tests and embedders call `fetch`,
 * `http/server.ts` listens.
 */
import type { Frame } from "../expressions/value.ts";
import type { Model } from "../model/model.ts";
import type { Transaction } from "../store/store.ts";
import type { Awaitable } from "../support/awaitable.ts";
import { rearm } from "./background/rearm.ts";
import { createDueTimers, type DueTimers } from "./background/due.ts";
import type { ServiceDeliveries } from "./deliveries/deliveries.ts";
import { createDisabledReceivers } from "./events/disabled.ts";
import type { RequestRefusal, ServiceRequest, ServiceResponse } from "./http/message.ts";
import type { PlanContext } from "./records/plan-context.ts";
import type { SharedPlans } from "./plan/shared-plans.ts";
import { withSharedClock } from "./ports.ts";
import { createUnitOfWork, type UnitOfWork } from "./evaluation/context.ts";
import { insertStartRecords } from "./records/start-records.ts";
import { createPasswordQueue } from "./secrets/password-queue.ts";
import { loadSecrets, type Secrets } from "./secrets/secrets.ts";
import { followRotation, knownRotation } from "./secrets/signing-keys.ts";
import { planVersions } from "./steps/version.ts";
import { assembleAnswering } from "./assembly/answering.ts";
import { assembleContext } from "./assembly/context.ts";
import { assembleDeliveries } from "./assembly/deliveries.ts";
import type { ServiceOptions } from "./assembly/options.ts";
import { shareAmongEndpoints } from "./assembly/shared.ts";

export interface Service {
  /** At once where nothing has to be waited for, as for a read of an embedded store. Whatever goes wrong is an answer too. */
  fetch(request: ServiceRequest): Awaitable<ServiceResponse>;
  /** How a request that could not even be parsed is refused, in the document's own error body. */
  refuse(refusal: RequestRefusal): Promise<ServiceResponse>;
  /** Before it is closed: streams end, held answers are given as they are; whoever read a stream comes back and misses nothing. */
  drain(): void;
  readonly model: Model;
  /** What is sent of events. Nothing is, until `deliveries.start()`. */
  readonly deliveries: ServiceDeliveries;
  /** What tools beside the service (data, scenarios) work with. */
  readonly internals: ServiceInternals;
  close(): Promise<void>;
}

export interface ServiceInternals {
  readonly context: PlanContext;
  readonly secrets: Secrets;
  readonly timers: DueTimers;
  readonly shared: SharedPlans;
  newFrame(nowMs: number): Frame;
  newWork(): UnitOfWork;
  /** How many requests have come and aren't answered yet. */
  underWay(): number;
}

const closed: RequestRefusal = {
  condition: "unavailable",
  status: 503,
  problem: "the service is closed",
  retryAfterSeconds: 5,
};

export async function createService(model: Model, options: ServiceOptions): Promise<Service> {
  const { store } = options;
  const ports = withSharedClock(options.ports, store);
  const now = () => ports.clock.now();
  const queue = ports.passwords ?? createPasswordQueue(ports.machine ?? ports.clock);
  const rotation = await knownRotation(store);
  const secrets = await loadSecrets(store, queue, ports, { rotation: rotation.now, now });
  const { context, frameAt, portsAt } = assembleContext(model, options, ports, secrets);
  const versions = planVersions(model);
  const disabled = createDisabledReceivers(await store.session.system.deliveries.disabled());
  const shared = shareAmongEndpoints(context, {
    secrets,
    versions,
    disabled,
    runDue: async () => {
      if (timers.mayBeDue(now())) await timers.settleAll();
    },
  });
  const timers = createDueTimers(context, shared.events, frameAt);
  const newWork = (transaction: Transaction | null = null): UnitOfWork =>
    createUnitOfWork(transaction ?? store.session, transaction);
  const deliveries = await assembleDeliveries(context, options, {
    secrets,
    disabled,
    shared,
    timers,
    newFrame: frameAt,
    newWork,
  });
  const answering = assembleAnswering(context, options, {
    secrets,
    versions,
    shared,
    timers,
    frameAt,
    portsAt,
    newWork,
  });

  await rearm(context, () => frameAt(now()));
  const startsDue = await insertStartRecords(context, () => frameAt(now()), newWork);
  if (startsDue !== null) timers.armed(startsDue);
  const stopFollowing = store.shared ? followRotation(rotation, ports) : undefined;
  const drain = () => {
    shared.streams.drain();
    shared.waits.drain();
  };

  let isClosed = false;
  const { answer, refuse } = answering.requestHandler;

  return {
    model,
    deliveries,
    internals: {
      context,
      secrets,
      timers,
      shared,
      newFrame: frameAt,
      newWork,
      underWay: answering.activeCount,
    },
    // Whoever embeds it may still call it then.
    fetch: (request) => (isClosed ? refuse(closed) : answer(request)),
    refuse,
    drain,
    async close() {
      isClosed = true;
      drain();
      await answering.finished();
      stopFollowing?.();
      shared.streams.changes.stop();
      shared.wake.stop();
      await deliveries.stop();
      await timers.stop();
    },
  };
}
