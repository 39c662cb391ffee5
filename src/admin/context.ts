/**
 * Context of the operations address: a served document, with its one service or the data spaces of
 * a sandbox. Routes and topics have no other access to the process.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";
import type { GivenRead } from "../model/reading/read-given.ts";
import type { GivenStep, GivenRecord } from "../engine/given.ts";
import type { ServiceRequest, ServiceResponse } from "../engine/http/message.ts";
import type { RequestJournal } from "../engine/observability/request-journal.ts";
import type { Clock, Log } from "../engine/ports.ts";
import type { Spaces } from "../engine/sandbox/spaces.ts";
import type { ReplacedListener } from "../engine/sandbox/replaceable-service.ts";
import type { Space } from "../engine/sandbox/space.ts";
import type { Service } from "../engine/service.ts";
import type { Awaitable } from "../support/awaitable.ts";
import type { DraftBoard } from "./draft.ts";

export interface Hub {
  /**
   * Opens a stream of these topics. Its text ends when the reader disconnects or the hub closes.
   * @param lastId the last frame that the reader received
   * @throws OperationRefusal
   */
  open(options: {
    readonly topics: readonly Topic[];
    readonly space: AdminSpace;
    readonly admin: AdminContext;
    readonly lastId: string | undefined;
    readonly signal: AbortSignal;
  }): AsyncIterable<string>;
  /** Ends all streams. Their readers reconnect to the next service. */
  close(): void;
}

export interface Topic<Pushed = unknown> {
  readonly name: string;
  /** Whether each push is a row of its own, or replaces the previous one. */
  readonly delivers: "rows" | "latest";
  /**
   * Starts pushing; the returned function stops it. It is stopped before the service of the space
   * closes, and started again with the next one.
   */
  start(space: AdminSpace, push: (pushed: Pushed) => void, admin: AdminContext): () => void;
  /** Converts a pushed value to plain JSON. */
  serialize(pushed: Pushed): unknown;
}

/** The served document, for views that show its lines. */
export interface ServedDocument {
  /** The file name in positions and responses. */
  readonly file: string;
  readonly text: string;
  /** The diagnostics of `check`. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * The specifier with which a worker loads the module of the handlers; absent if there is none.
   */
  readonly handlersAddress?: string;
}

/** The present file of the served document. */
export interface DocumentFile {
  read(): Promise<string>;
  isWritable(): Promise<boolean>;
  /** Replaces the whole file. */
  write(text: string): Promise<void>;
  /** Whether the service reloads the file after a write. */
  readonly isWatched: boolean;
}

export interface AdminContext {
  readonly model: Model;
  readonly document: ServedDocument;
  /** Absent if the serving process has no file. */
  readonly documentFile?: DocumentFile;
  /** The public address of the service, without a trailing slash. */
  origin(): string;
  readonly log: Log;
  /** The version of Ninefold. */
  readonly ninefold: string;
  /** The last saved text, if it isn't served. */
  readonly draft: DraftBoard;
  /** The initial records of an empty store. */
  readonly seed: readonly GivenStep[];
  /** Present only in a sandbox. */
  readonly spaces?: Spaces;
  /** Forwards events to the readers of the stream. */
  readonly hub: Hub;
  /**
   * Opens the data space with this name, or the default one.
   * @throws OperationRefusal | SandboxRefusal
   */
  space(name?: string): Promise<AdminSpace>;
}

/** One service with its store and its clock: a plain service, or a data space of a sandbox. */
export interface AdminSpace {
  readonly name: string;
  /** The current service. A reset or a restore of the data space replaces it. */
  readonly service: Service;
  readonly clock: Clock;
  /** Operations that only a data space of a sandbox has; absent in a plain service. */
  readonly sandbox?: Space;
  /**
   * Keeps the current service in use until the returned function is called; see `Space.enter`.
   * @throws SandboxRefusal
   */
  enter(): Promise<() => void>;
  /**
   * Calls back when `service` is replaced; see `Space.onReplaced`. A plain service is never
   * replaced.
   */
  onReplaced(listener: ReplacedListener): () => void;
  /** The recent requests to the service. */
  readonly requests: RequestJournal;
  /** Sends a caller's request to the service, with its observers. */
  fetch(request: ServiceRequest): Awaitable<ServiceResponse>;
  /** Reads `- Given:` items. */
  readGiven(file: string, markdown: string): GivenRead;
  /** Creates all records, or none. @throws GivenRejected | Problem */
  createGiven(
    steps: readonly GivenStep[],
    options?: { readonly events?: boolean },
  ): Promise<readonly GivenRecord[]>;
}
