/**
 * Data spaces of a sandbox: a request selects a data space (`space-address.ts`), and the first
 * request for it creates it. Their number is limited: a new data space beyond the limit replaces
 * the least recently used one.
 */
import type { RequestRefusal, ServiceRequest, ServiceResponse } from "../http/message.ts";
import { removeStore } from "../../store/index.ts";
import { createJournalBudget } from "../observability/journal-budget.ts";
import { GivenRejected } from "../given.ts";
import { createPasswordHash } from "../secrets/secrets.ts";
import { memoize } from "../../support/memoize.ts";
import { sandboxLimits } from "./limits.ts";
import { defaultSpace } from "../defaults.ts";
import { refusalOf } from "./refusal-of.ts";
import { refusalAnswer, SandboxRefusal } from "./refusal.ts";
import { type AddressedRequest, checkSpaceName, createAddressReader, keepInSpace } from "./space-address.ts";
import type { SpaceOptions } from "./replaceable-service.ts";
import { Space } from "./space.ts";

export interface SandboxOptions
  extends Omit<SpaceOptions, "storePath" | "hashPassword" | "snapshotBudget" | "journalBudget"> {
  /** The file of a data space; null if it is in memory. */
  readonly storePath: (space: string) => string | null;
  /** The header that names the data space. */
  readonly spaceHeader: string;
  readonly spacesMax: number;
}

export interface Spaces {
  readonly options: SandboxOptions;
  /** The data space of requests that state none. It always exists. */
  readonly standard: Space;
  fetch(request: ServiceRequest): Promise<ServiceResponse>;
  /**
   * Returns the refusal of a request that could not be parsed, so that its data space is unknown.
   */
  refuse(refusal: RequestRefusal): Promise<ServiceResponse>;
  /**
   * Returns the data space with this name, and creates it if it doesn't exist.
   * @throws SandboxRefusal
   */
  named(name: string): Promise<Space>;
  /** Whether the data space was removed and has had no request since. */
  isRemoved(name: string): boolean;
  /** Returns the open data spaces, least recently used first. */
  all(): Promise<readonly Space[]>;
  /**
   * Closes a data space and deletes it with its content. Returns whether it existed.
   * @throws SandboxRefusal
   */
  remove(name: string): Promise<boolean>;
  /** Ends streams, and sends held responses as they are, before the sandbox is closed. */
  drain(): void;
  close(): Promise<void>;
}

export { defaultSpace } from "../defaults.ts";

export async function createSpaces(options: SandboxOptions): Promise<Spaces> {
  const addressOf = createAddressReader({
    model: options.model,
    spaceHeader: options.spaceHeader,
    origin: options.service.origin,
  });
  const snapshotBudget = { bytes: 0 };
  const journalBudget = createJournalBudget();
  const hashPasswordOnce = memoize(createPasswordHash(options.ports), sandboxLimits.passwordsRememberedMax);
  /** In the order of their last use. */
  const open = new Map<string, Promise<Space>>();
  const closing = new Map<string, Promise<void>>();
  const closed = new Set<string>();
  const removed = new Set<string>();
  const ready = new Map<string, Space>();

  const start = async (name: string): Promise<Space> => {
    await closing.get(name);
    try {
      const space = await Space.open(name, {
        ...options,
        storePath: options.storePath(name),
        hashPassword: hashPasswordOnce,
        snapshotBudget,
        journalBudget,
      });
      ready.set(name, space);
      return space;
    } catch (error) {
      open.delete(name);
      if (!(error instanceof GivenRejected)) throw error;
      throw new SandboxRefusal(
        422,
        "Invalid seed",
        `The data space "${name}" can't start with the seed: line ${error.step.position.start.line}, ${error.message}.`,
      );
    }
  };

  const shut = (space: Space): Promise<void> => {
    open.delete(space.name);
    ready.delete(space.name);
    const done = space.close().finally(() => closing.delete(space.name));
    closing.set(space.name, done);
    return done;
  };

  /** Closes the least recently used data space that isn't in use now. */
  const makeRoom = () => {
    for (const name of open.keys()) {
      const space = ready.get(name);
      if (!space || name === defaultSpace || space.requestsInProgress > 0) continue;
      if (options.storePath(name) === null) remember(closed, name);
      shut(space).catch((error: unknown) =>
        options.ports.log.error({ space: name, error: String(error) }, "a data space could not be closed"),
      );
      return;
    }
    throw new SandboxRefusal(
      503,
      "Too many data spaces",
      `All ${options.spacesMax} data spaces are in use. Remove some (DELETE /api/spaces/NAME of the operations API), or start the sandbox with a larger --spaces-max.`,
      { headers: [["Retry-After", "1"]] },
    );
  };

  const named = async (name: string): Promise<Space> => {
    removed.delete(name);
    if (closed.has(name))
      throw new SandboxRefusal(
        410,
        "Data space closed",
        `The data space "${name}" was closed, and its data deleted: ${options.spacesMax} others were used after it. Remove its name (DELETE /api/spaces/${name} of the operations API) to create it again, or start the sandbox with a larger --spaces-max.`,
      );
    let space = open.get(name);
    if (space) open.delete(name);
    else {
      if (open.size >= options.spacesMax) makeRoom();
      space = start(name);
    }
    open.set(name, space);
    return space;
  };

  const standard = await named(defaultSpace);
  return {
    options,
    standard,
    async named(name) {
      checkSpaceName(name);
      return named(name);
    },
    async fetch(request) {
      let space: Space;
      let addressed: AddressedRequest;
      try {
        addressed = addressOf(request);
        space = await named(addressed.space);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal) return refusalAnswer(refusal);
        throw error;
      }
      try {
        return keepInSpace(addressed.prefix, await space.fetch(addressed.request));
      } catch (error) {
        if (error instanceof SandboxRefusal) return refusalAnswer(error);
        throw error;
      }
    },
    refuse: (refusal) => standard.service.refuse(refusal),
    isRemoved: (name) => removed.has(name),
    all: () => Promise.all(open.values()),
    async remove(name) {
      if (name === defaultSpace)
        throw new SandboxRefusal(
          409,
          "The default data space",
          `The data space "${defaultSpace}" can't be removed. Empty it with POST /api/reset.`,
        );
      const wasClosed = closed.delete(name);
      const space = await open.get(name);
      if (space) await shut(space);
      const path = options.storePath(name);
      await closing.get(name);
      const hadFile = path !== null && (await removeStore(path));
      const existed = wasClosed || space !== undefined || hadFile;
      if (existed) remember(removed, name);
      return existed;
    },
    drain() {
      for (const space of ready.values()) space.drain();
    },
    async close() {
      const spaces = await Promise.allSettled(open.values());
      await Promise.all(
        spaces.map((space) => (space.status === "fulfilled" ? shut(space.value) : undefined)),
      );
      await Promise.all(closing.values());
    },
  };
}

/** Adds a name, and removes the oldest ones beyond the limit. */
function remember(names: Set<string>, name: string): void {
  names.add(name);
  if (names.size > sandboxLimits.namesRememberedMax) names.delete(names.values().next().value as string);
}
