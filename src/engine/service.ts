/**
 * Service: assembles once what responds to the requests of a document. `request-handler.ts` has the
 * life of a request, `plan/endpoint-plan.ts` an endpoint's steps. A service has no sockets: tests
 * and embedding programs call `fetch`, and `http/server.ts` listens.
 */
import type { Frame } from "../expressions/value.ts";
import type { Model } from "../model/model.ts";
import type { Transaction } from "../store/store.ts";
import type { Awaitable } from "../support/awaitable.ts";
import { rearmTimers } from "./background/rearm-timers.ts";
import { DueTimers } from "./background/due.ts";
import type { ServiceDeliveries } from "./deliveries/deliveries.ts";
import { createDisabledReceivers } from "./events/disabled-receivers.ts";
import type { RequestRefusal, ServiceRequest, ServiceResponse } from "./http/message.ts";
import type { PlanContext } from "./records/plan-context.ts";
import type { SharedPlans } from "./plan/shared-plans.ts";
import { withSharedClock } from "./ports.ts";
import { createUnitOfWork, type UnitOfWork } from "./evaluation/context.ts";
import { insertStartRecords } from "./records/start-records.ts";
import { SharedPasswordQueue } from "./secrets/password-queue.ts";
import { loadSecrets, type Secrets } from "./secrets/secrets.ts";
import { followRotation, watchRotation } from "./secrets/signing-keys.ts";
import { readTokenGenerations } from "./secrets/token-generations.ts";
import { planVersions } from "./steps/version.ts";
import { assembleRequestLifecycle } from "./assembly/request-lifecycle.ts";
import { assembleContext } from "./assembly/context.ts";
import { assembleDeliveries } from "./assembly/deliveries.ts";
import type { ServiceOptions } from "./assembly/options.ts";
import { shareAmongEndpoints } from "./assembly/shared.ts";

export interface Service {
  /**
   * Responds synchronously if nothing has to be awaited, as for a read of an embedded store. Never
   * rejects: every error becomes a response.
   */
  fetch(request: ServiceRequest): Awaitable<ServiceResponse>;
  /** Responds to a request that could not be parsed, in the document's error format. */
  refuse(refusal: RequestRefusal): Promise<ServiceResponse>;
  /**
   * Prepares to close: ends streams and sends held responses in their present state. A client that
   * reconnects to a stream misses no event.
   */
  drain(): void;
  readonly model: Model;
  /** The deliveries of events. The service sends none before `deliveries.start()`. */
  readonly deliveries: ServiceDeliveries;
  /** Internals for tools: data commands, scenarios and the operations API. */
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
  /** Returns the number of requests without a response. */
  requestsInProgress(): number;
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
  const queue = ports.passwords ?? new SharedPasswordQueue(ports.machine ?? ports.clock);
  const rotation = await watchRotation(store);
  const secrets = await loadSecrets(store, queue, ports, { rotation: rotation.now, now });
  const generations = await readTokenGenerations(model, store);
  const { context, frameAt, portsAt } = assembleContext(model, options, ports, secrets, generations);
  const versions = planVersions(model);
  const disabled = createDisabledReceivers(await store.session.system.deliveries.disabled());
  const shared = shareAmongEndpoints(context, {
    secrets,
    versions,
    disabled,
    runDue: async () => {
      if (timers.mayBeDue(now())) await timers.runAllDue();
    },
  });
  const timers = new DueTimers(context, shared.events, frameAt);
  const newWork = (transaction: Transaction | null = null): UnitOfWork =>
    createUnitOfWork(transaction ?? store.session, transaction);
  const parts = { secrets, versions, disabled, shared, timers, frameAt, portsAt, newWork };
  const deliveries = await assembleDeliveries(context, options, parts);
  const answering = assembleRequestLifecycle(context, options, parts);

  await rearmTimers(context, () => frameAt(now()));
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
      requestsInProgress: answering.activeCount,
    },
    // A program may still call `fetch` after `close`.
    fetch: (request) => (isClosed ? refuse(closed) : answer(request)),
    refuse,
    drain,
    async close() {
      isClosed = true;
      drain();
      await answering.finished();
      stopFollowing?.();
      shared.streams.changes.stop();
      shared.wakeUps.stop();
      await deliveries.stop();
      await timers.stop();
    },
  };
}
