/**
 * The model: the meaning of a checked document, as frozen plain data with positions that survives
 * JSON. Engine, exports, docs, compare and verify all read it. It has no syntax nodes and no
 * functions.
 */
import type { Expression } from "../expressions/node.ts";
import type { Type } from "../expressions/type.ts";
import type { FieldRule, RuleName } from "../fields/rule.ts";
import type { FieldType } from "../fields/type.ts";
import type { Position } from "../source/source.ts";
import type { Json } from "../support/json.ts";
import type { ItemName, PartName } from "../syntax/nodes.ts";
import type { Condition } from "./conditions.ts";
import type { PathSegment, PathTemplate } from "./path-text.ts";
import type { Does } from "./does.ts";
import type { StoredChange } from "./stored/stored-change.ts";
import type { TimestampForm } from "../expressions/writing/wire.ts";
import type { Dotted } from "../support/dotted.ts";
import type { ContentCoding } from "./content-coding.ts";

export type { PathSegment, PathTemplate };

export type { Condition } from "./conditions.ts";
export type { Does } from "./does.ts";
export type {
  StoredChange,
  StoredEffect,
  StoredForEach,
  StoredRemoval,
  StoredRename,
} from "./stored/stored-change.ts";

export interface Model {
  readonly file: string;
  /** The text of the document. A store keeps it, so that a later document can be compared with it. */
  readonly text: string;
  /** `Parcel Desk`: the level-1 heading after `Interface Specification:`. */
  readonly name: string;
  readonly ledger: readonly LedgerEntry[];
  readonly purpose: { readonly purpose?: string; readonly domain?: string; readonly behaviour?: string };
  readonly scenarios: readonly Scenario[];
  /** In the document's order, including values (`Identifier: none`). */
  readonly resources: readonly Resource[];
  readonly endpointsPart: EndpointsPart;
  readonly paths: readonly PathHeading[];
  readonly endpoints: readonly Endpoint[];
  readonly shapes: readonly Shape[];
  readonly shapeFunctions: readonly ShapeFunction[];
  readonly authentication: Authentication;
  readonly events: EventsPart;
  readonly errors: ErrorsPart;
  readonly limits: LimitsPart;
  readonly versioning: VersioningPart;
}

// ── Gaps ────────────────────────────────────────────────────────────────────────────────────────

export type Answer = "stated" | "none" | "not shown" | "silent";

/** One of the 26 items, and the document's answer. */
export interface LedgerEntry {
  readonly part: PartName;
  readonly item: ItemName;
  readonly answer: Answer;
  /**
   * The first position where it is stated, `none` or `not shown`. For a silent one, the heading of the part, or the
   * start of the document.
   */
  readonly position: Position;
  /** Smaller gaps under this item: single cells or values that are `not shown`. */
  readonly smaller: readonly Gap[];
}

/** A gap: something that is not shown. A request that needs it gets 501, which names it. */
export interface Gap {
  readonly part: PartName;
  readonly item: ItemName;
  /** The missing statement as a phrase: `the type of Parcel.weight`. */
  readonly subject: string;
  readonly position: Position;
}

// ── Part 1 ──────────────────────────────────────────────────────────────────────────────────────

export interface Scenario {
  readonly name: string;
  readonly position: Position;
  readonly steps: readonly ScenarioStep[];
}

export type ScenarioStep =
  | {
      readonly kind: "given";
      readonly resource: string;
      /** Each value is an expression without `this`. Names of earlier `as` are `named` in it. */
      readonly fields: readonly { readonly field: string; readonly value: Expression }[];
      readonly as?: string;
      readonly position: Position;
    }
  | { readonly kind: "wait"; readonly milliseconds: number; readonly position: Position }
  | { readonly kind: "event"; readonly event: string; readonly payload?: TextAt; readonly position: Position }
  | {
      readonly kind: "exchange";
      readonly request: HttpRequestText;
      readonly response: HttpResponseText;
      readonly position: Position;
    };

/** A text of the document with its position. It still contains its captures (`{{…}}`). */
export interface TextAt {
  readonly text: string;
  readonly position: Position;
}

export interface HttpRequestText {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderText[];
  readonly body?: TextAt;
  readonly position: Position;
}

export interface HttpResponseText {
  readonly status: number;
  readonly headers: readonly HeaderText[];
  readonly body?: TextAt;
  readonly position: Position;
}

export interface HeaderText {
  readonly name: string;
  readonly value: string;
  readonly position: Position;
}

// ── Parts 2 and 3 ───────────────────────────────────────────────────────────────────────────────

export interface Resource {
  readonly name: string;
  /** The name of its records in expressions: `Parcel` → `parcel`, `ApiKey` → `apiKey`. */
  readonly smallName: string;
  readonly position: Position;
  readonly prose: string;
  readonly identifier: Identifier;
  /**
   * In the order of the default representation. An identifier without a row is first, the state
   * field last.
   */
  readonly fields: readonly Field[];
  readonly unique: readonly { readonly fields: readonly string[]; readonly position: Position }[];
  readonly fails: readonly FailRule[];
  readonly visible?: Expression;
  readonly always: readonly Expression[];
  readonly kept?: { readonly milliseconds: number; readonly after: string; readonly position: Position };
  readonly deleted: "removed" | "marked";
  /** The value of `error.resource`: `Called`, or the name in lower case with `_`. */
  readonly called: string;
  readonly states?: StateMachine;
  /** `Records of`: records that every store has from the start. */
  readonly records: readonly {
    readonly fields: Readonly<Record<string, Json>>;
    /** The records that it refers to, by their keys. */
    readonly refersTo: readonly {
      readonly resource: string;
      readonly key: string | number;
      readonly position: Position;
    }[];
    readonly position: Position;
  }[];
  /** The gap, if the field list or the identifier is not shown. */
  readonly gap?: Gap;
  /** Items that are not shown and affect what is visible, rejected or stored. An endpoint that needs one responds with 501. */
  readonly openItems?: {
    readonly visible?: Gap;
    readonly unique?: Gap;
    readonly deleted?: Gap;
    /** A value of an initial record is not shown. */
    readonly records?: Gap;
  };
}

export type Identifier =
  /** `by` is absent if it is not shown. A record is then only created with a stated value. */
  | { readonly kind: "made"; readonly field: string; readonly by?: Expression }
  | { readonly kind: "given"; readonly field: string }
  | { readonly kind: "joint"; readonly fields: readonly string[] }
  /** A value, which has no table of its own. */
  | { readonly kind: "none" }
  | { readonly kind: "not shown"; readonly gap: Gap };

export interface Field {
  readonly name: string;
  readonly position: Position;
  readonly type: FieldType;
  readonly rules: readonly FieldRule[];
  readonly role: "plain" | "identifier" | "state";
  readonly meaning: string;
  /** The gap, if the type or a rule is not shown. A request that carries the field gets 501. */
  readonly gap?: Gap;
  readonly open?: OpenRules;
}

/** Rules of a field whose value is not shown, by the action that needs them. */
export interface OpenRules {
  /** `default`, `on create`: needed to create a record without a value for the field. */
  readonly made?: Gap;
  /** `on update`: needed to change a record. */
  readonly changed?: Gap;
  /** `on delete`: needed to delete the referenced record. */
  readonly deleted?: Gap;
  /** `=`: needed to read the field. */
  readonly read?: Gap;
}

/**
 * `Fails: code on field when condition`. `of`: the path heading that states it, if that path has no
 * record.
 */
export interface FailRule {
  readonly code: string;
  readonly of?: OfPath;
  /** The blamed field or input, as a dotted name. */
  readonly on?: string;
  readonly when: Expression;
  /** `, null passes`: the author accepts that a null in the comparison doesn't reject the request. */
  readonly nullPasses?: true;
  readonly position: Position;
}

export interface StateMachine {
  /** Absent if every row is `any` to `same`. */
  readonly field?: string;
  readonly fieldAt?: Position;
  /** An expression over the new record. A plain state is a literal. Absent without a state field. */
  readonly initial?: Expression;
  readonly initialGap?: Gap;
  /** Each with the first position in a column `From`, otherwise with that of a row that leads to it. */
  readonly states: readonly { readonly name: string; readonly final: boolean; readonly position: Position }[];
  readonly transitions: readonly Transition[];
}

/**
 * A transition with one or more ends. Of those whose `from` fits, the first whose guard holds
 * fires.
 */
export interface Transition {
  readonly name: string;
  readonly position: Position;
  readonly ends: readonly TransitionEnd[];
  /** Type of `body`: the inputs of all endpoints that fire the transition, and the `with` names of all `do`s. */
  readonly body: Type;
}

export interface TransitionEnd {
  readonly from: readonly string[] | "any";
  readonly to: string;
  /** Whether it keeps the state: `To: same`, or no state field. */
  readonly same: boolean;
  readonly trigger: Trigger;
  readonly guard?: { readonly condition: Expression; readonly otherwise?: string };
  readonly effects: readonly Effect[];
  readonly position: Position;
  /** Position of the transition's name in the row. */
  readonly nameAt: Position;
  readonly gap?: Gap;
  /** A state or the guard couldn't be read, which was reported. */
  readonly unread?: true;
}

export type Trigger =
  | { readonly kind: "call" }
  | { readonly kind: "immediately" }
  | { readonly kind: "after"; readonly milliseconds: number }
  | { readonly kind: "at"; readonly field: string }
  | { readonly kind: "not shown" };

export type Effect = {
  readonly when?: Expression;
  readonly position: Position;
} /**
 * `of` is absent for a field of `this`. Otherwise it is the record-valued node before the last dot; if it is null,
 * nothing is
 * assigned.
 */ & (
  | {
      readonly kind: "assign";
      readonly of?: Expression;
      readonly resource: string;
      readonly field: string;
      readonly fieldAt: Position;
      readonly value: Expression;
    }
  | {
      readonly kind: "create";
      readonly resource: string;
      readonly resourceAt: Position;
      readonly fields: readonly Assignment[];
      /** The identifier or unique fields among `fields` find a record, which is then changed instead. */
      readonly upsert?: true;
      readonly as?: string;
      /**
       * A `when` that names the variable is evaluated for each element. Any other belongs to the
       * effect and is evaluated once.
       */
      readonly for?: { readonly variable: string; readonly list: Expression; readonly when?: Expression };
    }
  | {
      readonly kind: "update";
      readonly resource: string;
      readonly where: Expression;
      readonly set: readonly Assignment[];
    }
  | { readonly kind: "delete"; readonly resource: string; readonly where: Expression }
  | {
      readonly kind: "do";
      readonly transition: string;
      readonly resource: string;
      readonly where: Expression;
      readonly first?: Expression;
      readonly by: readonly OrderKey[];
      readonly with: readonly { readonly name: string; readonly value: Expression }[];
    }
  | { readonly kind: "send"; readonly event: string }
);

export interface Assignment {
  readonly field: string;
  /** Position of the field's name. */
  readonly fieldAt: Position;
  readonly value: Expression;
}

// ── Part 4 ──────────────────────────────────────────────────────────────────────────────────────

export interface EndpointsPart {
  /** Without a trailing slash; empty for `/`. It may contain parameters. */
  readonly basePath: PathTemplate;
  readonly basePathAt?: Position;
  /** The base path is not shown, so no address is known to belong to an endpoint. */
  readonly gap?: Gap;
  /** As sent, with parameters: `application/json; charset=utf-8`. */
  readonly mediaType?: string;
  /** The accepted media types. Absent if silent. */
  readonly accepts?: readonly string[];
  readonly emptyInputs?: "null";
  readonly unknownFields?: "rejected" | "ignored";
  readonly nullFields?: "shown" | "omitted";
  readonly timestamps?: TimestampForm;
  /** The input that lists the references to expand. */
  readonly expansion?: string;
  readonly crossOrigin?: "any" | "none" | readonly string[];
  /** Functions of the handlers' module that expressions may call (notation, "Handlers"). */
  readonly functions?: readonly HandlerFunction[];
  /** Headers of the complete part, which errors have too because any request may fail. Endpoints include them in their own. */
  readonly errorHeaders?: readonly HeaderItem[];
}

/** A handler function: `route(address: Address): string`. */
export interface HandlerFunction {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly type: FieldType }[];
  readonly returns: FieldType;
  readonly position: Position;
}

/** `### /repos/{owner}/{repo}` with `- Is: Repository`. Its rules are copied into the `records` of endpoints. */
export interface PathHeading {
  readonly path: PathTemplate;
  readonly position: Position;
  readonly prose: string;
  readonly is?: string;
}

/** A record of an endpoint's path. The records are ordered from the shortest path to the longest. */
export interface PathRecord {
  readonly path: string;
  readonly resource: string;
  /** Its name in expressions. `this` for the target if a shorter path has a record with the same small name. */
  readonly name: string;
  /** The field that must equal a parameter. Absent if only `where` selects the record. */
  readonly by?: { readonly field: string; readonly parameter: string };
  /** Additional conditions on the candidate, which is `this`. */
  readonly where: readonly Expression[];
  readonly allowed: readonly Allowed[];
  readonly fails: readonly FailRule[];
  /** Whether the endpoint works on this record. */
  readonly target: boolean;
  readonly position: Position;
}

export interface OfPath {
  readonly path: string;
}

/**
 * `of`: the part or path heading that states it, unless that is the endpoint itself or a path with
 * a record.
 */
export type Allowed = { readonly position: Position; readonly of?: "part" | OfPath } & (
  | { readonly kind: "anyone" | "any caller" }
  | { readonly kind: "condition"; readonly condition: Expression }
);

export interface Endpoint {
  readonly method: string;
  /** Without the base path. */
  readonly path: PathTemplate;
  readonly position: Position;
  readonly prose: string;
  /** The resource that the endpoint works on. Absent for `answer`, `stream` and handlers. */
  readonly resource?: string;
  readonly does: readonly Does[];
  /** For a handler: the resource of the records or values that it returns. Absent if the document doesn't shape its result. */
  readonly gives?: string;
  readonly then: readonly {
    readonly transition: string;
    readonly when?: Expression;
    readonly position: Position;
  }[];
  readonly inputs: readonly Input[];
  /** Name of the key that contains the body's inputs. */
  readonly bodyIn?: string;
  /**
   * `Body is: patches`: the single input whose value is the complete body. Clients don't send its
   * name.
   */
  readonly bodyIs?: string;
  /** The media types of accepted bodies. Absent: those of the part. */
  readonly accepts?: readonly string[];
  /** The content codings in which a body may be sent and is decoded, or `as sent`: it is kept in any. */
  readonly encodings?: readonly ContentCoding[] | "as sent";
  readonly records: readonly PathRecord[];
  /**
   * The reference of `resource` that must be the record of the path, and that create sets to it. Absent if one of
   * `records` is the target, whose `where` contains it. References to records of shorter paths are in `where` and
   * `set`.
   */
  readonly scope?: { readonly field: string; readonly record: string };
  readonly where: readonly Expression[];
  /** `Where: …, inputs first`: inputs are checked before the record that they name is looked for. */
  readonly inputsFirst?: true;
  /** Empty: any caller (engine default). The part's `Allowed` if the endpoint has none of its own. */
  readonly allowed: readonly Allowed[];
  readonly fails: readonly FailRule[];
  readonly lets: readonly {
    readonly name: string;
    readonly value: Expression;
    readonly position: Position;
  }[];
  readonly set: readonly Effect[];
  readonly effects: readonly Effect[];
  readonly order: readonly OrderItem[];
  readonly pagination?: Pagination;
  readonly returns: readonly Return[];
  readonly headers: readonly HeaderItem[];
  /** Response headers of which only the name is stated: `Header: ETag: not shown`. */
  readonly openHeaders?: readonly { readonly name: string; readonly position: Position }[];
  /** Responses of which the condition or the body isn't shown: `Returns: 202 Run when not shown`. */
  readonly openReturns?: readonly OpenReturn[];
  /** Statuses of errors whose condition isn't shown: `Fails: 400, 409 when not shown`. */
  readonly openFails?: readonly { readonly status: number; readonly position: Position }[];
  readonly idempotency?: Idempotency;
  readonly preconditions?: Preconditions;
  /** Clients should no longer call it: since a day and until a day, if these are stated. */
  readonly deprecated?: Deprecation;
  /** Names of the schemes that the endpoint accepts. Absent: all. */
  readonly schemes?: readonly string[];
  readonly finds?: "deleted records too";
  readonly waits?: { readonly until: Expression; readonly atMost: Expression; readonly position: Position };
  readonly stream?: StreamItems;
  /** The gap because of which the endpoint responds with 501. */
  readonly gap?: Gap;
  /**
   * The gap is in what the endpoint does or answers. Its caller, its records and its inputs are
   * stated, so a request is checked before it is answered 501.
   */
  readonly checksFirst?: true;
  /** What it does isn't shown or has a mistake, so that nothing else is reported about it. */
  readonly unclear?: true;
}

export interface Input {
  /** The parts of a dotted name: `["payment", "method"]`. Without the wrapper of `Body in`. */
  readonly name: Dotted;
  readonly in: "path" | "query" | "header" | "body";
  readonly type: FieldType;
  /** The rules of the field and of the row. A field's `required`, `default`, `on create` … don't apply to the input. */
  readonly rules: readonly FieldRule[];
  /** Whether it must be sent. */
  readonly required: boolean;
  /** Whether it must be sent by a request that creates a record, and may be omitted by one that finds it. */
  readonly requiredWhenMade?: true;
  /** The field of the endpoint's resource that it sets. */
  readonly sets?: string;
  /**
   * How it filters: `equals` and `range` compare the field of `field`; a condition is evaluated as
   * written.
   */
  readonly filter?:
    | { readonly kind: "equals" | "range"; readonly field: string }
    | { readonly kind: "condition"; readonly condition: Expression };
  readonly default?: Expression;
  /** `separated by ","`. */
  readonly separator?: string;
  /** `as JSON`: in a form, a query, a path or a header, the text holds JSON. */
  readonly asJson?: boolean;
  /** `none` under "Where": the input is accepted and has no effect. */
  readonly ignored?: true;
  readonly position: Position;
  readonly gap?: Gap;
}

export interface OrderKey {
  readonly by: Expression;
  readonly descending: boolean;
  /** `by query.direction, else ascending`: the requested direction (`asc…` or `desc…`). */
  readonly direction?: Expression;
}

/** `any of priority, name by query.sort`: the fields that a request may sort by, and its text. */
export interface OrderChoice {
  readonly of: readonly { readonly name: string; readonly by: Expression }[];
  readonly text: Expression;
}

export interface OrderItem {
  /** With a `choice`, the order of a request that makes none. */
  readonly keys: readonly OrderKey[];
  readonly choice?: OrderChoice;
  readonly when?: Expression;
  readonly position: Position;
}

export type Pagination = { readonly links: boolean; readonly position: Position } & (
  | {
      readonly kind: "cursor";
      readonly size?: string;
      readonly after?: string;
      readonly before?: string;
      readonly at?: string;
    }
  | { readonly kind: "identifier"; readonly size?: string; readonly after?: string; readonly before?: string }
  | { readonly kind: "page"; readonly page: string; readonly size?: string; readonly from: 0 | 1 }
  | { readonly kind: "offset"; readonly offset: string; readonly size?: string; readonly from: 0 | 1 }
  | { readonly kind: "none" }
);

export type Return = { readonly when?: Expression; readonly position: Position } & (
  | { readonly kind: "nothing"; readonly status: number }
  /** `201 Parcel` (the shape of `this`), or an expression. */
  | { readonly kind: "expression"; readonly status: number; readonly body: Expression }
  /** `list of Parcel`: `item` is evaluated for each record, as `this`. */
  | { readonly kind: "list"; readonly status: number; readonly item: Expression }
  /** `Page of Parcel`: `item` is evaluated for each record, then `page` with the results in `page.items` (a list of any). */
  | { readonly kind: "page"; readonly status: number; readonly item: Expression; readonly page: Expression }
  | { readonly kind: "error"; readonly code: string }
);

/** A response whose condition isn't shown, or of which only the status is stated. */
export type OpenReturn =
  | Return
  | { readonly kind: "not shown"; readonly status: number; readonly position: Position };

export interface HeaderItem {
  readonly name: string;
  readonly value: Expression;
  readonly position: Position;
}

export interface Idempotency {
  /** Location of the key: a header, or an input of the body. */
  readonly in: "header" | "body";
  /** The name that the document states. Dotted if it is in an object of the body. */
  readonly name: string;
  readonly milliseconds?: number;
  readonly required: boolean;
  readonly per?: Expression;
  readonly position: Position;
}

export interface Deprecation {
  /** Days, `2026-05-01`. */
  readonly since?: string;
  readonly until?: string;
  readonly position: Position;
}

export interface Preconditions {
  readonly ifMatch: "accepted" | "required" | "none";
  readonly ifNoneMatch: "accepted" | "none";
  readonly position: Position;
}

export interface StreamItems {
  readonly sends: readonly {
    readonly events: readonly string[];
    readonly when?: Expression;
    readonly as?: Expression;
    /** `as text`: the event's data is the text itself rather than JSON. */
    readonly isText: boolean;
    readonly position: Position;
  }[];
  readonly starts?: "now" | "beginning" | Expression;
  readonly ends: readonly (
    | { readonly after: string; readonly position: Position }
    | { readonly when: Expression; readonly position: Position }
  )[];
}

export interface Shape {
  readonly name: string;
  /** The resource of the record or value that it applies to. Absent for page shapes. */
  readonly of?: string;
  readonly body: Expression;
  readonly position: Position;
  readonly gap?: Gap;
}

/** A shape with parameters, `### Shape: Envelope(data)`. Each use is an expression of its own, so it has no body here. */
export interface ShapeFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly position: Position;
  readonly isUsed: boolean;
}

// ── Part 5 ──────────────────────────────────────────────────────────────────────────────────────

export interface Authentication {
  /** `Scheme: none`: every caller counts as `anyone`. */
  readonly none: boolean;
  readonly schemes: readonly Scheme[];
  /** Scheme, credentials or placement are not stated, so the service is only available on loopback. */
  readonly gap?: Gap;
  /**
   * The type of `caller` with any scheme; `any` if they differ. `caller-type.ts` gives it for an
   * endpoint.
   */
  readonly caller: Type;
}

export interface Scheme {
  readonly name: string;
  readonly position: Position;
  /** The type of `caller` with this scheme. Absent if unknown. */
  readonly callerType?: Type;
  readonly placement?: Placement;
  readonly credentials?: {
    readonly resource: string;
    /** The fields by which the credential is looked up. Two for `basic` with two fields. */
    readonly by: readonly string[];
    /** `for user`: `caller` is the record that this reference leads to, and `credential` the record that was found. */
    readonly for?: string;
    readonly fromClaim?: string;
    readonly position: Position;
  };
  readonly caller?: Expression;
  readonly realm?: string;
  readonly signature?: { readonly header: string; readonly value: Expression; readonly position: Position };
  readonly signedWith?:
    | { readonly algorithm: string; readonly secretEnv: string; readonly position: Position }
    | { readonly algorithm: string; readonly keysAt: string; readonly position: Position };
  /** Position of `Signed with`, whatever its value. */
  readonly signedAt?: Position;
  readonly issuer?: string;
  readonly audience?: string;
  readonly lifetimeMs?: number;
  /**
   * A token ends when one of these fields of its record changes. Empty: never. Absent if silent.
   */
  readonly endsWith?: { readonly fields: readonly string[]; readonly position: Position };
  readonly gap?: Gap;
}

export type Placement =
  | {
      readonly kind: "header";
      readonly name: string;
      readonly prefixes: readonly string[];
      readonly position: Position;
    }
  | { readonly kind: "query" | "cookie"; readonly name: string; readonly position: Position }
  | { readonly kind: "basic"; readonly parts: readonly ("user" | "password")[]; readonly position: Position };

// ── Part 6 ──────────────────────────────────────────────────────────────────────────────────────

export interface EventsPart {
  readonly events: readonly EventRow[];
  readonly webhooks?: {
    readonly resource: string;
    readonly address: string;
    readonly when?: Expression;
    readonly position: Position;
  };
  /** `secret` returns one secret, or a list in which each signs: the new and the old one during a rotation. */
  readonly signature?: { readonly secret: Expression; readonly position: Position };
  readonly headers: readonly HeaderItem[];
  /** `- Headers: hook.headers`: maps from header names, which are only known at run time. */
  readonly headerMaps: readonly { readonly value: Expression; readonly position: Position }[];
  readonly mediaTypes: readonly {
    readonly mediaType: string;
    /** `JSON in payload`: the field of a form that contains the payload as JSON text. */
    readonly jsonIn?: string;
    readonly when?: Expression;
    readonly position: Position;
  }[];
  /** Pauses in milliseconds. Empty for `none`, absent if silent. */
  readonly retriesMs?: readonly number[];
  /** `with jitter`: pauses may be lengthened at random. */
  readonly retriesJitter?: boolean;
  readonly timeoutMs?: number;
  readonly deliveriesKeptMs?: number;
  /** `in order`: deliveries about one record reach a receiver in the order of its changes. */
  readonly deliveriesInOrder?: boolean;
  readonly log?: { readonly keptMs?: number; readonly as?: string; readonly position: Position };
  readonly notifications: readonly {
    readonly to: Expression;
    readonly subject?: Expression;
    readonly text?: Expression;
    readonly when?: Expression;
    readonly position: Position;
  }[];
}

/** Pauses in milliseconds, empty for `none`. With `jitter` they may be lengthened at random. */
export interface Retries {
  readonly pausesMs: readonly number[];
  readonly jitter: boolean;
}

export interface EventRow {
  readonly name: string;
  readonly position: Position;
  readonly triggers: readonly EventTrigger[];
  readonly payload?: Expression;
  /** Column `Retries`, which replaces that of the part. */
  readonly retries?: Retries;
  /** Column `To`. Absent if the part's `Webhooks` applies. */
  readonly to?: "none" | { readonly resource: string; readonly address: string; readonly when?: Expression };
  readonly gap?: Gap;
}

export type EventTrigger = { readonly when?: Expression; readonly position: Position } & (
  | { readonly kind: "created" | "updated" | "deleted"; readonly resource: string }
  | { readonly kind: "transition"; readonly resource: string; readonly transition: string }
  | { readonly kind: "becomes"; readonly resource: string; readonly state: string }
  /** By an effect `send`. `resource` is that of `this`, if known. */
  | { readonly kind: "sent"; readonly resource?: string }
);

// ── Part 7 ──────────────────────────────────────────────────────────────────────────────────────

export interface ErrorsPart {
  /** A shape over `error` and `request`. Absent for problem details. */
  readonly payload?: Expression;
  /** `Payload shape: nothing`: errors have no body. */
  readonly empty?: true;
  /** Of the bodies of errors. Absent: that of part 4. */
  readonly mediaType?: string;
  /** Headers of all errors. A null value omits one. */
  readonly headers: readonly HeaderItem[];
  /**
   * The document has `problem details` or its own payload. Otherwise the engine's default, marked
   * as such.
   */
  readonly payloadStated: boolean;
  readonly rows: readonly ErrorRow[];
}

export interface ErrorRow {
  /** Absent if the document has no column `Code`. */
  readonly code?: string;
  readonly status?: number;
  /** Empty for codes that `Fails` and similar items name. */
  readonly when: readonly {
    readonly condition: Condition;
    /** All of them must fit. Empty: whatever the condition is about. */
    readonly of: readonly ErrorSubject[];
    readonly position: Position;
  }[];
  readonly field?: Template;
  readonly message?: Template;
  /** Name of the row's own shape. */
  readonly payload?: string;
  readonly payloadAt?: Position;
  /** `nothing` under `Payload`: the error has no body. */
  readonly empty?: true;
  /** Of the body. Absent: that of all errors. */
  readonly mediaType?: string;
  /** Additional columns, as `error.<name>`. */
  readonly further: Readonly<Record<string, Template>>;
  readonly position: Position;
  readonly gaps: readonly Gap[];
  /** The condition isn't shown or couldn't be read. Only its existence is known. */
  readonly unread?: true;
}

export type ErrorSubject =
  | { readonly kind: "resource"; readonly resource: string }
  | { readonly kind: "field"; readonly resource: string; readonly field: string }
  /** As expressions name it: `query.cursor`, `headers.x-key`. */
  | { readonly kind: "input"; readonly input: string }
  | { readonly kind: "endpoint"; readonly method: string; readonly path: string }
  | { readonly kind: "scheme"; readonly scheme: string }
  | { readonly kind: "type"; readonly type: string }
  | { readonly kind: "rule"; readonly rule: RuleName }
  | { readonly kind: "transition"; readonly resource?: string; readonly transition: string }
  | { readonly kind: "limit"; readonly limit: string };

/** Text with expressions in braces. */
export type Template = readonly (string | Expression)[];

// ── Part 8 ──────────────────────────────────────────────────────────────────────────────────────

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

// ── Part 9 ──────────────────────────────────────────────────────────────────────────────────────

export interface VersioningPart {
  readonly scheme?:
    | { readonly kind: "path prefix" }
    | { readonly kind: "header" | "query"; readonly name: string }
    | { readonly kind: "media type" }
    | { readonly kind: "none" };
  readonly default?: "oldest" | "current" | { readonly version: string } | { readonly pinned: Expression };
  /** `Default` is not shown: a request without a version gets 501. */
  readonly openDefault?: Gap;
  readonly compatibility?: string;
  /** In the order of the table. Empty: a single version without a name. */
  readonly versions: readonly Version[];
  /** In the order of execution: the document's, with the headings of versions in version order. */
  readonly storedChanges: readonly StoredChange[];
  /** `Stored from`: a store that has run neither the step of this name nor a later one is rejected. */
  readonly storedFrom?: TextAt;
}

export interface Version {
  readonly name: string;
  readonly status: "current" | "supported" | "deprecated" | "retired";
  /** The day of deprecation, if stated, and the day until which the version is served. */
  readonly since?: string;
  readonly until?: string;
  readonly untilAt?: Position;
  /** `### Changes in <name>`: how the previous version differs. */
  readonly changes: readonly VersionChange[];
  /** Positions of its headings. */
  readonly changesAt?: readonly Position[];
  readonly position: Position;
}

export type VersionChange = { readonly position: Position } & (
  | { readonly kind: "renamed"; readonly subject: string; readonly from: string; readonly to: string }
  | { readonly kind: "added"; readonly subject: string; readonly name: string }
  | {
      readonly kind: "removed";
      readonly subject: string;
      readonly name: string;
      readonly was?: Expression;
      /** `, stored`: the stored values are removed, too. */
      readonly stored?: true;
    }
  | {
      readonly kind: "removed input";
      readonly input: string;
      readonly endpoint: string;
      readonly as?: { readonly input: string; readonly value: Expression };
    }
  | { readonly kind: "default"; readonly subject: string; readonly name: string; readonly was: Expression }
  | {
      readonly kind: "replaced";
      readonly subject: string;
      readonly name: string;
      readonly new: Expression;
      readonly old: Expression;
      /** `, stored`: `new` converts the stored values. */
      readonly stored?: true;
    }
  | { readonly kind: "endpoint added" | "endpoint removed"; readonly endpoint: string }
);
