/**
 * Body memory: limits the bytes of request bodies in memory, from their arrival until the response.
 * Authenticated callers and other clients have separate shares. If a share is full, the body that
 * has been arriving longest is aborted: a client that sends without pauses would have finished by
 * then.
 */

/** The memory reserved for one body. */
export interface BodyReservation {
  /** Reserves this number of bytes. */
  grow(bytes: number): void;
  /**
   * Reserves further bytes for a complete body. Returns false if the share has no room for them.
   */
  extend(bytes: number): boolean;
  /** Marks the body as complete; it is no longer aborted. */
  arrived(): void;
  /** Releases the bytes when the request is answered. */
  release(): void;
}

export interface BodyShare {
  /**
   * @param bytesMax the maximum body size; a single body may always be that large
   * @param giveUp called at most once, and never after the body is complete
   */
  reserve(bytesMax: number, giveUp: () => void): BodyReservation;
}

export function createBodyShare(shareMax: number): BodyShare {
  let reservedBytes = 0;
  const arriving = new Set<() => void>();
  return {
    reserve(bytesMax, giveUp) {
      let ownBytes = 0;
      const set = (bytes: number) => {
        reservedBytes += bytes - ownBytes;
        ownBytes = bytes;
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
          while (reservedBytes > Math.max(shareMax, bytesMax) && arriving.size > 0) {
            const [longest] = arriving;
            longest?.();
          }
        },
        extend(bytes) {
          // A single body may have the maximum size, both as received and as decoded.
          const isAlone = reservedBytes === ownBytes && ownBytes + bytes <= 2 * bytesMax;
          if (reservedBytes + bytes > shareMax && !isAlone) return false;
          set(ownBytes + bytes);
          return true;
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
