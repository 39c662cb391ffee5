/**
 * Body memory: limits the bytes of request bodies in memory, both arriving and not answered yet.
 * Authenticated callers and other clients have separate shares. If a share is full, the body that
 * has been arriving longest is aborted, because a body that is sent without pauses would have
 * arrived by then.
 */

/** One body. */
export interface BodyReservation {
  /** Reserves this number of bytes. */
  grow(bytes: number): void;
  /** The body is complete and is no longer aborted. */
  arrived(): void;
  /** Releases the bytes when the request is answered. */
  release(): void;
}

export interface BodyShare {
  /**
   * @param bytesMax the longest body; a single body may always be that long
   * @param giveUp called at most once, and never after the body is complete
   */
  reserve(bytesMax: number, giveUp: () => void): BodyReservation;
}

export function createBodyShare(shareMax: number): BodyShare {
  let held = 0;
  const arriving = new Set<() => void>();
  return {
    reserve(bytesMax, giveUp) {
      let mine = 0;
      const set = (bytes: number) => {
        held += bytes - mine;
        mine = bytes;
      };
      const leave = () => {
        arriving.delete(leave);
        set(0);
        giveUp();
      };
      arriving.add(leave);
      return {
        grow(bytes) {
          set(bytes);
          while (held > Math.max(shareMax, bytesMax) && arriving.size > 0) {
            const [longest] = arriving;
            longest?.();
          }
        },
        arrived: () => void arriving.delete(leave),
        release() {
          arriving.delete(leave);
          set(0);
        },
      };
    },
  };
}
