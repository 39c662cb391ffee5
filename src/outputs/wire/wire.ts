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
  EventRow,
  Gap,
  RateLimit,
  Resource,
  Scheme,
  Version,
} from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Json } from "../../support/json.ts";
import type { OutputNote } from "../output.ts";

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
  /** Named schemas, in an order that only the document decides. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Resources and values, in the document's order. */
  readonly resources: readonly WireResource[];
  /** In the document's order. */
  readonly events: readonly WireEvent[];
  /** How events are sent to webhooks; absent if the document has none. */
  readonly webhooks?: WireWebhooks;
  readonly security: readonly SecurityScheme[];
  /** What operations may be refused with, each once, in the order of part 7. */
  readonly errors: readonly WireError[];
  /** Shapes of pages, as the document writes them. */
  readonly pageShapes: readonly { readonly name: string; readonly body: string }[];
  /**
   * Any other error of any request (our own fault, a time-out, a header that is too long): its
   * body.
   */
  readonly anyError: {
    readonly mediaTypes: readonly string[];
    readonly schema: JsonSchema;
    readonly shownAt: ErrorPlaces;
  };
  /** What the document doesn't show, as far as this view is thinner for it. */
  readonly gaps: readonly Gap[];
  /** The same for people, with names that had to be changed: outputs report them. */
  readonly notes: readonly OutputNote[];
}

export interface WireVersion {
  readonly name: string;
  readonly status: Version["status"];
  /** Dates that the document states. */
  readonly deprecatedSince?: string;
  readonly until?: string;
  /** A request that names no version speaks it. */
  readonly isDefault: boolean;
  /** The place of its row in part 9. */
  readonly position: Position;
  /** How a request selects it. */
  readonly requested:
    | { readonly in: "path"; readonly prefix: string }
    | { readonly in: "header" | "query"; readonly name: string; readonly value: string }
    | { readonly in: "media type"; readonly name: string }
    | { readonly in: "nothing" };
}

// ── Operations ──────────────────────────────────────────────────────────────────────────────────

/** An endpoint, as its callers see it. */
export interface Operation {
  /** Readable, unique, a good name of a method: `createParcel`, `deliverParcel`, `listParcels`. It stays while the endpoint does. */
  readonly id: string;
  /** The model's own; its inputs and `Returns` have the current names. */
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Without the base path, as OpenAPI writes it: `/parcels/{id}/deliver`. */
  readonly path: string;
  /** Its group: the resource's name, else the first words of the path. */
  readonly group: string;
  /** One line: the first sentence of its prose, else what it does as text. */
  readonly summary: string;
  /** Its prose, from the document; empty without any. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody;
  /** Its successful responses, by `Returns`; and 304 if it has that. */
  readonly answers: readonly WireAnswer[];
  /** Its errors, by status; those that only this operation's own items and inputs can cause come first. */
  readonly refusals: readonly Refusal[];
  /** Names of schemes, each of which is enough. */
  readonly security: readonly string[];
  /** It serves without a credential too. */
  readonly anonymous: boolean;
  /** The transition that it fires, if it does. */
  readonly transition?: { readonly resource: string; readonly name: string };
  readonly pagination?: PageView;
  readonly stream?: StreamView;
  /** Rates of part 8 that count its requests. */
  readonly rates: readonly RateLimit[];
  readonly bodyBytesMax?: number;
  readonly timeoutMs?: number;
  /** What keeps it from being answered at all: then it answers 501. */
  readonly gap?: Gap;
  /** From the document's scenarios, which the tests run: in their order. */
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
  /** Sent empty, it is as if it weren't sent (`Empty inputs: null`). */
  readonly mayBeEmpty?: boolean;
  readonly description: string;
  readonly position: Position;
  /** `input` of the document; or what the engine reads: a page's place and size, a version, an idempotency key, a precondition, `Last-Event-ID`. */
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
  /** In the order of `Accepts`, JSON first. `raw` is neither JSON nor a form; it may be a range (`text/*`). */
  readonly mediaTypes: readonly {
    readonly type: string;
    readonly kind: "json" | "form" | "multipart" | "raw";
    /** Where it is another than the body's: a merge patch; the text that a whole body is. */
    readonly schema?: JsonSchema;
  }[];
  /** Of JSON and forms. `readOnly` fields aren't in it. */
  readonly schema: JsonSchema;
  /** The members whose text holds JSON in a form (`as JSON`). */
  readonly jsonInForms: readonly string[];
}

export interface WireAnswer {
  readonly status: number;
  /** `201 Parcel`, as text. */
  readonly description: string;
  /** Absent without a body. A text without a JSON type is sent unchanged, and has `{"type": "string"}`. */
  readonly content?: { readonly mediaTypes: readonly string[]; readonly schema: JsonSchema };
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
  /** Each code once; where a document has no codes, each condition. */
  readonly errors: readonly WireError[];
  /** For each media type. Empty if no error of the status has a body. */
  readonly content: readonly { readonly mediaType: string; readonly schema: JsonSchema }[];
  readonly headers: readonly WireHeader[];
}

/** A row of part 7; or its replacement if no row covers the error. */
export interface WireError {
  /** Absent where the document has no codes: `none`, or none in the row. */
  readonly code?: string;
  /** The key in `examples`: the code, else the condition with `_`. Unique within an operation's status. */
  readonly name: string;
  readonly status: number;
  readonly conditions: readonly Condition[];
  /** As the document writes it, with `{error.field}` and the like; empty if it has none. */
  readonly message: string;
  /** Its body. */
  readonly schema: JsonSchema;
  readonly shownAt: ErrorPlaces;
  /** Undefined without a body. */
  readonly mediaType?: string;
  /** A body as it is sent, if a scenario shows one. */
  readonly example?: Json;
  /** The row's position; absent if no row covers it. */
  readonly position?: Position;
}

/** Keys that lead to them in a body; absent if it doesn't have them. */
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
  /** The number of the first page; of offsets, that of the first item, 0 without it. */
  readonly from?: 0 | 1;
  /** Where they are sent. */
  readonly in: "query" | "body";
  readonly sizeDefault?: number;
  readonly sizeMax?: number;
  /** A larger size is reduced to the maximum. */
  readonly isClamped?: true;
  /** Keys that lead to the items in the answer; empty where the answer is the list itself; absent where that isn't known. */
  readonly items?: readonly string[];
  /** Path in the response of the next page's cursor or number. */
  readonly next?: readonly string[];
  /** Keys that lead to the address of the next page. */
  readonly nextAddress?: readonly string[];
  /** Keys that lead to whether there are more. */
  readonly hasMore?: readonly string[];
  /**
   * The key of an item that the next page is requested with, if that is its identifier and is
   * shown.
   */
  readonly identifier?: string;
  /** Sends RFC 8288 `Link`. */
  readonly links: boolean;
  /** Of one item. */
  readonly item: JsonSchema;
}

/** Server-sent events. */
export interface StreamView {
  /** The messages of the stream, by the name of each event. */
  readonly messages: readonly {
    readonly event: string;
    /** Of the data; `{"type": "string"}` where `isText`. */
    readonly schema: JsonSchema;
    /** The data is the text itself, and no JSON. */
    readonly isText: boolean;
  }[];
  /** Events after which it ends. */
  readonly endsAfter: readonly string[];
}

/** A request and its answer out of a scenario, as the document writes them: captures stand in them as values of the right kind. */
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
    /** What the scenario compares: a part of the answer, not all of it. */
    readonly body?: Json;
  };
}

// ── Resources ───────────────────────────────────────────────────────────────────────────────────

export interface WireResource {
  readonly name: string;
  /** It lives inside other resources: `Identifier: none`. */
  readonly isValue: boolean;
  readonly resource: Resource;
  /** The name of its shown schema in `Wire.schemas`: its default representation, or the shape that replaces it. Absent where nothing shows one. */
  readonly shown?: string;
  /** Of a value: the name of the schema by which it is sent, where some body takes one. */
  readonly sent?: string;
  /** In the names of this version. */
  readonly stateField?: string;
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────

export interface WireEvent {
  readonly name: string;
  readonly event: EventRow;
  /** Its trigger, as the document writes it: `Parcel deliver`. */
  readonly when: string;
  /** Of its payload. */
  readonly schema: JsonSchema;
  /** Whether webhooks get it. */
  readonly toWebhooks: boolean;
}

export interface WireWebhooks {
  /** What a delivery is sent as, JSON first. */
  readonly mediaTypes: readonly string[];
  /** The one field of forms that holds the payload as JSON text, where all forms have it. */
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
  /** The name as a key in the target's world: `secretKey`. */
  readonly key: string;
  readonly scheme: Scheme;
  /** How it is sent. `prefixes` are the words that may precede the credential, `Bearer` among them. */
  readonly sent:
    | { readonly kind: "bearer"; readonly format?: "JWT" }
    | { readonly kind: "basic"; readonly parts: readonly ("user" | "password")[] }
    | {
        readonly kind: "header" | "query" | "cookie";
        readonly name: string;
        readonly prefixes: readonly string[];
      };
  /** A header that signs the request, besides. */
  readonly signature?: { readonly header: string };
}
