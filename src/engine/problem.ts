/**
 * A problem: why a request is refused, in the notation's own conditions (part 7). Steps throw it; `problems/` writes it in the
 * document's shape. It is an answer, not a fault.
 */
import type { Value } from "../expressions/value.ts";
import type { FieldRule } from "../fields/rule.ts";
import type { Condition } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import { Fault } from "../support/invariant.ts";

/** One wrong thing about a request. All wrong inputs come at once, as several of these. */
export interface ProblemDetail {
  readonly condition: Condition;
  /** A code named by `Fails` and the like; it takes the row of that code. */
  readonly code?: string;
  /** Resource that is missing, in the wrong state, or owns the field. */
  readonly resource?: string;
  /** Dotted, without the wrapper of `Body in`. */
  readonly field?: string;
  /** The field is named as the request's version names it; else by its name of now. */
  readonly isVersionedName?: boolean;
  /** The field of the resource that the blamed input is about, where it has another name: what rows `of Message.to` mean. */
  readonly ofField?: string;
  /** The resource that the blamed input refers to. */
  readonly refersTo?: string;
  /** Type of the blamed input, for rows `of type integer`. */
  readonly type?: string;
  readonly value?: Value;
  /** The path's parameter by which a record was asked for that isn't there. */
  readonly parameter?: string;
  /** The rule of part 2 that the value breaks. */
  readonly rule?: FieldRule;
  /** What is wrong, in the engine's words; completes "{error.field} …". */
  readonly problem: string;
  readonly transition?: string;
  /** Of a duplicate: the fields that must differ together. */
  readonly uniqueFields?: readonly string[];
  /** Of what is in use: by which field of which resource. */
  readonly referredBy?: { readonly resource: string; readonly field: string };
  /** What would be allowed instead. */
  readonly allowed?: readonly string[];
  /** The name of a limit, or its bound in words. */
  readonly limitName?: string;
  readonly limit?: string | number;
  readonly retryAfterSeconds?: number;
  /** The methods that there are, where another was asked for. */
  readonly methods?: readonly string[];
  /** By which credentials the caller would be known: challenges, as RFC 9110 words them. */
  readonly challenges?: readonly string[];
  /** Media types that a body may have, and the header that says so. */
  readonly accepts?: {
    readonly header: "Accept-Post" | "Accept-Patch";
    readonly mediaTypes: readonly string[];
  };
  /** Two readers of the request might not agree where the next begins: nothing more is read from its connection. */
  readonly isUnreadable?: boolean;
  /** The engine's status where no row of part 7 speaks, if it is not the condition's own: 414 for a long target. */
  readonly status?: number;
}

export class Problem extends Error {
  override name = "Problem";
  readonly details: readonly [ProblemDetail, ...ProblemDetail[]];
  /** The line of the document that decided. */
  readonly because: Position | undefined;
  /**
   * The line that decided in truth, where whoever asks must not learn of it: a record that `Visible` hides is told as one that isn't there.
   * For those who run the service.
   */
  readonly hiddenBecause: Position | undefined;
  /** The record that the problem is about, for `this` in messages. */
  record: Value = null;

  constructor(
    details: ProblemDetail | readonly ProblemDetail[],
    options: {
      because?: Position | undefined;
      hiddenBecause?: Position | undefined;
      record?: Value;
    } = {},
  ) {
    const all = "condition" in details ? [details] : details;
    super(
      all
        .map((detail) => `${detail.condition}${detail.field ? ` (${detail.field})` : ""}: ${detail.problem}`)
        .join("; "),
    );
    const [first, ...others] = all;
    if (!first) throw new Fault("a problem blames nothing");
    this.details = [first, ...others];
    this.because = options.because;
    this.hiddenBecause = options.hiddenBecause;
    this.record = options.record ?? null;
  }
}

/** Something that the document doesn't say: answered 501, naming it. */
export class NotShown extends Error {
  override name = "NotShown";
  readonly part: string;
  readonly item: string;
  readonly subject: string;
  readonly position: Position;
  /** The document asks the handlers' module for it: under which of its exports, and whether there is a module at all. */
  readonly ofModule: { readonly under: "handlers" | "functions"; readonly isThere: boolean } | undefined;

  constructor(where: {
    part: string;
    item: string;
    subject: string;
    position: Position;
    ofModule?: NotShown["ofModule"];
  }) {
    super(where.subject);
    this.part = where.part;
    this.item = where.item;
    this.subject = where.subject;
    this.position = where.position;
    this.ofModule = where.ofModule;
  }

  /** As of a problem: the line that decides is the one that says nothing. */
  get because(): Position {
    return this.position;
  }
}
