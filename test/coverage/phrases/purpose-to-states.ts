/** Phrases of parts 1 to 3 of the reference. */
import type { Phrases } from "../register.ts";

export const purposeToStates: Phrases = {
  tables: {
    "| Item between the blocks | Meaning |": "scenario item",
    "| Item of a resource | Meaning |": "resource item",
    "| Type | On the wire, in JSON |": "type",
    "| Rule | Meaning |": "rule",
    "| Trigger | Fires |": "trigger",
    "| Effect | Meaning |": "effect",
  },
  prose: {
    "value: kept in the form of its field": "`empty is null` apply to what they write",
    "value: made of what was left out":
      "If an input is missing from which a value is computed, that is a *missing field*",
    "scenario: Given sets any field": "creates a record first. It may set any field, read-only ones too",
    "scenario: a secret is written as a caller would send it":
      "A secret is written as a caller would send it",
    "scenario: objects may have more keys": "Objects of the response may have more keys",
    "scenario: lists have exactly these elements": "Lists have exactly these elements",
    "scenario: header lines must be there":
      "Expected header lines must be there: names in any case, values exactly",
    "scenario: numbers are compared by value": "Numbers are compared by value",
    "scenario: {{name}} captures and compares":
      "`{{name}}` captures a value at its first use and compares afterwards, with its JSON type",
    "scenario: {{name: type}}": "`{{name: type}}` and `{{*: type}}` also check the type",
    "scenario: {{*: type}}": "`{{*: type}}` also check the type",
    "scenario: {{*}}": "`{{*}}` is anything",
    "scenario: {{absent}}": "`{{absent}}` is a key that must not be there",
    "scenario: {{run}}": "`{{run}}` is a short text, new in each run",
    "scenario: an absolute address": "A request's target may be an absolute URL of the service",
    "scenario: a body without Content-Type is JSON": "A body without `Content-Type` is JSON",
    "scenario: the current version": "A scenario uses the current version unless it sends another",
    "field: parts of an object":
      "`address.city` and `lines[].sku` are rows for parts of `address: object` and `lines: list of object`",
    "field: parts of a list of objects": "`lines: list of object`",
    "identifier: sequence()": "`sequence()` counts 1, 2, 3 …, without gaps, and never reuses a number",
    "identifier: sequence(repository)": "`sequence(repository)` counts within that record",
    "reference: an object of several fields":
      'are written as an object of these fields, in requests and responses: `{"article": 7, "user": "ada"}`',
    "reference: a part that is a reference": "A reference among the fields is written as its own identifier",
    "reference: parts past case": "a field with `any case` in lower case",
    "reference: in forms and queries": "Forms and queries write `loan.article=7` or `loan[article]=7`",
    "reference: in one text": "it needs a text that holds JSON (`as JSON`)",
    "reference: a map stands for the record": "In expressions, a map of the fields can replace the record",
    "resource: Records of": "`### Records of Currency`, with a table whose columns are fields",
    "resource: a new record is filled in order":
      "inputs are set first, followed by the identifier, `default`, `on create` and `Set`",
    "transition: State field": "`- State field: status`",
    "transition: Initial state": "`- Initial state: registered`",
    "transition: an initial state by expression": "`Initial state` may be an expression over the new record",
    "transition: From": "| Transition | From | To | Trigger | Guard | Effect |",
    "transition: To": "`To` may be `same`",
    "transition: From any": "`From` may list several states or be `any`",
    "transition: To same": "A state is entered only when it changes, so `same` doesn't restart an `after`",
    "transition: Guard": "the first whose guard is true fires",
    "transition: Effect": "**Effects** are separated by `;`, or are items (`- Effect:`)",
    "transition: the state changes first": "The state changes first.",
    "transition: several ends": "Rows with one name are one transition with several outcomes",
    "transition: else": "the code after `else` in a guard's cell",
    "transition: an empty From or Trigger is that of the row above":
      "An empty From or Trigger repeats the row above",
    "transition: items under a heading":
      "Long guards and effects are items (`- Guard:`, `- Effect:`) under `### Parcel: deliver`",
    "transition: without a state field": "Without a state field, every row is `any` to `same`",
    "trigger: same doesn't start after anew": "`same` doesn't restart an `after`",
    "immediately: the first of the table": "of several, the first row",
    "immediately: there and back":
      "Rows may lead back to a state if each makes the guard of the next one false",
    "immediately: by what its effect sets": "or the effect decides",
    "trigger: entering anew": "this long after the state was entered",
    "trigger: a guard that says no waits for the record":
      "If its guard is false, it waits until the record changes",
    "trigger: caller is null": "`caller` is null in it",
    "effect: for x in": "`for x in <list>` may follow, and a `when` that names `x` is evaluated for each",
    "effect: when": "Each may end in `when <expr>`",
    "effect: through an empty one nothing happens": "If the reference is null, nothing happens",
    "effect: the left side is a field": "The left side is never an input, the caller or the request",
    "effect: do checks where again before each": "one by one, evaluating `where` again before each",
    "effect: one in the wrong state fails the whole request":
      "If one is in the wrong state or its guard fails, the request fails",
    "rule: the default of a part": "Defaults of nested fields also fill objects that the document makes",
    "rule: an upsert refuses to change what is immutable":
      "An `upsert` that finds its record accepts the current value and rejects any other",
    "resource: a block for a computed field":
      "`### Parcel.price` with a `cel` block holds a long computed field",
  },
  unproved: [],
};
