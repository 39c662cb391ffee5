/**
 * Tables of inputs, `| Input | In | Type | Rules | Where | Field |`: recognises them and parses
 * their rows before names are resolved. Other tables of an endpoint are description.
 */
import { columnInOurWords } from "../../any-part/synonyms.ts";
import { type Phrase, positionIn, slice, unquote } from "../../../../source/phrase.ts";
import type { Position } from "../../../../source/source.ts";
import { nearest } from "../../../../support/nearest.ts";
import type { Block, RowNode, TableNode } from "../../../../syntax/nodes.ts";
import { cellOf, isEmpty, isNotShown, keyText, tablesOf } from "../../../../syntax/read.ts";
import type { Gap, Input } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { type Dotted, dotted } from "../../../../support/dotted.ts";

export interface InputRow {
  readonly name: Dotted;
  readonly in: Input["in"];
  readonly phrase: Phrase;
  /** The names between the dots. */
  readonly type: Phrase | undefined;
  readonly rules: Phrase | undefined;
  readonly where: Phrase | undefined;
  readonly field: Phrase | undefined;
  readonly position: Position;
}

const columns = ["input", "in", "type", "rules", "where", "field"] as const;
/** Columns that are description. */
const wordColumns = ["meaning", "description", "example", "notes"];
const locations = ["path", "query", "header", "body"] as const;

/** Reads all rows under an endpoint's heading. */
export function readInputRows(
  blocks: readonly Block[],
  ctx: BuildContext,
): { readonly rows: readonly InputRow[]; readonly openRow: Gap | undefined } {
  const found = tablesOf(blocks).flatMap((table) =>
    isInputTable(table, ctx) ? table.rows.map((row) => readRow(table, row, ctx)) : [],
  );
  return {
    rows: found.flatMap((found) => (found && "name" in found ? found : [])),
    openRow: found.flatMap((found) => (found && "subject" in found ? found : []))[0],
  };
}

function isInputTable(table: TableNode, { reporter }: BuildContext): boolean {
  const names = table.columns.map(keyText);
  const known = names.filter((name) => (columns as readonly string[]).includes(name));
  const first = table.columns[0];
  if (!first || known.length === 0) return false;
  if (!names.includes("input")) {
    // One common column may be a coincidence. With two, this table was meant.
    if (known.length > 1)
      reporter.report("endpoints/no-input-column", positionIn(first), { name: first.text });
    return false;
  }
  for (const column of table.columns) {
    const name = keyText(column);
    if ((columns as readonly string[]).includes(name) || wordColumns.includes(name) || name === "") continue;
    const titled = columns.map((column) => column.slice(0, 1).toUpperCase() + column.slice(1));
    reporter.report("endpoints/unknown-column", positionIn(column), {
      name: column.text,
      ...nearestHint(column.text, titled),
      instead: columnInOurWords(column.text, titled),
    });
  }
  return true;
}

function readRow(table: TableNode, row: RowNode, ctx: BuildContext): InputRow | Gap | undefined {
  const cell = (name: (typeof columns)[number]): Phrase | undefined => {
    const found = cellOf(table, row, name);
    return found && !isEmpty(found) ? unquote(found) : undefined;
  };
  const phrase = cell("input");
  if (!phrase) {
    ctx.reporter.report("endpoints/unreadable", row.position, { text: "", expected: "the name of an input" });
    return undefined;
  }
  if (isNotShown(phrase))
    return ctx.ledger.gap("endpoints", "payload shapes", "an input", positionIn(phrase));
  const where = cell("in");
  if (where && isNotShown(where)) {
    const subject = `the place of the input ${phrase.text}`;
    return ctx.ledger.gap("endpoints", "payload shapes", subject, positionIn(where));
  }
  const location = readLocation(where, phrase, ctx);
  const name = location && readName(phrase, location, ctx);
  if (!name) return undefined;
  // The Rules cell keeps its backticks, which separate expressions from other text.
  const rules = cellOf(table, row, "rules");
  return {
    name,
    in: location,
    phrase,
    type: cell("type"),
    rules: rules && !isEmpty(rules) ? rules : undefined,
    where: cell("where"),
    field: cell("field"),
    position: positionIn(phrase),
  };
}

function readLocation(
  cell: Phrase | undefined,
  input: Phrase,
  { reporter }: BuildContext,
): Input["in"] | undefined {
  if (!cell) {
    reporter.report("endpoints/no-place", positionIn(input), { name: input.text });
    return undefined;
  }
  const text = keyText(cell);
  const location = locations.find((location) => location === text);
  if (location) return location;
  reporter.report("endpoints/unknown-word", positionIn(cell), {
    text: cell.text,
    what: "place of an input",
    nearest: nearest(text, locations),
    known: locations,
  });
  return undefined;
}

/** Maximum length of an input's name in characters. The other maximum is the number of names between its dots. */
const nameLengthMax = 128;
const namePartsMax = 8;

function readName(phrase: Phrase, location: Input["in"], { reporter }: BuildContext): Dotted | undefined {
  const { text } = phrase;
  const parts: Dotted = location === "header" || location === "path" ? [text] : dotted(text);
  const readable =
    text.length <= nameLengthMax &&
    parts.length <= namePartsMax &&
    parts.every((part) => part !== "" && !/[\s,`"[\]{}?]/.test(part));
  if (readable) return parts;
  const optional = text.endsWith("?");
  const expected = optional
    ? `\`${text.slice(0, -1)}\`: an input without the rule \`required\` is optional`
    : "a name, or names with dots between them";
  const bad = optional ? slice(phrase, text.length - 1) : phrase;
  reporter.report("endpoints/unreadable", positionIn(bad), { text: bad.text, expected });
  return undefined;
}
