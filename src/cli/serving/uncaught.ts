/**
 * Errors that nothing caught: an unhandled rejection is logged, an uncaught exception is logged and
 * stops the service in order.
 */
import type { Log } from "../../engine/ports.ts";
import { stackOf } from "../../support/failure.ts";

export interface UncaughtErrors {
  /**
   * Whether an exception was uncaught: the process then exits with a failure, however cleanly it
   * stops.
   */
  readonly hasThrown: boolean;
  forget(): void;
}

/**
 * Without a listener Node prints the error in its own form and ends the process at once. A
 * rejection leaves the code behind it whole, so the service goes on. An exception may have left
 * anything half done: the service is stopped, and its supervisor starts it again.
 * @param stop called with each uncaught exception
 */
export function listenForUncaught(log: Log, stop: () => void): UncaughtErrors {
  let hasThrown = false;
  const onRejection = (reason: unknown) => log.error({ error: stackOf(reason) }, "unhandled rejection");
  const onException = (error: unknown) => {
    hasThrown = true;
    log.error({ error: stackOf(error) }, "uncaught exception: the service stops");
    stop();
  };
  process.on("unhandledRejection", onRejection).on("uncaughtException", onException);
  return {
    get hasThrown() {
      return hasThrown;
    },
    forget() {
      process.off("unhandledRejection", onRejection).off("uncaughtException", onException);
    },
  };
}
