/**
 * The wire view: one version of a document as its clients see it, as plain data for all outputs.
 * It has methods, paths, parameters, bodies, responses and events with their schemas, in the names
 * and with the keys of that version. All outputs share it, so that no two describe the same thing
 * differently. `wireOf` builds it, and each output writes it in its target format.
 *
 * Schemas are JSON Schema 2020-12. Named ones are in `Wire.schemas`, with references like
 * `{"$ref": "#/components/schemas/Parcel"}`, as OpenAPI and AsyncAPI need; `withRefs` replaces
 * these. An unknown type is left open (`{}`).
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type {
  Condition,
  Endpoint,
  EndpointsPart,
  ErrorsPart,
  EventRow,
  Gap,
  RateLimit,
  Resource,
  Scheme,
  Version,
} from "../../model/model.ts";
import type { WebhookMethod } from "../../model/parts/events.ts";
import type { Position } from "../../source/source.ts";
import type { Json } from "../../support/json.ts";
import type { OutputNote } from "../output.ts";
import type { BasicForm } from "../../model/authentication/credential-text.ts";

export interface Wire {
  /** `Parcel Desk`. */
  readonly title: string;
  readonly purpose?: string;
  readonly domain?: string;
  readonly behaviour?: string;
  /** Absent where the document has one unnamed version. */
  readonly version?: WireVersion;
  /** All served versions, the newest first, this one included. */
  readonly versions: readonly WireVersion[];
  /** `/v1`, or `/2026-05-01/v1` if the version is in the path; empty for none. */
  readonly basePath: string;
  /** In the document's order. */
  readonly operations: readonly Operation[];
  /** Named schemas, in an order that depends only on the document. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Resources and values, in the document's order. */
  readonly resources: readonly WireResource[];
  /** In the document's order. */
  readonly events: readonly WireEvent[];
  /** How events are sent to webhooks; absent if the document has none. */
  readonly webhooks?: WireWebhooks;
  readonly security: readonly SecurityScheme[];
  /** The errors of all operations, each once, in the order of part 7. */
  readonly errors: readonly WireError[];
  /** Parts 4 and 7 as the document states them. */
  readonly endpointsPart: EndpointsPart;
  readonly errorsPart: ErrorsPart;
  /** Whether errors have codes. */
  readonly hasErrorCodes: boolean;
  /** Shapes of pages, as the document writes them. */
  readonly pageShapes: readonly { readonly name: string; readonly body: string }[];
  /**
   * The body of any other error of any request (an internal fault, a timeout, a header that is too
   * long).
   */
  readonly anyError: {
    readonly mediaTypes: readonly string[];
    readonly schema: JsonSchema;
    readonly shownAt: ErrorPlaces;
  };
  /** The gaps of the document that make this view incomplete. */
  readonly gaps: readonly Gap[];
  /** The gaps as messages, and the names that had to be changed: outputs report them. */
  readonly notes: readonly OutputNote[];
}

export interface WireVersion {
  readonly name: string;
  readonly status: Version["status"];
  /** Dates that the document states. */
  readonly deprecatedSince?: string;
  readonly until?: string;
  /** Whether a request that names no version uses it. */
  readonly isDefault: boolean;
  /** The position of its row in part 9. */
  readonly position: Position;
  /** How a request selects it. */
  readonly requested:
    | { readonly in: "path"; readonly prefix: string }
    | { readonly in: "header" | "query"; readonly name: string; readonly value: string }
    | { readonly in: "media type"; readonly name: string }
    | { readonly in: "nothing" };
}

// ── Operations ──────────────────────────────────────────────────────────────────────────────────

/** An endpoint as its clients see it. */
export interface Operation {
  /**
   * Readable, unique, and usable as a method name: `createParcel`, `deliverParcel`, `listParcels`.
   * It stays the same as long as the endpoint exists.
   */
  readonly id: string;
  /** The endpoint of the model; its inputs and `Returns` have the current names. */
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Without the base path, as OpenAPI writes it: `/parcels/{id}/deliver`. */
  readonly path: string;
  /** Its group: the resource's name, else the first words of the path. */
  readonly group: string;
  /** One line: the first sentence of its prose, else what it does as text. */
  readonly summary: string;
  /** Its prose from the document; empty without prose. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody;
  /** Its successful responses, by `Returns`; also 304 if the operation can send it. */
  readonly answers: readonly WireAnswer[];
  /**
   * Its errors, by status; those that only this operation's own items and inputs can cause come
   * first.
   */
  readonly refusals: readonly Refusal[];
  /** Names of schemes, each of which is enough. */
  readonly security: readonly string[];
  /** Whether it also serves requests without a credential. */
  readonly anonymous: boolean;
  /** The transition that it fires, if any. */
  readonly transition?: { readonly resource: string; readonly name: string };
  readonly pagination?: PageView;
  readonly stream?: StreamView;
  /** Rates of part 8 that count its requests. */
  readonly rates: readonly RateLimit[];
  readonly bodyBytesMax?: number;
  readonly timeoutMs?: number;
  /** The gap that makes the operation respond with 501. */
  readonly gap?: Gap;
  /** From the document's scenarios, which the tests run, in their order. */
  readonly examples: readonly ExchangeExample[];
}

export interface Parameter {
  /** As it is sent: `limit`, `created` (an object: `created[gt]=…`), `expand[]`. */
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
  /**
   * How a value becomes text. `plain`: as it is. `repeated`: once for each element of a list (the
   * name ends in `[]`). `separated`: a list in one parameter. `object`: its keys in brackets,
   * recursively. `json`: the JSON text.
   */
  readonly style: "plain" | "repeated" | "separated" | "object" | "json" | "rest";
  readonly separator?: string;
  /** Whether an empty value counts as absent (`Empty inputs: null`). */
  readonly mayBeEmpty?: boolean;
  readonly description: string;
  readonly position: Position;
  /**
   * `input` of the document; or an input that the engine reads: a page's cursor and size, a
   * version, an idempotency key, a precondition, `Last-Event-ID`.
   */
  readonly role:
    | "input"
    | "page"
    | "version"
    | "idempotency"
    | "precondition"
    | "expansion"
    | "range"
    | "stream";
}

export interface RequestBody {
  /** A request without a body is refused. */
  readonly required: boolean;
  /**
   * In the order of `Accepts`, JSON first. `raw` is neither JSON nor a form; it may be a range
   * (`text/*`).
   */
  readonly mediaTypes: readonly {
    readonly type: string;
    readonly kind: "json" | "form" | "multipart" | "raw";
    /** Present where it differs from the body's: a merge patch; the text that a whole body is. */
    readonly schema?: JsonSchema;
  }[];
  /** For JSON and forms. `readOnly` fields aren't in it. */
  readonly schema: JsonSchema;
  /** Where the body may also be a list: the schema of an element, and the bounds of the list. */
  readonly orList?: { readonly element: JsonSchema; readonly bounds: JsonSchema };
  /** The members whose text holds JSON in a form (`as JSON`). */
  readonly jsonInForms: readonly string[];
}

export interface WireAnswer {
  readonly status: number;
  /** `201 Parcel`, as text. */
  readonly description: string;
  /**
   * Absent without a body. A text without a JSON type is sent unchanged, and has `{"type":
   * "string"}`.
   */
  readonly content?: {
    readonly mediaTypes: readonly string[];
    readonly schema: JsonSchema;
    /** The response to an object, where a list is answered with a list of these. */
    readonly toOne?: JsonSchema;
  };
  readonly headers: readonly WireHeader[];
}

export interface WireHeader {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Whether it is always sent. */
  readonly required: boolean;
  readonly description: string;
}

/** The body for one status when a request is rejected. */
export interface Refusal {
  readonly status: number;
  /** Each code once; in a document without codes, each condition once. */
  readonly errors: readonly WireError[];
  /** For each media type. Empty if no error of the status has a body. */
  readonly content: readonly { readonly mediaType: string; readonly schema: JsonSchema }[];
  readonly headers: readonly WireHeader[];
}

/** A row of part 7; or the default error if no row covers the condition. */
export interface WireError {
  /** Absent where the document or the row has no code (`none`). */
  readonly code?: string;
  /**
   * The key in `examples`: the code, else the condition with `_`. Unique within an operation's
   * status.
   */
  readonly name: string;
  readonly status: number;
  readonly conditions: readonly Condition[];
  /** As the document writes it, with `{error.field}` and the like; empty without a message. */
  readonly message: string;
  /** The schema of its body. */
  readonly schema: JsonSchema;
  readonly shownAt: ErrorPlaces;
  /** Undefined without a body. */
  readonly mediaType?: string;
  /** A body as it is sent, if the document's text determines one. */
  readonly example?: Json;
  /** The row's position; absent if no row covers it. */
  readonly position?: Position;
}

/** Keys that lead to the members of an error in a body; absent for a missing member. */
export interface ErrorPlaces {
  readonly code?: readonly string[];
  readonly message?: readonly string[];
}

export interface PageView {
  readonly kind: "cursor" | "identifier" | "page" | "offset";
  /** Names of the parameters by their purpose. */
  readonly size?: string;
  readonly after?: string;
  readonly before?: string;
  readonly at?: string;
  readonly page?: string;
  readonly offset?: string;
  /** The number of the first page; for offsets, that of the first item; 0 without it. */
  readonly from?: 0 | 1;
  /** Where the parameters are sent. */
  readonly in: "query" | "body";
  readonly sizeDefault?: number;
  readonly sizeMax?: number;
  /** Whether a size above the maximum is reduced to the maximum. */
  readonly isClamped?: true;
  /**
   * Keys that lead to the items in the response; empty where the response is the list itself;
   * absent where that isn't known.
   */
  readonly items?: readonly string[];
  /** Keys of the next page's cursor or number in the response. */
  readonly next?: readonly string[];
  /** Keys that lead to the address of the next page. */
  readonly nextAddress?: readonly string[];
  /** Keys that lead to whether there are more items. */
  readonly hasMore?: readonly string[];
  /** The key of an item that the next page is requested with, if responses contain it. */
  readonly identifier?: string;
  /** Whether responses have the RFC 8288 `Link` header. */
  readonly links: boolean;
  /** The schema of one item. */
  readonly item: JsonSchema;
}

/** Server-sent events. */
export interface StreamView {
  /** The messages of the stream, by the name of each event. */
  readonly messages: readonly {
    readonly event: string;
    /** The schema of the data; `{"type": "string"}` where `isText`. */
    readonly schema: JsonSchema;
    /** Whether the data is plain text and not JSON. */
    readonly isText: boolean;
  }[];
  /** Events after which the stream ends. */
  readonly endsAfter: readonly string[];
}

/**
 * A request and its response from a scenario, as the document writes them: captures appear as
 * values of the right kind.
 */
export interface ExchangeExample {
  readonly scenario: string;
  /** Unique within its operation; the scenario's name in lower case with `-`. */
  readonly name: string;
  readonly position: Position;
  readonly request: {
    readonly method: string;
    /** Path and query, with the base path. */
    readonly target: string;
    readonly headers: readonly (readonly [string, string])[];
    /** JSON if it is JSON, else the text; absent without a body. */
    readonly body?: Json;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly (readonly [string, string])[];
    /** The members that the scenario compares, which may be a part of the response. */
    readonly body?: Json;
  };
}

// ── Resources ───────────────────────────────────────────────────────────────────────────────────

export interface WireResource {
  readonly name: string;
  /** Whether it is stored inside other resources (`Identifier: none`). */
  readonly isValue: boolean;
  readonly resource: Resource;
  /**
   * The name of its response schema in `Wire.schemas`: its default representation, or the shape
   * that replaces it. Absent where no response contains it.
   */
  readonly shown?: string;
  /**
   * For a value: the name of the schema by which it is sent, where some request body contains it.
   */
  readonly sent?: string;
  /** The name in this version. */
  readonly stateField?: string;
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────

export interface WireEvent {
  readonly name: string;
  readonly event: EventRow;
  /** Its trigger, as the document writes it: `Parcel deliver`. */
  readonly when: string;
  /** The schema of its payload. */
  readonly schema: JsonSchema;
  /** Whether it is sent to webhooks. */
  readonly toWebhooks: boolean;
}

export interface WireWebhooks {
  /** The methods of deliveries: those that `Request` states, or POST. */
  readonly methods: readonly WebhookMethod[];
  /** The media types of a delivery, JSON first. */
  readonly mediaTypes: readonly string[];
  /** The form field that holds the payload as JSON text, if all forms have the same one. */
  readonly jsonInForms?: string;
  readonly headers: readonly WireHeader[];
  /** Whether it is signed as in Standard Webhooks. */
  readonly isSigned: boolean;
  readonly retriesMs?: readonly number[];
  readonly timeoutMs?: number;
  readonly position: Position;
}

// ── Security ────────────────────────────────────────────────────────────────────────────────────

export interface SecurityScheme {
  /** As the document names it: `secret key`. */
  readonly name: string;
  /** The name as a key in the target format: `secretKey`. */
  readonly key: string;
  readonly scheme: Scheme;
  /** How the credential is sent. `prefixes` are the words that may precede it, such as `Bearer`. */
  readonly sent:
    | { readonly kind: "bearer"; readonly format?: "JWT" }
    | ({ readonly kind: "basic" } & BasicForm)
    | {
        readonly kind: "header" | "query" | "cookie";
        readonly name: string;
        readonly prefixes: readonly string[];
        readonly parameter?: string;
      };
  /** The header with the request's signature, if requests are signed. */
  readonly signature?: { readonly header: string };
}
