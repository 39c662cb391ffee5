/** Journal entries: a request as the journal stores it. */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { HeaderLine } from "../http/message.ts";
import type { Cause, KnownCaller } from "./answered-request.ts";
import type { ChangedRecord } from "./changed-record.ts";
import type { DecidedCondition } from "./deciding-values.ts";

/** The stored part of a body. */
export interface StoredBody {
  readonly content: string | Uint8Array;
  readonly isCut: boolean;
}

/** The parts of an entry that the journal drops when newer requests need the memory. */
export interface DroppableTexts {
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: StoredBody | null;
  readonly answerHeaders: readonly HeaderLine[];
  /** Null for a stream. */
  readonly answerBody: StoredBody | null;
  /**
   * The first records that the request changed, in their earlier state; null for a record that it
   * created.
   */
  readonly before: readonly (RecordValue | null)[];
}

/** A reason for a rejection, in the engine's text. */
export interface Reason {
  /** The condition of part 7; null if the document does not state it. */
  readonly condition: string | null;
  readonly field: string | undefined;
  readonly problem: string;
  /** The rejected field or value, and its resource. */
  readonly transition?: string | undefined;
  readonly resource?: string | undefined;
  /** The value that the client sent, as JSON; absent for a secret. */
  readonly value?: string | undefined;
  /** The values that would be accepted instead: transitions, methods, media types. */
  readonly allowed?: readonly string[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Whether the reason is a gap of the document. */
  readonly isGap?: boolean | undefined;
  /** The line of the document that decided this reason. */
  readonly line?: number | undefined;
}

export interface JournalEntry {
  /**
   * The number of the request in the journal, from 1. Numbering continues when the journal is
   * cleared.
   */
  readonly number: number;
  readonly id: string;
  readonly timeMs: number;
  readonly tookMs: number;
  /** Empty, like the target, if the request could not be parsed. */
  readonly method: string;
  readonly target: string;
  readonly remoteAddress: string;
  readonly status: number;
  readonly endpoint: Endpoint | null;
  /** The path parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly version: string | null;
  readonly caller: KnownCaller | null;
  /** Empty if the request was not rejected. */
  readonly reasons: readonly Reason[];
  /** The error code of part 7. */
  readonly code: string | null;
  readonly because: Position | null;
  /** Why the response is a failure of the service; see `AnsweredFacts`. */
  readonly cause: Cause | null;
  /** The condition that rejected the request; null if no condition did. */
  readonly decided: DecidedCondition | null;
  readonly changeCount: number;
  readonly changes: readonly ChangedRecord[];
  readonly eventCount: number;
  readonly events: readonly number[];
  /** For a streamed response: whether it is still open. */
  stream: "open" | "ended" | null;
  /** Null if the journal dropped the texts for newer requests. */
  texts: DroppableTexts | null;
  /** The approximate size of the texts in memory, in bytes. */
  keptBytes: number;
}
