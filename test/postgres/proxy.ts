/**
 * A TCP proxy in front of a PostgreSQL server, for tests of network faults: connections that
 * break, also in the middle of a COMMIT, a silent network, another server behind the same address.
 * It parses enough of the protocol to recognise a COMMIT.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * Where a connection breaks at a COMMIT: before the server has it, or when the server has replied
 * and the client hasn't received the reply.
 */
export type CommitFault = "unsent" | "untold";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export class PostgresProxy {
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  #target: URL;
  #commitFault: CommitFault | undefined;
  #isSilent = false;
  #isAway = false;
  /** The port on which it listened before it refused connections. */
  #port = 0;
  #late: (() => void)[] | undefined;
  /** Awaited before a COMMIT passes. */
  beforeCommit: (() => Promise<void>) | undefined;
  /** Replacements of texts in statements, padded to the same length. */
  replaces: Readonly<Record<string, string>> = {};
  /** The number of connections that were broken at a COMMIT. */
  broken = 0;

  private constructor(listener: Server, target: URL) {
    this.#listener = listener;
    this.#target = target;
    listener.on("connection", (client: Socket) => this.#join(client));
  }

  /** @param target the URL of the server */
  static async start(target: string): Promise<PostgresProxy> {
    const listener = createServer({ pauseOnConnect: true });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    return new PostgresProxy(listener, new URL(target));
  }

  /** The server's URL through this proxy. */
  get url(): string {
    const through = new URL(this.#target);
    through.host = `127.0.0.1:${this.#portNow()}`;
    return through.href;
  }

  #portNow(): number {
    const address = this.#listener.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  /** The local ports of the connections to the server. */
  ports(): readonly number[] {
    return [...this.#pairs].flatMap(({ server }) => server.localPort ?? []);
  }

  /** Resets all connections. */
  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Breaks the connection of the next COMMIT. */
  cutAtCommit(fault: CommitFault): void {
    this.#commitFault = fault;
  }

  /** Drops all data in both directions without notice, like a pulled cable. */
  silence(): void {
    this.#isSilent = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Closes the silent connections, and forwards new ones. */
  speak(): void {
    this.#isSilent = false;
    this.cut();
  }

  /** Holds new connections until they are released. */
  keepWaiting(): void {
    this.#late ??= [];
  }

  /** The number of held connections. */
  get waiting(): number {
    return this.#late?.length ?? 0;
  }

  letIn(): void {
    const late = this.#late ?? [];
    this.#late = undefined;
    for (const join of late) join();
  }

  /** Simulates a missing server: breaks all connections, and forwards no new one. */
  leave(): void {
    this.#isAway = true;
    this.cut();
  }

  comeBack(): void {
    this.#isAway = false;
  }

  /** Stops listening: breaks all connections; new ones are refused. */
  async refuse(): Promise<void> {
    this.#port = this.#portNow();
    const closed = once(this.#listener, "close");
    this.#listener.close();
    this.cut();
    await closed;
  }

  /** Listens again after `refuse`. */
  async listen(): Promise<void> {
    this.#listener.listen(this.#port, "127.0.0.1");
    await once(this.#listener, "listening");
  }

  /** Forwards new connections to another server, and breaks existing ones. */
  turnTo(target: string): void {
    const search = this.#target.search;
    this.#target = new URL(target);
    if (this.#target.search === "") this.#target.search = search;
    this.cut();
  }

  async close(): Promise<void> {
    this.#listener.close();
    this.cut();
    await once(this.#listener, "close");
  }

  #join(client: Socket): void {
    if (this.#isAway) return void client.resetAndDestroy();
    if (this.#late) return void this.#late.push(() => this.#join(client));
    const server = connect(Number(this.#target.port || 5432), this.#target.hostname);
    const pair = { client, server };
    this.#pairs.add(pair);
    const sent = new Sent();
    let isUntold = false;
    const part = () => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.setNoDelay().on("error", part).on("close", part);
    client.on("data", (bytes: Buffer) => {
      const isCommitting = sent.hasCommit(bytes);
      if (isCommitting && this.#commitFault !== undefined) {
        isUntold = this.#commitFault === "untold";
        this.#commitFault = undefined;
        this.broken += 1;
        if (!isUntold) return this.#break(pair);
      }
      const passed = replaced(bytes, this.replaces);
      if (!isCommitting || !this.beforeCommit) return void server.write(passed);
      client.pause();
      void this.beforeCommit().then(() => {
        server.write(passed);
        client.resume();
      });
    });
    server.on("data", (bytes: Buffer) => (isUntold ? this.#break(pair) : client.write(bytes)));
    if (!this.#isSilent) client.resume();
    else server.pause();
  }

  #break({ client, server }: Pair): void {
    client.resetAndDestroy();
    server.resetAndDestroy();
  }
}

/** Replacements of statements that a server lacks, or that it accepts without effect. */
const withouts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  LISTEN: { "LISTEN ": "-" },
  /** Functions that do nothing. */
  "advisory locks": { "pg_try_advisory_lock(": "TRUE OR 0=(" },
  "advisory functions": { pg_try_advisory_lock: "no_advisory_lock" },
  /** Statements over tables take effect at once, and a rollback doesn't undo them. */
  "DDL in transactions": {
    "BEGIN; CREATE TABLE IF NOT EXISTS ninefold_probe": "CREATE TABLE IF NOT EXISTS ninefold_probe",
    "BEGIN; LOCK TABLE ninefold_turn IN ACCESS EXCLUSIVE MODE": "SELECT 1",
    "SAVEPOINT reference": "SELECT 1",
    "ROLLBACK TO reference": "SELECT 1",
    "RELEASE reference": "SELECT 1",
  },
};

/** Replacements for a server without several capabilities. */
export function without(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.assign({}, ...names.map((name) => withouts[name] ?? assert.fail(name)));
}

/** Lowers serializable transactions to the session's own level, READ COMMITTED. */
export const lowersIsolation = { "ISOLATION LEVEL SERIALIZABLE": "READ WRITE" };

/** Replaces texts by others of the same length, because the message contains its length. */
function replaced(bytes: Buffer, replacements: Readonly<Record<string, string>>): Buffer {
  let text = bytes.toString("latin1");
  for (const [from, to] of Object.entries(replacements)) text = text.replaceAll(from, to.padEnd(from.length));
  return Buffer.from(text, "latin1");
}

/** Detects COMMITs in the data of a client: as a text, or as a prepared statement. */
class Sent {
  #rest = Buffer.alloc(0);
  #hasStarted = false;
  readonly #named = new Set<string>();

  hasCommit(bytes: Buffer): boolean {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    let found = false;
    for (let message = this.#next(); message; message = this.#next())
      found = this.#isCommit(message) || found;
    return found;
  }

  /** The next complete message: its type and content. The first message has no type. */
  #next(): readonly [string, Buffer] | undefined {
    const head = this.#hasStarted ? 1 : 0;
    if (this.#rest.length < head + 4) return undefined;
    const length = head + this.#rest.readInt32BE(head);
    if (this.#rest.length < length) return undefined;
    const message = [this.#rest.toString("latin1", 0, head), this.#rest.subarray(head + 4, length)] as const;
    this.#rest = this.#rest.subarray(length);
    this.#hasStarted = true;
    return message;
  }

  #isCommit([kind, said]: readonly [string, Buffer]): boolean {
    const [first = "", second = ""] = said.toString("latin1").split("\0", 2);
    switch (kind) {
      case "Q":
        return isCommit(first);
      // Parse: a statement's name and text.
      case "P":
        if (isCommit(second)) this.#named.add(first);
        else this.#named.delete(first);
        return false;
      // Bind: a portal and a statement's name.
      case "B":
        return this.#named.has(second);
      default:
        return false;
    }
  }
}

function isCommit(text: string): boolean {
  return /^\s*COMMIT\b/i.test(text);
}
