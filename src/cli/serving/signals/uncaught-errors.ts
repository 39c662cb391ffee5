/**
 * Uncaught errors: an unhandled rejection is logged; an uncaught exception is logged and stops the
 * service gracefully.
 */
import type { Log } from "../../../engine/ports.ts";
import { stackOf } from "../../../support/failure.ts";

export interface UncaughtErrors {
  /**
   * Whether an exception was uncaught: then the process exits with a failure, even after a clean
   * stop.
   */
  readonly hasThrown: boolean;
  forget(): void;
}

/**
 * Without a listener Node prints the error and ends the process at once. After a rejection the
 * program's state is sound, so the service goes on. After an exception it may be inconsistent: the
 * service is stopped, and its supervisor restarts it.
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
