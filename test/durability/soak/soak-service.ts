/** One document of a soak: its service on a file, and its callers. */
import { existsSync, rmSync } from "node:fs";
import type { RecordValue } from "../../../src/expressions/value.ts";
import { createRequest } from "../../../src/engine/http/message.ts";
import { type Outbound, OutboundFailed } from "../../../src/engine/outbound/outbound.ts";
import { type Clock, silentLog } from "../../../src/engine/ports.ts";
import { createService, type Service } from "../../../src/engine/service.ts";
import { meaningOf } from "../../../src/model/meaning.ts";
import { openStore } from "../../../src/store/index.ts";
import type { Store } from "../../../src/store/store.ts";
import { createRandomPool } from "../../../src/support/random-pool.ts";
import { drawRequest } from "../../simulation/requests.ts";
import { type Played, playedOf } from "../../simulation/documents.ts";
import { createDraw, type Draw } from "../../simulation/draw.ts";

/**
 * Twenty times the real speed: three minutes are an hour for the services. A request still has more
 * than a second.
 */
const speed = 20;
/**
 * A caller lists the records once in this many requests; in between it may request deleted records.
 */
const lookEvery = 100;
/** With more records than this, a store starts empty at its next start. */
const recordsMax = 1_500;
const callers = 2;
const pauseMs = 20;
const streamsMax = 3;
/** The time in which a stopped service finishes its requests, even on a busy machine. */
const answeredWithinMs = 60_000;

const began = Date.now();
const clock: Clock = {
  now: () => began + (Date.now() - began) * speed,
  at(timeMs, callback) {
    const timer = setTimeout(callback, Math.min(2 ** 31 - 1, Math.max(0, (timeMs - clock.now()) / speed)));
    return () => clearTimeout(timer);
  },
};

export class Soaked {
  readonly counts = { requests: 0, refused: 0, failed: 0, sent: 0, streamed: 0, restarted: 0 };
  readonly #played: Played;
  readonly #path: string;
  readonly #draw: Draw;
  #store!: Store;
  #service!: Service;
  #times: number[] = [];
  #marks: string[] = [];
  readonly #tags = new Map<string, string>();
  #streams: AsyncIterator<unknown>[] = [];
  #records = new Map<string, readonly RecordValue[]>();
  /**
   * Requests in progress: they finish before the service stops, and no caller sends a request
   * meanwhile.
   */
  readonly #underWay = new Set<{ what: string }>();
  #isStopped = false;

  private constructor(played: Played, path: string, seed: number) {
    this.#played = played;
    this.#path = path;
    this.#draw = createDraw(seed);
  }

  static async begin(file: string, path: string, seed: number): Promise<Soaked> {
    const sample = new Soaked(await playedOf(file), path, seed);
    await sample.#open();
    return sample;
  }

  async #open(): Promise<void> {
    const { model, handlers, tenants } = this.#played;
    const isNew = !existsSync(this.#path);
    const store = await openStore(model, meaningOf(model), {
      path: this.#path,
      ...(isNew ? { initialContent: tenants.begins } : {}),
    });
    this.#store = store;
    this.#service = await createService(model, {
      store,
      ports: { clock, log: silentLog, randomBytes: createRandomPool() },
      origin: () => "http://localhost",
      webhooksOver: this.#receivers(),
      allowPrivateWebhooks: true,
      ...(handlers ? { handlers } : {}),
    });
    this.#service.deliveries.start();
    await this.#look();
  }

  /** Most receivers succeed, some are slow, some fail. */
  #receivers(): Outbound {
    return {
      request: async ({ signal }) => {
        this.counts.sent += 1;
        await pause(this.#draw.below(30));
        if (signal?.aborted || this.#draw.happens(10))
          throw new OutboundFailed("the connection was reset", false);
        return { status: this.#draw.happens(85) ? 200 : 503, headers: {}, body: new Uint8Array(0) };
      },
    };
  }

  async #look(): Promise<void> {
    const frame = this.#service.internals.newFrame(clock.now());
    const found = new Map<string, readonly RecordValue[]>();
    for (const { name, identifier, gap } of this.#played.model.resources) {
      if (identifier.kind === "none" || gap) continue;
      const query = this.#store.prepareRecords({ resource: name, where: [], order: [] });
      found.set(name, await this.#store.session.records(query, frame));
    }
    this.#records = found;
  }

  takeTimes(): readonly number[] {
    return this.#times.splice(0);
  }

  async run(isOver: () => boolean): Promise<void> {
    const call = async () => {
      for (let at = 1; !isOver(); at += 1) {
        await pause(pauseMs);
        if (this.#isStopped) continue;
        const work = { what: "a look at what there is" };
        this.#underWay.add(work);
        try {
          if (at % lookEvery === 0) await this.#look();
          await this.#execute(work);
        } finally {
          this.#underWay.delete(work);
        }
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
  }

  async #execute(work: { what: string }): Promise<void> {
    const { model, tenants, written } = this.#played;
    const sendRequest = drawRequest({
      model,
      realms: tenants,
      nowMs: clock.now(),
      draw: this.#draw,
      written,
      records: (resource) => this.#records.get(resource) ?? [],
      isDue: () => false,
      token: (scheme, realm) => {
        const resource = scheme.credentials?.resource ?? "";
        const record = realm.records.get(resource)?.at(-1)?.record;
        return record && this.#service.internals.context.tokens.sign(resource, record, [scheme.name]);
      },
      marks: this.#marks,
      tags: this.#tags,
    });
    if (!sendRequest) return;
    work.what = `${sendRequest.method} ${sendRequest.target}`;
    const beganMs = performance.now();
    const { method, target, headers, address: remoteAddress, body } = sendRequest;
    const sent = {
      method,
      target,
      headers: [...headers],
      remoteAddress,
      ...(body === undefined ? {} : { body }),
    };
    const answer = await this.#service.fetch(createRequest(sent));
    this.#times.push(performance.now() - beganMs);
    this.counts.requests += 1;
    if (answer.status >= 400) this.counts.refused += 1;
    if (answer.status === 500) this.counts.failed += 1;
    if (typeof answer.body !== "string" && !(answer.body instanceof Uint8Array)) this.#follow(answer.body);
    const tag = answer.headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
    if (tag !== undefined && this.#tags.size < 1_000) this.#tags.set(target.split("?")[0] as string, tag);
    if (!model.endpoints[sendRequest.endpoint]?.pagination) return;
    const marks = String(answer.body).match(/[\w-]{40,}={0,2}/g) ?? [];
    this.#marks = [...this.#marks, ...marks.slice(0, 2)].slice(-20);
  }

  /** Reads a stream until newer readers replace this one. */
  #follow(body: AsyncIterable<unknown>): void {
    const reader = body[Symbol.asyncIterator]();
    this.#streams.push(reader);
    if (this.#streams.length > streamsMax) void this.#streams.shift()?.return?.();
    const read = async () => {
      for (;;) {
        const { done } = await reader.next();
        if (done) return;
        this.counts.streamed += 1;
      }
    };
    void read().catch(() => undefined);
  }

  /** Stops the service regularly, and starts it again on its file. */
  async restart(): Promise<void> {
    this.#isStopped = true;
    await this.#close();
    const records = [...this.#records.values()].reduce((sum, { length }) => sum + length, 0);
    if (records > recordsMax) {
      this.counts.restarted += 1;
      for (const ending of ["", "-wal", "-shm", ".lock"]) rmSync(this.#path + ending, { force: true });
    }
    await this.#open();
    this.#isStopped = false;
  }

  async #close(): Promise<void> {
    for (const reader of this.#streams.splice(0)) void reader.return?.();
    this.#service.drain();
    const stoppedMs = performance.now();
    while (this.#underWay.size > 0) {
      await pause(5);
      if (performance.now() - stoppedMs < answeredWithinMs) continue;
      const left = [...this.#underWay].map(({ what }) => what).join(", ");
      throw new Error(`${this.#played.file} was stopped, and never answered ${left}`);
    }
    await this.#service.close();
    await this.#store.close();
  }

  async end(): Promise<void> {
    this.#isStopped = true;
    await this.#close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
