/**
 * How many bytes of bodies the process holds at the same time: those that are on their way, and those whose requests are not answered
 * yet. Callers who are known and everybody else have a share each. Where a share is full, the body that has been on its way for longest
 * is given up, for one that is sent without a pause has come before that.
 */

/** One body. */
export interface BodyReservation {
  /** It takes so many bytes now. */
  grow(bytes: number): void;
  /** It has come whole: nothing gives it up any more. */
  arrived(): void;
  /** Its request is answered. */
  release(): void;
}

export interface BodyShare {
  /**
   * @param bytesMax how long the body may be: one alone may always be that
   * @param giveUp called at most once, and never after it has arrived
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
