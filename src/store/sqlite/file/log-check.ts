/**
 * Log check: detects damage in the write-ahead log of a store that wasn't closed.
 *
 * SQLite reads a log up to the first invalid frame and ignores the rest, because a crash truncates
 * it there. But a commit is on the disk before the next frame is written. A commit after an invalid
 * frame therefore rules out a crash, and stored changes would be lost silently.
 *
 * | head 32 | frame: head 24, page | frame | … sqlite.org/fileformat2.html#the_write_ahead_log
 */
import { closeSync, openSync, readSync } from "node:fs";

const headBytes = 32;
const frameHeadBytes = 24;
/** The magic number. Its last bit is the byte order of the checksums. */
const magic = 0x377f0682;

type Sum = readonly [number, number];

/** Whether the log has no damage that a crash doesn't explain. */
export function isLogWhole(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(headBytes);
    if (readSync(file, head, 0, headBytes, 0) < headBytes) return true;
    const isBigEndian = head.readUInt32BE(0) === magic + 1;
    const sum = added([0, 0], head.subarray(0, 24), isBigEndian);
    if ((!isBigEndian && head.readUInt32BE(0) !== magic) || !isSum(sum, head, 24)) return false;
    return areFramesWhole(file, head, sum, isBigEndian);
  } finally {
    closeSync(file);
  }
}

function areFramesWhole(file: number, head: Buffer, first: Sum, isBigEndian: boolean): boolean {
  const salts = head.subarray(16, 24);
  const frame = Buffer.alloc(frameHeadBytes + head.readUInt32BE(8));
  let sum: Sum | undefined = first;
  let hasLaterCommit = false;
  for (let at = headBytes; readSync(file, frame, 0, frame.length, at) === frame.length; at += frame.length) {
    // Frames after the end are left over from before the log restarted, and have other salts.
    const isOfThisLog = frame.subarray(8, 16).equals(salts);
    if (sum && isOfThisLog) {
      const here: Sum = added(
        added(sum, frame.subarray(0, 8), isBigEndian),
        frame.subarray(frameHeadBytes),
        isBigEndian,
      );
      sum = isSum(here, frame, 16) ? here : undefined;
      if (sum) continue;
    }
    sum = undefined;
    if (!isOfThisLog) continue;
    if (hasLaterCommit) return false;
    hasLaterCommit = frame.readUInt32BE(4) !== 0;
  }
  return true;
}

function added([a, b]: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  let sum = a;
  let two = b;
  const word = isBigEndian ? (at: number) => bytes.readUInt32BE(at) : (at: number) => bytes.readUInt32LE(at);
  for (let at = 0; at < bytes.length; at += 8) {
    sum = (sum + word(at) + two) >>> 0;
    two = (two + word(at + 4) + sum) >>> 0;
  }
  return [sum, two];
}

function isSum([first, second]: Sum, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}
