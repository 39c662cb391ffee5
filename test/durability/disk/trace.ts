/**
 * Reads the trace of `shim.c`, and derives what a disk may have after a power cut: what was synced, and any part of
 * what was not.
 */
import { readFileSync } from "node:fs";

export const callKinds = { write: 1, sync: 2, truncate: 4, unlink: 8, syncConcurrently: 16 } as const;

export interface Call {
  readonly kind: number;
  readonly path: string;
  /** The offset of a write, or the length of a truncated file. */
  readonly offset: number;
  readonly bytes: Buffer;
}

export function readTrace(path: string): readonly Call[] {
  const all = readFileSync(path);
  const calls: Call[] = [];
  for (let at = 0; at + 24 <= all.length; ) {
    const [kind, pathLength] = [all.readUInt32LE(at), all.readUInt32LE(at + 4)];
    const [offset, length] = [Number(all.readBigUInt64LE(at + 8)), Number(all.readBigUInt64LE(at + 16))];
    const name = all.toString("utf8", at + 24, at + 24 + pathLength);
    const from = at + 24 + pathLength;
    calls.push({ kind, path: name, offset, bytes: all.subarray(from, from + length) });
    at = from + length;
  }
  return calls;
}

/** A file from its creation to its removal. */
interface Body {
  durable: Buffer;
  pending: Call[];
}

/**
 * The possible contents of a name: the first is the synced one, the others may exist after a cut.
 */
type Entries = (Body | null)[];

const sectorBytes = 512;

/** The fate of unsynced data. */
export type Loss = "all of it" | "none of it" | "any of it";

/** Models the disk below one folder during the calls. */
export class Disk {
  readonly #files = new Map<string, Entries>();

  make({ kind, path, offset, bytes }: Call): void {
    const entries = this.#files.get(path) ?? [null];
    const last = entries.at(-1) ?? null;
    if (kind === callKinds.unlink) this.#files.set(path, [...entries, null]);
    else if (kind === callKinds.sync) this.#sync(path, last);
    else {
      const body = last ?? { durable: Buffer.alloc(0), pending: [] };
      if (!last) this.#files.set(path, [...entries, body]);
      body.pending.push({ kind, path, offset, bytes });
    }
  }

  /** Syncing a folder keeps its names, and syncing a file keeps its content (POSIX). */
  #sync(path: string, body: Body | null): void {
    if (body) {
      body.durable = applied(body.durable, body.pending);
      body.pending = [];
      return;
    }
    for (const [name, entries] of this.#files)
      if (name.startsWith(`${path}/`)) this.#files.set(name, [entries.at(-1) ?? null]);
  }

  /** @param draw returns random numbers from 0 to 1, exclusive */
  after(loss: Loss, draw: () => number): ReadonlyMap<string, Buffer> {
    const left = new Map<string, Buffer>();
    for (const [path, entries] of this.#files) {
      const at = { "all of it": 0, "none of it": entries.length - 1 } as const;
      const body = entries[loss === "any of it" ? Math.floor(draw() * entries.length) : at[loss]];
      if (body) left.set(path, applied(body.durable, survivors(body.pending, loss, draw)));
    }
    return left;
  }
}

function applied(before: Buffer, calls: readonly Call[]): Buffer {
  let size = before.length;
  let most = size;
  for (const { kind, offset, bytes } of calls) {
    size = kind === callKinds.truncate ? offset : Math.max(size, offset + bytes.length);
    most = Math.max(most, size);
  }
  const after = Buffer.alloc(most);
  before.copy(after);
  let length = before.length;
  for (const { kind, offset, bytes } of calls) {
    if (kind === callKinds.truncate) {
      if (offset < length) after.fill(0, offset, length);
      length = offset;
    } else {
      bytes.copy(after, offset);
      length = Math.max(length, offset + bytes.length);
    }
  }
  return after.subarray(0, length);
}

/** Each sector of an unsynced write reaches the disk or doesn't, independently. */
function survivors(pending: readonly Call[], loss: Loss, draw: () => number): readonly Call[] {
  if (loss === "all of it") return [];
  if (loss === "none of it") return pending;
  return pending.flatMap((call): Call[] => {
    const fate = draw();
    if (fate < 0.3) return [];
    if (fate < 0.6 || call.kind !== callKinds.write) return [call];
    const sectors: Call[] = [];
    for (let at = 0; at < call.bytes.length; at += sectorBytes)
      if (draw() < 0.5)
        sectors.push({ ...call, offset: call.offset + at, bytes: call.bytes.subarray(at, at + sectorBytes) });
    return sectors;
  });
}
