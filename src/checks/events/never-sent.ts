/**
 * Part 6: an event with only `When: sent` needs an effect that sends it; without one it never
 * occurs.
 */
import type { Check } from "../check.ts";
import { effectsOf } from "../effects-of.ts";

export const neverSent: Check = (model, reporter) => {
  const sent = new Set(effectsOf(model).flatMap((effect) => (effect.kind === "send" ? [effect.event] : [])));
  for (const event of model.events.events) {
    const onlySent = event.triggers.length > 0 && event.triggers.every((trigger) => trigger.kind === "sent");
    if (onlySent && !sent.has(event.name))
      reporter.report("events/never-sent", event.position, { name: event.name });
  }
};
