/**
 * Problem: the reason for rejecting a request, by the notation's conditions (part 7). Steps throw
 * it, and `problems/` writes it in the document's format. It is a response, not a fault.
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
  /**
   * A code that the document states, for example in `Fails`. It selects the row of that code in
   * part 7.
   */
  readonly code?: string;
  /** The resource that is missing, is in the wrong state, or has the field. */
  readonly resource?: string;
  /** The dotted name of the field, without the wrapper of `Body in`. */
  readonly field?: string;
  /** The element of the body that has the field, if the body is a list. */
  readonly element?: number;
  /** Whether the field has its name in the request's version; otherwise it has its current name. */
  readonly isVersionedName?: boolean;
  /**
   * The field that the reported input sets, if its name differs. Rows `of Message.to` refer to it.
   */
  readonly ofField?: string;
  /** The resource that the reported input refers to. */
  readonly refersTo?: string;
  /** The endpoint, and the reported input as part 7 names it: `query.cursor`. */
  readonly endpoint?: { readonly method: string; readonly path: string };
  readonly input?: string;
  /** Whether an unknown field is in the body. No input has its name. */
  readonly isInBody?: true;
  /** The scheme of the credential, or the first scheme that the endpoint accepts. */
  readonly scheme?: string;
  /** The type of the reported input, for rows `of type integer`. */
  readonly type?: string;
  readonly value?: Value;
  /** The path parameter whose record was not found. */
  readonly parameter?: string;
  /** The rule of part 2 that the value breaks. */
  readonly rule?: FieldRule;
  /** The problem in the engine's text, which completes "{error.field} …". */
  readonly problem: string;
  readonly transition?: string;
  /** For a duplicate: the fields whose values must be unique together. */
  readonly uniqueFields?: readonly string[];
  /** For *in use*: the referring field and its resource. */
  readonly referredBy?: { readonly resource: string; readonly field: string };
  /** The values that would be allowed instead. */
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
  /** The size of the whole content in bytes, if the requested range is outside of it. */
  readonly contentSize?: number;
  /**
   * Whether the end of the request is ambiguous. The server then reads nothing more from the
   * connection.
   */
  readonly isUnreadable?: boolean;
  /**
   * The engine's status if no row of part 7 applies and the status differs from the condition's
   * own, such as 414 for a long target.
   */
  readonly status?: number;
}

/** The condition that decided, and its evaluation context. */
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
   * The line that actually decided, if the client must not learn it. A record that `Visible` hides
   * is reported as missing. Only the operator sees this line.
   */
  readonly hiddenBecause: Position | undefined;
  /** The record that the problem concerns, for `this` in messages. */
  record: Value = null;
  /** The deciding condition. Only the operator sees it. */
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

  /** Returns the problem of one element of a body that is a list. */
  ofElement(element: number): Problem {
    const details = this.details.map((detail) => ({ element, ...detail }));
    const { because, hiddenBecause, record, decision } = this;
    return new Problem(details, { because, hiddenBecause, record, decision });
  }
}

/**
 * Thrown if the document does not show something that a request needs. The response is 501 and
 * names the gap.
 */
export class NotShown extends Error {
  override name = "NotShown";
  readonly part: string;
  readonly item: string;
  readonly subject: string;
  readonly position: Position;
  /**
   * Present if the document expects an export of the handler module: where the export belongs, and
   * whether a module was loaded.
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

  /** The deciding line, which is that of the gap. */
  get because(): Position {
    return this.position;
  }
}
