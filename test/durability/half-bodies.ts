/**
 * Bodies that are sent by half and never end: so many connections announce 1 MiB and send all of it but the last byte, as fast as the
 * service takes it, and hold on. Once where a credential is needed and none is sent, once where anybody may send. Meanwhile a caller with a
 * key, and a stranger, send small bodies in two pieces.
 *
 * Counted are what the service's memory has grown by at most, what the connections were answered, and how many of the others were served.
 *
 *   node test/durability/half-bodies.ts [connections, 600 when nothing is said]
 */
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { serveProcess, type ServedProcess } from "../clients/serve-command.ts";

const announced = 1024 * 1024;
/**
 * The number of connections that are opened at once, with a pause after each batch: 10,000
 * connections can't all be written to at once.
 */
const openAtOnce = 200;
const otherRequests = 10;
const key = "the key of ada";

export interface HalfBodies {
  readonly path: string;
  readonly connections: number;
  grownMiB: number;
  /** The responses to open connections, by status. */
  answered: Record<string, number>;
  /** Bodies in two pieces, of the caller and of the stranger, that were answered 201. */
  callerServed: number;
  strangerServed: number;
}

export async function sendHalfBodies(connections: number): Promise<readonly HalfBodies[]> {
  const found: HalfBodies[] = [];
  for (const path of ["/notes", "/letters"]) {
    const service = await serveProcess("test/durability/doors.md", [
      `User with name = "ada", password = "right password", key = "${key}"`,
    ]);
    try {
      found.push(await attack(service, path, connections));
    } finally {
      await service.close();
    }
  }
  return found;
}

async function attack(service: ServedProcess, path: string, connections: number): Promise<HalfBodies> {
  const found: HalfBodies = {
    path,
    connections,
    grownMiB: 0,
    answered: {},
    callerServed: 0,
    strangerServed: 0,
  };
  // Ordinary requests first, so that the memory of loaded code isn't attributed to the attack.
  for (let at = 0; at < 20; at += 1) await sendInTwo(service, "/letters", []);
  const before = service.residentBytes;
  const look = () => {
    found.grownMiB = Math.max(found.grownMiB, Math.round((service.residentBytes - before) / 1024 ** 2));
  };
  const looking = setInterval(look, 20);
  const sockets: Socket[] = [];
  try {
    for (let at = 0; at < connections; at += openAtOnce) {
      const count = Math.min(openAtOnce, connections - at);
      const opened = Array.from({ length: count }, () => sendHalf(service.port, path, found));
      sockets.push(...opened);
      await Promise.all(opened.map((socket) => settled(socket)));
    }
    for (let at = 0; at < otherRequests; at += 1) {
      const caller = [`Authorization: Bearer ${key}`];
      if ((await sendInTwo(service, "/notes", caller)) === "201") found.callerServed += 1;
      if ((await sendInTwo(service, "/letters", [])) === "201") found.strangerServed += 1;
    }
    look();
    return found;
  } finally {
    clearInterval(looking);
    for (const socket of sockets) socket.destroy();
  }
}

const body = Buffer.alloc(announced - 1, "a");

function sendHalf(port: number, path: string, found: HalfBodies): Socket {
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.once("data", (answer) => {
    const status = String(answer).slice(9, 12);
    found.answered[status] = (found.answered[status] ?? 0) + 1;
  });
  socket.write(headOf(path, announced, []));
  socket.write(body);
  return socket;
}

/** Resolves when the connection got a response, has sent everything, or is stuck. */
async function settled(socket: Socket): Promise<void> {
  const ends = ["data", "drain", "close"].map((event) => once(socket, event).catch(() => {}));
  let patience: NodeJS.Timeout | undefined;
  await Promise.race([...ends, new Promise((resolve) => (patience = setTimeout(resolve, 2000)))]);
  clearTimeout(patience);
}

/** Sends a small body a moment after its head; returns the status. */
async function sendInTwo({ port }: ServedProcess, path: string, headers: readonly string[]): Promise<string> {
  const text = JSON.stringify({ text: "in two pieces" });
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(headOf(path, text.length, headers));
  await new Promise((resolve) => setTimeout(resolve, 5));
  const answering = Promise.race([once(socket, "data"), once(socket, "close")]);
  socket.write(text);
  const [answer] = await answering.catch(() => [""]);
  socket.destroy();
  return String(answer).slice(9, 12);
}

function headOf(path: string, length: number, headers: readonly string[]): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

if (import.meta.main) {
  for (const sent of await sendHalfBodies(Number(process.argv[2] ?? 600))) console.log(sent);
}
