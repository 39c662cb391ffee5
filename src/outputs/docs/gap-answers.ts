/**
 * For each of the 26 items: what it would describe to a reader, and the lines of a document that
 * would state it.
 */
import type { ItemName } from "../../syntax/nodes.ts";

interface GapAnswer {
  readonly question: string;
  readonly lines: readonly string[];
}

export const gapAnswers: Readonly<Record<ItemName, GapAnswer>> = {
  purpose: { question: "What the service is for.", lines: ["- Purpose: …"] },
  domain: { question: "The domain that the service belongs to.", lines: ["- Domain: …"] },
  behaviour: { question: "What it does automatically, and what it never does.", lines: ["- Behaviour: …"] },
  resources: { question: "Which records the service stores.", lines: ["### Parcel", "- Resources: none"] },
  identifiers: {
    question: "What identifies a record.",
    lines: ["- Identifier: id, made by `uuidv7()`", "- Identifiers: none"],
  },
  fields: {
    question: "The fields of a record.",
    lines: ["| Field | Type | Rules | Meaning |", "- Fields: none"],
  },
  states: {
    question: "Which states a record can be in.",
    lines: ["- State field: status", "- States: none"],
  },
  transitions: {
    question: "The transitions between states.",
    lines: ["| Transition | From | To | Trigger | Guard | Effect |", "- Transitions: none"],
  },
  methods: {
    question: "Which requests the service accepts.",
    lines: ["### POST /parcels", "- Methods: none"],
  },
  "path shapes": {
    question: "The paths of endpoints.",
    lines: ["### GET /parcels/{id}", "- Path shapes: none"],
  },
  "payload shapes": {
    question: "The bodies of requests and responses.",
    lines: ["- Body: recipient, reference?", "- Returns: 201 Parcel", "- Payload shapes: none"],
  },
  scheme: { question: "How callers authenticate.", lines: ["### Scheme: secret key", "- Scheme: none"] },
  credentials: {
    question: "Which credentials they send.",
    lines: ["- Credentials: ApiKey by key", "- Credentials: none"],
  },
  placement: {
    question: "Where a request has the credential.",
    lines: ["- Placement: header Authorization, after Bearer", "- Placement: none"],
  },
  events: {
    question: "Which events the service sends.",
    lines: ["| Event | When | Payload |", "- Events: none"],
  },
  webhooks: {
    question: "Which addresses receive events.",
    lines: ["- Webhooks: to Hook.url when `…`", "- Webhooks: none"],
  },
  notifications: {
    question: "Who is notified by email.",
    lines: ["- Notifications: email to `…`, subject `…`, text `…`", "- Notifications: none"],
  },
  "error codes": {
    question: "Which errors there are.",
    lines: ["| Code | Status | When | Message |", "- Error codes: none"],
  },
  "status codes": {
    question: "The status of each error.",
    lines: ["| Code | Status | When |", "- Status codes: none"],
  },
  "payload shape": {
    question: "The format of an error.",
    lines: ["- Payload shape: problem details", "- Payload shape: none"],
  },
  "rate limits": {
    question: "How many requests are allowed.",
    lines: ["| rate | 100 per second | caller |", "- Rate limits: none"],
  },
  "size limits": {
    question: "How large a request may be.",
    lines: ["| body | 64 KiB | every request |", "- Size limits: none"],
  },
  "time-outs": {
    question: "How long a response may take.",
    lines: ["| time-out | 10 seconds | every request |", "- Time-outs: none"],
  },
  "pagination bounds": {
    question: "How many items a page has.",
    lines: ["| page | default 20, maximum 100 | every list |", "- Pagination bounds: none"],
  },
  "version scheme": {
    question: "How a request selects a version.",
    lines: ["- Scheme: header `Parcel-Version`", "- Scheme: none"],
  },
  "compatibility rules": { question: "Which changes need no new version.", lines: ["- Compatibility: …"] },
};
