/** Part 8 in the model: rates, sizes, pages and deadlines. */
import type { Expression } from "../../expressions/node.ts";
import type { Position } from "../../source/source.ts";

export interface LimitsPart {
  readonly rates: readonly RateLimit[];
  /** The maximum number of concurrent requests. Without `per`, of the complete service. */
  readonly concurrency: readonly {
    /** `uploads` of `concurrency uploads`; empty for plain `concurrency`. */
    readonly name: string;
    readonly count: number;
    readonly per?: RateLimit["per"];
    readonly applies: Applies;
    readonly position: Position;
  }[];
  readonly bodyBytes: readonly {
    readonly bytes: number;
    readonly applies: Applies;
    readonly position: Position;
  }[];
  readonly urlBytes?: number;
  readonly headerBytes?: number;
  readonly timeoutsMs: readonly {
    readonly milliseconds: number;
    readonly applies: Applies;
    readonly position: Position;
  }[];
  readonly pages: readonly PageLimit[];
  /** `per` is the reference of `resource` by whose records it counts separately. */
  readonly stored: readonly {
    readonly name: string;
    readonly count: number;
    readonly resource: string;
    readonly per?: string;
    readonly where?: Expression;
    readonly position: Position;
  }[];
  readonly rateHeaders?:
    | "none"
    | "RateLimit"
    | { readonly fields: readonly ("limit" | "remaining" | "used" | "reset" | "reset as unix seconds")[] };
  /** The rate that these headers describe, `rate` for the one without a name. Absent: the rates that apply to the request. */
  readonly rateHeadersOf?: string;
}

/** The endpoints of a row: all, all lists, or those named (`POST /hooks`, without the base path). */
export interface Applies {
  readonly to: "every request" | "every list" | readonly { readonly method: string; readonly path: string }[];
  readonly except: readonly { readonly method: string; readonly path: string }[];
}

export interface RateLimit {
  /** `core` of `rate core`; empty for plain `rate`. */
  readonly name: string;
  readonly count: number;
  readonly periodMs: number;
  /** A refilling bucket (GCRA). Absent: a window that starts with the first request. */
  readonly burst?: number;
  readonly per: "caller" | "address" | "service" | Expression;
  readonly applies: Applies;
  readonly when?: Expression;
  readonly cost?: Expression;
  /** Requests with one of these response statuses are not counted. */
  readonly exceptAnswers?: readonly number[];
  readonly position: Position;
}

export interface PageLimit {
  readonly default?: number;
  readonly maximum?: number;
  readonly boundAt: Position;
  readonly over: "clamped" | "refused";
  readonly applies: Applies;
  readonly position: Position;
}
