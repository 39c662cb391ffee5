/**
 * The context of the operations address: a served document, with its one service or the data
 * spaces of a sandbox. Routes and topics see nothing else of their process.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";
import type { GivenRead } from "../model/read-given.ts";
import type { GivenStep, MadeRecord } from "../engine/given.ts";
import type { ServiceRequest, ServiceResponse } from "../engine/http/message.ts";
import type { RequestJournal } from "../engine/observing/request-journal.ts";
import type { Clock, Log } from "../engine/ports.ts";
import type { Spaces } from "../engine/sandbox/spaces.ts";
import type { ReplacedListener, Space } from "../engine/sandbox/space.ts";
import type { Service } from "../engine/service.ts";
import type { Awaitable } from "../support/awaitable.ts";
import type { DraftBoard } from "./draft.ts";

export interface Hub {
  /**
   * The text of a stream of these topics, until its reader disconnects or the hub closes.
   * @param lastId the last frame that the reader has received
   * @throws OperationRefusal
   */
  open(options: {
    readonly topics: readonly Topic[];
    readonly space: AdminSpace;
    readonly admin: AdminContext;
    readonly lastId: string | undefined;
    readonly signal: AbortSignal;
  }): AsyncIterable<string>;
  /** Ends all streams; their readers reconnect to the next service. */
  close(): void;
}

export interface Topic<Pushed = unknown> {
  readonly name: string;
  /** Each push is a row of its own, or takes the place of the one before. */
  readonly delivers: "rows" | "latest";
  /**
   * Starts pushing; the returned function stops it. It is stopped before the service of the space closes, and started
   * again with the next one.
   */
  start(space: AdminSpace, push: (pushed: Pushed) => void, admin: AdminContext): () => void;
  /** The pushed value as plain JSON. */
  serialize(pushed: Pushed): unknown;
}

/** The served document, for views that show its lines. */
export interface ServedDocument {
  /** Its file's name, as positions and answers name it. */
  readonly file: string;
  readonly text: string;
  /** The diagnostics of `check`. */
  readonly diagnostics: readonly Diagnostic[];
  /** The specifier by which another thread loads the handlers' module; absent if there is none. */
  readonly handlersAddress?: string;
}

/** The file of the served document, as it is now. */
export interface DocumentFile {
  read(): Promise<string>;
  isWritable(): Promise<boolean>;
  /** Replaces it as a whole. */
  write(text: string): Promise<void>;
  /** Whether the service takes a written file at once. */
  readonly isWatched: boolean;
}

export interface AdminContext {
  readonly model: Model;
  readonly document: ServedDocument;
  /** Absent if the process that serves it has no file. */
  readonly documentFile?: DocumentFile;
  /** The public address of the service, without a final slash. */
  origin(): string;
  readonly log: Log;
  /** The version of Ninefold. */
  readonly ninefold: string;
  /** The last saved text if it isn't served. */
  readonly draft: DraftBoard;
  /** The initial records of an empty store. */
  readonly seed: readonly GivenStep[];
  /** In a sandbox only. */
  readonly spaces?: Spaces;
  /** Forwards events to the readers of the stream. */
  readonly hub: Hub;
  /** The data space of this name; without a name, the one of requests that name none. @throws OperationRefusal | SandboxRefusal */
  space(name?: string): Promise<AdminSpace>;
}

/** One service with its store and its clock: a plain one, or a data space of a sandbox. */
export interface AdminSpace {
  readonly name: string;
  /** The one of now: a reset or a restore of a data space puts another in its place. */
  readonly service: Service;
  readonly clock: Clock;
  /** In a sandbox only: operations on a data space that a plain service doesn't have. */
  readonly sandbox?: Space;
  /** What is done before the answer is called is done on one service, see `Space.enter`. @throws SandboxRefusal */
  enter(): Promise<() => void>;
  /** Calls back when `service` is replaced, see `Space.onReplaced`; a plain one never is. */
  onReplaced(listener: ReplacedListener): () => void;
  /** The last requests to it. */
  readonly requests: RequestJournal;
  /** The service as a caller's request reaches it, with its observers. */
  fetch(request: ServiceRequest): Awaitable<ServiceResponse>;
  /** Reads `- Given:` items. */
  readGiven(file: string, markdown: string): GivenRead;
  /** Creates records, all of them or none. @throws GivenRefused | Problem */
  give(steps: readonly GivenStep[], options?: { readonly events?: boolean }): Promise<readonly MadeRecord[]>;
}
