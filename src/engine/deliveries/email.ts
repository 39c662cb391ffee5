/**
 * Email attempt: sends a notification by the operator's mail server. An attempt is retried after a
 * 4xx reply, or if the server can't be reached. A permanent rejection (5xx) is given up, because
 * the server would repeat it.
 */
import { isEmail } from "../../fields/types/email.ts";
import { type Mailer, MailFailed } from "../outbound/mailer.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { deliveryDefaults } from "./limits.ts";
import type { StoredMessage } from "../events/notifications.ts";
import { planRetries } from "./retry-policy.ts";
import type { AttemptOutcome } from "./schedule.ts";
import type { Channel } from "./channel.ts";

/** @param mailer undefined if the operator has configured no mail server */
export function createEmailChannel({ model }: PlanContext, mailer: Mailer | undefined): Channel {
  const { timeoutMs = deliveryDefaults.timeoutMs } = model.events;
  return {
    policyOf: planRetries(model.events),
    async attempt({ id, content, eventTime }, signal) {
      if (!mailer) return givenUp("no mail server is configured, so nothing was sent");
      const letter = JSON.parse(content ?? "{}") as StoredMessage;
      const wrong = letter.to.find((address) => !isEmail(address));
      if (wrong !== undefined) return givenUp(`"${wrong}" is not an e-mail address`);
      try {
        const status = await mailer.send({ id, ...letter, dateMs: Date.parse(eventTime) }, timeoutMs, signal);
        return { kind: "answered", status };
      } catch (error) {
        if (!(error instanceof MailFailed)) throw error;
        const { status, message } = error;
        if (status !== null && status >= 500) return givenUp(`the mail server answered ${message}`);
        return { kind: "failed", error: status === null ? message : `the mail server answered ${message}` };
      }
    },
  };
}

function givenUp(error: string): AttemptOutcome {
  return { kind: "gone", error };
}
