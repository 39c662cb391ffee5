/**
 * Restarts of a service behind a proxy under load, with the files of `deploy/`, in which only
 * addresses, ports and the certificate are changed. 8 clients keep their connections and 4 open one
 * for each request; half of their requests are changes. All use TLS.
 *
 * The counts are failed requests (no response, or 500 and more), acknowledged changes that are
 * missing, and changes that were made twice. All must be 0 in every set-up but `caddy one`, which
 * rejects a client that connects in the very moment in which the socket closes. Checked once: the
 * client address that the service sees, with a forged header in the request, and the origin of its
 * links.
 *
 *   node test/proxies/restarts.ts [restarts, by default 10] [set-up, by default all]
 *
 * It needs Debian's `nginx`, `haproxy` and `caddy`, for the selected proxies.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, type Watched, watched } from "../../src/cli/testing/served-command.ts";
import { freshSchema } from "../postgres/server.ts";
import { pathOf } from "../repository/repository.ts";

const setups = ["nginx one", "haproxy one", "nginx two", "haproxy two", "caddy one"] as const;
type Setup = (typeof setups)[number];

/** How long the load lasts before, between and after restarts, in milliseconds. */
const loadMs = 1500;
/** The pause of a client between a response and its next request, in milliseconds. */
const pauseMs = 4;
const clients = { keeping: 8, connecting: 4 };
const drainDelay = "3s";

const certificates = pathOf("src/cli/testing/certificates");
const certificate = join(certificates, "first.cert.pem");
const key = join(certificates, "first.key.pem");
/** The address of the proxy's client, which must appear as `request.ip`. */
const callerAddress = "127.0.0.9";

export interface Counts {
  requested: number;
  failed: number;
  /** Failures by kind and outcome. */
  readonly failures: Map<string, number>;
  readonly made: Set<number>;
  lost: number;
  twice: number;
  slowestMs: number;
  slowestRestartMs: number;
}

interface Instance {
  readonly port: number;
  readonly operations: number;
}

/**
 * The service in one or two instances, with a function that restarts an instance and resolves when
 * it responds.
 */
interface Instances {
  readonly all: readonly Instance[];
  restart(turn: number): Promise<void>;
  stop(): Promise<void>;
}

const arguments_ = [
  pathOf("bin/ninefold"),
  "serve",
  pathOf("test/proxies/things.md"),
  "--trust-proxy",
  // The test's client also connects from loopback, but is not a proxy.
  "127.0.0.1/32",
  "--log",
  "none",
  "--ready-json",
];

/** Restarts the service on its socket, descriptor 3, as systemd would, until it is stopped. */
const again = `while [ ! -e "$0" ]; do sh -c 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"' sh "$@"; done`;

/** One instance with a store in a file. The socket stays open across restarts. */
async function oneInstance(folder: string, isHanded: boolean): Promise<Instances> {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", 1024, resolve));
  const { port } = listening.address() as AddressInfo;
  const { fd } = (listening as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const stopped = join(folder, "stopped");
  const operations = await freePort();
  const own = [
    "--store",
    join(folder, "things.db"),
    "--operations",
    String(operations),
    "--port",
    String(port),
  ];
  const script = isHanded ? again : `while [ ! -e "$0" ]; do "$@"; done`;
  if (!isHanded) await new Promise((resolve) => listening.close(resolve));
  const command = ["-c", script, stopped, process.execPath, ...arguments_, ...own];
  const loop = watched("sh", command, isHanded ? { handed: fd } : {});
  if (isHanded) await new Promise((resolve) => listening.close(resolve));
  const readyTimes = async (times: number) => {
    await loop.until(new RegExp(`(?:"pid"[^]*){${times}}`));
    return JSON.parse(loop.output().trim().split("\n")[times - 1] as string).pid as number;
  };
  let pid = await readyTimes(1);
  let times = 1;
  return {
    all: [{ port, operations }],
    async restart() {
      times += 1;
      process.kill(pid, "SIGTERM");
      pid = await readyTimes(times);
    },
    async stop() {
      writeFileSync(stopped, "");
      process.kill(pid, "SIGTERM");
      await loop.ended;
    },
  };
}

/** Two instances on one PostgreSQL, restarted one after the other. */
async function twoInstances(): Promise<Instances> {
  const schema = await freshSchema();
  const all: Instance[] = [];
  for (let at = 0; at < 2; at += 1) all.push({ port: await freePort(), operations: await freePort() });
  const start = async ({ port, operations }: Instance) => {
    const own = ["--store", schema.url, "--port", String(port), "--operations", String(operations)];
    const service = watched(process.execPath, [...arguments_, ...own, "--drain-delay", drainDelay]);
    await service.until(/"pid"/);
    return service;
  };
  const running: Watched[] = [];
  for (const instance of all) running.push(await start(instance));
  const end = async (service: Watched) => {
    service.child.kill("SIGTERM");
    await service.ended;
  };
  return {
    all,
    async restart(turn) {
      const at = turn % 2;
      await end(running[at] as Watched);
      running[at] = await start(all[at] as Instance);
    },
    async stop() {
      await Promise.all(running.map(end));
      await schema.drop();
    },
  };
}

/** A file of `deploy/` with the changes for this machine. */
function deployed(name: string, changes: readonly (readonly [string, string])[]): string {
  let text = readFileSync(pathOf(`deploy/${name}`), "utf8");
  for (const [there, here] of changes) {
    if (!text.includes(there)) throw new Error(`deploy/${name} has no "${there}"`);
    text = text.replaceAll(there, here);
  }
  return text;
}

const placeOf = (instance: Instance | undefined) => `127.0.0.1:${instance?.port}`;

function nginx(folder: string, port: number, [instance, two]: readonly Instance[]): ChildProcess {
  const site = deployed("nginx.conf", [
    ["127.0.0.1:4545", placeOf(instance)],
    ...(two ? ([["# server 127.0.0.1:4555", `server ${placeOf(two)}`]] as const) : []),
    ["listen 443", `listen 127.0.0.1:${port}`],
    ["/etc/ssl/desk/fullchain.pem", certificate],
    ["/etc/ssl/desk/privkey.pem", key],
  ]);
  writeFileSync(join(folder, "site.conf"), site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${join(folder, "pid")}; events {} http { access_log off; ${temporary.join(" ")} include ${join(folder, "site.conf")}; }`,
  );
  return spawn("nginx", ["-p", folder, "-e", join(folder, "log"), "-c", join(folder, "nginx.conf")]);
}

function haproxy(folder: string, port: number, [instance, two]: readonly Instance[]): ChildProcess {
  const both = join(folder, "both.pem");
  writeFileSync(both, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
  const text = deployed("haproxy.cfg", [
    [
      "127.0.0.1:4545 check port 4546",
      two ? `${placeOf(instance)} check port ${instance?.operations}` : placeOf(instance),
    ],
    ...(two
      ? ([
          [
            "# server two 127.0.0.1:4555 check port 4556",
            `server two ${placeOf(two)} check port ${two.operations}`,
          ],
        ] as const)
      : []),
    ["bind :443", `bind 127.0.0.1:${port}`],
    ["/etc/ssl/desk/both.pem", both],
  ]);
  writeFileSync(join(folder, "haproxy.cfg"), text);
  return spawn("haproxy", ["-db", "-q", "-f", join(folder, "haproxy.cfg")]);
}

function caddy(folder: string, port: number, [instance]: readonly Instance[]): ChildProcess {
  const site = deployed("Caddyfile", [
    ["{$DOMAIN:localhost} {", `https://localhost:${port} {\n\ttls ${certificate} ${key}`],
    ["service:8080", placeOf(instance)],
  ]);
  writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  const environment = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return spawn("caddy", ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"], {
    env: environment,
  });
}

const proxies = { nginx, haproxy, caddy };

interface Answer {
  readonly status: number;
  readonly body: string;
}

function sendRequest(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        localAddress: callerAddress,
        port,
        agent,
        method,
        path,
        ca: readFileSync(certificate),
        servername: "localhost",
        headers: {
          Host: `localhost:${port}`,
          "X-Forwarded-For": "6.6.6.6",
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
      },
      async (response) => {
        let text = "";
        try {
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, body: text });
        } catch (error) {
          reject(error);
        }
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** One client that sends one request after another until the load ends. */
async function load(port: number, keeps: boolean, counts: Counts, isOver: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: keeps });
  let number = 1;
  for (let turn = 0; !isOver(); turn += 1) {
    const [method, path] =
      turn % 2 === 0 ? (["POST", "/things"] as const) : (["GET", `/things/${number}`] as const);
    const requestedAt = performance.now();
    const body = method === "POST" ? JSON.stringify({ reference: randomUUID() }) : undefined;
    const outcome = await sendRequest(port, agent, method, path, body).catch(
      (error: NodeJS.ErrnoException) => error,
    );
    counts.requested += 1;
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - requestedAt);
    if (outcome instanceof Error || outcome.status >= 300) {
      counts.failed += 1;
      const what = `${method} ${outcome instanceof Error ? (outcome as NodeJS.ErrnoException).code : outcome.status}`;
      counts.failures.set(what, (counts.failures.get(what) ?? 0) + 1);
    } else if (method === "POST") {
      number = JSON.parse(outcome.body).number;
      if (counts.made.has(number)) counts.twice += 1;
      counts.made.add(number);
    }
    await pause(pauseMs);
  }
  agent.destroy();
}

async function untilAnswered(port: number, agent: Agent): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await sendRequest(port, agent, "GET", "/who").catch(() => undefined);
    if (answer?.status === 200) return;
    await pause(50);
  }
  throw new Error("the proxy doesn't answer");
}

/** @throws if the service determines a wrong client address, or a wrong address of its own */
async function judgeAddresses(port: number, agent: Agent): Promise<void> {
  const { body } = await sendRequest(port, agent, "GET", "/who");
  const expected = JSON.stringify({ ip: callerAddress, url: `https://localhost:${port}` });
  if (body !== expected) throw new Error(`the service sees ${body}, not ${expected}`);
}

/**
 * Compares the stored changes with the acknowledged ones. If no request failed, an additional
 * change was made twice.
 */
async function judgeStored(port: number, agent: Agent, counts: Counts): Promise<void> {
  for (const number of counts.made)
    if ((await sendRequest(port, agent, "GET", `/things/${number}`)).status !== 200) counts.lost += 1;
  const { things } = JSON.parse((await sendRequest(port, agent, "GET", "/tally")).body);
  const failed = [...counts.failures].reduce(
    (sum, [what, times]) => sum + (what.startsWith("POST") ? times : 0),
    0,
  );
  counts.twice += Math.max(0, things - counts.made.size - failed);
}

/** Restarts the service under load, and counts the outcomes of the requests. */
export async function restartsBehind(setup: Setup, restarts: number): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-restarts-"));
  mkdirSync(join(folder, "logs"));
  const [name, count] = setup.split(" ") as [keyof typeof proxies, "one" | "two"];
  const instances = await (count === "two" ? twoInstances() : oneInstance(folder, name !== "caddy"));
  const port = await freePort();
  const proxy = proxies[name](folder, port, instances.all);
  const ended = once(proxy, "close");
  const counts: Counts = {
    requested: 0,
    failed: 0,
    failures: new Map(),
    made: new Set(),
    lost: 0,
    twice: 0,
    slowestMs: 0,
    slowestRestartMs: 0,
  };
  const agent = new Agent({ keepAlive: false });
  try {
    await untilAnswered(port, agent);
    await judgeAddresses(port, agent);
    let isOver = false;
    const loads = Object.entries(clients).flatMap(([kind, many]) =>
      Array.from({ length: many }, () => load(port, kind === "keeping", counts, () => isOver)),
    );
    await pause(loadMs);
    for (let turn = 0; turn < restarts; turn += 1) {
      const beganAt = performance.now();
      await instances.restart(turn);
      counts.slowestRestartMs = Math.max(counts.slowestRestartMs, performance.now() - beganAt);
      await pause(loadMs);
    }
    isOver = true;
    await Promise.all(loads);
    await judgeStored(port, agent, counts);
  } finally {
    proxy.kill("SIGTERM");
    await ended;
    await instances.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return counts;
}

if (import.meta.main) {
  const restarts = Number(process.argv[2] ?? 10);
  const named = process.argv.slice(3).join(" ");
  for (const setup of setups.filter((setup) => setup.startsWith(named))) {
    const { requested, failed, failures, made, lost, twice, slowestMs, slowestRestartMs } =
      await restartsBehind(setup, restarts);
    const reported = [...failures].map(([what, times]) => `${what}: ${times}`).join(", ");
    console.log(
      `${setup.padEnd(12)} ${restarts} restarts, ${requested} requests, ${made.size} changes acknowledged: ${failed} failed${reported && ` (${reported})`}, ${lost} lost, ${twice} twice; slowest ${Math.round(slowestMs)} ms, restart ${Math.round(slowestRestartMs)} ms`,
    );
  }
}
