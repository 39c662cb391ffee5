/**
 * Moment: the input of invariants, which is a finished step of a story, and the state of the
 * service after it.
 */
import type { HttpRequest } from "./requests.ts";
import type { Played } from "./documents.ts";
import type { Held } from "./expected-state.ts";
import type { Network } from "./network.ts";
import type { Write } from "./watched-store.ts";
import type { Answer, Complaint, World } from "./world.ts";

export interface Answered {
  readonly request: HttpRequest;
  readonly answer: Answer;
}

export interface Moment {
  readonly played: Played;
  readonly world: World;
  readonly network: Network;
  readonly before: Held;
  readonly after: Held;
  /** The stored writes of this step, in order. */
  readonly writes: readonly Write[];
  readonly answers: readonly Answered[];
  /** All requests since the last moment, with or without a response. */
  readonly requested: readonly HttpRequest[];
  readonly complaints: readonly Complaint[];
  readonly nowMs: number;
  /** Nothing is in progress: every request has its response, and no stream is open. */
  readonly isIdle: boolean;
}

/** An invariant returns one sentence for each violation. */
export type Invariant = (moment: Moment) => readonly string[] | Promise<readonly string[]>;
