/**
 * Notifications of an event (part 6). The engine computes recipients and text in the transaction of
 * the event, and stores them with the delivery. `email.ts` sends them. A null address receives
 * nothing.
 */
import { isList, type Value } from "../../expressions/value.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { evaluateText } from "../records/evaluate-text.ts";
import type { Evaluate, EvaluationContext } from "../evaluation/context.ts";

/** A message as it is stored until it is sent. */
export interface StoredMessage {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/**
 * Evaluates the messages of an event in the context of its record. Each message is the text that
 * its delivery stores.
 */
export type WriteMessages = (evaluation: EvaluationContext) => Promise<readonly string[]>;

/** Returns undefined if the document has no notifications. */
export function planMessages(context: PlanContext): WriteMessages | undefined {
  const notifications = context.model.events.notifications.map(({ to, subject, text, when }) => ({
    to: evaluateOf(context, to),
    ...(subject ? { subject: evaluateText(context, subject) } : {}),
    ...(text ? { text: evaluateText(context, text) } : {}),
    ...(when ? { when: evaluateOf(context, when) } : {}),
  }));
  if (notifications.length === 0) return undefined;
  return async (evaluation) => {
    const messages: string[] = [];
    for (const { to, subject, text, when } of notifications) {
      if (when && (await when(evaluation)) !== true) continue;
      const addresses = textsOf(await to(evaluation));
      if (addresses.length === 0) continue;
      const letter: StoredMessage = {
        to: addresses,
        subject: await textOf(subject, evaluation),
        text: await textOf(text, evaluation),
      };
      messages.push(JSON.stringify(letter));
    }
    return messages;
  };
}

async function textOf(evaluate: Evaluate | undefined, evaluation: EvaluationContext): Promise<string> {
  const value = evaluate ? await evaluate(evaluation) : null;
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns one address, or a list of addresses, as a list. */
function textsOf(value: Value): readonly string[] {
  const all = isList(value) ? value : [value];
  return [
    ...new Set(
      all.filter((candidate): candidate is string => typeof candidate === "string" && candidate !== ""),
    ),
  ];
}
