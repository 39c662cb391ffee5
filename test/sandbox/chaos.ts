/**
 * Sandbox chaos: data spaces are used, watched, emptied, restored, moved in time, evicted and
 * removed, all at once and at random. No action may end the process, be answered with a fault, or
 * log a fault:
 *
 *   npx node test/sandbox/chaos.ts SEED SECONDS [STORE]
 *
 * prints how often each action had which result, and exits with 1 if a fault occurred.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { served } from "../../src/cli/testing/served-command.ts";
import { pathOf } from "../repository/repository.ts";
import { createChance } from "../streams/chance.ts";
import { parcel } from "./start-sandbox.ts";

const [seed = "1", seconds = "30", store = join(mkdtempSync(join(tmpdir(), "ninefold-chaos-")), "desk.db")] =
  process.argv.slice(2);
const workers = 12;
const token = "a-token-for-the-chaos-that-is-long-enough";
const names = ["default", "a", "b", "c", "d", "e"];

const below = createChance(Number(seed));
const oneOf = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;

const desk = [pathOf("examples/parcel-desk.md"), "--seed", pathOf("examples/parcel-desk.seed.md")];
// There are fewer slots than names, so that data spaces evict one another.
const further = ["--sandbox", "--spaces-max", "4", "--operations", "0", "--log", "json", "--store", store];
const sandbox = served([...desk, ...further], { env: { ...process.env, NINEFOLD_OPERATIONS_TOKEN: token } });
const operations = (await sandbox.until(/Console: (http:\/\/[^/\s]+)/))[1] as string;
const service = (await sandbox.until(/ at (http:\S+)/))[1] as string;

const counts = new Map<string, number>();
const faults: string[] = [];
const made: string[] = [];

interface RequestedValue {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

async function request(
  url: string,
  label: string,
  { method = "GET", headers, body, signal }: RequestedValue,
) {
  let status: string | number;
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const text = await answer.text();
    status = answer.status;
    if (status >= 500 && status !== 503) faults.push(`${label} ${status} ${text.slice(0, 300)}`);
    if (label === "make" && status === 201) made.push((JSON.parse(text) as { readonly id: string }).id);
  } catch (error) {
    if (signal?.aborted) status = "left";
    else {
      status = "no answer";
      faults.push(`${label}: ${String(error)}`);
    }
  }
  counts.set(`${label} ${status}`, (counts.get(`${label} ${status}`) ?? 0) + 1);
}

const asShop = (space: string) => ({
  Authorization: "Bearer sk_ada_4f1c09",
  "Parcel-Version": "2026-11-01",
  "Ninefold-Space": space,
});

type Act = (space: string) => Promise<void>;

const use = (label: string, method: string, path: () => string, body?: () => unknown): Act => {
  return (space) =>
    request(service + path(), label, { method, headers: asShop(space), ...(body ? { body: body() } : {}) });
};
const operate = (label: string, method: string, path: string | (() => string), body?: () => unknown): Act => {
  return (space) => {
    const target = typeof path === "string" ? path : path();
    const named = `${target}${target.includes("?") ? "&" : "?"}space=${space}`;
    const headers = { Authorization: `Bearer ${token}` };
    return request(operations + named, label, { method, headers, ...(body ? { body: body() } : {}) });
  };
};

const topics = "changes,states,events,deliveries,overview,trouble,requests";
const watch: Act = async (space) => {
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(), below(3000));
  await request(`${operations}/api/stream?topics=${topics}&space=${space}`, "watch", {
    headers: { Authorization: `Bearer ${token}` },
    signal: leaving.signal,
  });
  clearTimeout(timer);
};
const remove: Act = (space) =>
  request(`${operations}/api/spaces/${space}`, "remove", {
    method: "DELETE",
    headers: { Authorization: `Bearer ${token}` },
  });

const snapshot = () => `s${below(3)}`;
const clocks = [{ advance: "1 hour" }, { advance: "3 days" }, { stopped: true }, { stopped: false }];
const acts: readonly (readonly [weight: number, act: Act])[] = [
  [
    6,
    use(
      "make",
      "POST",
      () => "/parcels",
      () => parcel(`C-${below(1e6)}`),
    ),
  ],
  [6, use("list", "GET", () => `/parcels?limit=${1 + below(50)}`)],
  [
    4,
    use(
      "move",
      "POST",
      () => `/parcels/${oneOf(made) ?? "none"}/${oneOf(["collect", "deliver"])}`,
      () => ({}),
    ),
  ],
  [1, operate("reset", "POST", "/api/reset", () => ({ seed: below(2) === 0 }))],
  [1, operate("keep", "POST", "/api/snapshots", () => ({ name: snapshot() }))],
  [1, operate("restore", "POST", () => `/api/snapshots/${snapshot()}/restore`)],
  [1, operate("clock", "POST", "/api/clock", () => oneOf(clocks))],
  [1, remove],
  [3, watch],
  ...["overview", "records/Parcel", "states?resource=Parcel", "log", "requests", "deliveries"].map(
    (path) => [2, operate(path, "GET", `/api/${path}`)] as const,
  ),
  [1, operate("readyz", "GET", "/readyz")],
  [1, operate("metrics", "GET", "/metrics")],
];
const bag = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));

const end = performance.now() + Number(seconds) * 1000;
async function work(): Promise<void> {
  while (performance.now() < end && sandbox.child.exitCode === null) await oneOf(bag)(oneOf(names));
}
await Promise.all(Array.from({ length: workers }, work));

const isAlive = sandbox.child.exitCode === null;
sandbox.child.kill("SIGTERM");
const { code } = await sandbox.ended;
const logged = sandbox
  .output()
  .split("\n")
  .filter((line) => /"level":(?:50|60)/.test(line));
for (const [what, count] of [...counts].sort()) console.log(`${String(count).padStart(6)}  ${what}`);
for (const fault of [...new Set([...faults, ...logged])].slice(0, 50)) console.error(fault);
if (!isAlive) console.error(sandbox.output().slice(-3000));
const isGood = isAlive && code === 0 && faults.length + logged.length === 0;
console.log(
  isGood
    ? "no fault"
    : `alive: ${isAlive}, exit code: ${code}, faults: ${faults.length}, logged: ${logged.length}`,
);
process.exitCode = isGood ? 0 : 1;
