/**
 * Pool of random bytes, read from the operating system a page at a time, because a system call
 * costs more than the bytes. Each byte is used once and wiped.
 */
import { randomFillSync } from "node:crypto";

const poolBytes = 8192;

export function createRandomPool(): (count: number) => Uint8Array {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return (count) => {
    if (count > poolBytes / 8) return randomFillSync(new Uint8Array(count));
    if (used + count > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + count);
    pool.fill(0, used, used + count);
    used += count;
    return bytes;
  };
}
