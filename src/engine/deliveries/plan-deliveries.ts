/**
 * Delivery assembly: combines the parts of deliveries for a service. These are what its document
 * sends, how, and how long it is kept.
 */
import type { Frame } from "../../expressions/value.ts";
import type { DueTimers } from "../background/due.ts";
import type { EventPlan } from "../events/events.ts";
import type { WakeUps } from "../events/wake-ups.ts";
import type { Tracer } from "../trace.ts";
import type { Mailer } from "../outbound/mailer.ts";
import { createOutbound, type Outbound } from "../outbound/outbound.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { UnitOfWork } from "../evaluation/context.ts";
import { ServiceDeliveries } from "./deliveries.ts";
import { planDeliveryRecords } from "./delivery-records.ts";
import type { DisabledReceivers } from "../events/disabled-receivers.ts";
import { createSignatureCheck } from "./signature-check.ts";
import type { BuiltInReceiver } from "./built-in-receiver.ts";
import { createDeliveriesInProgress } from "./deliveries-in-progress.ts";
import { planWebhookRequests } from "./webhook-request.ts";
import { createEmailChannel } from "./email.ts";
import { deliveryDefaults } from "./limits.ts";
import type { Channels } from "./channel.ts";
import { targetsOf } from "../events/targets.ts";
import { createTrimmer } from "./trim.ts";
import { type WrapAttempt, createWebhookChannel } from "./webhook.ts";
import { realClock } from "../ports.ts";

export interface DeliveryOptions {
  readonly disabled: DisabledReceivers;
  readonly wakeUps: WakeUps;
  readonly newFrame: (nowMs: number) => Frame;
  readonly newWork: () => UnitOfWork;
  /** Events of the changes that an attempt's result causes. */
  readonly events: readonly EventPlan[];
  readonly timers: Pick<DueTimers, "armed">;
  /** Runs the timed transitions that are due. */
  readonly runDueTransitions: () => Promise<void>;
  /**
   * The operator's setting that webhooks may use loopback and private addresses, and there no TLS
   * (decision "Webhooks to private addresses").
   */
  readonly allowPrivate: boolean;
  readonly receiver: BuiltInReceiver;
  /** Replaces the network in tests. */
  readonly outbound?: Outbound;
  /** See `ServiceOptions`. */
  readonly signsAt?: () => number;
  /** See `ServiceOptions`. */
  readonly aroundAttempt?: WrapAttempt | undefined;
  /** The mail server for notifications. Without it, notifications are stored as given up. */
  readonly mailer?: Mailer;
  readonly tracer?: Tracer | undefined;
}

export function planDeliveries(context: PlanContext, options: DeliveryOptions): Promise<ServiceDeliveries> {
  const { disabled, wakeUps, newFrame, newWork, events, timers, runDueTransitions, allowPrivate } = options;
  const armed = (dueAtMs: number) => timers.armed(dueAtMs);
  const { model, store, ports } = context;
  const outbound =
    options.outbound ??
    createOutbound({
      allowPrivate,
      network: ports.network,
      clock: realClock(ports),
      plainHttp: "private addresses",
      isOwn: (url) => options.receiver.isOwn(url),
    });
  const records = planDeliveryRecords(context, {
    newFrame,
    newWork,
    events,
    runDueTransitions,
  });
  const hasWebhooks = targetsOf(model).length > 0;
  const hasNotifications = model.events.notifications.length > 0;
  const inProgress = createDeliveriesInProgress();
  const make = planWebhookRequests(context, { newFrame, newWork });
  const channels: Channels = {
    ...(hasWebhooks
      ? {
          webhook: createWebhookChannel(context, {
            outbound,
            make,
            inProgress,
            disabled,
            records,
            tracer: options.tracer,
            signsAt: options.signsAt,
            aroundAttempt: options.aroundAttempt,
          }),
        }
      : {}),
    ...(hasNotifications ? { email: createEmailChannel(context, options.mailer) } : {}),
  };
  const trimmer = createTrimmer({
    store,
    ports,
    deliveriesKeptMs: model.events.deliveriesKeptMs ?? deliveryDefaults.keptMs,
    logKeptMs: model.events.log?.keptMs ?? deliveryDefaults.logKeptMs,
    ...(records ? { forgotten: records.forgotten } : {}),
    armed,
  });
  // A change to a delivery record may write to the log, and a repeated transaction would write
  // twice.
  const writing = records ? {} : context.writing;
  const sends = hasWebhooks || hasNotifications;
  const judge = createSignatureCheck(context, make, inProgress);
  const builtIn = options.receiver;
  return ServiceDeliveries.open({
    store,
    ports,
    wakeUps,
    channels,
    writing,
    armed,
    trimmer,
    sends,
    judge,
    make,
    builtIn,
    disabled,
    attemptMs: model.events.timeoutMs ?? deliveryDefaults.timeoutMs,
  });
}
