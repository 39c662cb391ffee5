/**
 * All streams of a service: how many there may be, what they share, their heartbeat, and their end
 * when the service stops.
 */
import type { Store } from "../../store/store.ts";
import type { Wake } from "../events/wake.ts";
import { type Ports, whenPast } from "../ports.ts";
import { Problem } from "../problem.ts";
import type { Changes } from "./changes.ts";
import { inSlices } from "./in-slices.ts";
import { createLogReader, type LogReader } from "./log-reader.ts";
import type { StreamIds } from "./stream-ids.ts";
import { streamLimits } from "./stream-limits.ts";
import { Turns } from "./turns.ts";

export interface OpenStream {
  /** The time of the next heartbeat. */
  beat(): void;
  close(): void;
}

export interface Streams {
  readonly ids: StreamIds;
  readonly log: LogReader;
  readonly changes: Changes;
  /** What a stream does when it is woken is done in one of these. */
  readonly turns: Turns;
  /** How many are open. */
  readonly open: number;
  /**
   * @throws Problem *unavailable* where there are too many, or the service stops; the answer takes
   * it out again
   */
  enter(stream: OpenStream): () => void;
  /**
   * Closes all streams, and accepts no more. Readers reconnect with the id of the last event, to
   * another instance or a later one.
   */
  drain(): void;
}

export function createStreams(
  store: Store,
  wake: Wake,
  changes: Changes,
  ports: Ports,
  ids: StreamIds,
): Streams {
  const open = new Set<OpenStream>();
  const log = createLogReader(store.session.system, wake, ports.log);
  const machine = ports.machine ?? ports.clock;
  let isDraining = false;
  let stopBeating: (() => void) | undefined;

  const beat = () => {
    // If a wake-up is missed, a stream waits no longer than this.
    log.look();
    inSlices([...open], streamLimits.streamsPerTurn, (stream) => stream.beat());
    startBeating();
  };
  const startBeating = () => {
    stopBeating =
      open.size === 0 ? undefined : whenPast(machine, machine.now() + streamLimits.heartbeatMs, beat);
  };
  return {
    ids,
    log,
    changes,
    turns: new Turns(streamLimits.streamsPerTurn),
    get open() {
      return open.size;
    },
    enter(stream) {
      if (isDraining || open.size >= streamLimits.streamsMax) throw unavailable(isDraining);
      open.add(stream);
      if (!stopBeating) startBeating();
      return () => {
        open.delete(stream);
        if (open.size > 0) return;
        stopBeating?.();
        stopBeating = undefined;
      };
    },
    drain() {
      isDraining = true;
      for (const stream of [...open]) stream.close();
    },
  };
}

function unavailable(isDraining: boolean): Problem {
  return new Problem({
    condition: "unavailable",
    problem: isDraining ? "is about to stop" : "has as many streams open as it can have",
    retryAfterSeconds: 1,
  });
}
