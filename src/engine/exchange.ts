/** One request on its way through the steps: what came, what was read of it, and what goes with the answer. */
import type { Frame, Value } from "../expressions/value.ts";
import type { Endpoint } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import type { Awaitable } from "../support/awaitable.ts";
import type { HeaderLine, ServiceRequest, StreamedBody } from "./http/message.ts";
import type { NotShown, Problem } from "./problem.ts";
import type { Scene } from "./records/scene.ts";

export interface Exchange {
  readonly request: ServiceRequest;
  readonly id: string;
  /** When it came, in milliseconds: what `now` is for it. */
  readonly nowMs: number;
  readonly endpoint: Endpoint;
  /** How long it may take (part 8), in milliseconds. */
  readonly timeoutMs: number;
  /** The path's parameters as texts, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Header values by small name; the first where one stands twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of a query parameter; undefined where it isn't there, or isn't one text. */
  queryText(name: string): string | undefined;
  /** Whether a query parameter is there, in whatever form. */
  isInQuery(name: string): boolean;
  scene: Scene;
  inputs: ReadInputs;
  /** Headers for the answer, whatever it will be. */
  readonly answerHeaders: HeaderLine[];
  /** The line of the document that decided the answer, for `--explain`. */
  because: Position;
  readonly bodyBytes: Uint8Array;
  /** How long it has waited for another request's answer, which its own time-out doesn't count. */
  heldMs?: number;
}

/** What `Does` does (`operations/`): changes what is to be changed. Afterwards `this` of the scene is the record that the answer is about. */
export type Operation = (exchange: Exchange) => Awaitable<void>;

/** The inputs as they were read, before anything was looked up. Problems wait until it is their turn (section 4, "Order of checks"). */
export interface ReadInputs {
  readonly body: Value;
  readonly query: Value;
  readonly path: Value;
  readonly headers: Value;
  /** A parameter of the path is not of its type, so that nothing is found. */
  readonly pathProblem: Problem | null;
  /** An input was sent whose type or rules the document doesn't show. */
  readonly gap: NotShown | null;
  /** Size, media type and syntax of the body. */
  readonly bodyProblem: Problem | null;
  /** All wrong inputs. */
  readonly inputProblems: readonly InputBlame[];
  /** References that must lead somewhere. */
  readonly references: readonly SentReference[];
  /** Of an older version: the same with the names and values of now, asked in a scene (`steps/older-words.ts`). */
  readonly upgrade?: (scene: Scene) => Promise<ReadInputs>;
}

export interface InputBlame {
  readonly condition:
    | "missing field"
    | "invalid field"
    | "unknown field"
    | "unknown reference"
    | "malformed body"
    | "malformed request";
  readonly field: string;
  readonly value: Value;
  readonly problem: string;
  readonly type?: string;
  /** See `Blame`. */
  readonly refersTo?: string;
  readonly ofField?: string;
  readonly spoken?: boolean;
}

export interface SentReference {
  readonly resource: string;
  readonly value: Value;
  /** What was sent for it, where that is another value than the identifier. */
  readonly told?: Value;
  readonly field: string;
  /** In a filter, a reference that isn't there gives an empty list (decision 25). */
  readonly filter: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  /** In place of `body`: what comes piece by piece. */
  readonly stream?: StreamedBody;
  /** What is answered in place of this, once the changes are committed: an answer that is held (`Waits`), a stream that is opened. */
  readonly afterwards?: () => Promise<Answer>;
}

/** The frame of an exchange; steps write `caller`, `this` and names into it. */
export function frameOf(exchange: Exchange): Frame {
  return exchange.scene.frame;
}
