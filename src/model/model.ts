/**
 * The model: the meaning of a checked document, as frozen plain data with positions that survives
 * JSON. Engine, exports, docs, compare and verify all read it. It has no syntax nodes and no
 * functions.
 */
import type { Expression } from "../expressions/node.ts";
import type { Type } from "../expressions/type.ts";
import type { FieldRule } from "../fields/rule.ts";
import type { FieldType } from "../fields/type.ts";
import type { Position } from "../source/source.ts";
import type { Json } from "../support/json.ts";
import type { ItemName, PartName } from "../syntax/nodes.ts";
import type { Condition } from "./conditions.ts";
import type { Does } from "./does.ts";
import type { StoredChange } from "./stored/stored-change.ts";
import type { TimestampForm } from "../expressions/writing/wire.ts";
import type { Dotted } from "../support/dotted.ts";

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
  /** The document itself, as it was read. A store keeps it, so that a later one can be compared with it. */
  readonly text: string;
  /** `Parcel Desk`: the level-1 heading after `Interface Specification:`. */
  readonly name: string;
  readonly ledger: readonly LedgerEntry[];
  readonly purpose: { readonly purpose?: string; readonly domain?: string; readonly behaviour?: string };
  readonly scenarios: readonly Scenario[];
  /** In the document's order; values (`Identifier: none`) among them. */
  readonly resources: readonly Resource[];
  readonly endpointsPart: EndpointsPart;
  readonly paths: readonly PathHeading[];
  readonly endpoints: readonly Endpoint[];
  readonly shapes: readonly Shape[];
  readonly authentication: Authentication;
  readonly events: EventsPart;
  readonly errors: ErrorsPart;
  readonly limits: LimitsPart;
  readonly versioning: VersioningPart;
}

// ── Gaps ────────────────────────────────────────────────────────────────────────────────────────

export type Answer = "stated" | "none" | "not shown" | "silent";

/** One of the 26 items: what the document answers to it. */
export interface LedgerEntry {
  readonly part: PartName;
  readonly item: ItemName;
  readonly answer: Answer;
  /** Where it is stated, `none` or `not shown` (the first place); of a silent one the part's heading, or the document's start. */
  readonly position: Position;
  /** Smaller gaps under this item: single cells or values that are `not shown`. */
  readonly smaller: readonly Gap[];
}

/** A gap: something that is not shown. The running service names it when it is needed. */
export interface Gap {
  readonly part: PartName;
  readonly item: ItemName;
  /** What is not shown, as a phrase: `the type of Parcel.weight`. */
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
      /** Each value is an expression without `this`; the names made by earlier `as` are `named` in it. */
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

/** A text of the document with its position; captures (`{{…}}`) are still in it. */
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
  /** The name of a record of it in expressions: `Parcel` → `parcel`, `ApiKey` → `apiKey`. */
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
  /** `Records of`: in every store from the start. */
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
  /** The field list or the identifier is not shown. */
  readonly gap?: Gap;
  /** Items that are not shown, and decide what is seen, refused or kept: an endpoint that needs one is answered 501. */
  readonly openItems?: {
    readonly visible?: Gap;
    readonly unique?: Gap;
    readonly deleted?: Gap;
    /** Something of a record that is there from the start. */
    readonly records?: Gap;
  };
}

export type Identifier =
  /** `by` is absent if it is not shown: a record is made only with a stated value. */
  | { readonly kind: "made"; readonly field: string; readonly by?: Expression }
  | { readonly kind: "given"; readonly field: string }
  | { readonly kind: "joint"; readonly fields: readonly string[] }
  /** A value: no table of its own. */
  | { readonly kind: "none" }
  | { readonly kind: "not shown"; readonly gap: Gap };

export interface Field {
  readonly name: string;
  readonly position: Position;
  readonly type: FieldType;
  readonly rules: readonly FieldRule[];
  readonly role: "plain" | "identifier" | "state";
  readonly meaning: string;
  /** The type or a rule is not shown: a request that carries the field is answered 501. */
  readonly gap?: Gap;
  readonly open?: OpenRules;
}

/** Rules of a field whose value is not shown, by what can't be done without it. */
export interface OpenRules {
  /** `default`, `on create`: to make a record that is given no value for the field. */
  readonly made?: Gap;
  /** `on update`: to change a record. */
  readonly changed?: Gap;
  /** `on delete`: to delete what the field refers to. */
  readonly deleted?: Gap;
  /** `=`: to read the field. */
  readonly read?: Gap;
}

/**
 * `Fails: code on field when condition`. `of`: the path heading that states it, if that path has no
 * record.
 */
export interface FailRule {
  readonly code: string;
  readonly of?: OfPath;
  /** The blamed field or input, dotted. */
  readonly on?: string;
  readonly when: Expression;
  /** `, null passes`: the author agrees that a null in the comparison does not refuse. */
  readonly nullPasses?: true;
  readonly position: Position;
}

export interface StateMachine {
  /** Absent where every row is `any` to `same`. */
  readonly field?: string;
  readonly fieldAt?: Position;
  /** An expression over the new record; a plain state is a literal. Absent without a state field. */
  readonly initial?: Expression;
  readonly initialGap?: Gap;
  /** Each with the first place that names it in a column `From`, else with a row that leads to it. */
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
  /** What `body` is in it: the inputs of all endpoints that call it and the `with` names of all `do`s. */
  readonly body: Type;
}

export interface TransitionEnd {
  readonly from: readonly string[] | "any";
  readonly to: string;
  /** `To: same`, or no state field. */
  readonly same: boolean;
  readonly trigger: Trigger;
  readonly guard?: { readonly condition: Expression; readonly otherwise?: string };
  readonly effects: readonly Effect[];
  readonly position: Position;
  /** Where the row names the transition. */
  readonly nameAt: Position;
  readonly gap?: Gap;
  /** A state of it, or its guard, is unreadable, which was reported. */
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
} /** `of` is absent for a field of `this`; else the record-valued node in front of the last dot (null: nothing happens). */ & (
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
  /** Where it is named. */
  readonly fieldAt: Position;
  readonly value: Expression;
}

// ── Part 4 ──────────────────────────────────────────────────────────────────────────────────────

export interface EndpointsPart {
  /** Without a trailing slash; empty for `/`. It may contain parameters. */
  readonly basePath: PathTemplate;
  readonly basePathAt?: Position;
  /** The base path is not shown: no address is known to be an endpoint's. */
  readonly gap?: Gap;
  /** As sent, parameters included: `application/json; charset=utf-8`. */
  readonly mediaType?: string;
  /** As stated; absent if silent. */
  readonly accepts?: readonly string[];
  readonly emptyInputs?: "null";
  readonly unknownFields?: "rejected" | "ignored";
  readonly nullFields?: "shown" | "omitted";
  readonly timestamps?: TimestampForm;
  /** The input that lists the references to be given in full. */
  readonly expansion?: string;
  readonly crossOrigin?: "any" | "none" | readonly string[];
  /** Functions of the handlers' module that expressions may call (notation, "Handlers"). */
  readonly functions?: readonly HandlerFunction[];
  /** Headers of the whole part as they go with errors, where any request may have failed anywhere. Endpoints have them among their own. */
  readonly errorHeaders?: readonly HeaderItem[];
}

/** `route(address: Address): string`. */
export interface HandlerFunction {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly type: FieldType }[];
  readonly returns: FieldType;
  readonly position: Position;
}

export interface PathTemplate {
  /** As written: `/parcels/{id}/collect`. */
  readonly text: string;
  readonly segments: readonly PathSegment[];
}

/** Literal text, or a parameter with literal text around it (`{sid}.json`). Texts are percent-decoded. */
export type PathSegment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "parameter"; readonly name: string; readonly before: string; readonly behind: string };

/** `### /repos/{owner}/{repo}` with `- Is: Repository`. Its rules are copied into the endpoints' `records`. */
export interface PathHeading {
  readonly path: PathTemplate;
  readonly position: Position;
  readonly prose: string;
  readonly is?: string;
}

/** A record of an endpoint's path, from the shortest path to the longest. */
export interface PathRecord {
  readonly path: string;
  readonly resource: string;
  /**
   * Its name in expressions; `this` for a target whose resource's small name a shorter path uses.
   */
  readonly name: string;
  /** How it is picked: the field that must equal a parameter; absent where `where` alone picks. */
  readonly by?: { readonly field: string; readonly parameter: string };
  /** Narrow it; `this` is the candidate. */
  readonly where: readonly Expression[];
  readonly allowed: readonly Allowed[];
  readonly fails: readonly FailRule[];
  /** The endpoint works on this record itself. */
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
  /** The resource it works on; absent for `answer`, `stream` and handlers. */
  readonly resource?: string;
  readonly does: readonly Does[];
  /** Of a handler: the resource whose records, or whose values, it gives; absent where no answer shapes what it gives. */
  readonly gives?: string;
  readonly then: readonly {
    readonly transition: string;
    readonly when?: Expression;
    readonly position: Position;
  }[];
  readonly inputs: readonly Input[];
  /** Name of the key that wraps the body's inputs. */
  readonly bodyIn?: string;
  /**
   * `Body is: patches`: the single input whose value is the complete body. Clients don't send its
   * name.
   */
  readonly bodyIs?: string;
  /** The media types of accepted bodies. Absent: those of the part. */
  readonly accepts?: readonly string[];
  readonly records: readonly PathRecord[];
  /**
   * The reference of `resource` that must be (and on create is set to) the record of the path.
   * Absent if one of `records` is the target, whose `where` contains it. References to records of
   * shorter paths are in `where` and `set`.
   */
  readonly scope?: { readonly field: string; readonly record: string };
  readonly where: readonly Expression[];
  /** Empty: any caller (engine default). The part's `Allowed` where the endpoint has none of its own. */
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
  readonly idempotency?: Idempotency;
  readonly preconditions?: Preconditions;
  /** Names of schemes that serve here; absent: all. */
  readonly schemes?: readonly string[];
  readonly finds?: "deleted records too";
  readonly waits?: { readonly until: Expression; readonly atMost: Expression; readonly position: Position };
  readonly stream?: StreamItems;
  /** What makes the endpoint unanswerable: 501 naming it. */
  readonly gap?: Gap;
  /**
   * The gap is in what the endpoint does or answers. Its caller, its records and its inputs are
   * stated, so a request is checked before it is answered 501.
   */
  readonly checksFirst?: true;
  /** What it does isn't shown, or has a mistake, so nothing else is reported of it. */
  readonly unclear?: true;
}

export interface Input {
  /** Dotted names come as several parts: `["payment", "method"]`. Without the wrapper of `Body in`. */
  readonly name: Dotted;
  readonly in: "path" | "query" | "header" | "body";
  readonly type: FieldType;
  /** The field's rules and the row's own; a field's `required`, `default`, `on create` … don't count as the input's. */
  readonly rules: readonly FieldRule[];
  /** It must be sent. */
  readonly required: boolean;
  /** It must be sent where the request makes a record, and may be left out where it finds one. */
  readonly requiredWhenMade?: true;
  /** The field that it sets, of the endpoint's resource. */
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
  /** `none` under "Where": it is accepted, and stated to have no effect. */
  readonly ignored?: true;
  readonly position: Position;
  readonly gap?: Gap;
}

export interface OrderKey {
  readonly by: Expression;
  readonly descending: boolean;
  /** `by query.direction, else ascending`: the requested direction (`asc…`/`desc…`). */
  readonly direction?: Expression;
}

export interface OrderItem {
  readonly keys: readonly OrderKey[];
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
  | { readonly kind: "offset"; readonly offset: string; readonly size?: string }
  | { readonly kind: "none" }
);

export type Return = { readonly when?: Expression; readonly position: Position } & (
  | { readonly kind: "nothing"; readonly status: number }
  /** `201 Parcel` (the shape of `this`) or an expression. */
  | { readonly kind: "expression"; readonly status: number; readonly body: Expression }
  /** `list of Parcel`: `item` is evaluated for each record as `this`. */
  | { readonly kind: "list"; readonly status: number; readonly item: Expression }
  /** `Page of Parcel`: `item` of each record, then `page` with `page.items` (a list of any) in it. */
  | { readonly kind: "page"; readonly status: number; readonly item: Expression; readonly page: Expression }
  | { readonly kind: "error"; readonly code: string }
);

export interface HeaderItem {
  readonly name: string;
  readonly value: Expression;
  readonly position: Position;
}

export interface Idempotency {
  /** Location of the key: a header, or an input of the body. */
  readonly in: "header" | "body";
  /** As the document writes it; dotted where it is within an object of the body. */
  readonly name: string;
  readonly milliseconds?: number;
  readonly required: boolean;
  readonly per?: Expression;
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
    /** `as text`: the event's data is the text itself, not JSON. */
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
  /** The resource whose record or value it takes; absent for page shapes. */
  readonly of?: string;
  readonly body: Expression;
  readonly position: Position;
  readonly gap?: Gap;
}

// ── Part 5 ──────────────────────────────────────────────────────────────────────────────────────

export interface Authentication {
  /** `Scheme: none`: everyone is `anyone`. */
  readonly none: boolean;
  readonly schemes: readonly Scheme[];
  /** Scheme, credentials or placement not stated: loopback only. */
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
    /** The fields that the credential is looked up by; two for basic with two fields. */
    readonly by: readonly string[];
    /** `for user`: `caller` is what this reference leads to, `credential` the record found. */
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
  /** `secret` gives one secret, or a list of several of which each signs: the one that takes over and the one that goes. */
  readonly signature?: { readonly secret: Expression; readonly position: Position };
  readonly headers: readonly HeaderItem[];
  /** `- Headers: hook.headers`: maps whose keys are header names, known only at run time. */
  readonly headerMaps: readonly { readonly value: Expression; readonly position: Position }[];
  readonly mediaTypes: readonly {
    readonly mediaType: string;
    /** `JSON in payload`: the one field of a form that holds the payload, as JSON text. */
    readonly jsonIn?: string;
    readonly when?: Expression;
    readonly position: Position;
  }[];
  /** Pauses in milliseconds; empty for `none`; absent if silent. */
  readonly retriesMs?: readonly number[];
  /** `with jitter`: chance may lengthen the pauses. */
  readonly retriesJitter?: boolean;
  readonly timeoutMs?: number;
  readonly deliveriesKeptMs?: number;
  /** `in order`: what is about one record reaches a receiver in the order in which it happened. */
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

/** Pauses in milliseconds, none for `none`; with `jitter` chance may lengthen them. */
export interface Retries {
  readonly pausesMs: readonly number[];
  readonly jitter: boolean;
}

export interface EventRow {
  readonly name: string;
  readonly position: Position;
  readonly triggers: readonly EventTrigger[];
  readonly payload?: Expression;
  /** Column `Retries`, in place of the part's. */
  readonly retries?: Retries;
  /** Column `To`: absent where the part's `Webhooks` decides. */
  readonly to?: "none" | { readonly resource: string; readonly address: string; readonly when?: Expression };
  readonly gap?: Gap;
}

export type EventTrigger = { readonly when?: Expression; readonly position: Position } & (
  | { readonly kind: "created" | "updated" | "deleted"; readonly resource: string }
  | { readonly kind: "transition"; readonly resource: string; readonly transition: string }
  | { readonly kind: "becomes"; readonly resource: string; readonly state: string }
  /** By an effect `send`; `resource` is what `this` is, where it is known. */
  | { readonly kind: "sent"; readonly resource?: string }
);

// ── Part 7 ──────────────────────────────────────────────────────────────────────────────────────

export interface ErrorsPart {
  /** A shape over `error` and `request`; absent for problem details. */
  readonly payload?: Expression;
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
  /** Empty for codes that `Fails` and the like name. */
  readonly when: readonly {
    readonly condition: Condition;
    readonly of?: ErrorSubject;
    readonly position: Position;
  }[];
  readonly field?: Template;
  readonly message?: Template;
  /** Name of a shape of its own. */
  readonly payload?: string;
  readonly payloadAt?: Position;
  /** Further columns, as `error.<name>`. */
  readonly further: Readonly<Record<string, Template>>;
  readonly position: Position;
  readonly gaps: readonly Gap[];
  /** It has a condition, which isn't shown, or could not be read: only that much is known of it. */
  readonly unread?: true;
}

export type ErrorSubject =
  | { readonly kind: "resource"; readonly resource: string }
  | { readonly kind: "field"; readonly resource: string; readonly field: string }
  | { readonly kind: "type"; readonly type: string }
  | { readonly kind: "transition"; readonly resource?: string; readonly transition: string }
  | { readonly kind: "limit"; readonly limit: string };

/** Text with expressions in braces. */
export type Template = readonly (string | Expression)[];

// ── Part 8 ──────────────────────────────────────────────────────────────────────────────────────

export interface LimitsPart {
  readonly rates: readonly RateLimit[];
  /** Requests at the same time; without `per`, of the whole service. */
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
  /** `per` is the reference of `resource` whose records are counted apart. */
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
  /**
   * The rate that these headers describe, `rate` for a plain one. Absent: the rates that count the
   * request.
   */
  readonly rateHeadersOf?: string;
}

/** Which endpoints a row is about: all, all lists, or those named (`POST /hooks`, without the base path). */
export interface Applies {
  readonly to: "every request" | "every list" | readonly { readonly method: string; readonly path: string }[];
  readonly except: readonly { readonly method: string; readonly path: string }[];
}

export interface RateLimit {
  /** `core` of `rate core`; empty for plain `rate`. */
  readonly name: string;
  readonly count: number;
  readonly periodMs: number;
  /** A refilling bucket (GCRA); absent: a window that starts with the first request. */
  readonly burst?: number;
  readonly per: "caller" | "address" | "service" | Expression;
  readonly applies: Applies;
  readonly when?: Expression;
  readonly cost?: Expression;
  /** A request that was answered with one of these statuses isn't counted. */
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
  /** `Default` is not shown: a request that names no version is answered 501. */
  readonly openDefault?: Gap;
  readonly compatibility?: string;
  /** As in the table, the newest first where the author wrote it so; empty: one unnamed version. */
  readonly versions: readonly Version[];
  /** In the order in which they are done: the document's, where the headings of versions fill their places in version order. */
  readonly storedChanges: readonly StoredChange[];
  /** `Stored from`: a store that never ran the step of this name, nor a later one, is rejected. */
  readonly storedFrom?: TextAt;
}

export interface Version {
  readonly name: string;
  readonly status: "current" | "supported" | "deprecated" | "retired";
  /** Dates: since when it is deprecated, if stated, and until when it is served. */
  readonly since?: string;
  readonly until?: string;
  readonly untilAt?: Position;
  /** `### Changes in <name>`: how the version before differs. */
  readonly changes: readonly VersionChange[];
  /** Its headings, where there is one. */
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
      /** `, stored`: what records have for it goes too. */
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
      /** `, stored`: `new` converts what records have. */
      readonly stored?: true;
    }
  | { readonly kind: "endpoint added" | "endpoint removed"; readonly endpoint: string }
);
