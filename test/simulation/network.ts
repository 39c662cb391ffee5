/**
 * The simulated network. Receivers respond, fail, reject for good, request a pause, hang until the
 * sender gives up, or respond late. They have bad hours in which they do nothing but fail. What
 * each does with an attempt is decided by the hour, the delivery and by how often it has come, so
 * that it is the same whatever else happens.
 */
import type {
  Clock,
  Network as NetworkPort,
  NetworkRequest,
  NetworkResponse,
} from "../../src/engine/ports.ts";
import { createDraw, seedOf } from "./draw.ts";

/** One attempt as its receiver saw it. */
export interface Arrival {
  readonly url: string;
  /** The delivery, where it says which it is. */
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
  /** Which process sent it: they are counted by their deaths. */
  readonly life: number;
  /** What the receiver did with it; null as long as it has done nothing. */
  status: number | "broken" | "hung" | null;
  overAtMs: number | null;
}

export interface Network {
  readonly arrivals: readonly Arrival[];
  /** How many have been sent to a receiver and are not over. */
  underWay(url: string): number;
  /** From here on every receiver is well. */
  heal(): void;
  /** The network of one process: it fails with the process, or when the process is being stopped. */
  portOf(life: number, clock: Clock): NetworkPort & { die(): void; leave(): void };
}

/** All receivers are at one, each by its own path. */
const privateAddress = "10.0.0.1";

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** So many of a hundred stretches of so long are bad, for each receiver its own: long enough for deliveries to be given up in. */
const bad = { percent: 30, ms: 4 * 3_600_000 };

const outcomes = [
  "well",
  "well",
  "well",
  "well",
  "fails",
  "fails",
  "busy",
  "hangs",
  "late",
  "breaks",
] as const;

/** @param timeoutMs how long the sender waits for an answer; a late one comes within it */
export function createNetwork(seed: number, timeoutMs: number): Network {
  const arrivals: Arrival[] = [];
  const seen = new Map<string, number>();
  let isHealed = false;

  const answerTo = (
    { signal }: NetworkRequest,
    arrival: Arrival,
    clock: Clock,
    died: (() => void)[],
    isLeaving: () => boolean,
  ): Promise<NetworkResponse> => {
    const times = (seen.get(arrival.id) ?? 0) + 1;
    seen.set(arrival.id, times);
    const draw = createDraw(seedOf(seed, arrival.url, arrival.id, times));
    const hour = createDraw(seedOf(seed, arrival.url, Math.floor(arrival.atMs / bad.ms)));
    const kind = isHealed
      ? "well"
      : hour.happens(bad.percent)
        ? "fails"
        : draw.happens(2)
          ? "gone"
          : draw.oneOf(outcomes);
    const over = (status: Arrival["status"]) => {
      arrival.status = status;
      arrival.overAtMs = clock.now();
    };
    const answered = (status: number, headers: Readonly<Record<string, string>> = {}) => {
      over(status);
      return { status, headers, body: piecesOf(`received ${times}`) };
    };
    const later = (ms: number): Promise<boolean> =>
      new Promise((resolve) => {
        if (isLeaving()) return resolve(false);
        clock.at(clock.now() + ms, () => resolve(true));
        died.push(() => resolve(false));
      });
    const givenUp = (): Promise<void> =>
      new Promise((resolve) => {
        if (isLeaving() || signal.aborted) return resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        died.push(resolve);
      });
    const failed = (message: string, status: "broken" | "hung") => {
      over(status);
      return new Error(message);
    };
    switch (kind) {
      case "well":
        return Promise.resolve(answered(200));
      case "fails":
        return Promise.resolve(answered(draw.oneOf([500, 404, 302, 503])));
      case "busy":
        return Promise.resolve(
          answered(429, draw.happens(50) ? { "retry-after": String(draw.below(600)) } : {}),
        );
      case "gone":
        return Promise.resolve(answered(410));
      case "breaks":
        return Promise.reject(failed("the connection was reset", "broken"));
      case "hangs":
        return givenUp().then(() => {
          throw failed("the sender has given up", "hung");
        });
      case "late":
        return later(draw.below(timeoutMs)).then((isAlive) => {
          if (!isAlive) throw failed("the receiver is down", "broken");
          return answered(200);
        });
    }
  };

  return {
    arrivals,
    underWay: (url) => arrivals.filter((one) => one.url === url && one.status === null).length,
    heal() {
      isHealed = true;
    },
    portOf(life, clock) {
      const died: (() => void)[] = [];
      let isDead = false;
      let isLeaving = false;
      return {
        resolve: async () => [privateAddress],
        connect: async () => {
          throw new Error("only HTTP is simulated");
        },
        async request(request) {
          if (isDead) throw new Error("the process is dead");
          const id = request.headers["webhook-id"] ?? "";
          const body = typeof request.body === "string" ? request.body : "";
          const arrival: Arrival = {
            url: request.url.href,
            id,
            body,
            atMs: clock.now(),
            life,
            status: null,
            overAtMs: null,
          };
          arrivals.push(arrival);
          return answerTo(request, arrival, clock, died, () => isLeaving);
        },
        leave() {
          isLeaving = true;
          for (const report of died.splice(0)) report();
        },
        die() {
          isDead = true;
          for (const report of died.splice(0)) report();
        },
      };
    },
  };
}
