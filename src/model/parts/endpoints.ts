/** Part 4 in the model: endpoints, inputs, responses and shapes. */
import type { Expression } from "../../expressions/node.ts";
import type { TimestampForm } from "../../expressions/writing/wire.ts";
import type { FieldRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Position } from "../../source/source.ts";
import type { Json } from "../../support/json.ts";
import type { Dotted } from "../../support/dotted.ts";
import type { ContentCoding } from "../endpoints/content-coding.ts";
import type { Does } from "../endpoints/does.ts";
import type { PathTemplate } from "../endpoints/path-text.ts";
import type { Gap } from "./gaps.ts";
import type { Effect, FailRule, OfPath, OrderKey } from "./resources.ts";

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
  readonly unknownFields?: UnknownFields;
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

export type UnknownFieldTreatment = "rejected" | "ignored";

/** `Unknown fields`, for each place that it is stated for. */
export interface UnknownFields {
  readonly query?: UnknownFieldTreatment | Gap;
  readonly body?: UnknownFieldTreatment | Gap;
}

/** A handler function: `route(address: Address): string`. */
export interface HandlerFunction {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly type: FieldType }[];
  /** `condition`: a condition over the fields that a `Where` lists (`WhereChoice`). */
  readonly returns: FieldType | { readonly kind: "condition" };
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
  /** Absent: those of the part. A place that it doesn't name is the part's, too. */
  readonly unknownFields?: UnknownFields;
  readonly records: readonly PathRecord[];
  /**
   * The reference of `resource` that must be the record of the path, and that create sets to it. Absent if one of
   * `records` is the target, whose `where` contains it. References to records of shorter paths are in `where` and
   * `set`.
   */
  readonly scope?: { readonly field: string; readonly record: string };
  readonly where: readonly Expression[];
  /** `Where: any of …`: conditions that requests write. Only of lists and of changes of every record. */
  readonly whereChoices?: readonly WhereChoice[];
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
  /** `Headers`: maps whose keys are names of headers. */
  readonly headerMaps: readonly { readonly value: Expression; readonly position: Position }[];
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
  /** Keys of the operation in exports to OpenAPI: `x-…` and `externalDocs`. */
  readonly extensions?: { readonly [key: string]: Json };
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
  /** What a request that sends it needs. */
  readonly gap?: Gap;
  /** What a request that doesn't send it needs: its default. */
  readonly absentGap?: Gap;
}

/** `any of priority, name by query.sort`: the fields that a request may sort by, and its text. */
export interface OrderChoice {
  readonly of: readonly { readonly name: string; readonly by: Expression }[];
  readonly text: Expression;
}

/** `any of title, pages by narrow(query.filter)`: the fields that a condition may name, and the call that returns it. */
export interface WhereChoice {
  readonly of: OrderChoice["of"];
  readonly condition: Expression;
  readonly position: Position;
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
  /**
   * `list of Parcel`: `item` is evaluated for each record, as `this`. `orOne`: `Parcel or list of
   * Parcel`, a single one if the request's body was an object.
   */
  | { readonly kind: "list"; readonly status: number; readonly item: Expression; readonly orOne?: true }
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
  /** Tags are weak (`W/"7"`), and `If-Match` accepts weak ones. */
  readonly weak?: true;
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
