/**
 * Mailer: sends e-mail through the operator's mail server (SMTP, RFC 5321), over connections that
 * stay open for a while. `deliveries/email.ts` provides the text and the recipients. The mailer
 * knows no document, and an address in a message never names a host to connect to.
 */
import type { Socket } from "node:net";
import { createTransport } from "nodemailer";
import { type Clock, type Network, systemClock, callWhenReached } from "../ports.ts";
import { systemNetwork } from "./system-network.ts";
import { UnavailableError } from "../../support/ninefold-error.ts";

export interface Mail {
  /**
   * The message id, which stays the same for all attempts. Receivers recognize a repeated message
   * by it.
   */
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** When the reported event happened, in milliseconds. */
  readonly dateMs: number;
}

export interface Mailer {
  /**
   * Returns the mail server's last reply code.
   * @throws MailFailed if the server could not be reached, or rejected the message
   */
  send(mail: Mail, timeoutMs: number, signal: AbortSignal): Promise<number>;
  close(): void;
}

export interface MailerOptions {
  /**
   * The mail server: `smtp://user:password@host:587` (TLS if the server offers it) or `smtps://…`
   * (TLS from the start).
   */
  readonly server: string;
  /** The sender: `desk@example.com`, or with a name: `Parcel Desk <desk@example.com>`. */
  readonly from: string;
  /** The network; by default that of the machine. */
  readonly network?: Pick<Network, "connect">;
  /** The real-time clock for time-outs of the mail server. */
  readonly clock?: Clock;
}

export class MailFailed extends UnavailableError {
  override name = "MailFailed";
  /** The server's reply code; null without a reply. */
  readonly status: number | null;
  constructor(message: string, status: number | null) {
    super(message);
    this.status = status;
  }
}

/** Maximum number of simultaneous connections to the mail server. */
const connectionsMax = 4;
/** Time-out of the closing handshake with the mail server, in milliseconds. */
const closeMs = 500;
/** Maximum size of one reply of the mail server, in bytes. */
const replyBytesMax = 64 * 1024;

/**
 * Creates a mailer.
 * @throws TypeError if `server` is not the address of a mail server, or `from` is not an e-mail
 * address
 */
export function createMailer({
  server,
  from,
  network = systemNetwork,
  clock = systemClock,
}: MailerOptions): Mailer {
  const url = readServer(server);
  const sender = readSender(from);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "smtps:";
  const port = url.port === "" ? (secure ? 465 : 587) : Number(url.port);
  const getSocket = (_: unknown, given: (error: Error | null, socket: { connection?: Socket }) => void) =>
    void network.connect(host, port).then(
      (connection) => given(null, { connection }),
      (error: Error) => given(error, {}),
    );
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure,
    getSocket,
    ...(url.username === ""
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    maxConnections: connectionsMax,
    socketCloseTimeout: closeMs,
    maxResponseSize: replyBytesMax,
    // Texts of documents are never names of files or URLs to read them from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ id, to, subject, text, dateMs }, timeoutMs, signal) {
      const sent = transport.sendMail({
        from: sender,
        to: to.map((address) => ({ name: "", address })),
        subject,
        text,
        messageId: `<${id}@${sender.address.slice(sender.address.lastIndexOf("@") + 1)}>`,
        date: new Date(dateMs),
        // RFC 3834: suppresses automatic replies.
        headers: { "Auto-Submitted": "auto-generated" },
      });
      try {
        const { response } = await bounded(sent, clock, timeoutMs, signal);
        return Number(/^\d{3}/.exec(response)?.[0] ?? 250);
      } catch (error) {
        throw failureOf(error);
      }
    },
    close: () => transport.close(),
  };
}

function readServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "")
    throw new TypeError("write a mail server as smtp://user:password@host:587 or smtps://user:password@host");
  return url;
}

function readSender(from: string): { readonly name: string; readonly address: string } {
  const [, name = "", inBrackets] = /^(?:"?([^"<>]*?)"?\s*)<([^<>\s]+)>$/.exec(from.trim()) ?? [];
  const address = inBrackets ?? from.trim();
  if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(address))
    throw new TypeError("write the sender as desk@example.com or Parcel Desk <desk@example.com>");
  return { name, address };
}

/**
 * Applies the time-out. A message may arrive although its time-out has passed; the retry has the
 * same id.
 */
function bounded<T>(sent: Promise<T>, clock: Clock, timeoutMs: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new MailFailed(`no response within ${timeoutMs} ms`, null));
    const callOff = callWhenReached(clock, clock.now() + timeoutMs, end);
    signal.addEventListener("abort", end, { once: true });
    sent.then(resolve, reject).finally(() => {
      callOff();
      signal.removeEventListener("abort", end);
    });
  });
}

function failureOf(error: unknown): MailFailed {
  if (error instanceof MailFailed) return error;
  const { responseCode, response, message } = error as {
    readonly responseCode?: number;
    readonly response?: string;
    readonly message?: string;
  };
  const status = typeof responseCode === "number" ? responseCode : null;
  return new MailFailed(response ?? message ?? String(error), status);
}
