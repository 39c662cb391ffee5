/** What a scenario compared and found different. */
import type { Position } from "../source/source.ts";

export interface SentRequest {
  readonly method: string;
  /** A path with query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface ScenarioFailure {
  readonly position: Position;
  /** What was compared: `status`, `header Location`, `body articles[0].slug`. */
  readonly what: string;
  /**
   * Within a body or a payload: `articles[0].slug`; empty for the whole of it. Absent elsewhere.
   */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** The request that was answered so, for the reader. */
  readonly request?: SentRequest;
  readonly response?: ReceivedResponse;
}
