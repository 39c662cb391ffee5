/**
 * Overhead of an open console: the same requests at the same rate, alternately without and with a
 * reader of the operations address's stream that receives all changes. Reports the number of
 * responses, the processor time of each request, and the memory at the end of each phase.
 *
 *   node bench/stream-reader.ts [--rate 1000] [--seconds 60] [--rounds 3]
 *
 * Target: throughput falls by less than 5 %, and memory stays flat.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import autocannon from "autocannon";

const { values: options } = parseArgs({
  options: {
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "60" },
    rounds: { type: "string", default: "3" },
  },
});
const topics = "requests,overview,events,trouble";
const token = randomBytes(32).toString("base64url");
const headers = { Authorization: `Bearer ${token}` };

const root = join(import.meta.dirname, "..");
const child = spawn(
  process.execPath,
  [
    join(root, "bin", "ninefold"),
    "serve",
    join(root, "bench", "parcels.md"),
    ...["--store", ":memory:", "--seed", join(root, "bench", "seed.md"), "--port", "0", "--log", "none"],
  ],
  { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NINEFOLD_OPERATIONS_TOKEN: token } },
);
let text = "";
while (!/Try:/.test(text)) text += String((await once(child.stdout, "data"))[0]);
const [operations = ""] = /(?<=^Console: )http:\S+/m.exec(text) ?? [];
const [service = ""] = /(?<= at )http:\S+/.exec(text) ?? [];

/** A value of `/metrics`. */
async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${operations}/metrics`, { headers })).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

interface Turn {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly memoryMiB: number;
  readonly characters: number;
}

async function turn(isRead: boolean): Promise<Turn> {
  const disconnect = new AbortController();
  let characters = 0;
  const reading = isRead
    ? fetch(`${operations}/api/stream?topics=${topics}`, { headers, signal: disconnect.signal }).then(
        async (answer) => {
          if (!answer.ok) throw new Error(await answer.text());
          for await (const piece of answer.body as AsyncIterable<Uint8Array>) characters += piece.byteLength;
        },
      )
    : Promise.resolve();
  const ended = reading.catch((error: Error) => {
    if (error.name !== "AbortError") throw error;
  });
  const before = await figure("process_cpu_seconds_total");
  const { requests, duration, non2xx } = await autocannon({
    url: `${service}/parcels?limit=1`,
    connections: 20,
    overallRate: Number(options.rate),
    duration: Number(options.seconds),
    headers: { Authorization: "Bearer sk_bench" },
  });
  if (non2xx > 0) throw new Error(`${non2xx} requests were refused`);
  const cpuSeconds = (await figure("process_cpu_seconds_total")) - before;
  const memoryMiB = (await figure("process_resident_memory_bytes")) / 1024 ** 2;
  disconnect.abort();
  await ended;
  return {
    perSecond: requests.total / duration,
    cpuMs: (cpuSeconds * 1000) / requests.total,
    memoryMiB,
    characters,
  };
}

try {
  await turn(false);
  for (let round = 1; round <= Number(options.rounds); round += 1)
    for (const isRead of [false, true]) {
      const { perSecond, cpuMs, memoryMiB, characters } = await turn(isRead);
      process.stdout.write(
        `${isRead ? "read  " : "unread"} ${perSecond.toFixed(0)} requests/s, ${cpuMs.toFixed(3)} ms of processor each, ${memoryMiB.toFixed(0)} MiB${isRead ? `, ${(characters / 1024).toFixed(0)} KiB streamed` : ""}\n`,
      );
    }
} finally {
  child.kill("SIGTERM");
}
