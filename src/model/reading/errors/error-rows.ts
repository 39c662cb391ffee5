/**
 * The table of errors (3.7): `| Code | Status | When | Field | Message | Payload | Media type |` and
 * further columns.
 */
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { ItemName, RowNode, TableNode } from "../../../syntax/nodes.ts";
import { cellOf, isEmpty, isNone, isNotShown, keyText } from "../../../syntax/read.ts";
import { isMediaType } from "../../endpoints/media-type.ts";
import type { ErrorRow, ErrorSubject, Gap, Template } from "../../model.ts";
import { type ErrorCase, readCases } from "./error-conditions.ts";
import type { SubjectReader } from "./error-subjects.ts";
import { readTemplate } from "./error-template.ts";
import { templateScope } from "../scopes/error-scope.ts";
import { errorMemberName } from "../scopes/error-type.ts";
import { reportUnknownShape } from "../any-part/part-names.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import type { typesOfAllInputs } from "../endpoints/inputs/combined-inputs.ts";

/** The code of a row. Undefined if the cell is empty, `none` or `not shown`. */
export function codeOf(table: TableNode, row: RowNode): Phrase | undefined {
  const cell = cellOf(table, row, "Code");
  return cell === undefined || isEmpty(cell) || isNone(cell) || isNotShown(cell) ? undefined : unquote(cell);
}

/** The row as gaps name it: by its code, its condition or its status, whichever is stated. */
function subjectOf(code: Phrase | undefined, when: Phrase | undefined, status: Phrase | undefined): string {
  if (code) return `of ${code.text}`;
  const [condition, number] = [when, status].map((cell) =>
    cell === undefined || isEmpty(cell) || isNotShown(cell) ? undefined : cell,
  );
  if (condition) return `of "${keyText(condition)}"`;
  return number ? `of the ${number.text.trim()}` : "of this error";
}

export function readErrorRow(
  reader: SubjectReader,
  sent: ReturnType<typeof typesOfAllInputs>,
  table: TableNode,
  row: RowNode,
): ErrorRow {
  const code = codeOf(table, row);
  const gaps: Gap[] = [];
  const when = cellOf(table, row, "When");
  const subject = subjectOf(code, when, cellOf(table, row, "Status"));
  const open = (item: ItemName, what: string, cell: Phrase) =>
    gaps.push(reader.gap(item, `${what} ${subject}`, positionIn(cell)));
  const given = (column: string, item: ItemName): Phrase | undefined => {
    const cell = cellOf(table, row, column);
    if (cell === undefined || isEmpty(cell)) return undefined;
    if (!isNotShown(cell)) return cell;
    open(item, `the ${column.toLowerCase()}`, cell);
    return undefined;
  };
  if (!code) given("Code", "error codes");
  const cases = readWhen(reader, given("When", "error codes"));
  const status = readStatus(reader, given("Status", "status codes"), row, gaps, subject);
  const scope = templateScope(reader.context, sent, resourceOf(reader, cases));
  const template = (cell: Phrase | undefined): Template | undefined =>
    cell && readTemplate(reader, unquote(cell), scope);
  const field = template(given("Field", "error codes"));
  const message = template(given("Message", "error codes"));
  const payload = readPayloadName(reader, given("Payload", "payload shape"));
  const type = given("Media type", "payload shape");
  const mediaType = type && readErrorMediaType(reader, unquote(type));
  const further: Record<string, Template> = {};
  for (const heading of table.columns) {
    const name = errorMemberName(heading);
    const value = name === undefined ? undefined : template(given(heading.text, "payload shape"));
    if (name !== undefined && value) further[name] = value;
  }
  return {
    ...(code ? { code: code.text } : {}),
    ...(status === undefined ? {} : { status }),
    when: cases,
    ...(field ? { field } : {}),
    ...(message ? { message } : {}),
    ...payload,
    ...(mediaType === undefined ? {} : { mediaType }),
    further,
    position: code ? positionIn(code) : row.position,
    gaps,
    ...(cases.length === 0 && when && !isEmpty(when) && !isNone(when) ? { unread: true } : {}),
  };
}

function readWhen(reader: SubjectReader, cell: Phrase | undefined): ErrorCase[] {
  return cell === undefined || isNone(cell) ? [] : readCases(reader, cell);
}

function readStatus(
  reader: PartReader<"errors">,
  cell: Phrase | undefined,
  row: RowNode,
  gaps: Gap[],
  subject: string,
): number | undefined {
  if (!cell) {
    if (!gaps.some((gap) => gap.item === "status codes")) {
      gaps.push(reader.gap("status codes", `the status ${subject}`, row.position));
    }
    return undefined;
  }
  const text = unquote(cell).text;
  // Some services always respond with 200 and describe the error in the body. 204 and 205 have no body.
  const status = /^(?:[45]\d\d|2(?!0[45])\d\d)$/.test(text) ? Number(text) : undefined;
  if (status !== undefined) return status;
  if (!/^\d+$/.test(text))
    return reader.unreadable(unquote(cell), "a status from 400 to 599, or a 2xx with a body");
  reader.context.reporter.report("errors/no-error-status", positionIn(unquote(cell)), { status: text });
  return undefined;
}

function readPayloadName(
  reader: PartReader<"errors">,
  cell: Phrase | undefined,
): Pick<ErrorRow, "payload" | "payloadAt" | "empty"> {
  if (!cell || isNone(cell)) return {};
  if (keyText(unquote(cell)) === "nothing") return { empty: true, payloadAt: positionIn(cell) };
  const { shapes } = reader.context.declarations;
  const name = unquote(cell);
  const shape = shapes.get(name.text);
  if (shape) return { payload: shape.name, payloadAt: positionIn(name) };
  reportUnknownShape(reader, name, shapes.keys());
  return {};
}

/** The media type of errors, or of a row's. */
export function readErrorMediaType(reader: PartReader<"errors">, value: Phrase): string | undefined {
  if (isMediaType(value.text)) return value.text;
  return reader.unreadable(value, "a media type, `text/html`");
}

/** The resource that a row is about. Undefined if there are several, or any. */
function resourceOf(reader: PartReader<"errors">, when: readonly ErrorCase[]): string | undefined {
  const resources = new Set(
    when.map(({ of }) => of.map((subject) => ownerOf(reader, subject)).find(Boolean)),
  );
  return resources.size === 1 ? [...resources][0] : undefined;
}

/** The resource of the subject, or the only one that has a transition of that name. */
function ownerOf(reader: PartReader<"errors">, of: ErrorSubject): string | undefined {
  if ("resource" in of) return of.resource;
  if (of.kind !== "transition") return undefined;
  const owners = [...reader.context.declarations.resources.values()].filter((resource) =>
    resource.transitions.includes(of.transition),
  );
  return owners.length === 1 ? owners[0]?.name : undefined;
}
