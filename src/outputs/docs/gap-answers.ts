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
  domain: { question: "Which field of work it belongs to.", lines: ["- Domain: …"] },
  behaviour: { question: "What it does by itself and never does.", lines: ["- Behaviour: …"] },
  resources: { question: "Which things the service keeps.", lines: ["### Parcel", "- Resources: none"] },
  identifiers: {
    question: "What names a record.",
    lines: ["- Identifier: id, made by `uuidv7()`", "- Identifiers: none"],
  },
  fields: {
    question: "What a record is made of.",
    lines: ["| Field | Type | Rules | Meaning |", "- Fields: none"],
  },
  states: {
    question: "Which states a record can be in.",
    lines: ["- State field: status", "- States: none"],
  },
  transitions: {
    question: "What leads from one state to another.",
    lines: ["| Transition | From | To | Trigger | Guard | Effect |", "- Transitions: none"],
  },
  methods: {
    question: "Which requests the service answers.",
    lines: ["### POST /parcels", "- Methods: none"],
  },
  "path shapes": { question: "Under which paths.", lines: ["### GET /parcels/{id}", "- Path shapes: none"] },
  "payload shapes": {
    question: "What is sent and what comes back.",
    lines: ["- Body: recipient, reference?", "- Returns: 201 Parcel", "- Payload shapes: none"],
  },
  scheme: { question: "How callers show who they are.", lines: ["### Scheme: secret key", "- Scheme: none"] },
  credentials: {
    question: "What they show.",
    lines: ["- Credentials: ApiKey by key", "- Credentials: none"],
  },
  placement: {
    question: "Where in a request it stands.",
    lines: ["- Placement: header Authorization, after Bearer", "- Placement: none"],
  },
  events: {
    question: "What the service sends by itself.",
    lines: ["| Event | When | Payload |", "- Events: none"],
  },
  webhooks: {
    question: "Which addresses receive events.",
    lines: ["- Webhooks: to Hook.url when `…`", "- Webhooks: none"],
  },
  notifications: {
    question: "Which people are written to.",
    lines: ["- Notifications: email to `…`, subject `…`, text `…`", "- Notifications: none"],
  },
  "error codes": {
    question: "Which errors there are.",
    lines: ["| Code | Status | When | Message |", "- Error codes: none"],
  },
  "status codes": {
    question: "With which status each is answered.",
    lines: ["| Code | Status | When |", "- Status codes: none"],
  },
  "payload shape": {
    question: "What an error looks like.",
    lines: ["- Payload shape: problem details", "- Payload shape: none"],
  },
  "rate limits": {
    question: "How many requests are allowed.",
    lines: ["| rate | 100 per second | caller |", "- Rate limits: none"],
  },
  "size limits": {
    question: "How much may be sent.",
    lines: ["| body | 64 KiB | every request |", "- Size limits: none"],
  },
  "time-outs": {
    question: "How long an answer may take.",
    lines: ["| time-out | 10 seconds | every request |", "- Time-outs: none"],
  },
  "pagination bounds": {
    question: "How many a page holds.",
    lines: ["| page | default 20, maximum 100 | every list |", "- Pagination bounds: none"],
  },
  "version scheme": {
    question: "How a request selects a version.",
    lines: ["- Scheme: header `Parcel-Version`", "- Scheme: none"],
  },
  "compatibility rules": { question: "Which changes need no new version.", lines: ["- Compatibility: …"] },
};
