/**
 * Part 4: the first `Does`, `Order` or `Returns` whose condition holds applies, so those after one
 * without a condition are unreachable.
 */
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { Expression } from "../../expressions/node.ts";
import { type Position, textAt } from "../../source/source.ts";
import type { Check } from "../check.ts";
import { ofAllEndpoints } from "../of-endpoints.ts";

interface Choice {
  readonly when?: Expression;
  readonly position: Position;
}

export const neverReached: Check = ofAllEndpoints(({ does, order, returns, unclear }, reporter) => {
  if (unclear) return;
  const holds = "This one has no condition.";
  reportUnreached(does, holds, (action) => textAt(reporter.source, action.position), reporter);
  reportUnreached(order, holds, (choice) => textAt(reporter.source, choice.position), reporter);
  reportUnreached(returns, holds, () => "", reporter);
});

function reportUnreached(
  choices: readonly Choice[],
  message: string,
  words: (choice: Choice) => string,
  reporter: Reporter,
): void {
  const always = choices.findIndex((choice) => !choice.when);
  const [certain, unreached] = always === -1 ? [] : choices.slice(always, always + 2);
  if (certain && unreached)
    reporter.report("endpoints/never-reached", unreached.position, { text: words(unreached) }, [
      { position: certain.position, message },
    ]);
}
