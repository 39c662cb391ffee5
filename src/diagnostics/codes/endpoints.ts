/** The diagnostics of part 4, endpoints: each code once, with its words. Those of shapes, wherever they stand, are in `shapes.ts`. */
import { code } from "../code.ts";
import { shapeCodes } from "./shapes.ts";
import { withoutEffectCodes } from "./without-effect.ts";

export interface Unknown {
  readonly name: string;
  readonly nearest: string | undefined;
  readonly known: readonly string[];
}

export const endpointsCodes = {
  ...shapeCodes,
  ...withoutEffectCodes,
  "endpoints/unreadable": code<{ readonly text: string; readonly expected: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => (text === "" ? "Something is missing here." : `"${text}" can't be read here.`),
    hint: ({ expected }) => `Write ${expected}.`,
  }),
  "endpoints/unknown-word": code<{
    readonly text: string;
    readonly what: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ text, what }) => `"${text}" is no ${what}.`,
    hint: suggest,
  }),

  // ── Headings ──────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-heading": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" starts no heading of this part, and yet there are items under it.`,
    hint: () =>
      "Write `### POST /parcels` (an endpoint), `### /parcels/{id}` (a path) or `### Shape: Parcel of Parcel`.",
  }),
  "endpoints/unknown-method": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is no method.`,
    hint: suggest,
  }),
  "endpoints/head": code<object>({
    kind: "mistake",
    severity: "error",
    message: () => "HEAD is answered wherever GET is, and has no endpoint of its own.",
    hint: () => "Write `GET`, or take this endpoint out.",
  }),
  "endpoints/bad-path": code<{ readonly text: string; readonly advice: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) =>
      text === "" ? "The path is missing." : `"${text}" can't stand in a path like this.`,
    hint: ({ advice }) => advice,
  }),
  "endpoints/parameter-twice": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The parameter {${name}} stands twice in one path (the base path counts).`,
    hint: () => "Give one of them another name.",
  }),
  "endpoints/duplicate-heading": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" has a heading already.`,
    hint: () =>
      "Bring what stands under both together under one; requests can't tell two parameters apart by their names.",
  }),
  "endpoints/too-many": code<{ readonly what: string; readonly most: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ what, most }) => `There are more than ${most} ${what}; the rest is not read.`,
  }),
  "endpoints/unused-path": code<{ readonly path: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ path }) => `No endpoint stands at ${path} or beneath it.`,
    hint: () => "A path is compared as it is written, the names of its parameters included.",
  }),
  "endpoints/unused-parameter": code<{ readonly name: string; readonly path: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) =>
      `The parameter {${name}} picks no record and is read by nothing: every value of it is answered alike.`,
    hint: ({ name, path }) =>
      `Say what it stands for, with \`### ${pathTo(path, name)}\` and \`- Is: …\`, or read it as \`path.${name}\`.`,
  }),

  // ── Items ─────────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-item": code<Unknown & { readonly where: string; readonly instead?: string | undefined }>(
    {
      kind: "mistake",
      severity: "error",
      message: ({ name, where }) => `"${name}" is no item of ${where}.`,
      hint: ({ nearest, instead }) => {
        if (instead !== undefined) return `Write ${instead}.`;
        return nearest === undefined
          ? "Text that is meant as description has no `- Key: value` form."
          : `Did you mean \`- ${nearest}: …\`?`;
      },
    },
  ),
  "endpoints/misplaced-item": code<{ readonly key: string; readonly where: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key, where }) => `"${key}" can't stand under the heading of ${where}.`,
    hint: ({ where }) =>
      where === "an endpoint"
        ? "It is said under a path, `### /parcels/{id}`."
        : "It is said under an endpoint, `### POST /parcels`.",
  }),
  "endpoints/item-of-part": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" holds for the whole part, not for one heading.`,
    hint: ({ key }) =>
      key.toLowerCase() === "media type"
        ? 'Move it before the first level-3 heading of this part; for this answer alone write `` - Header: Content-Type: `"text/plain"` ``.'
        : "Move it before the first level-3 heading of this part.",
  }),
  "endpoints/repeated-item": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" is said twice, and neither wins.`,
    hint: () => "Keep one of the two.",
  }),
  "endpoints/empty-item": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" has no value.`,
    hint: () => "Write it behind the colon, or `none`, or `not shown`.",
  }),
  "endpoints/senseless-item": code<{ readonly key: string; readonly reason: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key, reason }) => `"${key}" means nothing here: ${reason}.`,
    hint: () => "Take it out.",
  }),
  "endpoints/unknown-endpoint": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no endpoint "${name}".`,
    hint: suggest,
  }),
  "endpoints/like-circle": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is, by way of this, like itself.`,
  }),

  // ── What it does ──────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-resource": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no resource "${name}".`,
    hint: suggest,
  }),
  "endpoints/value-resource": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) =>
      `${name} is a value (\`Identifier: none\`): it lives inside other records and has none of its own.`,
    hint: () => "Name the resource in whose records it stands, or give it an identifier.",
  }),
  "endpoints/unknown-transition": code<
    Unknown & { readonly resource: string; readonly others: readonly string[] }
  >({
    kind: "mistake",
    severity: "error",
    message: ({ name, resource, others }) =>
      others.length > 0
        ? `"${name}" is a transition of ${others.join(" and ")}, not of ${resource}.`
        : `${resource} has no transition "${name}", and it is no verb of the notation.`,
    hint: ({ nearest, known, others, name }) =>
      others.length > 0
        ? `Write \`${name} ${others[0]}\`, or another transition.`
        : suggest({ nearest, known }),
  }),
  "endpoints/whose-transition": code<{ readonly name: string; readonly resources: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, resources }) => `"${name}" is a transition of ${resources.join(" and of ")}.`,
    hint: ({ name, resources }) =>
      `Write whose it is: ${resources.map((one) => `\`${name} ${one}\``).join(" or ")}.`,
  }),
  "endpoints/several-resources": code<{ readonly here: string; readonly there: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ here, there }) =>
      `All that one endpoint may do is about one thing: here it is ${here}, before it was ${there}.`,
    hint: () => "Make two endpoints of it, or do the rest as an `Effect`.",
  }),
  "endpoints/never-reached": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ text }) =>
      `${text === "This answer" ? text : `"${text}"`} is never reached: what stands before it has no condition.`,
    hint: () => "Put the one without `when` last.",
  }),
  "endpoints/always-there": code<{ readonly text: string; readonly endpoint: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ text, endpoint }) =>
      `This is never answered: behind ${endpoint}, \`${text}\` is always there, for a record that isn't found is *not found*.`,
    hint: () =>
      "Say what no record is answered with in a row of part 7 for `not found of …`; only `delete …, if any` goes on without one.",
  }),
  "endpoints/unsafe": code<{ readonly method: string; readonly text: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ method, text }) =>
      `"${text}" changes something, but browsers, caches and crawlers repeat ${method} as they like.`,
    hint: () => "Use POST, PUT, PATCH or DELETE.",
  }),
  "endpoints/never-set": code<{
    readonly resource: string;
    readonly missing: readonly string[];
    readonly which: "new" | "replaced";
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, missing, which }) =>
      `Nothing gives ${missing.join(", ")} of the ${which} ${resource}, which every ${resource} must have: no request could succeed.`,
    hint: ({ missing }) =>
      `Add \`- Body: ${missing[0]}\` or \`- Set: ${missing[0]} = …\`, or give the field a default.`,
  }),

  // ── Paths and records ─────────────────────────────────────────────────────────────────────────
  "endpoints/where-without-is": code<{ readonly path: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ path }) => `There is no record at ${path} that this could narrow.`,
    hint: () => "Say what the path stands for: `- Is: Parcel`.",
  }),
  "endpoints/picks-nothing": code<{ readonly path: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ path, resource }) => `Nothing in ${path || "/"} says which ${resource} is meant.`,
    hint: () => "Add a condition that only one record meets: `- Where: this.owner == caller`.",
  }),
  "endpoints/no-single-identifier": code<{
    readonly parameter: string;
    readonly resource: string;
    readonly fields: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ parameter, resource, fields }) =>
      fields.length > 1
        ? `{${parameter}} alone can't pick a ${resource}, which is identified by ${fields.join(" and ")}.`
        : `{${parameter}} can't pick a ${resource}, which has no identifier.`,
    hint: ({ parameter }) => `Say how it is meant: \`- Where: this.… == path.${parameter}\`.`,
  }),
  "endpoints/records-of-one-name": code<{ readonly name: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, resource }) =>
      `A shorter path stands for a ${resource} already, so that \`${name}\` would mean two records.`,
    hint: () => "Let one heading go and compare its parameter in a `Where` instead: `this.id == path.…`.",
  }),
  "endpoints/which-reference": code<{
    readonly resource: string;
    readonly of: string;
    readonly record: string;
    readonly fields: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, of, fields }) =>
      `${resource} refers to ${of} by ${fields.join(" and ")}: it isn't said which of them the path means.`,
    hint: ({ record, fields }) =>
      `Say it: \`- Where: this.${fields[0]} == ${record}\`, or \`- Set: ${fields[0]} = ${record}\` where one is made.`,
  }),

  // ── Inputs ────────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-field": code<Unknown & { readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, resource }) => `${resource} has no field "${name}".`,
    hint: suggest,
  }),
  "endpoints/no-fields": code<{ readonly name: string; readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, key }) =>
      `"${key}" names fields, but this endpoint is about no resource that could have a field "${name}".`,
    hint: () => "Give it a row with a type in a table of inputs: `| Input | In | Type | Rules |`.",
  }),
  "endpoints/field-not-taken": code<{
    readonly field: string;
    readonly resource: string;
    readonly why: "service" | "made" | "identifier" | "immutable" | "state" | "nothing is changed";
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, resource, why }) =>
      ({
        service: `${resource}.${field} is set by the service alone and can't be sent.`,
        made: `${resource}.${field} is made by the service and can't be sent.`,
        identifier: `${resource}.${field} identifies the record and can't be changed.`,
        immutable: `${resource}.${field} is immutable: it is only sent when the record is made.`,
        state: `${resource}.${field} is changed by transitions alone, and nothing here reads \`body.${field}\`.`,
        "nothing is changed": `This endpoint changes no ${resource}, so that ${field} would set nothing.`,
      })[why],
    hint: ({ field, why }) =>
      ({
        service: "Take it out, or let the endpoint set it: `- Set: …`.",
        made: "Take it out, or write `- Identifier: …, given` to let the caller choose it.",
        identifier: "Take it out.",
        immutable: "Take it out, or take `immutable` from the field.",
        state: `Ask for a transition by it: \`- Does: close … when body.${field} == "closed"\`.`,
        "nothing is changed":
          "Give it a row with a type in a table of inputs; a filter of a list stands under `- Query`.",
      })[why],
  }),
  "endpoints/optional-required": code<{ readonly field: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, resource }) =>
      `${resource}.${field} is required and has no default, so that it can't be left out here.`,
    hint: ({ field }) => `Write \`${field}\` without \`?\`, or give the field a default.`,
  }),
  "endpoints/nothing-made": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is required when a record is made, and this endpoint makes none.`,
    hint: () => "Write `required` where it must be sent, or nothing where it may be left out.",
  }),
  "endpoints/body-on-get": code<{ readonly method: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ method }) => `${method} takes no body.`,
    hint: () => "Take it from the query, or use POST (or QUERY, which has a body and changes nothing).",
  }),
  "endpoints/body-is-one": code<{ readonly name: string; readonly inputs: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, inputs }) =>
      inputs.includes(name)
        ? `The whole body can't be "${name}" where ${inputs.filter((one) => one !== name).join(", ") || "a part of it"} stands in it too.`
        : `"${name}" is no input of this endpoint's body.`,
    hint: () =>
      "Name the one input of the body, a field in `Body` or a row of the table of inputs: `| patches | body | list of Patch | required |` and `- Body is: patches`.",
  }),
  "endpoints/file-not-sent": code<{
    readonly name: string;
    readonly place: string;
    readonly isWhole: boolean;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, place, isWhole }) =>
      place !== "body"
        ? `"${name}" is a file, for which there is no room in the ${place}.`
        : isWhole
          ? `"${name}" is a file, which is a part of a multipart body and never the whole of it.`
          : `"${name}" is a file, and this endpoint takes no multipart body in which it could be sent.`,
    hint: () =>
      "Put the file in the body, and write `- Accepts: multipart/form-data`; a body that is nothing but a file is read by `request.body`.",
  }),
  "endpoints/filter-without-list": code<{ readonly text: string; readonly endpoint: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text, endpoint }) => `"${text}" filters, but ${endpoint} has nothing to choose from.`,
    hint: () => "An input that is only read has a row without `Where` in a table of inputs.",
  }),
  "endpoints/not-comparable": code<{
    readonly field: string;
    readonly type: string;
    readonly range: boolean;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, type, range }) =>
      `${field} is a ${type}, which ${range ? "has no range" : "can't be compared with one text"}.`,
    hint: () =>
      "Give it a row with a condition of its own in a table of inputs: `| tag | query | string | | query.tag in this.tags |`.",
  }),
  "endpoints/input-twice": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The input "${name}" is named twice in one place, or stands inside another one.`,
    hint: () =>
      "Keep one of the two. Of an object, either its parts have rows or the whole has one, with a value of part 2 as its type.",
  }),
  "endpoints/no-input-column": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: () => `This table has no column "Input", so that it is read as description.`,
    hint: ({ name }) => `Call the column of names \`Input\`${name === "" ? "" : ` (it is \`${name}\` now)`}.`,
  }),
  "endpoints/unknown-column": code<Unknown & { readonly instead?: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `A table of inputs has no column "${name}".`,
    hint: ({ nearest, instead }) => {
      if (instead !== undefined) return `Write ${instead}.`;
      return nearest === undefined
        ? "The columns are: Input, In, Type, Rules, Where, Field; and Meaning, which is description."
        : `Did you mean \`${nearest}\`?`;
    },
  }),
  "endpoints/no-place": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `It isn't said where the input "${name}" stands.`,
    hint: () => "Write `path`, `query`, `header` or `body` in its column `In`.",
  }),
  "endpoints/unknown-parameter": code<Unknown & { readonly path: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, path }) => `The path ${path || "/"} has no parameter {${name}}.`,
    hint: suggest,
  }),
  "endpoints/input-without-type": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The input "${name}" has neither a type nor a field.`,
    hint: () =>
      "Write its type, `string` perhaps, in the column `Type`, or the field that it sets in the column `Field`.",
  }),
  "endpoints/type-and-field": code<{ readonly name: string; readonly field: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, field }) => `"${name}" has the type of the field ${field} already.`,
    hint: () => "Leave the column `Type` empty; or leave out the field, and set it with `- Set`.",
  }),
  "endpoints/separator-of-single": code<{ readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ type }) => `Only a list has separators, and this is a ${type}.`,
    hint: ({ type }) => `Write \`list of ${type}\` as its type.`,
  }),

  // ── Conditions ────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-code": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `Part 7 has no code "${name}".`,
    hint: ({ name, nearest, known }) =>
      nearest === undefined ? `Add a row \`| ${name} | 409 | | … |\` there.` : suggest({ nearest, known }),
  }),
  "endpoints/unknown-input": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no input and no field "${name}" that could be blamed.`,
    hint: suggest,
  }),
  "endpoints/no-key-input": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The body of this endpoint has no input "${name}" that could hold the key.`,
    hint: ({ name, nearest, known }) =>
      nearest === undefined
        ? `Add a row \`| ${name} | body | string |\` to its inputs.`
        : suggest({ nearest, known }),
  }),
  "endpoints/anyone-and-others": code<object>({
    kind: "mistake",
    severity: "error",
    message: () =>
      "All of an endpoint's `Allowed` must hold, and this one needs a caller: nobody is let in without a credential after all.",
    hint: () => "Keep `anyone` or the conditions; what only some may do can stand under `Fails`.",
  }),
  "endpoints/anyone-beneath-others": code<object>({
    kind: "mistake",
    severity: "error",
    message: () =>
      "What is allowed at a path holds for all that is beneath it, and this one's needs a caller: nobody is let in without a credential after all.",
    hint: () =>
      "Say the path's `Allowed` at each of its other endpoints, or take `anyone` out here; what only some may do can stand under `Fails`.",
  }),
  "endpoints/too-early": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` isn't read yet when \`Allowed\` is asked.`,
    hint: () => "Ask it with `- Fails: <code> when …`, which comes after the inputs.",
  }),
  "endpoints/name-taken": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` means something else here already.`,
    hint: () => "Give it another name.",
  }),

  // ── Lists ─────────────────────────────────────────────────────────────────────────────────────
  "endpoints/not-ordered": code<{ readonly text: string; readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text, type }) => `"${text}" is a ${type}, which has no order.`,
  }),
  "endpoints/unknown-role": code<Unknown & { readonly kind: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, kind }) => `"${name}" is no role of a parameter in pagination by ${kind}.`,
    hint: suggest,
  }),
  "endpoints/missing-role": code<{ readonly kind: string; readonly role: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ kind, role }) =>
      `Pagination by ${kind} needs a parameter for \`${role}\`: nobody could ask for the next page.`,
    hint: ({ role }) => `Add \`${role}: <name of the parameter>\` in the brackets.`,
  }),
  "endpoints/role-twice": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" stands twice in the brackets.`,
  }),

  // ── Answers ───────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-shape": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no shape and no resource "${name}".`,
    hint: ({ nearest, known }) =>
      nearest === undefined && known.length === 0
        ? "An expression stands in backticks."
        : suggest({ nearest, known }),
  }),
  "endpoints/unknown-page": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is no shape of a page: none of that name has \`page\` in it.`,
    hint: ({ name, nearest, known }) =>
      nearest === undefined && known.length === 0
        ? `Add \`### Shape: ${name}\` with a \`cel\` block such as \`{"data": page.items, "next": page.next}\`.`
        : suggest({ nearest, known }),
  }),
  "endpoints/page-of-what": code<{ readonly name: string; readonly resource: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is the shape of a page, and it isn't said in what shape its items are.`,
    hint: ({ name, resource }) => `Write \`${name} of ${resource ?? "Parcel"}\`.`,
  }),
  "endpoints/nothing-listed": code<{ readonly text: string; readonly endpoint: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text, endpoint }) => `"${text}" answers with a list, but ${endpoint} lists nothing.`,
    hint: () => "Write one shape, an expression in backticks, or let the endpoint `list` something.",
  }),
  "endpoints/list-answered-as-one": code<{ readonly name: string; readonly page: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The endpoint lists records, and "${name}" is the shape of one.`,
    hint: ({ name, page }) =>
      `Write \`list of ${name}\`${page === undefined ? "" : ` or \`${page} of ${name}\``}.`,
  }),
  "endpoints/answer-without-body": code<{ readonly status: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ status }) => `An answer with status ${status} has no body.`,
    hint: ({ status }) => `Write \`${status} nothing\`, or another status.`,
  }),
  "endpoints/no-answer-left": code<object>({
    kind: "mistake",
    severity: "warning",
    message: () => "Every answer has a condition: when none of them holds there is nothing to answer.",
    hint: () => "Put one without `when` last.",
  }),
  "endpoints/framing-header": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is about how the message is sent; only the service itself can know it.`,
    hint: () => "Take it out.",
  }),
  "endpoints/header-not-text": code<{ readonly name: string; readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, type }) => `The header ${name} would be a ${type}, which can't be written as one text.`,
  }),

  // ── The exchange ──────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-scheme": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `Part 5 has no scheme "${name}".`,
    hint: suggest,
  }),
  "endpoints/unknown-event": code<Unknown>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `Part 6 has no event "${name}".`,
    hint: suggest,
  }),

  "endpoints/set-circle": code<{ readonly circle: readonly string[]; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ circle, resource }) =>
      `A new ${resource} can't be filled in: ${circle.map((name) => `\`${name}\``).join(" needs ")} first.`,
    hint: () => "Let one of them not name the other's field; what was sent is in `body`.",
  }),

  // ── Gaps ──────────────────────────────────────────────────────────────────────────────────────
  "endpoints/silent-does": code<{ readonly endpoint: string }>({
    kind: "gap",
    severity: "note",
    message: ({ endpoint }) => `The document doesn't mention what ${endpoint} does; it is answered 501.`,
    hint: () => "Add `- Does: …`, or `- Does: not shown`.",
  }),
  "endpoints/silent-returns": code<{ readonly endpoint: string }>({
    kind: "gap",
    severity: "note",
    message: ({ endpoint }) => `The document doesn't mention what ${endpoint} answers; it is answered 501.`,
    hint: () => "Add `- Returns: 200 …`, `- Returns: 204 nothing` or `- Returns: not shown`.",
  }),
  "endpoints/silent-sends": code<{ readonly endpoint: string }>({
    kind: "gap",
    severity: "note",
    message: ({ endpoint }) =>
      `The document doesn't mention which events ${endpoint} sends; it is answered 501.`,
    hint: () => "Add `- Sends: …`, or `- Sends: not shown`.",
  }),
};

function suggest({
  nearest,
  known,
}: {
  readonly nearest: string | undefined;
  readonly known: readonly string[];
}): string | undefined {
  if (nearest !== undefined) return `Did you mean \`${nearest}\`?`;
  return known.length === 0 ? undefined : `There is ${known.map((name) => `\`${name}\``).join(", ")}.`;
}

/** The path up to the segment that holds the parameter. */
function pathTo(path: string, parameter: string): string {
  const segments = path.split("/");
  const at = segments.findIndex((segment) => segment.includes(`{${parameter}}`));
  return segments.slice(0, at + 1).join("/");
}
