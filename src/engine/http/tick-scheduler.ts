/**
 * Does the same kind of work for a few requests in a row instead of one request after another: some that one turn of the event loop
 * has brought are begun together, and their answers are written together. Code and data stay warm in the processor's caches; measured
 * with 48 connections, a point read costs well under half the processor time that it costs when parsing, asking the store and writing
 * alternate.
 *
 * Not all of them: what is ready leaves while more is coming. Were all of a turn's requests answered together, a client that is one
 * process too would have nothing to do while we answer, and we nothing while it reads, so that both wait for each other in turns. So a
 * turn is cut in two, and requests that come one at a time are begun as they come.
 */

export interface TickScheduler {
  /** Calls `begin` with some of the others that this turn of the event loop brings. */
  run(work: () => void): void;
  /** Calls `begin` when this turn has brought all that it brings: what has come behind a head has been read by then. */
  runAtTickEnd(work: () => void): void;
  /** Calls `finish` with the others that become ready now. */
  finish(work: () => void): void;
}

/** A turn is cut into so many pieces: while one is being answered, clients take the other. More would cost more than they win. */
const pieces = 2;
/** Where requests come one at a time, it is looked at every so many whether they still do: watching a turn costs 2 µs. */
const unwatchedMax = 16;

export function createTickScheduler(): TickScheduler {
  let beginning: (() => void)[] = [];
  let atEnd: (() => void)[] = [];
  let finishing: (() => void)[] = [];
  /** How many requests this turn has brought so far; 0 while it isn't watched. */
  let brought = 0;
  let unwatched = 0;
  /** How many requests make a piece: a turn is cut as the last one would have been. */
  let together = 1;
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
    together = Math.max(1, Math.floor(brought / pieces));
    brought = 0;
  };
  const watchTick = () => {
    brought = 1;
    unwatched = 0;
    // The check phase of the loop comes right after the one that reads all sockets.
    setImmediate(endTick);
  };
  const finishAll = () => {
    const works = finishing;
    finishing = [];
    for (const work of works) work();
  };
  return {
    run(work) {
      if (brought > 0) brought += 1;
      else if (together > 1 || ++unwatched === unwatchedMax) watchTick();
      if (beginning.push(work) >= together) runAll();
    },
    runAtTickEnd(work) {
      if (brought === 0) watchTick();
      else brought += 1;
      atEnd.push(work);
    },
    finish(work) {
      // Ticks run when all promises that could go on have gone on.
      if (finishing.push(work) === 1) process.nextTick(finishAll);
    },
  };
}
