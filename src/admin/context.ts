/**
 * The context of the operations address: a served document, with its one service or the data
 * spaces of a sandbox. Routes and topics see nothing else of their process.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";
import { type GivenRead, readGivenItems } from "../model/read-given.ts";
import { type GivenStep, type MadeRecord, makeGiven } from "../engine/given.ts";
import type { ServiceRequest, ServiceResponse } from "../engine/http/message.ts";
import type { RequestJournal } from "../engine/observing/request-journal.ts";
import type { Clock, Log } from "../engine/ports.ts";
import { type Spaces, defaultSpace } from "../engine/sandbox/spaces.ts";
import type { ReplacedListener, Space } from "../engine/sandbox/space.ts";
import type { Service } from "../engine/service.ts";
import type { Awaitable } from "../support/awaitable.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import { createHub, type Hub } from "./api/hub.ts";
import { OperationRefusal } from "./api/refusal.ts";
import { createDraftBoard, type DraftBoard } from "./draft.ts";
import { statesOf } from "./states/watched-states.ts";

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

/** How the service is served, which it doesn't know itself. */
export type ServingFacts = Pick<
  AdminContext,
  "document" | "documentFile" | "seed" | "log" | "origin" | "ninefold"
>;

/** A plain service: the only space there is. */
export function adminOfService(
  service: Service,
  requests: RequestJournal,
  served: ServingFacts,
): AdminContext {
  const { model } = service;
  // From now on transitions are counted.
  statesOf(service);
  const only: AdminSpace = {
    name: defaultSpace,
    service,
    clock: service.internals.context.ports.clock,
    requests,
    enter: async () => () => {},
    onReplaced: () => () => {},
    fetch: (request) => service.fetch(request),
    readGiven: (file, markdown) => readGivenItems(model, file, markdown, new Map()),
    give: (steps, options) => makeGiven(service, steps, options),
  };
  return {
    ...served,
    model,
    hub: createHub(served.log),
    draft: createDraftBoard(),
    async space(name = defaultSpace) {
      if (name === defaultSpace) return only;
      throw new OperationRefusal(
        409,
        "No data spaces",
        `This service is no sandbox: it has no data space "${name.slice(0, 64)}". Leave out "space", or serve the document with --sandbox.`,
      );
    },
  };
}

/** A sandbox with its data spaces. */
export function adminOfSandbox(spaces: Spaces, served: ServingFacts): AdminContext {
  return {
    ...served,
    model: spaces.options.model,
    spaces,
    hub: createHub(served.log),
    draft: createDraftBoard(),
    space: async (name = defaultSpace) => adminSpaceOf(await spaces.named(name)),
  };
}

/** A data space of a sandbox as a context. */
export const adminSpaceOf = memoizeBy(
  (space: Space): AdminSpace => ({
    name: space.name,
    get service() {
      statesOf(space.service);
      return space.service;
    },
    clock: space.clock,
    sandbox: space,
    enter: space.enter,
    onReplaced: space.onReplaced,
    requests: space.requests,
    fetch: space.fetch,
    readGiven: space.readGiven,
    give: space.give,
  }),
);
