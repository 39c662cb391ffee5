/**
 * A small pooler in front of a PostgreSQL server, as bad as one in transaction mode may be. Each
 * transaction of a client gets the session that was used longest ago, with whatever others have
 * left in it. It parses enough of the protocol to recognise the end of a transaction.
 */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import pg from "pg";

const sessionsMax = 3;
const sslRequest = 80_877_103;

/** An open connection to the server without a client. */
interface Session {
  readonly socket: Socket;
  readonly end: () => void;
}

export class TransactionPooler {
  readonly #listener: Server;
  readonly #target: URL;
  readonly #free: Session[] = [];
  readonly #waiting: ((session: Session) => void)[] = [];
  readonly #clients = new Set<Socket>();

  private constructor(listener: Server, target: URL) {
    this.#listener = listener;
    this.#target = target;
    listener.on("connection", (client) => void this.#serve(client));
  }

  static async start(target: string): Promise<TransactionPooler> {
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const pooler = new TransactionPooler(listener, new URL(target));
    for (let made = 0; made < sessionsMax; made += 1) pooler.#free.push(await pooler.#session());
    return pooler;
  }

  /** `host:port`, and the server's own. */
  get host(): string {
    const address = this.#listener.address();
    return `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  }

  /** The server's URL through this pooler. */
  url(isListenAccepted: boolean): string {
    const url = new URL(this.#target);
    url.host = this.host;
    if (isListenAccepted) url.searchParams.set("listen", this.#target.host);
    return url.href;
  }

  async close(): Promise<void> {
    this.#listener.close();
    for (const client of this.#clients) client.destroy();
    await once(this.#listener, "close");
    for (const { end } of this.#free) end();
  }

  async #session(): Promise<Session> {
    const url = new URL(this.#target);
    url.searchParams.delete("schema");
    const client = new pg.Client({ connectionString: url.href });
    client.on("error", () => {});
    await client.connect();
    const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection;
    socket.removeAllListeners("data");
    return { socket, end: () => socket.destroy() };
  }

  /** Forwards the client's data in pieces, each up to the point where the server has to respond. */
  async #serve(client: Socket): Promise<void> {
    this.#clients.add(client.setNoDelay());
    client.on("error", () => {}).on("close", () => this.#clients.delete(client));
    const sent = new Messages(client);
    while ((await sent.first()) === sslRequest) client.write("N");
    const reported = Buffer.alloc(8);
    reported.writeInt32BE(4_711);
    client.write(
      Buffer.concat([message("R", Buffer.alloc(4)), message("K", reported), message("Z", Buffer.from("I"))]),
    );
    let session: Session | undefined;
    for (;;) {
      const piece: Buffer[] = [];
      for (let kind = ""; kind !== "Q" && kind !== "S"; ) {
        const next = await sent.next();
        kind = next?.toString("latin1", 0, 1) ?? "X";
        if (!next || kind === "X") return this.#left(session, client);
        piece.push(next);
      }
      session ??= await this.#taken();
      session.socket.write(Buffer.concat(piece));
      if ((await answered(session, client)) !== "I") continue;
      this.#give(session);
      session = undefined;
    }
  }

  /** A session that is left inside a transaction can't be reused. */
  #left(session: Session | undefined, client: Socket): void {
    client.destroy();
    if (!session) return;
    session.end();
    void this.#session().then((fresh) => this.#give(fresh));
  }

  #taken(): Promise<Session> {
    const free = this.#free.shift();
    return free ? Promise.resolve(free) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  #give(session: Session): void {
    const next = this.#waiting.shift();
    if (next) next(session);
    else this.#free.push(session);
  }
}

/** Forwards the server's messages until it is ready. Returns its transaction state. */
async function answered({ socket }: Session, client: Socket): Promise<string> {
  const said = new Messages(socket);
  for (;;) {
    const next = await said.next();
    if (!next) return "I";
    client.write(next);
    if (next.toString("latin1", 0, 1) === "Z") {
      said.leave();
      return next.toString("latin1", 5, 6);
    }
  }
}

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Splits incoming data into complete messages. */
class Messages {
  readonly #socket: Socket;
  #rest = Buffer.alloc(0);
  #isOver = false;
  #onMore: (() => void) | undefined;
  readonly #take = (bytes: Buffer) => {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    this.#onMore?.();
  };
  readonly #end = () => {
    this.#isOver = true;
    this.#onMore?.();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#take).on("close", this.#end);
  }

  leave(): void {
    this.#socket.off("data", this.#take).off("close", this.#end);
  }

  /** The first message has no type; returns the request code. */
  async first(): Promise<number> {
    const whole = await this.#whole(0);
    return whole ? whole.readInt32BE(4) : 0;
  }

  next(): Promise<Buffer | undefined> {
    return this.#whole(1);
  }

  async #whole(head: number): Promise<Buffer | undefined> {
    for (;;) {
      const length =
        this.#rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + this.#rest.readInt32BE(head);
      if (this.#rest.length >= length) {
        const whole = this.#rest.subarray(0, length);
        this.#rest = this.#rest.subarray(length);
        return whole;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#onMore = resolve;
      });
    }
  }
}
