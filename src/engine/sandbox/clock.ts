/**
 * The clock of a data space: it runs with an offset from the machine's clock, or is stopped. It
 * runs callbacks in the order of their times. `move-clock.ts` completes the work that is due on the
 * way to a later time.
 */
import type { Clock } from "../ports.ts";

/**
 * A clock's state: its offset from the machine's, or the time at which it is stopped. In
 * milliseconds.
 */
export type ClockState = { readonly offsetMs: number } | { readonly stoppedAtMs: number };

export interface SandboxClock extends Clock {
  readonly state: ClockState;
  /** Sets another state, and runs the callbacks that are due at its time. */
  become(state: ClockState): void;
  readonly isStopped: boolean;
  /** Sets the time, and runs the callbacks that are due by then. */
  set(timeMs: number): void;
  /** Stops the clock. */
  stop(): void;
  /** Starts the clock from its present time. */
  run(): void;
}

interface Alarm {
  readonly timeMs: number;
  readonly callback: () => void;
}

export function createSandboxClock(machine: Clock, initial: ClockState = { offsetMs: 0 }): SandboxClock {
  let state = initial;
  const alarms = new Set<Alarm>();
  let cancel: (() => void) | undefined;

  const now = () => ("offsetMs" in state ? machine.now() + state.offsetMs : state.stoppedAtMs);

  const soonest = (): number | null => {
    let first: number | null = null;
    for (const { timeMs } of alarms) if (first === null || timeMs < first) first = timeMs;
    return first;
  };

  /**
   * Sets the machine's timer for the earliest wake-up, if the clock runs and may reach that time.
   */
  const rearm = () => {
    cancel?.();
    cancel = undefined;
    const next = soonest();
    if (next === null || ("stoppedAtMs" in state && next > state.stoppedAtMs)) return;
    cancel = machine.at("offsetMs" in state ? next - state.offsetMs : machine.now(), () => {
      cancel = undefined;
      callBack();
    });
  };

  const callBack = () => {
    const timeMs = now();
    const due = [...alarms].filter((alarm) => alarm.timeMs <= timeMs).sort((a, b) => a.timeMs - b.timeMs);
    for (const alarm of due) if (alarms.delete(alarm)) alarm.callback();
    rearm();
  };

  const changeTo = (next: ClockState) => {
    state = next;
    callBack();
  };

  return {
    isSet: true,
    get state() {
      return state;
    },
    get isStopped() {
      return "stoppedAtMs" in state;
    },
    now,
    become: changeTo,
    at(timeMs, callback) {
      const alarm = { timeMs, callback };
      const isSoonest = timeMs < (soonest() ?? Number.POSITIVE_INFINITY);
      alarms.add(alarm);
      if (isSoonest) rearm();
      return () => {
        if (alarms.delete(alarm)) rearm();
      };
    },
    set: (timeMs) =>
      changeTo("offsetMs" in state ? { offsetMs: timeMs - machine.now() } : { stoppedAtMs: timeMs }),
    stop: () => changeTo({ stoppedAtMs: now() }),
    run: () => changeTo({ offsetMs: now() - machine.now() }),
  };
}

/** Parses a clock's state from the store; undefined if there is none. */
export function readClockState(text: string | null): ClockState | undefined {
  return text === null ? undefined : (JSON.parse(text) as ClockState);
}
