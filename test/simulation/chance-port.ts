/**
 * Random bytes by a seed, and by who draws them. Each request has its own, whatever else runs at
 * the same time, and a repeated write draws the same again. So a request gets the same identifiers
 * wherever it is replayed.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";

interface Drawer {
  readonly name: string;
  drawn: number;
  /** Where its write began that has not come to its end: done again, it begins there. */
  from?: number | undefined;
  /** It has its response: work that continues afterwards belongs to no request. */
  isOver?: true;
}

/** A write's hold on its request. */
export interface Binding {
  run<T>(work: () => T): T;
  /** It is stored: what comes next draws something new. */
  stored(): void;
}

export interface ChancePort {
  bytes(count: number): Uint8Array;
  /** What is done in it draws as somebody of this name, until it is over. */
  as<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Returns the current drawer, to continue with it later. */
  binding(): Binding;
}

export function createChancePort(seed: number): ChancePort {
  const drawers = new AsyncLocalStorage<Drawer>();
  const idle: Drawer = { name: "none", drawn: 0 };
  const current = (): Drawer | undefined => {
    const drawer = drawers.getStore();
    return drawer?.isOver ? undefined : drawer;
  };
  return {
    bytes(count) {
      const drawer = current() ?? idle;
      const pieces: Buffer[] = [];
      for (let length = 0; length < count; length += 32) {
        drawer.drawn += 1;
        pieces.push(createHash("sha256").update(`${seed} ${drawer.name} ${drawer.drawn}`).digest());
      }
      return Buffer.concat(pieces).subarray(0, count);
    },
    as(name, work) {
      const drawer: Drawer = { name, drawn: 0 };
      return drawers.run(drawer, work).finally(() => (drawer.isOver = true));
    },
    binding() {
      const drawer = current();
      return {
        run(work) {
          if (!drawer) return drawers.exit(work);
          drawer.from ??= drawer.drawn;
          drawer.drawn = drawer.from;
          return drawers.run(drawer, work);
        },
        stored() {
          if (drawer) drawer.from = undefined;
        },
      };
    },
  };
}
