/** Part 6 in the model: events, their receivers and retries. */
import type { Expression } from "../../expressions/node.ts";
import type { Position } from "../../source/source.ts";
import type { HeaderItem } from "./endpoints.ts";
import type { Gap } from "./gaps.ts";

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
  /** `- Request: PUT <expr> when <expr>`: the first that applies; otherwise `POST` to the address. */
  readonly requests: readonly WebhookRequestItem[];
  readonly mediaTypes: readonly {
    readonly mediaType: string;
    /** `JSON in payload`: the field of a form that contains the payload as JSON text. */
    readonly jsonIn?: string;
    readonly when?: Expression;
    readonly position: Position;
  }[];
  /** `Signature`, `Request` or `Media type` is not shown, so nothing is sent to webhooks. */
  readonly openDelivery?: Gap;
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

export interface WebhookRequestItem {
  readonly method: WebhookMethod;
  /** Absent: the address of the webhook's record. */
  readonly url?: Expression;
  readonly when?: Expression;
  readonly position: Position;
}

/** Methods of a delivery. Its payload is the body of each. */
export const webhookMethods = ["POST", "PUT", "PATCH", "DELETE"] as const;
export type WebhookMethod = (typeof webhookMethods)[number];

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
