/** The trigger of a transition, in the notation of part 3. */
import type { Trigger } from "../../model/model.ts";
import { formatDuration } from "../../support/quantity.ts";

export function triggerText(trigger: Trigger): string {
  switch (trigger.kind) {
    case "after":
      return `after ${formatDuration(trigger.milliseconds)}`;
    case "at":
      return `at ${trigger.field}`;
    default:
      return trigger.kind;
  }
}
