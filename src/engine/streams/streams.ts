/**
 * Streams of a service: their number, their shared log reader, their heartbeat, and their end when
 * the service stops.
 */
import type { Store } from "../../store/store.ts";
import type { WakeUps } from "../events/wake-ups.ts";
import { type Ports, callWhenReached } from "../ports.ts";
import { Problem } from "../problem.ts";
import type { Changes } from "./changes.ts";
import { inSlices } from "./in-slices.ts";
import { LogReader } from "./log-reader.ts";
import type { StreamIds } from "./stream-ids.ts";
import { streamLimits } from "./stream-limits.ts";
import { TaskQueue } from "./task-queue.ts";

export interface OpenStream {
  /** Called at the time of the next heartbeat. */
  heartbeat(): void;
  close(): void;
}

export interface Streams {
  readonly ids: StreamIds;
  readonly log: LogReader;
  readonly changes: Changes;
  /** Limits how many woken streams run at the same time. */
  readonly tasks: TaskQueue;
  /** The number of open streams. */
  readonly open: number;
  /**
   * Registers a stream. The returned function removes it.
   * @throws Problem *unavailable* if there are too many streams, or the service stops
   */
  enter(stream: OpenStream): () => void;
  /**
   * Closes all streams, and accepts no more. Readers reconnect to another instance, or later, with
   * the id of the last event.
   */
  drain(): void;
}

export function createStreams(
  store: Store,
  wakeUps: WakeUps,
  changes: Changes,
  ports: Ports,
  ids: StreamIds,
): Streams {
  const open = new Set<OpenStream>();
  const log = new LogReader(store.session.system, wakeUps, ports.log);
  const machine = ports.machine ?? ports.clock;
  let isDraining = false;
  let stopBeating: (() => void) | undefined;

  const beat = () => {
    // If a wake-up is missed, a stream waits until this read at most.
    log.readNew();
    inSlices([...open], streamLimits.streamsPerTurn, (stream) => stream.heartbeat());
    startBeating();
  };
  const startBeating = () => {
    stopBeating =
      open.size === 0 ? undefined : callWhenReached(machine, machine.now() + streamLimits.heartbeatMs, beat);
  };
  return {
    ids,
    log,
    changes,
    tasks: new TaskQueue(streamLimits.streamsPerTurn),
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
    problem: isDraining ? "is stopping" : "has reached its limit of open streams",
    retryAfterSeconds: 1,
  });
}
