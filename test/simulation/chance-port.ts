/**
 * Seeded random bytes for each request. Other concurrent requests have no influence, and a repeated
 * write draws the same bytes again. So a request gets the same identifiers wherever it is replayed.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";

interface Drawer {
  readonly name: string;
  drawn: number;
  /** The position at which its unfinished write started; a repeated write restarts there. */
  from?: number | undefined;
  /** The response was sent: later work belongs to no request. */
  isOver?: true;
}

/** The binding of a write to its request. */
export interface Binding {
  run<T>(work: () => T): T;
  /** Called when the write is stored: later draws are new. */
  stored(): void;
}

export interface ChancePort {
  bytes(count: number): Uint8Array;
  /** Runs work that draws random bytes under this name. */
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
