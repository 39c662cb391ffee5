/**
 * Random bytes by a seed, and by who draws them: each request has its own, whatever else goes on at the same time, and a write that is
 * done again draws the same once more. So a request comes to the same identifiers wherever it is told again.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";

interface Drawer {
  readonly name: string;
  drawn: number;
  /** Where its write began that has not come to its end: done again, it begins there. */
  from?: number | undefined;
  /** It has its answer: what goes on because of it is nobody's any more. */
  isOver?: true;
}

/** A write's hold on whoever asked for it. */
export interface Binding {
  run<T>(work: () => T): T;
  /** It is stored: what comes next draws something new. */
  stored(): void;
}

export interface ChancePort {
  bytes(count: number): Uint8Array;
  /** What is done in it draws as somebody of this name, until it is over. */
  as<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Whoever draws now, to go on as them later. */
  binding(): Binding;
}

export function createChancePort(seed: number): ChancePort {
  const drawers = new AsyncLocalStorage<Drawer>();
  const idle: Drawer = { name: "nobody", drawn: 0 };
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
