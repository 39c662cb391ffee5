/**
 * Handler runs: runs one phase of a handler within its time-out, and converts its errors to the
 * problem of the response.
 */
import type { Does } from "../../model/model.ts";
import { stackOf } from "../../support/failure.ts";
import { isRefused, HandlerMistake } from "../handler-module.ts";
import { type Clock, callWhenReached } from "../ports.ts";
import { NotShown, Problem } from "../problem.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { RequestContext } from "../request-context.ts";
import { planMasking, withoutSecretsOf } from "../secrets/masking.ts";
import type { OpenTransaction } from "./transaction.ts";

export type HandlerDoes = Extract<Does, { kind: "handler" }>;

class TookTooLong extends Error {
  override name = "TookTooLong";
}

/**
 * Applies the time-out. A handler that never awaits cannot be stopped: it blocks the whole process,
 * as any other code of the author does.
 */
export async function withTimeout(
  clock: Clock,
  timeMs: number,
  phase: (signal: AbortSignal) => unknown,
): Promise<unknown> {
  const controller = new AbortController();
  let callOff: (() => void) | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    callOff = callWhenReached(clock, clock.now() + timeMs, () => {
      const error = new TookTooLong(`took longer than ${timeMs} ms`);
      controller.abort(error);
      reject(error);
    });
  });
  try {
    return await Promise.race([(async () => phase(controller.signal))(), over]);
  } finally {
    callOff?.();
  }
}

/** Returns the problem for the response, and the text for the operator's log. */
export function problemOf(
  context: PlanContext,
  request: RequestContext,
  does: HandlerDoes,
  open: OpenTransaction,
  thrown: unknown,
): unknown {
  const error = open.calls.refusal ?? thrown;
  const isOurs = error === open.calls.refusal && !(error instanceof HandlerMistake);
  if (isOurs || error instanceof Problem || error instanceof NotShown) return error;
  if (isRefused(error)) {
    if (context.model.errors.rows.some((row) => row.code === error.code)) {
      return new Problem(
        {
          condition: "invalid field",
          code: error.code,
          ...(error.field === undefined ? {} : { field: error.field }),
          problem: "is refused",
        },
        { because: does.position, record: request.evaluation.frame.this },
      );
    }
    return fault(
      context,
      request,
      does,
      new Error(`refused with the code ${error.code}, which part 7 does not have`),
    );
  }
  return fault(context, request, does, error);
}

function fault(context: PlanContext, request: RequestContext, does: HandlerDoes, error: unknown): Problem {
  context.ports.log.error(
    {
      request: request.id,
      handler: does.name,
      line: does.position.start.line,
      error: withoutSecretsOf(
        planMasking(context.model).of(request.endpoint),
        stackOf(error),
        request.evaluation.frame,
      ),
    },
    "a handler failed",
  );
  return error instanceof TookTooLong
    ? new Problem({ condition: "timed out", problem: "took too long" }, { because: does.position })
    : new Problem({ condition: "internal", problem: "failed" }, { because: does.position });
}
