/**
 * Part 7, errors: error responses. `declareErrors` gives the codes; `buildErrors` reads the payload
 * shape and the rows, and reports.
 */
import type { Expression } from "../../../expressions/node.ts";
import { pieceReads } from "../../../expressions/analysis/reads.ts";
import { withFixed } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { positionIn, unquote } from "../../../source/phrase.ts";
import { lineText, type Position, positionOf, type Source } from "../../../source/source.ts";
import { nearest } from "../../../support/nearest.ts";
import type { FenceNode, ItemNode, TableNode } from "../../../syntax/nodes.ts";
import { isNone, isNotShown, keyText } from "../../../syntax/read.ts";
import { statementsOf } from "../../../syntax/statement.ts";
import type { ErrorRow, ErrorsPart, HeaderItem } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import type { DeclaredNames } from "../declare.ts";
import { codeOf, readErrorMediaType, readErrorRow } from "./error-rows.ts";
import { readNamedHeader } from "../any-part/named-header.ts";
import { templateScope } from "../scopes/error-scope.ts";
import { mentionsMember } from "../any-part/mentions.ts";
import {
  errorColumns,
  errorType,
  errorMemberName,
  isErrorTable,
  defaultErrorFields,
} from "../scopes/error-type.ts";
import { partBlocks, unreadFence } from "../any-part/part-blocks.ts";
import { createPartReader, type PartReader, suggestion } from "../any-part/part-reader.ts";
import { type AllEndpoints, typesOfAllInputs } from "../endpoints/inputs/combined-inputs.ts";

/**
 * The codes, each with the position of its first row, and whether the document states that there
 * are none. Reports nothing.
 */
export function declareErrors(context: BuildContext): Pick<DeclaredNames, "errorCodes" | "codesAreNone"> {
  const codes = new Map<string, Position>();
  for (const table of errorTables(context)) {
    for (const row of table.rows) {
      const code = codeOf(table, row);
      if (code && !codes.has(code.text)) codes.set(code.text, positionIn(code));
    }
  }
  const part = context.document.parts.errors;
  const answers = part ? statementsOf(part) : [];
  const codesAreNone = answers.some(({ item, answer }) => item === "error codes" && answer === "none");
  return { errorCodes: codes, codesAreNone };
}

function errorTables(context: BuildContext): TableNode[] {
  return partBlocks(context.document, "errors").tables.filter((table) => isErrorTable(table.columns));
}

/** Builds part 7 of the model. */
export function buildErrors(context: BuildContext, all: AllEndpoints): ErrorsPart {
  const sent = typesOfAllInputs(all);
  const reader = { ...createPartReader(context, "errors"), all };
  const blocks = partBlocks(context.document, "errors");
  let payload: Payload = { payloadStated: false };
  let mediaType: string | undefined;
  const headers: HeaderItem[] = [];
  const scope = templateScope(context, sent, undefined);
  reader.items(blocks.items, [
    wholeItem(reader, "Error codes", "`none`, or a table with the column `Code`"),
    wholeItem(reader, "Status codes", "`none`, or a table with the column `Status`"),
    {
      key: "Payload shape",
      under: "payload shape",
      expected: payloadForms,
      fenced: true,
      read(item) {
        payload = readPayloadItem(reader, item);
      },
    },
    {
      key: "Media type",
      under: "payload shape",
      expected: "a media type, `application/xml`",
      read(item) {
        mediaType = readErrorMediaType(reader, unquote(item.value));
      },
    },
    {
      key: "Header",
      under: "payload shape",
      expected: headerForms,
      several: true,
      read(item) {
        const header = readNamedHeader(reader, item, scope, headerForms);
        if (header) headers.push(header);
      },
    },
  ]);
  for (const group of blocks.groups) {
    if (!unreadFence(group)) continue;
    const params = { heading: group.heading.text.trim(), expected: "`### Shape: <name>`" };
    context.reporter.report("errors/unknown-heading", positionIn(group.heading), params);
  }
  const rows = errorTables(context).flatMap((table) =>
    table.rows.map((row) =>
      reader.about("error codes", "this error", () => readErrorRow(reader, sent, table, row)),
    ),
  );
  reportColumns(reader, blocks.tables, [payload, rows]);
  noteAnswers(reader, rows);
  reader.answers.flush();
  return { ...payload, ...(mediaType === undefined ? {} : { mediaType }), headers, rows };
}

function wholeItem(reader: PartReader<"errors">, key: "Error codes" | "Status codes", expected: string) {
  const name = key === "Error codes" ? "error codes" : "status codes";
  return {
    key,
    expected,
    read(item: ItemNode) {
      if (isNone(item.value)) reader.context.ledger.none(name, item.position);
      else if (isNotShown(item.value)) reader.context.ledger.notShown(name, item.position);
      else reader.unreadable(item.value, expected);
    },
  };
}

interface Payload {
  readonly payload?: Expression;
  readonly empty?: true;
  readonly payloadStated: boolean;
}

const payloadForms = "`problem details`, `nothing`, or a `cel` block after the item";

const headerForms = '`WWW-Authenticate: error.status == 401 ? "Bearer" : null`';

function readPayloadItem(reader: PartReader<"errors">, item: ItemNode): Payload {
  const { ledger, reporter } = reader.context;
  if (!item.fence) {
    if (isNone(item.value)) {
      ledger.none("payload shape", item.position);
      return { payloadStated: false };
    }
    if (isNotShown(item.value)) {
      ledger.notShown("payload shape", item.position);
      return { payloadStated: false };
    }
  }
  reader.answers.stated("payload shape", item.position);
  const words = keyText(unquote(item.value));
  if (words === "problem details") return { payloadStated: true };
  if (words === "nothing") return { payloadStated: true, empty: true };
  if (item.fence && item.fence.language !== "cel") {
    const params = { text: item.fence.language, expected: "the block as a `cel` block" };
    reporter.report("errors/unreadable", firstLine(reporter.source, item.fence), params);
    return { payloadStated: true };
  }
  const payload = bindPayload(reader, item);
  return { payloadStated: true, ...(payload ? { payload } : {}) };
}

/** The line that opens a block. */
function firstLine(source: Source, { position: { start } }: FenceNode): Position {
  return positionOf(
    source,
    start.offset,
    start.offset + lineText(source, start.line).length - start.column + 1,
  );
}

function bindPayload(reader: PartReader<"errors">, item: ItemNode): Expression | undefined {
  const { declarations, document } = reader.context;
  const phrase = item.fence ? item.fence.content : unquote(item.value);
  const shape = declarations.shapes.get(phrase.text.trim());
  if (shape && shape.of === undefined) {
    return {
      text: shape.name,
      position: positionIn(phrase),
      node: { op: "shape", shape: shape.name, type: types.any },
    };
  }
  if (!item.fence && !item.value.text.trim().startsWith("`")) return reader.unreadable(phrase, payloadForms);
  return reader.expression(phrase, withFixed(declarations.baseScope, { error: errorType(document) }));
}

/**
 * The table may have any further column, as a field of `error`. A column that nearly has the name
 * of a built-in column, and that nothing in the part reads, is a slip. One with the name of a
 * default field can't be distinguished from it.
 */
function reportColumns(
  reader: PartReader<"errors">,
  tables: readonly TableNode[],
  pieces: readonly unknown[],
): void {
  const { declarations, reporter } = reader.context;
  const bodies = [...declarations.shapes.values()].flatMap(({ body }) => (body ? [body.text] : []));
  const isRead = (member: string) =>
    pieceReads(pieces, { name: "error", member }) ||
    bodies.some((body) => mentionsMember(body, "error", member));
  for (const table of tables) {
    if (!isErrorTable(table.columns)) {
      const [first] = table.columns;
      if (first) reporter.report("errors/other-table", positionIn(first), { column: "Status" });
      continue;
    }
    for (const heading of table.columns) {
      const name = errorMemberName(heading);
      if (name === undefined) continue;
      if (defaultErrorFields.includes(name)) {
        reporter.report("errors/taken-column", positionIn(heading), { column: heading.text.trim(), name });
      } else if (
        isStatus(heading.text) &&
        !table.columns.some((column) => keyText(column) === "status") &&
        !isRead(name)
      ) {
        const known = { ...suggestion(heading.text.trim(), ["Status"]), instead: "`Status`" };
        reporter.report("errors/unknown-column", positionIn(heading), known);
      } else if (nearest(name, errorColumns) !== undefined && !isRead(name)) {
        const known = errorColumns.map((column) => column.slice(0, 1).toUpperCase() + column.slice(1));
        reporter.report("errors/unknown-column", positionIn(heading), suggestion(heading.text.trim(), known));
      }
    }
  }
}

/** Whether a column has another usual name of the status. */
function isStatus(heading: string): boolean {
  return /^http(?:[ _-]?(?:status|code))?$|^status[ _-]?code$/i.test(heading.trim());
}

function noteAnswers(reader: PartReader<"errors">, rows: readonly ErrorRow[]): void {
  const coded = rows.find((row) => row.code !== undefined);
  const withStatus = rows.find((row) => row.status !== undefined);
  if (coded) reader.answers.stated("error codes", coded.position);
  if (withStatus) reader.answers.stated("status codes", withStatus.position);
}
