/** One request as the journal keeps it. */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { HeaderLine } from "../http/message.ts";
import type { Cause, KnownCaller } from "./answered-request.ts";
import type { ChangedRecord } from "./changed-record.ts";
import type { DecidedCondition } from "./deciding-values.ts";

/** A body, as far as it is kept. */
export interface KeptBody {
  readonly content: string | Uint8Array;
  readonly isCut: boolean;
}

/** What may be dropped if newer requests need the memory. */
export interface KeptTexts {
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: KeptBody | null;
  readonly answerHeaders: readonly HeaderLine[];
  /** Null of a stream. */
  readonly answerBody: KeptBody | null;
  /**
   * The first of the records that it has changed, as they were before; null of one that it has
   * made.
   */
  readonly before: readonly (RecordValue | null)[];
}

/** Why a request was rejected, in the engine's text. */
export interface Reason {
  /** The condition of part 7; null if the document has none. */
  readonly condition: string | null;
  readonly field: string | undefined;
  readonly problem: string;
  /** The rejected field or value, and its resource. */
  readonly transition?: string | undefined;
  readonly resource?: string | undefined;
  /** What was sent there, as JSON; absent of a secret. */
  readonly value?: string | undefined;
  /** What would be accepted instead: transitions, methods, media types. */
  readonly allowed?: readonly string[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The document leaves it open. */
  readonly isGap?: boolean | undefined;
  /** The line of the document that decides this reason. */
  readonly line?: number | undefined;
}

export interface NotedRequest {
  /** Counts from 1, and continues when a journal is cleared. */
  readonly number: number;
  readonly id: string;
  readonly timeMs: number;
  readonly tookMs: number;
  /** Empty, as is the target, if it could not be parsed. */
  readonly method: string;
  readonly target: string;
  readonly remoteAddress: string;
  readonly status: number;
  readonly endpoint: Endpoint | null;
  /** What stood in its path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly version: string | null;
  readonly caller: KnownCaller | null;
  /** Empty if the request was not rejected. */
  readonly reasons: readonly Reason[];
  /** The code of part 7. */
  readonly code: string | null;
  readonly because: Position | null;
  /** Why the response is a failure of the service, see `AnsweredParts`. */
  readonly cause: Cause | null;
  /** The condition that rejected it; null if none did. */
  readonly decided: DecidedCondition | null;
  readonly changeCount: number;
  readonly changes: readonly ChangedRecord[];
  readonly eventCount: number;
  readonly events: readonly number[];
  /** For a streamed response: whether it is still open. */
  stream: "open" | "ended" | null;
  /** Null if it was dropped for newer requests. */
  texts: KeptTexts | null;
  /** What its texts take, about. */
  keptBytes: number;
}
