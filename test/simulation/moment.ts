/** What laws are asked of: a step of a story that is over, and what the service has come to by it. */
import type { HttpRequest } from "./requests.ts";
import type { Played } from "./documents.ts";
import type { Held } from "./expected.ts";
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
  /** Those of this step, stored, in order. */
  readonly writes: readonly Write[];
  readonly answers: readonly Answered[];
  /** All that has been asked since the last time, answered or not. */
  readonly requested: readonly HttpRequest[];
  readonly complaints: readonly Complaint[];
  readonly nowMs: number;
  /** Nothing is on its way: every request is answered, and nobody reads a stream. */
  readonly isIdle: boolean;
}

/** One law, one sentence: what is wrong, for each breach. */
export type Law = (moment: Moment) => readonly string[] | Promise<readonly string[]>;
