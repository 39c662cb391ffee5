/**
 * Receivers of `zoo.ts`, in child processes, so that the service does not carry their cost. Good
 * receivers verify deliveries with the published library, plain ones only respond, and bad ones
 * fail in every way. A child first sends its addresses, then small batches of what it received. It
 * ends when its parent does.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { Webhook } from "standardwebhooks";

export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const badKinds = ["slow", "drip", "silent", "redirect", "cut off", "endless", "failing"] as const;
export type BadKind = (typeof badKinds)[number];
export type Role = "good" | "plain" | "bad";

/** Returns the machine's own time in milliseconds, which all processes share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The data that a child has received since its last report. */
interface Report {
  readonly urls?: Readonly<Record<string, string>>;
  /** Identifiers of orders, with their arrival times. */
  readonly received?: readonly (readonly [string, number])[];
  readonly unverified?: number;
  readonly redirected?: number;
  readonly connectionsMax?: number;
}

export interface Receivers {
  /** The addresses by kind; good and plain receivers have one, under their role. */
  readonly urls: Readonly<Record<string, string>>;
  /** The first arrival time of each order. */
  readonly received: ReadonlyMap<string, number>;
  readonly counts: { unverified: number; redirected: number; connectionsMax: number };
  stop(): Promise<void>;
}

export async function startReceivers(role: Role): Promise<Receivers> {
  const child: ChildProcess = fork(import.meta.filename, [role], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const received = new Map<string, number>();
  const counts = { unverified: 0, redirected: 0, connectionsMax: 0 };
  const ready = new Promise<Report>((resolve, reject) => {
    child.once("message", (reported: Report) => resolve(reported));
    child.once("exit", (code) => reject(new Error(`the ${role} receivers ended with ${code}`)));
  });
  child.on("message", (reported: Report) => {
    for (const [id, at] of reported.received ?? []) if (!received.has(id)) received.set(id, at);
    counts.unverified = reported.unverified ?? counts.unverified;
    counts.redirected = reported.redirected ?? counts.redirected;
    counts.connectionsMax = reported.connectionsMax ?? counts.connectionsMax;
  });
  const { urls = {} } = await ready;
  return {
    urls,
    received,
    counts,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

// ── In the child ────────────────────────────────────────────────────────────────────────────────

const notifyEveryMs = 25;
const seen = { unverified: 0, redirected: 0, connectionsMax: 0 };
let arrived: [string, number][] = [];

async function run(role: Role): Promise<void> {
  process.on("disconnect", () => process.exit(0));
  const urls: Record<string, string> = {};
  if (role === "bad") {
    const target = await listen(
      createServer((_request, response) => {
        seen.redirected += 1;
        response.end();
      }),
    );
    for (const kind of badKinds) urls[kind] = await listen(play(kind, target));
  } else if (role === "plain")
    urls["plain"] = await listen(createServer((_request, response) => void response.end()));
  else urls["good"] = await listen(createServer((request, response) => void take(request, response)));
  process.send?.({ urls } satisfies Report);
  setInterval(() => {
    process.send?.({ ...seen, received: arrived } satisfies Report);
    arrived = [];
  }, notifyEveryMs);
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const at = nowMs();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  try {
    const body = Buffer.concat(chunks).toString("utf8");
    const event = new Webhook(secret).verify(body, request.headers as Record<string, string>) as {
      readonly data: { readonly id: string };
    };
    arrived.push([event.data.id, at]);
  } catch {
    seen.unverified += 1;
  }
  response.end();
}

const headEnd = "Content-Length: 0\r\n\r\n";

function play(kind: BadKind, target: string): Server {
  const answers: Record<BadKind, ((socket: Socket) => void) | undefined> = {
    slow: (socket) => later(socket, 5000, () => socket.end(`HTTP/1.1 200 OK\r\n${headEnd}`)),
    drip: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Drops: ");
      const drops = setInterval(() => socket.write("0"), 100);
      socket.on("close", () => clearInterval(drops));
    },
    silent: undefined,
    redirect: (socket) => socket.end(`HTTP/1.1 302 Found\r\nLocation: ${target}\r\n${headEnd}`),
    "cut off": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort"),
    endless: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const pour = () => {
        while (!socket.destroyed && socket.write("x".repeat(65_536)));
      };
      socket.on("drain", pour);
      pour();
    },
    failing: (socket) => socket.end(`HTTP/1.1 500 Oh\r\n${headEnd}`),
  };
  const answer = answers[kind];
  let connections = 0;
  return createSocketServer((socket) => {
    connections += 1;
    seen.connectionsMax = Math.max(seen.connectionsMax, connections);
    socket.on("error", () => {});
    socket.on("close", () => {
      connections -= 1;
    });
    if (answer) socket.once("data", () => answer(socket));
  });
}

function later(socket: Socket, milliseconds: number, work: () => void): void {
  const timer = setTimeout(work, milliseconds);
  socket.on("close", () => clearTimeout(timer));
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
}

if (import.meta.main) await run(process.argv[2] as Role);
