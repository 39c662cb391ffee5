/**
 * Twelve pull requests to documents that people wrote, each with several changes, as edits of the
 * documents. What `check --from` reports about them is recorded and reviewed.
 */
export interface Pair {
  readonly title: string;
  /** From the folder of examples. */
  readonly document: string;
  /** Replaces every occurrence in the text. */
  readonly edits: readonly (readonly [from: string, to: string])[];
}

export const pullRequests: readonly Pair[] = [
  {
    title:
      "a new version renames a field and adds a required one, the oldest version retires, a state is renamed",
    document: "parcel-desk.md",
    edits: [
      [
        "| 2026-11-01 | current    |            |         |\n| 2026-03-01 | deprecated | 2027-06-30 |         |\n",
        '| 2027-02-01 | current    |            |         |\n| 2026-11-01 | supported  |            |         |\n| 2026-03-01 | retired    | 2027-06-30 |         |\n\n### Changes in 2027-02-01\n\n- Renamed: Parcel.recipient to Parcel.consignee\n- Added: Parcel.phone\n- Default: Parcel.phone, was `"+000"`\n',
      ],
      [
        "| recipient    | string    | required, length 1..120                |                       |\n",
        "| consignee    | string    | required, length 1..120                |                       |\n| phone        | string    | required, length 4..20                 |                       |\n",
      ],
      [
        "- Body: recipient, address, weight_grams, reference?",
        "- Body: consignee, phone, address, weight_grams, reference?",
      ],
      ["- Body: recipient?, address?, reference?", "- Body: consignee?, phone?, address?, reference?"],
      ['recipient = "Alan"', 'consignee = "Alan", phone = "+4712"'],
      ["in_transit", "moving"],
      ['"recipient": "Grace"', '"consignee": "Grace", "phone": "+4712"'],
    ],
  },
  {
    title: "a category to send, fewer tickets visible, pages, and an error body of its own",
    document: "helpdesk.md",
    edits: [
      [
        '- Visible: `caller.role == "agent" || this.author == caller`',
        '- Visible: `caller.role == "agent" && this.status != "closed" || this.author == caller`',
      ],
      [
        "| text      | string    | required, length 1..4000                          |         |\n",
        "| text      | string    | required, length 1..4000                          |         |\n| category  | one of billing, technical | required | |\n",
      ],
      ["- Body: subject, text\n", "- Body: subject, text, category\n"],
      ['"text": this.text, ', '"text": this.text, "category": this.category, '],
      [
        "- Query: status?\n- Order: opened_at descending\n- Returns: 200 list of TicketCard\n",
        '- Query: status?, category?\n- Order: opened_at descending\n- Pagination: cursor (size: limit, after: after)\n- Returns: 200 Page of TicketCard\n\n### Shape: Page\n\n```cel\n{"tickets": page.items, "next": page.next}\n```\n',
      ],
      [
        "- Payload shape: problem details\n",
        '- Payload shape:\n\n```cel\n{"error": error.code, "message": error.message}\n```\n',
      ],
      ['"text": "Nothing happens."}', '"text": "Nothing happens.", "category": "technical"}'],
      ['text = "…"', 'text = "…", category = "billing"'],
      ['{"status": 403}', '{"error": "not_yours"}'],
      ["\n[]\n", '\n{"tickets": []}\n'],
    ],
  },
  {
    title:
      "basic authentication goes, signatures, retries, a status of an error, a part of a value and an event's payload change",
    document: "twins/stripe.md",
    edits: [
      [
        "### Scheme: secret key as user\n\n- Placement: basic user\n- Credentials: Account by key\n- Realm: Stripe\n\n",
        "",
      ],
      [
        'hex(hmac("sha256", webhookEndpoint.secret, string(int(delivery.time))',
        'hex(hmac("sha512", webhookEndpoint.secret, string(int(delivery.time))',
      ],
      ["- Retries: 1 hour, 4 hours, 12 hours, 24 hours", "- Retries: 1 hour, 4 hours"],
      ["| card_declined | 402 |", "| card_declined | 400 |"],
      [
        "| interval_count | integer                       | default `1`, 1.. |",
        "| count          | integer                       | default `1`, 1.. |",
      ],
      [
        '"pending_webhooks": event.deliveries, "type": event.type, "data": {"object": Refund(this)}}',
        '"type": event.type, "data": {"object": Refund(this)}}',
      ],
    ],
  },
  {
    title:
      "orders are numbered, a sale may be over, orders are listed oldest first, no idempotency, the seat map has no price",
    document: "seat-booking.md",
    edits: [
      [
        '### Order\n\n- Identifier: id, made by `"ord_" + random(16)`',
        "### Order\n\n- Identifier: id, made by `sequence()`",
      ],
      [
        '- Fails: hold_over when `body.hold.status != "active"`',
        '- Fails: hold_over when `body.hold.status != "active"`\n- Fails: not_on_sale when `body.hold.show.status != "on_sale"`',
      ],
      ['"/orders/" + this.id', '"/orders/" + string(this.id)'],
      [
        "- Query: show?, customer?, status?\n- Order: created_at descending",
        "- Query: show?, customer?, status?\n- Order: created_at",
      ],
      [
        "- Effect: `do turn on Hold where this == body.hold`\n- Idempotency: header Idempotency-Key, 24 hours\n",
        "- Effect: `do turn on Hold where this == body.hold`\n",
      ],
      [
        '"section": this.seat.section, "price": this.price, "status": this.status}',
        '"section": this.seat.section, "status": this.status}',
      ],
      ["| method    | one of card, cash, voucher |", "| method    | one of card, cash |"],
    ],
  },
  {
    title: "streams end, start and send otherwise, quotes no longer wait",
    document: "../test/documents/courier.md",
    edits: [
      ["- Ends: after parcel.delivered", "- Ends: after parcel.delivered, parcel.deleted"],
      [
        "- Sends: parcel.collected, parcel.delivered when `this == parcel`",
        "- Sends: parcel.collected, parcel.delivered, parcel.deleted when `this == parcel`",
      ],
      ["- Starts: beginning", "- Starts: now"],
      ['"what": event.payload.status}`', '"status": event.payload.status}`'],
      [
        '- Waits: until `this.status == "ready"`, at most `request.prefer == "wait=10" ? duration("10s") : request.prefer == "wait=1" ? duration("1s") : null`\n- Returns: 201 Quote when `this.status == "ready"`\n- Returns: 202 Quote',
        "- Returns: 202 Quote",
      ],
      [
        "### DELETE /parcels/{id}\n\n- Does: delete Parcel\n",
        '### DELETE /parcels/{id}\n\n- Does: delete Parcel\n- Fails: collected when `this.status != "registered"`\n',
      ],
      [
        "- Error codes: none\n\n| Status | When      |\n| ------ | --------- |\n| 404    | not found |",
        "\n| Code | Status | When      |\n| - | ------ | --------- |\n| not_found | 404    | not found |\n| collected | 409 | |",
      ],
      ["| grams     | integer   | required, 1..30000 |", "| grams     | integer   | required, 1..20000 |"],
    ],
  },
  {
    title:
      "smaller pages that are clamped, a lower rate, another default order, one media type and one header of deliveries less",
    document: "twins/github.md",
    edits: [
      ["default 30, maximum 100, clamped", "default 20, maximum 50, clamped"],
      ["| 5000 per hour ", "| 1000 per hour "],
      [
        '| sort | query | one of created, updated, comments | default `"created"` | |',
        '| sort | query | one of created, updated, comments | default `"updated"` | |',
      ],
      ["application/vnd.github+json, application/vnd.github.v3+json", "application/vnd.github+json"],
      ["- Header: X-GitHub-Hook-ID: `string(hook.id)`\n", ""],
      ["| issues_disabled | 410 |", "| issues_disabled | 404 |"],
      ["empty is null, length ..256", "empty is null, length ..200"],
    ],
  },
  {
    title:
      "unknown fields are rejected, user names have a pattern, a count has another name, editors may delete comments, drafts are hidden",
    document: "conduit.md",
    edits: [
      ["- Unknown fields: ignored\n", "- Unknown fields: rejected\n"],
      [
        "| username | string   | required, empty is null, unique     |",
        "| username | string   | required, empty is null, unique, pattern `^[a-z0-9_]{1,32}$` |",
      ],
      ['"articlesCount": page.total', '"total": page.total'],
      [
        "### DELETE /articles/{slug}/comments/{id}\n\n- Does: delete Comment\n- Allowed: `this.author == caller`",
        "### DELETE /articles/{slug}/comments/{id}\n\n- Does: delete Comment\n- Allowed: `this.author == caller || article.author == caller`",
      ],
      ["| 404    | not found of User | not found              | profile          |\n", ""],
      [
        "### GET /tags\n\nEvery tag that some article has, once.\n\n- Does: answer\n- Allowed: anyone",
        "### GET /tags\n\nEvery tag that some article has, once.\n\n- Does: answer\n- Allowed: any caller",
      ],
      [
        "| tagList | list of string | default `[]` |",
        "| tagList | list of string | items ..5, default `[]` |",
      ],
    ],
  },
  {
    title:
      "a transition goes, titles are unique, fewer may be public, an upsert always answers 200, deleted documents are marked",
    document: "../test/documents/tenants.md",
    edits: [
      ["| withdraw   | public | draft  | call          |                       |\n", ""],
      ["### POST /docs/{id}/withdraw\n\n- Does: withdraw Doc\n- Returns: 200 Doc\n\n", ""],
      ["- Unique: firm, slot", "- Unique: firm, slot\n- Unique: firm, title"],
      ["2 Doc per Firm where", "1 Doc per Firm where"],
      ["- Returns: 201 Doc when `created`\n- Returns: 200 Doc", "- Returns: 200 Doc"],
      [
        "| title  | string  | required, length 1..20          |",
        "| title  | string  | required, trimmed, length 1..60          |",
      ],
      ["- Visible: `this.firm == caller`", "- Visible: `this.firm == caller`\n- Deleted: marked"],
      ["| parent | Doc     | on delete clear                 |", "| parent | Doc     | on delete restrict |"],
    ],
  },
  {
    title: "v2 without logs and with another name, v1 stays; webhooks are sent less, a guard is stricter",
    document: "twins/replicate.md",
    edits: [
      [
        "| v1      | current |",
        '| v2      | current |\n| v1      | supported |\n\n### Changes in v2\n\n- Renamed: Prediction.error to Prediction.failure\n- Removed: Prediction.logs, was `""`\n',
      ],
      [
        '| error                 | string         | read-only                   |\n| logs                  | string         | default `""`, read-only     |\n',
        "| failure               | string         | read-only                   |\n",
      ],
      ['`error = "The prompt was fail.";', '`failure = "The prompt was fail.";'],
      ['`started_at = now; logs = "Using seed: 42\\n"`', "`started_at = now`"],
      ['input = {}; output = null; logs = ""; data_removed', "input = {}; output = null; data_removed"],
      ['"error": this.error, "logs": this.logs, "status"', '"failure": this.failure, "status"'],
      [
        "| completed | Prediction becomes succeeded, Prediction becomes failed, Prediction becomes canceled |",
        "| completed | Prediction becomes succeeded, Prediction becomes failed |",
      ],
      [
        "- Fails: no_prompt when `this.input.prompt == null`",
        '- Fails: no_prompt when `this.input.prompt == null || this.input.prompt == ""`',
      ],
      [
        "| webhook_events_filter | list of string | each length 1..20           |",
        "| webhook_events_filter | list of one of start, completed |    |",
      ],
      [
        '- Waits: until `this.status in ["succeeded", "failed", "canceled"]`',
        '- Waits: until `this.status in ["succeeded", "failed"]`',
      ],
    ],
  },
  {
    title:
      "If-Match is required, a lock has another status, labels are names, the timeline has another key, and the event lost its sender",
    document: "../test/documents/tracker.md",
    edits: [
      [
        '- Effect: `create TimelineEvent with issue = this, event = "renamed" when this.title != old.title`\n- Preconditions: If-Match, If-None-Match',
        '- Effect: `create TimelineEvent with issue = this, event = "renamed" when this.title != old.title`\n- Preconditions: If-Match required, If-None-Match',
      ],
      ["| locked        | 403    |", "| locked        | 423    |"],
      ['"labels": this.labels.map(l, {"name": l}),', '"labels": this.labels,'],
      ['{"event": t.event, "actor": t.actor.login}', '{"event": t.event, "actor": Who(t.actor)}'],
      ['"sender": Who(caller), "issue"', '"issue"'],
      ["| issues | Issue close, Issue reopen |", "| issues | Issue close |"],
      ["- Returns: 205 nothing", "- Returns: 204 nothing"],
      ["required, unique, any case         |", "required, unique                   |"],
      [
        "- Allowed: `caller == this.user || caller == repository.owner`",
        "- Allowed: `caller == repository.owner`",
      ],
    ],
  },
  {
    title:
      "keys are needed, a part of a value has another name, amounts are decimals, a state is renamed, the list has pages",
    document: "delivery-quotes.md",
    edits: [
      [
        "- Scheme: none\n\n## Events",
        "### Scheme: key\n\n- Placement: header X-Key\n- Credentials: Client by key\n\n## Events",
      ],
      [
        "### Tariff\n",
        '### Client\n\n- Identifier: id, made by `"cli_" + random(12)`\n\n| Field | Type | Rules |\n|---|---|---|\n| key | credential | on create `random(32)`, shown once |\n\n### Tariff\n',
      ],
      ["| label  | string  | required |         |", "| text   | string  | required |         |"],
      ["| amount | integer | required | cents   |", "| amount | decimal | required | euros   |"],
      [
        "| `move`     | booked | moved | call    |       |        |",
        "| `move`     | booked | shifted | call    |       |        |",
      ],
      [
        "| city  | string              | required, length 1..100 |         |",
        "| city  | string              | required, length 1..100 |         |\n| street | string | required, length 1..100 | |",
      ],
      [
        "- Returns: 200 list of Van",
        '- Returns: 200 list of VanCard\n\n### Shape: VanCard of Van\n\n```cel\n{"van": this.id, "name": this.name}\n```',
      ],
      ["| van_full      | 409    |", "| no_van        | 409    |"],
    ],
  },
  {
    title:
      "counts are decimals, orders have lines, a note is not cleared, an item isn't deleted with its moves, bins go",
    document: "../test/documents/warehouse.md",
    edits: [
      ["total_then = Item.sum(i, i.count)`", "total_then = round(Item.sum(i, i.count))`"],
      [
        "| count      | integer | required, 0..                     |",
        "| count      | number | required, 0..                     |",
      ],
      [
        "| lines        | list of Line | required, items 0..10                    |",
        "| lines        | list of Line | required, items 1..5                    |",
      ],
      [
        "| note       | string  | length 0..20                      |",
        "| note       | string  | length 1..20, nullable            |",
      ],
      ["| moves      | integer | = `Move.count(m, m.item == this)` |\n", ""],
      ["| out_of_stock | 409 | | stock |", "| out_of_stock | 409 | | lines |"],
      [
        "### GET /waits\n\n- Does: list Wait\n- Order: rank\n",
        '### GET /waits\n\n- Does: list Wait\n- Where: `this.status == "waiting"`\n- Order: rank\n',
      ],
      [
        "- Body: sku, who, rank\n",
        "- Body: sku, who\n- Set: `rank = Wait.count(w, w.sku == this.sku) + 1`\n",
      ],
      [
        "| order  | Order   | required, on delete cascade |\n| sku    | Item",
        "| order  | Order   | required |\n| sku    | Item",
      ],
      ["3 Shipment per Order", "5 Shipment per Order"],
      [
        "| cancel | open | canceled | call | | |",
        '| cancel | open | canceled | call | `!Shipment.exists(s, s.order == this && s.status == "shipped")` | |',
      ],
    ],
  },
];
