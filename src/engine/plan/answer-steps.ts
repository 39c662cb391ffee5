/**
 * Answer steps: the last step of a request, which makes, holds or stores its response. A stored
 * response answers later requests with the same idempotency key.
 */
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { Answer, RequestContext } from "../request-context.ts";
import type { Replay } from "../steps/replay.ts";
import type { planReturns } from "../steps/returns.ts";
import type { WaitPlan } from "../waits/plan-waits.ts";
import type { Step } from "./steps.ts";

export function readAnswer(waits: WaitPlan | undefined, returns: ReturnType<typeof planReturns>): Step {
  if (!waits) return ({ exchange }) => returns(exchange);
  return async ({ exchange, heldMs }) =>
    (await waits.isNeeded(exchange, heldMs))
      ? { ...unanswered, afterwards: () => waits.wait(exchange, heldMs) }
      : returns(exchange);
}

/**
 * Stores the response of a read. A read may be repeated until it is consistent, so its response is
 * stored afterwards and before it is sent. A response that cannot be stored is not sent.
 */
export function storingRead(step: Step, replay: Replay): Step {
  return (state) =>
    after(step(state) as Awaitable<Answer | undefined>, (answer) => {
      const { exchange } = state;
      if (!answer || !replay.carriesKey(exchange)) return answer;
      const { afterwards, ...made } = answer;
      return {
        ...made,
        async afterwards() {
          const given = afterwards ? await afterwards() : made;
          if (given.status < 400) await replay.storeAnswerAlone(exchange, given);
          return given;
        },
      };
    });
}

export function changeAnswer(
  waits: WaitPlan | undefined,
  returns: ReturnType<typeof planReturns>,
  replay: Replay,
): Step {
  /** Part 4: a response is stored if the request succeeded or changed something. */
  const kept = (request: RequestContext): Awaitable<Answer> =>
    after(returns(request), (answer) => {
      if (answer.status >= 400 && request.evaluation.work.journal.changes === 0) return answer;
      return after(replay.storeAnswer(request, answer), () => answer);
    });
  if (!waits) return ({ exchange }) => kept(exchange);
  return async ({ exchange, heldMs }) => {
    if (!(await waits.isNeeded(exchange, heldMs))) return kept(exchange);
    const afterwards = () => waits.wait(exchange, heldMs);
    if (!replay.carriesKey(exchange)) return { ...unanswered, afterwards };
    // A held response with a key is stored in its present state, in case the service stops before
    // it can send the final response.
    return { ...(await kept(exchange)), afterwards };
  };
}

/** The placeholder for a response that is computed after the changes are committed. */
export const unanswered: Answer = { status: 500, headers: [], body: "" };
