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
import { nonNull } from "../../support/non-null.ts";
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

export { defaultSpace } from "../defaults.ts";

export class Spaces {
  readonly options: SandboxOptions;
  readonly #addressOf: ReturnType<typeof createAddressReader>;
  readonly #snapshotBudget = { bytes: 0 };
  readonly #journalBudget = createJournalBudget();
  readonly #hashPasswordOnce: (text: string) => string;
  /** In the order of their last use. */
  readonly #open = new Map<string, Promise<Space>>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #closed = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #ready = new Map<string, Space>();
  #standard: Space | undefined;

  private constructor(options: SandboxOptions) {
    const { model, spaceHeader, service, ports } = options;
    this.options = options;
    this.#addressOf = createAddressReader({ model, spaceHeader, origin: service.origin });
    this.#hashPasswordOnce = memoize(createPasswordHash(ports), sandboxLimits.passwordsRememberedMax);
  }

  static async open(options: SandboxOptions): Promise<Spaces> {
    const spaces = new Spaces(options);
    spaces.#standard = await spaces.#named(defaultSpace);
    return spaces;
  }

  /** The data space of requests that state none. It always exists. */
  get standard(): Space {
    return nonNull(this.#standard);
  }

  /**
   * Returns the data space with this name, and creates it if it doesn't exist.
   * @throws SandboxRefusal
   */
  async named(name: string): Promise<Space> {
    checkSpaceName(name);
    return this.#named(name);
  }

  async fetch(request: ServiceRequest): Promise<ServiceResponse> {
    let space: Space;
    let addressed: AddressedRequest;
    try {
      addressed = this.#addressOf(request);
      space = await this.#named(addressed.space);
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
  }

  /**
   * Returns the refusal of a request that could not be parsed, so that its data space is unknown.
   */
  refuse(refusal: RequestRefusal): Promise<ServiceResponse> {
    return this.standard.service.refuse(refusal);
  }

  /** Whether the data space was removed and has had no request since. */
  isRemoved(name: string): boolean {
    return this.#removed.has(name);
  }

  /** Returns the open data spaces, least recently used first. */
  all(): Promise<readonly Space[]> {
    return Promise.all(this.#open.values());
  }

  /**
   * Closes a data space and deletes it with its content. Returns whether it existed.
   * @throws SandboxRefusal
   */
  async remove(name: string): Promise<boolean> {
    if (name === defaultSpace)
      throw new SandboxRefusal(
        409,
        "The default data space",
        `The data space "${defaultSpace}" can't be removed. Empty it with POST /api/reset.`,
      );
    const wasClosed = this.#closed.delete(name);
    const space = await this.#open.get(name);
    if (space) await this.#shut(space);
    const path = this.options.storePath(name);
    await this.#closing.get(name);
    const hadFile = path !== null && (await removeStore(path));
    const existed = wasClosed || space !== undefined || hadFile;
    if (existed) remember(this.#removed, name);
    return existed;
  }

  /** Ends streams, and sends held responses as they are, before the sandbox is closed. */
  drain(): void {
    for (const space of this.#ready.values()) space.drain();
  }

  async close(): Promise<void> {
    const spaces = await Promise.allSettled(this.#open.values());
    await Promise.all(
      spaces.map((space) => (space.status === "fulfilled" ? this.#shut(space.value) : undefined)),
    );
    await Promise.all(this.#closing.values());
  }

  async #start(name: string): Promise<Space> {
    await this.#closing.get(name);
    try {
      const space = await Space.open(name, {
        ...this.options,
        storePath: this.options.storePath(name),
        hashPassword: this.#hashPasswordOnce,
        snapshotBudget: this.#snapshotBudget,
        journalBudget: this.#journalBudget,
      });
      this.#ready.set(name, space);
      return space;
    } catch (error) {
      this.#open.delete(name);
      if (!(error instanceof GivenRejected)) throw error;
      throw new SandboxRefusal(
        422,
        "Invalid seed",
        `The data space "${name}" can't start with the seed: line ${error.step.position.start.line}, ${error.message}.`,
      );
    }
  }

  #shut(space: Space): Promise<void> {
    this.#open.delete(space.name);
    this.#ready.delete(space.name);
    const done = space.close().finally(() => this.#closing.delete(space.name));
    this.#closing.set(space.name, done);
    return done;
  }

  /** Closes the least recently used data space that isn't in use now. */
  #makeRoom(): void {
    for (const name of this.#open.keys()) {
      const space = this.#ready.get(name);
      if (!space || name === defaultSpace || space.requestsInProgress > 0) continue;
      if (this.options.storePath(name) === null) remember(this.#closed, name);
      this.#shut(space).catch((error: unknown) =>
        this.options.ports.log.error(
          { space: name, error: String(error) },
          "a data space could not be closed",
        ),
      );
      return;
    }
    throw new SandboxRefusal(
      503,
      "Too many data spaces",
      `All ${this.options.spacesMax} data spaces are in use. Remove some (DELETE /api/spaces/NAME of the operations API), or start the sandbox with a larger --spaces-max.`,
      { headers: [["Retry-After", "1"]] },
    );
  }

  async #named(name: string): Promise<Space> {
    this.#removed.delete(name);
    if (this.#closed.has(name))
      throw new SandboxRefusal(
        410,
        "Data space closed",
        `The data space "${name}" was closed, and its data deleted: ${this.options.spacesMax} others were used after it. Remove its name (DELETE /api/spaces/${name} of the operations API) to create it again, or start the sandbox with a larger --spaces-max.`,
      );
    let space = this.#open.get(name);
    if (space) this.#open.delete(name);
    else {
      if (this.#open.size >= this.options.spacesMax) this.#makeRoom();
      space = this.#start(name);
    }
    this.#open.set(name, space);
    return space;
  }
}

/** Adds a name, and removes the oldest ones beyond the limit. */
function remember(names: Set<string>, name: string): void {
  names.add(name);
  if (names.size > sandboxLimits.namesRememberedMax) names.delete(names.values().next().value as string);
}
