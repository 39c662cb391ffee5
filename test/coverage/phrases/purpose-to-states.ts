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
    "value: kept in the form of its field":
      "what they write is `trimmed`, in `lower case` or null as the field says",
    "value: made of what was left out": "left out of which a value is made, that is a *missing field*",
    "scenario: Given sets any field": "makes a record first: any field, read-only ones too",
    "scenario: a secret is written as a caller would send it":
      "A secret is written as a caller would send it",
    "scenario: objects may have more keys": "Objects of the answer may have more keys",
    "scenario: lists have exactly these elements": "Lists have exactly these elements",
    "scenario: header lines must be there":
      "Header lines that are written must be there: names in any case, values exactly",
    "scenario: numbers are compared by value": "Numbers are compared by value",
    "scenario: {{name}} captures and compares":
      "`{{name}}` captures at its first use and compares afterwards, with its JSON type",
    "scenario: {{name: type}}": "`{{name: type}}` and `{{*: type}}` also check the type",
    "scenario: {{*: type}}": "`{{*: type}}` also check the type",
    "scenario: {{*}}": "`{{*}}` is anything",
    "scenario: {{absent}}": "`{{absent}}` is a key that must not be there",
    "scenario: {{run}}": "`{{run}}` is a short text, new in each run",
    "scenario: an absolute address": "A request's target may be an absolute address of the service",
    "scenario: a body without Content-Type is JSON": "A body without `Content-Type` is JSON",
    "scenario: the current version": "A scenario speaks the current version unless it sends another",
    "field: parts of an object":
      "`address.city` and `lines[].sku` are rows for parts of `address: object` and `lines: list of object`",
    "field: parts of a list of objects": "`lines: list of object`",
    "identifier: sequence()":
      "also `uuid()`, `uuidv7()` and `sequence()` (1, 2, 3 …, without gaps, never reused)",
    "identifier: sequence(repository)": "`sequence(repository)` counts within that record",
    "reference: an object of several fields":
      'is referred to like anything else: in and out as an object of them, `{"article": 7, "user": "ada"}`',
    "reference: a part that is a reference": "In it a reference is what identifies its own record",
    "reference: parts past case": "what is compared past case stands in small letters",
    "reference: in forms and queries": "Forms and queries write `loan.article=7` or `loan[article]=7`",
    "reference: in one text": "only a text that holds JSON can name such a record (`as JSON`)",
    "reference: a map stands for the record":
      "In expressions a map of the fields stands for the record, where one is wanted",
    "resource: Records of": "`### Records of Currency`, with a table whose columns are fields",
    "resource: a new record is filled in order":
      "inputs come first, then identifier, `default`, `on create` and `Set`, each field after those that it names",
    "transition: State field": "`- State field: status`",
    "transition: Initial state": "`- Initial state: registered`",
    "transition: an initial state by expression": "`Initial state` may be an expression over the new record",
    "transition: From": "| Transition | From | To | Trigger | Guard | Effect |",
    "transition: To": "`To` may be `same`",
    "transition: From any": "`From` may list several states or be `any`",
    "transition: To same": "A state is entered only when it changes: `same` doesn't start an `after` anew",
    "transition: Guard": "the first whose guard holds is taken",
    "transition: Effect": "**Effects** are separated by `;`, or stand one to an `- Effect:` item",
    "transition: the state changes first": "The state changes first.",
    "transition: several ends": "Rows of one name are one transition with several ends",
    "transition: else": "the code behind `else` in a guard's cell",
    "transition: an empty From or Trigger is that of the row above":
      "An empty From or Trigger there is that of the row above",
    "transition: items under a heading":
      "Long guards and effects stand as items (`- Guard:`, `- Effect:`) under `### Parcel: deliver`",
    "transition: without a state field": "Without a state field, every row is `any` to `same`",
    "trigger: same doesn't start after anew": "`same` doesn't start an `after` anew",
    "immediately: the first of the table": "of several the first of the table",
    "immediately: there and back":
      "Rows may lead back where each makes sure that the next one's guard doesn't hold",
    "immediately: by what its effect sets": "or by what its effect sets",
    "trigger: entering anew": "so long after the state was entered",
    "trigger: a guard that says no waits for the record":
      "If its guard says no, it waits until the record changes",
    "trigger: caller is null": "`caller` is null in it",
    "effect: for x in": "`for x in <list>` may follow, and a `when` that names `x` is asked of each",
    "effect: when": "Each may end in `when <expr>`",
    "effect: through an empty one nothing happens": "through an empty one nothing happens",
    "effect: the left side is a field": "The left side never means an input, the caller or the request",
    "effect: do asks where again before each": "one by one, asking `where` again before each",
    "effect: one in the wrong state fails the whole request":
      "One in the wrong state, or whose guard fails, fails the whole request",
    "rule: the default of a part":
      "A part's is taken where what the document itself gives leaves it out, too",
    "rule: an upsert refuses to change what is immutable":
      "An `upsert` that finds its record takes what is there already, and refuses anything else",
    "resource: a block for a computed field":
      "`### Parcel.price` with a `cel` block holds a long computed field",
  },
  unproved: [],
};
