/**
 * Packed backups: one compressed file each (NAME.db.zst), with a JSON file (NAME.json) that
 * describes its content and has its checksum.
 */
import { createHash, type Hash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { StoreRefused } from "../../errors.ts";
import { sizeOf } from "../file/file-location.ts";

export const packedEnding = ".db.zst";
/**
 * The fastest compression level. Higher ones save little for a database, and take many times as
 * long.
 */
const level = 1;

export interface PackedFacts {
  readonly document: string | null;
  readonly records: number;
  readonly last_event: number;
  /** When the backup started. */
  readonly at: string;
  /** The size of the store's file, unpacked. */
  readonly bytes: number;
  /** The checksum of the compressed file, in hex. */
  readonly sha256: string;
}

/**
 * Packs a file, unpacks the result to compare it, and then gives it its final name.
 * @throws StoreRefused
 */
export async function pack(
  file: string,
  packed: string,
  facts: Omit<PackedFacts, "bytes" | "sha256">,
): Promise<PackedFacts> {
  const part = `${packed}.part`;
  const before = createHash("sha256");
  await pipeline(
    createReadStream(file),
    counted(before),
    createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: level } }),
    createWriteStream(part, { mode: 0o600 }),
  );
  sync(part);
  const after = createHash("sha256");
  const sum = createHash("sha256");
  await pipeline(createReadStream(part), counted(sum), createZstdDecompress(), counted(after), nowhere());
  if (before.digest("hex") !== after.digest("hex"))
    throw new StoreRefused(`${packed} can't be read back as it was written.`, "Check its disk.");
  const all: PackedFacts = { ...facts, bytes: sizeOf(file), sha256: sum.digest("hex") };
  // The description is written first, so that no packed file exists without it.
  writeFileSync(`${factsFile(packed)}.part`, `${JSON.stringify(all, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  renameSync(`${factsFile(packed)}.part`, factsFile(packed));
  renameSync(part, packed);
  return all;
}

/** Deletes the files of an unfinished packed backup. */
export function removePacked(packed: string): void {
  for (const file of [packed, factsFile(packed)])
    for (const ending of ["", ".part"]) rmSync(file + ending, { force: true });
}

function factsFile(packed: string): string {
  return `${packed.slice(0, -packedEnding.length)}.json`;
}

/**
 * Unpacks a backup. Returns whether it was compared with a checksum.
 * @throws StoreRefused if it can't be unpacked, or differs from its checksum
 */
export async function unpack(packed: string, to: string): Promise<boolean> {
  const sum = createHash("sha256");
  const write = createWriteStream(to, { mode: 0o600, flags: "wx" });
  await pipeline(createReadStream(packed), counted(sum), createZstdDecompress(), write).catch(
    (error: NodeJS.ErrnoException) => {
      if (!/^(ZSTD|Z_|ERR_ZLIB)/.test(String(error.code))) throw error;
      throw damaged(packed, "it can't be unpacked", error);
    },
  );
  const reported = recordedSum(factsFile(packed));
  if (reported !== undefined && reported !== sum.digest("hex"))
    throw damaged(packed, `its SHA-256 is not the one in ${factsFile(packed)}`);
  return reported !== undefined;
}

/**
 * The recorded checksum; undefined without the JSON file, because a packed file may have been
 * copied alone.
 */
function recordedSum(file: string): unknown {
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as Partial<PackedFacts>).sha256;
  } catch (error) {
    throw damaged(file, "it is not JSON", error);
  }
}

function damaged(name: string, what: string, cause?: unknown): StoreRefused {
  return new StoreRefused(`${name} is damaged: ${what}.`, "Use another backup.", cause);
}

function counted(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

function sync(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
