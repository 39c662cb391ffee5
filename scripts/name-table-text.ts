/**
 * The tables of names that the engine sets, `docs/names.md`: their types from the sources, the rest
 * from here. Pure.
 */
import type { Type } from "../src/expressions/type.ts";
import { anyPageType } from "../src/model/reading/scopes/page-type.ts";
import { limitType, requestType } from "../src/model/reading/declare.ts";
import { defaultErrorType } from "../src/model/reading/scopes/error-type.ts";
import { deliveryRecordType, deliveryType, eventType } from "../src/model/reading/scopes/event-type.ts";

/** The meaning of a name, when it is null (empty: never), and an example value as JSON. */
type Row = readonly [what: string, isNull: string, example: string];

export interface NameTable {
  /** `event`. */
  readonly name: string;
  /** If another table has the same name. */
  readonly heading?: string;
  readonly where: string;
  readonly type: Type;
  readonly rows: Readonly<Record<string, Row>>;
}

const someAddress = "there is no such page, the list has no pages, or it is unknown";

export const nameTables: readonly NameTable[] = [
  {
    name: "event",
    where:
      "In payloads and notifications, in the condition of `Webhooks`, in records of the log and of deliveries; all but `changes` and `deliveries` in `Sends`, headers, media types, secrets, and the `on update` of `Delivery`.",
    type: eventType,
    rows: {
      id: ["the same in every delivery", "", '"evt_019a8b3c4d5e6f708192a3b4c5d6e7f8"'],
      type: ["its name in part 6", "", '"parcel.delivered"'],
      time: ["when it happened", "", '"2026-11-20T12:00:00.000Z"'],
      sequence: ["its place in the log", "", "42"],
      subject: ["what identifies its record, as text", "it was sent about no record", '"pcl_7Hq2"'],
      payload: [
        "its payload, as JSON",
        "the payload itself is evaluated (a mistake)",
        '{"status": "delivered"}',
      ],
      deliveries: ["the number of webhooks that receive it", "in the condition of `Webhooks`", "2"],
      changes: ["the changed fields of the response, with their old values", "", '{"status": "registered"}'],
    },
  },
  {
    name: "delivery",
    where:
      "In headers, media types, secrets: one attempt. (In conditions of `Media type`: without `body` and `form`.)",
    type: deliveryType,
    rows: {
      id: ["the same for all attempts", "", '"dlv_019a8b3c4d5e6f708192a3b4c5d6e7f8"'],
      attempt: ["1, 2, 3 …; 1 again for a redelivery", "", "1"],
      time: ["of this attempt", "", '"2026-11-20T12:00:05.000Z"'],
      body: ["as it is sent, byte for byte", "", '"{\\"type\\":\\"parcel.delivered\\"}"'],
      form: ["its fields", "it isn't sent as a form", '{"type": "parcel.delivered"}'],
      url: ["the address of the receiver", "", '"https://shop.example/hook"'],
    },
  },
  {
    name: "delivery",
    heading: "delivery, in Delivery",
    where: "In `on create` and `on update` of `### Delivery`: its progress.",
    type: deliveryRecordType,
    rows: {
      id: ["the same for all attempts", "", '"dlv_019a8b3c4d5e6f708192a3b4c5d6e7f8"'],
      attempt: ["the number of attempts", "", "1"],
      time: ["of the last attempt", "there was no attempt", '"2026-11-20T12:00:05.000Z"'],
      state: ["`failed`: it was given up", "", '"pending"'],
      status: ["of the last response", "there was no response", "500"],
      answer: ["the start of its text, at most 4 KiB", "there was none, or it had no text", '"no room"'],
      headers: ["its headers, by lower-case name", "there was none", '{"etag": "\\"7\\""}'],
      took: [
        "how long the last attempt took",
        "there was no attempt, or it was given up without one",
        '"1.5s"',
      ],
      error: ["why the last attempt failed", "it succeeded", '"answered 500"'],
      next: [
        "the time of the next attempt",
        "there is none, or it waits for other deliveries",
        '"2026-11-20T12:05:05.000Z"',
      ],
    },
  },
  {
    name: "error",
    where:
      "In payloads, messages, `Field` and further columns of part 7. A further column is a text, and null where a row has none.",
    type: defaultErrorType,
    rows: {
      code: [
        "of the row that applies; without one, the condition's name: `not_found`",
        "the row has none, or part 7 says `Error codes: none`",
        '"wrong_state"',
      ],
      status: ["of the response", "", "409"],
      message: ["of the row, else the engine's", "", '"The parcel is delivered."'],
      field: ["the wrong input, else the row's `Field`", "no input is wrong", '"lines[0].sku"'],
      resource: ["in lower case; `path` of an unknown path", "the error is about no resource", '"parcel"'],
      reference: [
        "the resource of a reference without a record",
        "it isn't an *unknown reference*",
        '"shop"',
      ],
      problem: ["what is wrong, in the engine's words", "", '"must be at least 1"'],
      value: ["what was sent", "nothing was, or it is a secret", "0"],
      parameter: ["of the path, for a missing record", "no record is missing", '"id"'],
      input: ["the wrong input, with its location", "no input is", '"body.lines.sku"'],
      pointer: ["the JSON pointer to it in the body", "nothing in the body is wrong", '"/lines/0/sku"'],
      rule: ["the name of the rule of part 2 that it breaks", "it breaks none", '"length"'],
      transition: ["the requested transition", "it is about no transition", '"deliver"'],
      allowed: ["transitions that are possible instead", "", '["give_back"]'],
      limit: ["the bound that was met", "the error is about no limit", "60"],
      retry_after: ["seconds to wait", "waiting doesn't help", "12"],
      problems: [
        "everything that is wrong",
        "",
        '[{"code": "too_small", "resource": "parcel", "field": "weight", "input": "body.weight", "pointer": "/weight", "rule": "range", "value": 0, "message": "must be at least 1"}]',
      ],
      fields: [
        "messages by field; by `request` if no input is wrong",
        "",
        '{"weight": ["must be at least 1"]}',
      ],
    },
  },
  {
    name: "request",
    where: "While a request is processed; not in timed transitions, and not in delivery attempts.",
    type: requestType,
    rows: {
      id: ["also sent as `X-Request-Id`", "", '"req_4f1c09"'],
      method: ["", "", '"POST"'],
      path: ["as received", "", '"/v1/parcels"'],
      url: ["with host and query", "", '"https://api.example/v1/parcels?expand=shop"'],
      ip: ["the client's address, or the one that a trusted proxy sends", "", '"203.0.113.7"'],
      version: ["the version of the request", "versions have no names", '"2026-11-01"'],
      prefer: ["the header `Prefer`", "it wasn't sent", '"wait=5"'],
      body: ["the bytes as received; `string(request.body)` is their text", "", '"eyJ0byI6IkFkYSJ9"'],
      replayed: ["whether the response was stored for an idempotency key (in `Header` only)", "", "false"],
    },
  },
  {
    name: "page",
    where: "In shapes and `Returns` of lists.",
    type: anyPageType,
    rows: {
      items: ["shaped, in a shape that is given as `Page of X`; else records", "", '[{"id": "pcl_7Hq2"}]'],
      total: ["of all pages", "", "204"],
      has_more: ["whether anything follows", "", "true"],
      next: ["the cursor of the next page", someAddress, '"Zm9vYmFy"'],
      previous: ["the cursor of the previous page", someAddress, '"YmFyZm9v"'],
      number: ["of this page", "pages have no numbers", "2"],
      size: ["how many a page has at most", "", "20"],
      offset: ["how many stand before it", "pages aren't counted from the beginning", "20"],
      url: ["of this page", "", '"https://api.example/v1/parcels?page=2"'],
      uri: ["its path and query", "", '"/v1/parcels?page=2"'],
      ...Object.fromEntries(
        ["next", "previous", "first", "last"].flatMap((name) => [
          [`${name}_url`, ["", someAddress, '"https://api.example/v1/parcels?page=3"'] as const],
          [`${name}_uri`, ["", someAddress, '"/v1/parcels?page=3"'] as const],
        ]),
      ),
    },
  },
  {
    name: "limits.core",
    where:
      "Of `rate core`, where a request is answered; of a plain `rate` it is `limits.rate`. All of it is null if the rate is not metered.",
    type: limitType,
    rows: {
      limit: ["with `burst` that, else the count", "", "60"],
      remaining: ["", "", "59"],
      used: ["", "", "1"],
      reset: ["when all of it is there again", "", '"2026-11-20T12:01:00.000Z"'],
    },
  },
];

const marks = { start: "<!-- names: npm run name-table -->", end: "<!-- end of names -->" };

/** The page with its current tables. Throws where a name has no row, or a row no name. */
export function withNameTables(page: string): string {
  const start = page.indexOf(marks.start);
  const end = page.indexOf(marks.end);
  if (start < 0 || end < start) throw new Error("docs/names.md has lost the marks around its tables");
  const tables = nameTables.map(tableText).join("\n\n");
  return `${page.slice(0, start)}${marks.start}\n\n${tables}\n\n${page.slice(end)}`;
}

function tableText({ name, heading = name, where, type, rows }: NameTable): string {
  const fields = membersOf(type);
  const stray = Object.keys(rows).filter((key) => !Object.hasOwn(fields, key));
  if (stray.length > 0) throw new Error(`${name} has no ${stray.join(", ")}`);
  const lines = Object.entries(fields).map(([key, of]) => {
    const row = rows[key];
    if (!row) throw new Error(`${name}.${key} has no words in scripts/name-table-text.ts`);
    const [what, isNull, example] = row;
    return `| \`${name}.${key}\` | ${typeText(of)} | ${what} | ${isNull} | \`${example}\` |`;
  });
  return [
    `## ${heading}`,
    "",
    where,
    "",
    "| Name | Type | Meaning | Null where | Example |",
    "|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

export function membersOf(type: Type): Readonly<Record<string, Type>> {
  if (type.kind !== "object") throw new Error("an object was expected");
  return type.fields;
}

function typeText(type: Type): string {
  switch (type.kind) {
    case "any":
      return "json";
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "list":
    case "map":
      return `${type.kind} of ${typeText(type.of)}`;
    case "object":
      return `object of ${Object.keys(type.fields).join(", ")}`;
    default:
      return type.kind;
  }
}
