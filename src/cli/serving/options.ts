/** The options of `ninefold serve`. */
import type { ResolveClient } from "../../engine/http/client-address.ts";
import type { OperationsFlags } from "../operations/flags.ts";
import type { SandboxFlags } from "../sandbox/flags.ts";
import type { CertificateFiles, WatchedCertificate } from "./sockets/certificates.ts";
import type { LogOptions } from "./log/log.ts";
import type { MailFlags } from "./mail-server.ts";

export interface ServeOptions {
  readonly file: string;
  /** Whether it restarts when the file changes. */
  readonly watches?: boolean | undefined;
  readonly port: number;
  readonly host: string;
  /** The descriptor of an inherited listening socket, which replaces host and port. */
  readonly handedSocket?: number | undefined;
  readonly store: string;
  /** How much of the store's file is memory-mapped; the default depends on the machine. */
  readonly mappedBytes: number | undefined;
  /**
   * Where rate limits are counted, for a store that several instances share; in the store by
   * default.
   */
  readonly seed: string | undefined;
  readonly url: string | undefined;
  /**
   * Resolves the client's address and the requested address behind proxies; without it, the
   * connection decides.
   */
  readonly clientAddressOf: ResolveClient | undefined;
  /** TLS, if requested. */
  readonly tls: CertificateFiles | undefined;
  /** The current certificate of `tls`. */
  readonly certificate?: WatchedCertificate | undefined;
  /** How long running requests may take to finish when it is stopped, in milliseconds. */
  readonly drainMs: number;
  /** How long it accepts requests before a stop, while it reports that it is about to stop. */
  readonly drainDelayMs: number;
  readonly explain: boolean;
  /** The status of a response to a gap. */
  readonly gapStatus?: number | undefined;
  /** Whether data that the document no longer describes may be deleted, once a copy is made. */
  readonly acceptsDataLoss: boolean;
  /** Whether a store whose log is missing is opened. */
  readonly acceptsMissingLog: boolean;
  readonly allowPrivateAddresses: boolean;
  readonly allowPrivateWebhooks: boolean;
  readonly mail: MailFlags;
  /** The form and the level of the log. */
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
