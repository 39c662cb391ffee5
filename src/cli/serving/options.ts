/** The options of `ninefold serve`. */
import type { ResolveClient } from "../../engine/http/client-address.ts";
import type { OperationsFlags } from "../operations/flags.ts";
import type { SandboxFlags } from "../sandbox/flags.ts";
import type { CertificateFiles, KeptCertificate } from "./certificates.ts";
import type { LogOptions } from "./log.ts";
import type { MailFlags } from "./mail-server.ts";

export interface ServeOptions {
  readonly file: string;
  /** Whether it restarts when the file changes. */
  readonly watches?: boolean | undefined;
  readonly port: number;
  readonly host: string;
  /** In their place, a socket that listens already, by the number of its descriptor. */
  readonly handedSocket?: number | undefined;
  readonly store: string;
  /** How much of its file is memory-mapped; by default as much as suits the machine. */
  readonly mappedBytes: number | undefined;
  /**
   * Where rates are counted, for a store that several instances may share; in the store by default.
   */
  readonly seed: string | undefined;
  readonly url: string | undefined;
  /**
   * The client's address and the requested address, behind proxies; without it, those of the
   * connection.
   */
  readonly clientAddressOf: ResolveClient | undefined;
  /** TLS, if requested. */
  readonly tls: CertificateFiles | undefined;
  /** Of it, the certificate as it is now. */
  readonly certificate?: KeptCertificate | undefined;
  /** How long running requests may take to finish when it is stopped, in milliseconds. */
  readonly drainMs: number;
  /** How long it accepts requests before a stop, while it reports that it is about to stop. */
  readonly drainDelayMs: number;
  readonly explain: boolean;
  /** The status of an answer to a gap. */
  readonly gapStatus?: number | undefined;
  /** What the store has and the document has no place for may go, once a copy is made. */
  readonly acceptsDataLoss: boolean;
  /** Whether a store whose log is missing is opened as it is. */
  readonly acceptsMissingLog: boolean;
  readonly allowPrivateAddresses: boolean;
  readonly allowPrivateWebhooks: boolean;
  readonly mail: MailFlags;
  /** How it is logged, and how much. */
  readonly log: LogOptions;
  readonly operations: OperationsFlags | undefined;
  readonly sandbox: SandboxFlags | undefined;
  /**
   * Instead of the greeting, one line of JSON with the address, for the program that started it.
   */
  readonly printsJson?: boolean;
  /** Opens the console in the browser when it is ready. */
  readonly opensConsole?: boolean;
}
