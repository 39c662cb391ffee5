/** Globals of Node that sources use, for browsers. Imported before anything else. */
import { Buffer } from "buffer/";

/** The package has no base64url, which is base64 with two other characters and no padding. */
const { from, prototype } = Buffer;
const write = prototype.toString;
prototype.toString = function (this: Buffer, encoding?: string, start?: number, end?: number): string {
  if (encoding !== "base64url") return write.call(this, encoding as BufferEncoding, start, end);
  return write.call(this, "base64", start, end).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
} as typeof write;
Buffer.from = ((value: unknown, encoding?: unknown, length?: unknown) =>
  Reflect.apply(from, Buffer, [
    value,
    encoding === "base64url" ? "base64" : encoding,
    length,
  ])) as typeof from;

/** Runs work after the current task, before timers. */
const soon = new MessageChannel();
const waiting: (() => void)[] = [];
soon.port1.onmessage = () => waiting.shift()?.();

Object.assign(globalThis, {
  Buffer,
  process: {
    env: {},
    platform: "browser",
    versions: {},
    nextTick: (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
      queueMicrotask(() => callback(...args)),
    on() {},
    emitWarning() {},
    memoryUsage: () => ({ rss: 0, heapUsed: 0 }),
  },
  setImmediate(callback: (...args: unknown[]) => void, ...args: unknown[]) {
    waiting.push(() => callback(...args));
    soon.port2.postMessage(null);
  },
});
