/**
 * Problem: why a request is rejected, by the notation's conditions (part 7). Steps throw it;
 * `problems/` writes it in the document's format. It is an answer, not a fault.
 */
import type { Expression } from "../expressions/node.ts";
import type { Frame, Value } from "../expressions/value.ts";
import type { FieldRule } from "../fields/rule.ts";
import type { Condition } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import { Fault } from "../support/invariant.ts";

/** One reason for a rejection. All invalid inputs are reported together, as several of these. */
export interface ProblemDetail {
  readonly condition: Condition;
  /** A code that `Fails` and the like state; it selects the row of that code. */
  readonly code?: string;
  /** Resource that is missing, in the wrong state, or owns the field. */
  readonly resource?: string;
  /** Dotted, without the wrapper of `Body in`. */
  readonly field?: string;
  /** The field has its name in the request's version; otherwise its current name. */
  readonly isVersionedName?: boolean;
  /**
   * The field that the reported input sets, if its name differs; rows `of Message.to` refer to it.
   */
  readonly ofField?: string;
  /** The resource that the reported input refers to. */
  readonly refersTo?: string;
  /** The endpoint, and the reported input as part 7 names it: `query.cursor`. */
  readonly endpoint?: { readonly method: string; readonly path: string };
  readonly input?: string;
  /** The scheme of the credential, or the first that the endpoint accepts. */
  readonly scheme?: string;
  /** Type of the reported input, for rows `of type integer`. */
  readonly type?: string;
  readonly value?: Value;
  /** The path parameter whose record was not found. */
  readonly parameter?: string;
  /** The rule of part 2 that the value breaks. */
  readonly rule?: FieldRule;
  /** What is wrong, in the engine's text; completes "{error.field} …". */
  readonly problem: string;
  readonly transition?: string;
  /** For a duplicate: the fields that must be unique together. */
  readonly uniqueFields?: readonly string[];
  /** For *in use*: the referring field and its resource. */
  readonly referredBy?: { readonly resource: string; readonly field: string };
  /** What would be allowed instead. */
  readonly allowed?: readonly string[];
  /** The name of a limit, or its value as text. */
  readonly limitName?: string;
  readonly limit?: string | number;
  readonly retryAfterSeconds?: number;
  /** The supported methods, if another was requested. */
  readonly methods?: readonly string[];
  /** Authentication challenges (RFC 9110). */
  readonly challenges?: readonly string[];
  /** Accepted media types of the body, and the header that lists them. */
  readonly accepts?: {
    readonly header: "Accept-Post" | "Accept-Patch";
    readonly mediaTypes: readonly string[];
  };
  /** The bytes of the whole answer, of which the requested range is no part. */
  readonly contentSize?: number;
  /** The end of the request is ambiguous: nothing more is read from its connection. */
  readonly isUnreadable?: boolean;
  /**
   * The engine's status if no row of part 7 applies and it differs from the condition's own: 414
   * for a long target.
   */
  readonly status?: number;
}

/** The condition that decided, and the evaluation context in which it did. */
export interface Decision {
  readonly condition: Expression;
  readonly frame: Frame;
}

export class Problem extends Error {
  override name = "Problem";
  readonly details: readonly [ProblemDetail, ...ProblemDetail[]];
  /** The line of the document that decided. */
  readonly because: Position | undefined;
  /**
   * The actual deciding line, if the client must not learn it: a record that `Visible` hides is
   * reported as missing. For the operator only.
   */
  readonly hiddenBecause: Position | undefined;
  /** The record that the problem is about, for `this` in messages. */
  record: Value = null;
  /** For the operator only. */
  readonly decision: Decision | undefined;

  constructor(
    details: ProblemDetail | readonly ProblemDetail[],
    options: {
      because?: Position | undefined;
      hiddenBecause?: Position | undefined;
      record?: Value;
      decision?: Decision | undefined;
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
    this.decision = options.decision;
  }
}

/** The document does not show something: the answer is 501 and names it. */
export class NotShown extends Error {
  override name = "NotShown";
  readonly part: string;
  readonly item: string;
  readonly subject: string;
  readonly position: Position;
  /**
   * The document expects it in the handlers module: the export that should contain it, and whether
   * a module was loaded.
   */
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

  /** As for a problem: the deciding line is that of the gap. */
  get because(): Position {
    return this.position;
  }
}
