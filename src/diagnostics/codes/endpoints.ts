/** The diagnostics of part 4, endpoints. Those of shapes, in every part, are in `shapes.ts`. */
import { gap, mistake, warning } from "../code.ts";
import {
  didYouMean,
  duplicate,
  foreignWordHint,
  nameInUse,
  type ForeignWord,
  type UnknownName,
  unknownErrorCode,
  unknownEvent,
  unknownField,
  unknownName,
  unknownResource,
  unreadableValue,
  type Named,
} from "./form-codes.ts";
import { listBodyCodes } from "./list-bodies.ts";
import { listCodes } from "./lists.ts";
import { shapeCodes } from "./shapes.ts";
import { withoutEffectCodes } from "./without-effect.ts";

const silent = (what: string, verb: string, hint: string) =>
  gap<{ readonly endpoint: string }>(
    ({ endpoint }) =>
      `The document doesn't mention ${what} ${endpoint} ${verb}; requests receive 501 Not Implemented.`,
    hint,
  );

export const endpointsCodes = {
  ...shapeCodes,
  ...listBodyCodes,
  ...withoutEffectCodes,
  "endpoints/unreadable": unreadableValue,
  "endpoints/unknown-word": mistake<
    Omit<UnknownName, "name"> & { readonly text: string; readonly what: string }
  >(({ text, what }) => `Unknown ${what} "${text}".`, didYouMean),

  // ── Headings ──────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-heading": mistake<{ readonly text: string; readonly advice?: string | undefined }>(
    ({ text }) => `Unknown heading "${text}" in this part, so the items under it have no effect.`,
    ({ advice }) =>
      advice ??
      "Write `### POST /parcels` (an endpoint), `### /parcels/{id}` (a path) or `### Shape: Parcel of Parcel`.",
  ),
  "endpoints/unknown-method": unknownName("HTTP method"),
  "endpoints/head": mistake(
    "Method HEAD is not allowed here: the server answers it wherever it answers GET.",
    "Write `GET`, or remove this endpoint.",
  ),
  "endpoints/bad-path": mistake<{ readonly text: string; readonly advice: string }>(
    ({ text }) => (text === "" ? "Missing path." : `Invalid path: "${text}" is not allowed in it.`),
    ({ advice }) => advice,
  ),
  "endpoints/parameter-twice": duplicate<Named>(
    ({ name }) => `path parameter {${name}} (the base path counts)`,
    "Rename one of the two.",
  ),
  "endpoints/duplicate-heading": duplicate<{ readonly text: string }>(
    ({ text }) => `heading "${text}"`,
    "Merge both sections under one heading. Paths that differ only in the names of parameters are the same path.",
  ),
  "endpoints/too-many": mistake<{ readonly what: string; readonly most: number }>(
    ({ what, most }) => `There are more than ${most} ${what}. Those after them are not read.`,
    ({ most }) => `Keep at most ${most}.`,
  ),
  "endpoints/unused-path": warning<{ readonly path: string }>(
    ({ path }) => `Unused path ${path}: no endpoint is at or below it.`,
    "Write the path as in its endpoints, including the names of the parameters.",
  ),
  "endpoints/unused-parameter": warning<
    Named & { readonly path: string; readonly resource?: string | undefined }
  >(
    ({ name }) => `Unused path parameter {${name}}: it selects no record, and nothing reads it.`,
    ({ name, path, resource }) =>
      resource === undefined
        ? `Add \`### ${pathTo(path, name)}\` with \`- Is: …\`, or read it as \`path.${name}\`.`
        : `Add \`### ${pathTo(path, name)}\` with \`- Is: ${resource}\`. A record that does not exist is then *not found*.`,
  ),

  // ── Items ─────────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-item": mistake<ForeignWord & { readonly where: string }>(
    ({ name, where }) => `Unknown item "${name}" under the heading of ${where}.`,
    ({ nearest, instead }) =>
      foreignWordHint({ nearest, instead, known: [] }) ??
      "Remove it, or write it as a sentence if it is description.",
  ),
  "endpoints/misplaced-item": mistake<{ readonly key: string; readonly where: string }>(
    ({ key, where }) => `Item "${key}" is not allowed under the heading of ${where}.`,
    ({ where }) =>
      where === "an endpoint"
        ? "Move it under the heading of a path, as in `### /parcels/{id}`."
        : "Move it under the heading of an endpoint, as in `### POST /parcels`.",
  ),
  "endpoints/item-of-part": mistake<{ readonly key: string }>(
    ({ key }) => `Item "${key}" is not allowed here: it applies to the whole part.`,
    ({ key }) =>
      key.toLowerCase() === "media type"
        ? 'Move it before the first level-3 heading of this part; for this response alone write `` - Header: Content-Type: `"text/plain"` ``.'
        : "Move it before the first level-3 heading of this part.",
  ),
  "endpoints/repeated-item": duplicate<{ readonly key: string }>(({ key }) => `item "${key}"`),
  "endpoints/empty-item": mistake<{ readonly key: string }>(
    ({ key }) => `Item "${key}" has no value.`,
    "Write a value after the colon, or `none`, or `not shown`.",
  ),
  "endpoints/senseless-item": mistake<{ readonly key: string; readonly reason: string }>(
    ({ key, reason }) => `Item "${key}" is not allowed here: ${reason}.`,
    "Remove this item.",
  ),
  "endpoints/unknown-endpoint": unknownName("endpoint"),
  "endpoints/like-circle": mistake<Named>(
    ({ name }) => `Circular \`Like\`: \`${name}\` refers back to itself.`,
    "Remove one of the `Like` items.",
  ),

  // ── What it does ──────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-resource": unknownResource,
  "endpoints/value-resource": mistake<Named>(
    ({ name }) => `${name} is a value (\`Identifier: none\`), so it has no records of its own.`,
    "Name the resource whose records contain it, or give it an identifier.",
  ),
  "endpoints/unknown-transition": mistake<
    UnknownName & { readonly resource: string; readonly others: readonly string[] }
  >(
    ({ name, resource, others }) =>
      `Unknown verb or transition "${name}" of ${resource}${others.length > 0 ? `; it is a transition of ${others.join(" and ")}` : ""}.`,
    ({ others, name, ...names }) =>
      others.length > 0 ? `Write \`${name} ${others[0]}\`, or another transition.` : didYouMean(names),
  ),
  "endpoints/whose-transition": mistake<Named & { readonly resources: readonly string[] }>(
    ({ name, resources }) =>
      `Ambiguous transition "${name}": ${resources.join(" and ")} have one with this name.`,
    ({ name, resources }) =>
      `Write the resource too: ${resources.map((resource) => `\`${name} ${resource}\``).join(" or ")}.`,
  ),
  "endpoints/several-resources": mistake<{ readonly here: string; readonly there: string }>(
    ({ here, there }) =>
      `${here} is not allowed here: this endpoint already acts on ${there}, and an endpoint acts on one resource.`,
    "Split it into two endpoints, or write the rest as an `Effect`.",
  ),
  "endpoints/never-reached": warning<{ readonly text: string }>(
    ({ text }) =>
      `Unreachable ${text === "" ? "response" : `entry "${text}"`}: the entry before it has no condition.`,
    "Move the response without `when` to the end.",
  ),
  "endpoints/always-there": warning<{ readonly text: string; readonly endpoint: string }>(
    ({ text, endpoint }) =>
      `This response is never sent: in ${endpoint}, \`${text}\` always exists, because a missing record is *not found*.`,
    "Remove it, and write the response to a missing record in part 7, in a row for `not found of …`. Only `delete …, if any` continues without a record.",
  ),
  "endpoints/unsafe": warning<{ readonly method: string; readonly text: string }>(
    ({ method, text }) =>
      `"${text}" changes data, but browsers, caches and crawlers can repeat a ${method} at any time.`,
    "Write `POST`, `PUT`, `PATCH` or `DELETE`.",
  ),
  "endpoints/never-set": mistake<{
    readonly resource: string;
    readonly missing: readonly string[];
    readonly which: "new" | "replaced";
    /** The line of the endpoint's `Body`, if it lists fields. */
    readonly bodyLine: number | undefined;
  }>(
    ({ resource, missing, which }) =>
      `Missing values for the ${which} ${resource}: nothing sets ${missing.map((name) => `\`${name}\``).join(", ")}, so no request can succeed.`,
    ({ missing: [first], bodyLine }) =>
      `Add ${bodyLine === undefined ? `\`- Body: ${first}\`` : `\`${first}\` to \`Body\` (line ${bodyLine}),`} or \`- Set: ${first} = …\`, or give the field a default.`,
  ),

  // ── Paths and records ─────────────────────────────────────────────────────────────────────────
  "endpoints/where-without-is": mistake<{ readonly path: string }>(
    ({ path }) => `Item "Where" is not allowed here: ${path} selects no record.`,
    "Add the resource whose record the path selects, as in `- Is: Parcel`.",
  ),
  "endpoints/picks-nothing": mistake<{ readonly path: string; readonly resource: string }>(
    ({ path, resource }) => `The path ${path || "/"} does not select one ${resource}.`,
    "Add a condition that only one record meets, as in `- Where: this.owner == caller`.",
  ),
  "endpoints/no-single-identifier": mistake<{
    readonly parameter: string;
    readonly resource: string;
    readonly fields: readonly string[];
  }>(
    ({ parameter, resource, fields }) =>
      fields.length > 1
        ? `Parameter {${parameter}} alone can't select one ${resource}, whose identifier is ${fields.join(" and ")}.`
        : `Parameter {${parameter}} can't select one ${resource}, which has no identifier.`,
    ({ parameter }) => `Add what it is compared with: \`- Where: this.… == path.${parameter}\`.`,
  ),
  "endpoints/records-of-one-name": mistake<Named & { readonly resource: string }>(
    ({ name, resource }) => `Ambiguous name "${name}": a shorter path already selects one ${resource}.`,
    "Remove one of the two headings and compare its parameter in a `Where` instead: `this.id == path.…`.",
  ),
  "endpoints/which-reference": mistake<{
    readonly resource: string;
    readonly of: string;
    readonly record: string;
    readonly fields: readonly string[];
  }>(
    ({ resource, of, fields }) =>
      `Ambiguous reference: ${resource} refers to ${of} by ${fields.join(" and ")}.`,
    ({ record, fields }) =>
      `Add which one the path means: \`- Where: this.${fields[0]} == ${record}\`, or \`- Set: ${fields[0]} = ${record}\` where a record is created.`,
  ),

  // ── Inputs ────────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-field": unknownField,
  "endpoints/no-fields": mistake<Named & { readonly key: string }>(
    ({ name, key }) =>
      `Unknown field "${name}": "${key}" names fields, but this endpoint acts on no resource.`,
    "Remove it, and add a row with a type to a table of inputs: `| Input | In | Type | Rules |`.",
  ),
  "endpoints/field-not-taken": mistake<{
    readonly field: string;
    readonly resource: string;
    readonly why: "service" | "made" | "identifier" | "immutable" | "state" | "nothing is changed";
  }>(
    ({ field, resource, why }) =>
      `Input "${field}" is not allowed here: ${
        {
          service: `only the service sets ${resource}.${field}`,
          made: `the service creates ${resource}.${field}`,
          identifier: `${resource}.${field} is the identifier, which can't be changed`,
          immutable: `${resource}.${field} is immutable and can be set on create only`,
          state: `only transitions change ${resource}.${field}, and nothing here reads \`body.${field}\``,
          "nothing is changed": `this endpoint changes no ${resource}`,
        }[why]
      }.`,
    ({ field, why }) =>
      ({
        service: "Remove it, or let the endpoint set it: `- Set: …`.",
        made: "Remove it, or write `- Identifier: …, given` to let the client choose it.",
        identifier: "Remove it.",
        immutable: "Remove it, or remove `immutable` from the field.",
        state: `Fire a transition by it: \`- Does: close … when body.${field} == "closed"\`.`,
        "nothing is changed":
          "Add a row with a type to a table of inputs. A filter of a list belongs under `- Query`.",
      })[why],
  ),
  "endpoints/optional-required": mistake<{ readonly field: string; readonly resource: string }>(
    ({ field, resource }) =>
      `${resource}.${field} can't be optional here: it is required and has no default.`,
    ({ field }) => `Write \`${field}\` without \`?\`, or give the field a default.`,
  ),
  "endpoints/nothing-made": mistake<Named>(
    ({ name }) => `Input "${name}" is required on create, but this endpoint creates no record.`,
    "Write `required` if it must be sent, or remove the rule if it is optional.",
  ),
  "endpoints/body-on-get": mistake<{ readonly method: string }>(
    ({ method }) => `A body is not allowed here: ${method} has none.`,
    "Remove it, or write the method `POST` (or `QUERY`, which changes nothing). Filters of a list belong under `- Query`.",
  ),
  "endpoints/body-is-one": mistake<Named & { readonly inputs: readonly string[] }>(
    ({ name, inputs }) =>
      inputs.includes(name)
        ? `"${name}" can't be the whole body: ${inputs.filter((input) => input !== name).join(", ") || "a part of it"} is in the body too.`
        : `Unknown input "${name}" of this endpoint's body.`,
    "Name the only input of the body: one field of `Body`, or one row of the table of inputs, as in `| patches | body | list of Patch | required |`.",
  ),
  "endpoints/file-not-sent": mistake<Named & { readonly location: string; readonly isWholeBody: boolean }>(
    ({ name, location, isWholeBody }) =>
      `File "${name}" is not allowed here: ${
        location !== "body"
          ? `the ${location} can't contain a file`
          : isWholeBody
            ? "a file is one part of a multipart body, not the whole body"
            : "this endpoint accepts no multipart body"
      }.`,
    "Put the file in the body, and write `- Accepts: multipart/form-data`. If the whole body is one file, read it by `request.body`.",
  ),
  "endpoints/filter-without-list": mistake<{ readonly text: string; readonly endpoint: string }>(
    ({ text, endpoint }) => `Filter "${text}" is not allowed here: ${endpoint} lists nothing.`,
    "Remove its condition. An input that is only read has a row without `Where` in a table of inputs.",
  ),
  "endpoints/not-comparable": mistake<{
    readonly field: string;
    readonly type: string;
    readonly range: boolean;
  }>(
    ({ field, type, range }) =>
      `"${field}" is a ${type}, which ${range ? "has no range" : "can't be compared with one text"}.`,
    "Remove it, and add a row with a condition to a table of inputs, as in `| tag | query | string | | query.tag in this.tags |`.",
  ),
  "endpoints/input-twice": duplicate<Named>(
    ({ name }) => `input "${name}", or it is part of another input`,
    "Keep one of the two. For an object, either write rows for its parts, or one row for the whole with a value of part 2 as its type.",
  ),
  "endpoints/no-input-column": mistake<Named>(
    `This table has no column "Input", so it is read as description.`,
    ({ name }) =>
      `Name the column of inputs \`Input\`${name === "" ? "" : ` (its heading is now \`${name}\`)`}.`,
  ),
  "endpoints/unknown-column": mistake<ForeignWord>(
    ({ name }) => `Unknown column "${name}" in this table.`,
    ({ nearest, instead }) =>
      foreignWordHint({ nearest, instead, known: [] }) ??
      "Write one of `Input`, `In`, `Type`, `Rules`, `Where`, `Field`, or `Meaning` for description.",
  ),
  "endpoints/no-place": mistake<Named>(
    ({ name }) => `The input "${name}" has no place.`,
    "Write `path`, `query`, `header` or `body` in its column `In`.",
  ),
  "endpoints/unknown-parameter": mistake<UnknownName & { readonly path: string }>(
    ({ name, path }) => `Unknown parameter {${name}} of the path ${path || "/"}.`,
    didYouMean,
  ),
  "endpoints/input-without-type": mistake<Named>(
    ({ name }) => `The input "${name}" has neither a type nor a field.`,
    "Write its type, such as `string`, in the column `Type`, or the field that it sets in the column `Field`.",
  ),
  "endpoints/type-and-field": mistake<Named & { readonly field: string }>(
    ({ name, field }) => `The input "${name}" has two types: its own and that of the field ${field}.`,
    "Leave the column `Type` empty, or leave the column `Field` empty and set the field with `- Set`.",
  ),
  "endpoints/separator-of-single": mistake<{ readonly type: string }>(
    ({ type }) => `A separator is not allowed here: this is a ${type}, not a list.`,
    ({ type }) => `Write \`list of ${type}\` as its type.`,
  ),

  // ── Conditions ────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-code": unknownErrorCode,
  "endpoints/unknown-input": unknownName("input or field"),
  "endpoints/no-key-input": unknownName(
    "body input",
    undefined,
    (params) => didYouMean(params) ?? `Add a row \`| ${params.name} | body | string |\` to its inputs.`,
  ),
  "endpoints/anyone-and-others": mistake(
    "`anyone` has no effect here: all `Allowed` of an endpoint must hold, and this one needs a credential.",
    "Keep `anyone` or the conditions. For what only some callers may do, write `Fails`.",
  ),
  "endpoints/anyone-beneath-others": mistake(
    "`anyone` has no effect here: the `Allowed` of a path applies to all paths below it, and this one needs a credential.",
    "Move the path's `Allowed` to each of its other endpoints, or remove `anyone` here. For what only some callers may do, write `Fails`.",
  ),
  "endpoints/too-early": mistake<Named>(
    ({ name }) => `\`${name}\` is not allowed here: \`Allowed\` is evaluated before it is read.`,
    "Write `- Fails: <code> when …`, which is evaluated after the inputs are read.",
  ),
  "endpoints/name-taken": nameInUse,

  ...listCodes,

  // ── Responses ─────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-shape": unknownName(
    "shape or resource",
    undefined,
    (params) => didYouMean(params) ?? "Add the shape, or write an expression in backticks.",
  ),
  "endpoints/unknown-page": unknownName<
    UnknownName & { readonly recordShape?: { readonly of: string; readonly isListed: boolean } }
  >(
    "page shape",
    undefined,
    (params) =>
      (params.recordShape &&
        `Write \`${params.recordShape.isListed ? "list of " : ""}${params.name}\`: it is already a shape of ${params.recordShape.of}.`) ??
      didYouMean(params) ??
      `Add \`### Shape: ${params.name}\` with a \`cel\` block such as \`{"data": page.items, "next": page.next}\`.`,
  ),
  "endpoints/page-of-what": mistake<Named & { readonly resource: string | undefined }>(
    ({ name }) => `${name} is the shape of a page, but the shape of its items is missing.`,
    ({ name, resource }) => `Write \`${name} of ${resource ?? "Parcel"}\`.`,
  ),
  "endpoints/nothing-listed": mistake<{ readonly text: string; readonly endpoint: string }>(
    ({ text, endpoint }) => `"${text}" is not allowed here: ${endpoint} lists nothing.`,
    "Write one shape or an expression in backticks, or let the endpoint `list` a resource.",
  ),
  "endpoints/list-answered-as-one": mistake<Named & { readonly page: string | undefined }>(
    ({ name }) => `The endpoint lists records, but "${name}" is the shape of one record.`,
    ({ name, page }) => `Write \`list of ${name}\`${page === undefined ? "" : ` or \`${page} of ${name}\``}.`,
  ),
  "endpoints/answer-without-body": mistake<{ readonly status: number }>(
    ({ status }) => `A body is not allowed here: a response with status ${status} has none.`,
    ({ status }) => `Write \`${status} nothing\`, or another status.`,
  ),
  "endpoints/no-answer-left": warning(
    "Every response has a condition, so a request that meets none of them has no response.",
    "Add a response without `when` at the end.",
  ),
  "endpoints/framing-header": mistake<Named>(
    ({ name }) => `Header "${name}" is not allowed here: the server sets it for every message.`,
    "Remove this item.",
  ),
  "endpoints/header-not-text": mistake<Named & { readonly type: string }>(
    ({ name, type }) => `Header "${name}" is a ${type}, which can't be written as one text.`,
    "Write an expression that gives a text, a number or a time.",
  ),

  // ── Requests ──────────────────────────────────────────────────────────────────────────────────
  "endpoints/unknown-scheme": unknownName("scheme"),
  "endpoints/unknown-event": unknownEvent,

  "endpoints/set-circle": mistake<{ readonly circle: readonly string[]; readonly resource: string }>(
    ({ circle, resource }) =>
      `Circular values of a new ${resource}: ${circle.map((name) => `\`${name}\``).join(" needs ")}.`,
    "Remove one of the two references. Expressions can read what the client sent from `body`.",
  ),

  // ── Gaps ──────────────────────────────────────────────────────────────────────────────────────
  "endpoints/silent-does": silent("what", "does", "Add `- Does: …`, or `- Does: not shown`."),
  "endpoints/silent-returns": silent(
    "what",
    "returns",
    "Add `- Returns: 200 …`, `- Returns: 204 nothing` or `- Returns: not shown`.",
  ),
  "endpoints/silent-sends": silent("which events", "sends", "Add `- Sends: …`, or `- Sends: not shown`."),
};

/** The path up to the segment with the parameter. */
function pathTo(path: string, parameter: string): string {
  const segments = path.split("/");
  const at = segments.findIndex((segment) => segment.includes(`{${parameter}}`));
  return segments.slice(0, at + 1).join("/");
}
