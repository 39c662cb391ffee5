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

/** One attempt, as its receiver saw it. */
export interface Arrival {
  readonly url: string;
  /** The identifier of the delivery, if the request has one. */
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
  /** The number of the process that sent it. */
  readonly life: number;
  /** The receiver's response; null while it has not responded. */
  status: number | "broken" | "hung" | null;
  overAtMs: number | null;
}

export interface Network {
  readonly arrivals: readonly Arrival[];
  /** The number of unfinished attempts at a receiver. */
  underWay(url: string): number;
  /** Makes every receiver succeed from now on. */
  heal(): void;
  /** The network of one process. It fails when the process dies or is stopped. */
  portOf(life: number, clock: Clock): NetworkPort & { die(): void; leave(): void };
}

/** All receivers have one address, and a path each. */
const privateAddress = "10.0.0.1";

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/**
 * For each receiver, this percentage of periods of this length are bad: long enough for deliveries
 * to be given up.
 */
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

/**
 * @param timeoutMs the time that the sender waits for a response; late responses arrive within it
 */
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
    underWay: (url) => arrivals.filter((arrival) => arrival.url === url && arrival.status === null).length,
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
