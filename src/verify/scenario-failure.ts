/** Scenario failure: a difference between an expected and an actual value. */
import type { Position } from "../source/source.ts";

export interface SentRequest {
  readonly method: string;
  /** A path with its query. */
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
  /** The compared part: `status`, `header Location`, `body articles[0].slug`. */
  readonly what: string;
  /**
   * The path within a body or a payload: `articles[0].slug`; empty for the whole body. Absent for
   * other parts.
   */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** The request with this response, for the reader. */
  readonly request?: SentRequest;
  readonly response?: ReceivedResponse;
}
