/** Looks what is new when something may be: at most so often, and never twice at a time, however often it is told. */
import type { Log } from "../../engine/ports.ts";
import { machine } from "../../support/machine.ts";

/** Between two looks, in milliseconds: as often as frames are sent. */
const pauseMs = 100;

export interface Gathering {
  /** There may be something new. */
  look(): void;
  stop(): void;
}

export function createGathering(log: Log, gather: () => Promise<void>): Gathering {
  let isLooking = false;
  let looksAgain = false;
  let isStopped = false;
  let takeBack: (() => void) | undefined;
  const look = () => {
    if (isStopped) return;
    if (isLooking) {
      looksAgain = true;
      return;
    }
    isLooking = true;
    gather()
      .catch((error: unknown) => {
        if (!isStopped) log.warn({ error: String(error) }, "what is new could not be looked for");
      })
      .finally(() => {
        const again = () => {
          isLooking = false;
          if (!looksAgain) return;
          looksAgain = false;
          look();
        };
        takeBack = machine.after(pauseMs, again, true);
      });
  };
  return {
    look,
    stop() {
      isStopped = true;
      takeBack?.();
    },
  };
}
