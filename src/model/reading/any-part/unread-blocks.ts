/**
 * Unread blocks: tables, `cel` blocks and items where nothing reads them, such as a table of errors
 * after the heading of a shape, or an expression without the heading of a shape. They would be ignored silently. (`unread-lines.ts` has lines that only look
 * like items; a table or a block in no form of the notation is description.)
 */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { positionIn } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import {
  type Block,
  type DocumentNode,
  type PartName,
  itemsOfParts,
  partNames,
  type Section,
  type TableNode,
} from "../../../syntax/nodes.ts";
import { keyText } from "../../../syntax/read.ts";
import { isShapeHeading } from "./part-blocks.ts";

/** What the readers of a place use or check themselves. */
interface Location {
  readonly tables: "all" | "inputs" | "none";
  /** Number of `cel` blocks, not counting those of items. */
  readonly blocks: number;
  readonly items: boolean;
}

export function reportUnreadBlocks(document: DocumentNode, reporter: Reporter): void {
  judge(document.intro, { tables: "none", blocks: 0, items: true }, reporter);
  for (const part of partNames) {
    const node = document.parts[part];
    if (!node) continue;
    judge(node.body, locationOf(part, undefined), reporter);
    for (const section of node.sections) judge(section.body, locationOf(part, section), reporter);
  }
}

function judge(blocks: readonly Block[], location: Location, reporter: Reporter): void {
  const report = (what: "table" | "block" | "item", position: Position, text: string) =>
    reporter.report("document/unread-block", position, { what, text });
  let expressions = 0;
  for (const block of blocks) {
    if (block.kind === "table") {
      const [first] = block.columns;
      const known = knownTable(block);
      if (first && known !== undefined && !isRead(known, location))
        report("table", positionIn(first), first.text);
    } else if (block.kind === "fence" && block.language === "cel") {
      expressions += 1;
      if (expressions > location.blocks) report("block", block.position, "cel");
    } else if (block.kind === "item" && !location.items)
      report("item", positionIn(block.key), block.key.text);
  }
}

function isRead(table: string, { tables }: Location): boolean {
  return tables === "all" || (tables === "inputs" && (table === "input" || table === "field"));
}

/** The columns of the notation's tables, by the first column. */
const columnsOf: Readonly<Record<string, readonly string[]>> = {
  field: ["type", "rules"],
  transition: ["from", "to", "trigger", "guard", "effect"],
  input: ["in", "type", "rules", "where", "field"],
  event: ["when", "payload", "to", "retries"],
  code: ["status", "when", "message", "payload"],
  limit: ["bound", "applies to"],
  version: ["status", "until", "changes"],
};

/** The first column, if two columns are those of a table of the notation. A single one may be a coincidence. */
function knownTable({ columns }: TableNode): string | undefined {
  const [first, ...others] = columns.map(keyText);
  const known = first === undefined || !Object.hasOwn(columnsOf, first) ? undefined : columnsOf[first];
  return known && others.some((name) => known.includes(name)) ? first : undefined;
}

const nothing: Location = { tables: "none", blocks: 0, items: true };
/** Part readers check the tables, and the blocks under headings that only group. */
const grouped: Location = { tables: "all", blocks: Number.POSITIVE_INFINITY, items: true };

function locationOf(part: PartName, section: Section | undefined): Location {
  const heading = section?.heading.text.trim() ?? "";
  if (section && isShapeHeading(heading)) return { ...nothing, blocks: 1 };
  switch (part) {
    case "resources":
      if (/^records\s+of\s/i.test(heading)) return { ...nothing, tables: "all", items: false };
      // The reader of a computed field uses the first block and reports a second one.
      return heading.includes(".")
        ? { ...grouped, tables: "none", items: false }
        : { ...nothing, tables: "all" };
    case "states":
      return section && !heading.includes(":") ? { ...nothing, tables: "all" } : nothing;
    case "endpoints":
      return !section || /^(?:[a-z]+\s+)?\//i.test(heading) ? { ...nothing, tables: "inputs" } : nothing;
    case "events":
    case "errors":
      return section ? grouped : { ...grouped, blocks: 0 };
    case "limits":
      return { ...grouped, blocks: 0 };
    case "versioning":
      return section ? nothing : { ...grouped, blocks: 0 };
    case "purpose":
      return isRemark(heading) ? { ...nothing, items: false } : nothing;
    case "authentication":
      return nothing;
  }
}

/** Whether a heading of part 1 is neither that of a scenario, of initial records, nor of an item. */
function isRemark(heading: string): boolean {
  const names: readonly string[] = itemsOfParts.purpose;
  return (
    heading !== "" && !/^(?:scenario|given)\s*:/i.test(heading) && !names.includes(heading.toLowerCase())
  );
}
