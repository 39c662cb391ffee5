/** Part 7 as an extension: the format of errors, and the rows with their conditions and messages. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { ErrorRow, ErrorSubject, Template } from "../../model/model.ts";
import type { Wire } from "../wire/wire.ts";

/** `x-ninefold-errors` */
export function errorsExtension(wire: Wire): JsonSchema {
  const { payload, payloadStated, empty, mediaType, headers, rows } = wire.errorsPart;
  return {
    ...(payloadStated ? { payload: payload?.text ?? (empty ? "nothing" : "problem details") } : {}),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(headers.length === 0
      ? {}
      : { headers: headers.map(({ name, value }) => ({ name, value: value.text })) }),
    ...(wire.hasErrorCodes ? {} : { codes: "none" }),
    rows: rows.map((row) => rowOf(wire, row)),
  };
}

function rowOf(wire: Wire, row: ErrorRow): JsonSchema {
  const { code, status, when, field, message, payload, empty, mediaType, further, unread } = row;
  const more = Object.entries(further).map(([name, text]) => [name, templateText(text)]);
  return {
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    when: unread
      ? ["not shown"]
      : when.map(({ condition, of }) => {
          const subjects = of.map((subject) => subjectText(wire, subject)).join(" and ");
          return subjects === "" ? condition : `${condition} of ${subjects}`;
        }),
    ...(field ? { field: templateText(field) } : {}),
    ...(message ? { message: templateText(message) } : {}),
    ...(empty ? { payload: "nothing" } : payload === undefined ? {} : { payload }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(more.length === 0 ? {} : { further: Object.fromEntries(more) }),
  };
}

function templateText(template: Template): string {
  return template.map((piece) => (typeof piece === "string" ? piece : `{${piece.text}}`)).join("");
}

/** What a row is about, as the notation writes it, with the paths and schemes of the file. */
function subjectText({ basePath, security }: Wire, subject: ErrorSubject): string {
  switch (subject.kind) {
    case "resource":
      return subject.resource;
    case "field":
      return `${subject.resource}.${subject.field}`;
    case "input":
      return subject.input;
    case "endpoint":
      return `${subject.method} ${basePath}${subject.path}`;
    case "scheme":
      return `scheme ${security.find(({ name }) => name === subject.scheme)?.key ?? subject.scheme}`;
    case "type":
      return `type ${subject.type}`;
    case "rule":
      return `rule ${subject.rule}`;
    case "transition":
      return subject.resource === undefined
        ? subject.transition
        : `${subject.resource}.${subject.transition}`;
    default:
      return subject.limit;
  }
}
