/**
 * Polls a record until it has a state, with growing pauses, and throws if the record can no longer
 * reach that state.
 */
import { pauseMs } from "./call.js";
import { valueAt } from "./encode.js";

const longestPauseMs = 15_000;

/** The record can no longer reach the awaited state from its present state. */
export class DeadEnd extends Error {
  name = "DeadEnd";
  constructor(record, state, wanted) {
    super(`from ${state} it never gets to ${wanted.join(" or ")}`);
    Object.assign(this, { record, state, wanted });
  }
}

/** The timeout elapsed; `record` is the record as last read. */
export class WaitedInVain extends Error {
  name = "WaitedInVain";
  constructor(record, state, wanted) {
    super(`it is still ${state}, not ${wanted.join(" or ")}`);
    Object.assign(this, { record, state, wanted });
  }
}

/**
 * @param read reads the record with these options
 * @param machine the keys to the state in a response, and the states that each state can reach
 */
export async function until(client, read, { at, reach }, state, options = {}) {
  const { timeoutMs = 60_000, everyMs = 500, signal, ...requestOptions } = options;
  const wanted = [state].flat();
  let waitedMs = 0;
  for (let attempt = 0; ; attempt += 1) {
    const record = await read({ ...requestOptions, signal });
    const now = valueAt(record, at);
    if (wanted.includes(now)) return record;
    if (Object.hasOwn(reach, now) && !wanted.some((target) => reach[now].includes(target)))
      throw new DeadEnd(record, now, wanted);
    const pause = Math.min(pauseMs(client, attempt, everyMs, longestPauseMs), timeoutMs - waitedMs);
    if (pause <= 0) throw new WaitedInVain(record, now, wanted);
    await client.sleep(pause, signal);
    waitedMs += pause;
  }
}
