/**
 * Tick batching: requests that arrive in one tick of the event loop start together, and their
 * responses are written together. Code and data stay in the processor's caches. Measured with 48
 * connections, a point read takes well under half the processor time of alternating parsing,
 * querying and writing.
 *
 * A tick is split in two pieces, so that the first responses are sent while more requests arrive.
 * If all requests of a tick were answered together, client and server would wait for each other.
 * Requests that arrive one at a time start at once.
 */

export interface TickScheduler {
  /** Runs the work together with other work of this tick. */
  run(work: () => void): void;
  /** Runs the work at the end of the tick, after the data that follows the head was read. */
  runAtTickEnd(work: () => void): void;
  /** Runs the work together with other work that becomes ready now. */
  finish(work: () => void): void;
}

/**
 * Number of pieces of a tick: while the server answers one piece, clients receive the other. More
 * pieces would cost more than they gain.
 */
const pieces = 2;
/**
 * If requests arrive one at a time, the scheduler observes one tick per this number of requests:
 * observing costs 2 µs.
 */
const unwatchedMax = 16;

export function createTickScheduler(): TickScheduler {
  let beginning: (() => void)[] = [];
  let atEnd: (() => void)[] = [];
  let finishing: (() => void)[] = [];
  /** Number of requests in this tick so far; 0 while the tick is not observed. */
  let requestsInTick = 0;
  let unwatched = 0;
  /** Size of a piece, computed from the previous tick. */
  let pieceSize = 1;
  const runAll = () => {
    const works = beginning;
    beginning = [];
    for (const work of works) work();
  };
  const endTick = () => {
    runAll();
    const works = atEnd;
    atEnd = [];
    for (const work of works) work();
    pieceSize = Math.max(1, Math.floor(requestsInTick / pieces));
    requestsInTick = 0;
  };
  const watchTick = () => {
    requestsInTick = 1;
    unwatched = 0;
    // The check phase of the event loop follows the poll phase, which reads all sockets.
    setImmediate(endTick);
  };
  const finishAll = () => {
    const works = finishing;
    finishing = [];
    for (const work of works) work();
  };
  return {
    run(work) {
      if (requestsInTick > 0) requestsInTick += 1;
      else if (pieceSize > 1 || ++unwatched === unwatchedMax) watchTick();
      if (beginning.push(work) >= pieceSize) runAll();
    },
    runAtTickEnd(work) {
      if (requestsInTick === 0) watchTick();
      else requestsInTick += 1;
      atEnd.push(work);
    },
    finish(work) {
      // `nextTick` runs after all promises that can continue have continued.
      if (finishing.push(work) === 1) process.nextTick(finishAll);
    },
  };
}
