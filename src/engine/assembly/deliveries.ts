/**
 * Assembly of deliveries: the senders of the document's webhooks and notifications, with the
 * operator's settings.
 */
import type { DueTimers } from "../background/due.ts";
import { defaultSpace } from "../defaults.ts";
import type { ServiceDeliveries } from "../deliveries/deliveries.ts";
import { createBuiltInReceiver } from "../deliveries/built-in-receiver.ts";
import { type DeliveryOptions, planDeliveries } from "../deliveries/plan-deliveries.ts";
import type { SharedPlans } from "../plan/shared-plans.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { ServiceOptions } from "./options.ts";

interface DeliveryParts extends Pick<DeliveryOptions, "disabled" | "newWork"> {
  readonly frameAt: DeliveryOptions["newFrame"];
  readonly secrets: Secrets;
  readonly shared: SharedPlans;
  readonly timers: DueTimers;
}

export function assembleDeliveries(
  context: PlanContext,
  options: ServiceOptions,
  { secrets, shared, timers, disabled, frameAt, newWork }: DeliveryParts,
): Promise<ServiceDeliveries> {
  const { space = defaultSpace, receiverAt = () => undefined } = options;
  return planDeliveries(context, {
    timers,
    disabled,
    newFrame: frameAt,
    newWork,
    wakeUps: shared.wakeUps,
    events: shared.events,
    runDueTransitions: shared.runDue,
    allowPrivate: options.allowPrivateWebhooks ?? false,
    receiver: createBuiltInReceiver(secrets.keyFor("receiver"), space, receiverAt),
    ...(options.webhooksOver ? { outbound: options.webhooksOver } : {}),
    ...(options.signsAt ? { signsAt: options.signsAt } : {}),
    ...(options.mailer ? { mailer: options.mailer } : {}),
    aroundAttempt: options.aroundAttempt,
    tracer: options.tracer,
  });
}
