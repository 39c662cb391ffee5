/** Phrases of parts 1 to 3 of the reference. */
import type { Phrases } from "../register.ts";

export const purposeToStates: Phrases = {
  tables: {
    "| Item between the blocks | Meaning |": "scenario item",
    "| Item of a resource | Meaning |": "resource item",
    "| Type | On the wire, in JSON |": "type",
    "| Rule | Meaning |": "rule",
    "| Trigger | Taken |": "trigger",
    "| Effect | Meaning |": "effect",
  },
  prose: {
    "field: parts of an object":
      "`address.city` and `lines[].sku` are rows for parts of `address: object` and `lines: list of object`",
    "field: parts of a list of objects": "`lines: list of object`",
    "identifier: sequence()":
      "also `uuid()`, `uuidv7()` and `sequence()` (1, 2, 3 …, without gaps, never reused)",
    "identifier: sequence(repository)": "`on create sequence(this.repository)` counts within that record",
    "resource: Records of": "`### Records of Currency`, with a table whose columns are fields",
    "resource: a block for a computed field":
      "`### Parcel.price` with a `cel` block holds a long computed field",
  },
  unproved: [
    "scenario item: Wait: 14 days",
    "scenario item: Event: loan.overdue {…}",
    "trigger: call",
    "trigger: immediately",
    "trigger: after 14 days",
    "trigger: at due_at",
    "trigger: not shown",
    "effect: signed_by = body.signed_by",
    "effect: charge.amount_refunded = …",
    "effect: create Refund with amount = order.total, reason = body.reason as refund",
    "effect: update Stock where <expr> set count = this.count - 1",
    "effect: delete Hold where <expr>",
    "effect: do cancel on Shipment where <expr>, first 2 by id with hold = hold",
  ],
};
