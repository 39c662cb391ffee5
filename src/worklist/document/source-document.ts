/**
 * The written document: endpoints and resources with the lines of their items and rows, so that an
 * answer can replace a line. The model has the meaning, and no lines to edit.
 */
import { positionIn } from "../../source/phrase.ts";
import type { Source } from "../../source/source.ts";
import type { DocumentNode, ItemNode, PartNode, RowNode, Section, TableNode } from "../../syntax/nodes.ts";
import { cellOf, isNone, isNotShown, itemsOf, keyText, proseOf, tablesOf } from "../../syntax/read.ts";

export interface SourceInput {
  readonly name: string;
  readonly in: string;
  readonly type: string;
  readonly rules: readonly string[];
  /** Whether its effect isn't shown. */
  readonly isOpen: boolean;
  readonly table: TableNode;
  readonly row: RowNode;
}

export interface SourceEndpoint {
  /** `GET /pets/{id}` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly section: Section;
  readonly does: readonly ItemNode[];
  /** Whether its operation isn't shown. */
  readonly isOpen: boolean;
  readonly returns: readonly ItemNode[];
  readonly fails: readonly ItemNode[];
  /** Names of the item `Body`. */
  readonly body: readonly string[];
  readonly inputs: readonly SourceInput[];
  readonly prose: string;
  /** The comments of an import: `<!-- openapi #/paths/… -->`. */
  readonly comments: string;
}

export interface SourceField {
  readonly name: string;
  readonly type: string;
  readonly rules: readonly string[];
  readonly table: TableNode;
  readonly row: RowNode;
}

export interface SourceResource {
  readonly name: string;
  readonly section: Section;
  readonly identifier: {
    readonly item: ItemNode;
    readonly field: string;
    /** Whether its generation isn't shown. */
    readonly isOpen: boolean;
  };
  readonly fields: readonly SourceField[];
}

/** Part 8, as far as bounds of pages are written to it. */
export interface SourceLimits {
  /** The line of its last item, or else of its heading. */
  readonly lastItem: number;
  /** The line of `- Pagination bounds: not shown`. */
  readonly openBounds: number | undefined;
  /** The line of the last row of its table of limits. */
  readonly lastRow: number | undefined;
  readonly rows: readonly SourceLimit[];
}

export interface SourceLimit {
  readonly limit: string;
  readonly bound: string;
  readonly appliesTo: string;
  readonly table: TableNode;
  readonly row: RowNode;
}

/** A value: its fields have types and rules, and it is stored inside other records. */
export interface SourceValue extends Pick<SourceResource, "name" | "section" | "fields"> {
  readonly item: ItemNode;
}

export interface SourceDocument {
  readonly source: Source;
  readonly parts: DocumentNode["parts"];
  readonly endpoints: readonly SourceEndpoint[];
  readonly resources: readonly SourceResource[];
  readonly values: readonly SourceValue[];
  readonly limits: SourceLimits | undefined;
  /** Whether an import wrote the document, so that its endpoints refer to a description. */
  readonly isImported: boolean;
}

/** Reads the endpoints and resources of a document with their lines. */
export function readSourceDocument({ source, parts, intro }: DocumentNode): SourceDocument {
  return {
    source,
    parts,
    endpoints: (parts.endpoints?.sections ?? []).flatMap((section) => endpointOf(section, source)),
    resources: (parts.resources?.sections ?? []).flatMap(resourceOf),
    values: (parts.resources?.sections ?? []).flatMap(valueFrom),
    limits: parts.limits && limitsOf(parts.limits),
    isImported: /^Imported from \S/m.test(proseOf(intro)),
  };
}

function endpointOf(section: Section, source: Source): readonly SourceEndpoint[] {
  const [, method, path] = /^([A-Z]+) +(\/\S*)$/.exec(section.heading.text.trim()) ?? [];
  if (method === undefined || path === undefined) return [];
  const items = itemsOf(section.body);
  const does = items.filter(({ key }) => keyText(key) === "does");
  return [
    {
      name: `${method} ${path}`,
      method,
      path,
      section,
      does,
      isOpen: does.length === 1 && does.every(({ value }) => isNotShown(value)),
      returns: items.filter(({ key }) => keyText(key) === "returns"),
      fails: items.filter(({ key }) => keyText(key) === "fails"),
      body: items
        .filter(({ key }) => keyText(key) === "body")
        .flatMap(({ value }) => value.text.split(",").map((name) => name.trim().replace("?", ""))),
      inputs: tablesOf(section.body).flatMap(inputsOf),
      prose: proseOf(section.body),
      comments: commentsIn(section, source),
    },
  ];
}

function commentsIn({ position: { start, end } }: Section, { text }: Source): string {
  return (text.slice(start.offset, end.offset).match(/<!-- [\s\S]*? -->/g) ?? []).join("\n");
}

function inputsOf(table: TableNode): readonly SourceInput[] {
  return table.rows.flatMap((row) => {
    const text = (column: string) => cellOf(table, row, column)?.text.trim() ?? "";
    const name = text("input").replaceAll("`", "");
    if (name === "") return [];
    const cells = ["where", "field"].flatMap((column) => cellOf(table, row, column) ?? []);
    const rules = rulesOf(text("rules"));
    return [
      {
        name,
        in: text("in").toLowerCase(),
        type: text("type"),
        rules,
        isOpen: cells.some(isNotShown) || rules.includes("not shown"),
        table,
        row,
      },
    ];
  });
}

function resourceOf(section: Section): readonly SourceResource[] {
  const name = section.heading.text.trim();
  const item = itemsOf(section.body).find(({ key }) => keyText(key) === "identifier");
  const [, field, made] =
    /^`?([A-Za-z_]\w*)`?\s*,\s*(made by .+|given)$/s.exec(item?.value.text.trim() ?? "") ?? [];
  if (!item || field === undefined || !/^[A-Za-z_]\w*$/.test(name)) return [];
  const fields = fieldsOf(section);
  return [{ name, section, identifier: { item, field, isOpen: made === "made by not shown" }, fields }];
}

function valueFrom(section: Section): readonly SourceValue[] {
  const item = itemsOf(section.body).find(({ key }) => keyText(key) === "identifier");
  if (!item || !isNone(item.value)) return [];
  return [{ name: section.heading.text.trim(), section, item, fields: fieldsOf(section) }];
}

function fieldsOf(section: Section): readonly SourceField[] {
  return tablesOf(section.body).flatMap((table) =>
    table.rows.flatMap((row) => {
      const text = (column: string) => cellOf(table, row, column)?.text.trim() ?? "";
      return text("field") === ""
        ? []
        : [{ name: text("field"), type: text("type"), rules: rulesOf(text("rules")), table, row }];
    }),
  );
}

function limitsOf({ heading, body }: PartNode): SourceLimits {
  const items = itemsOf(body);
  const open = items.find(({ key, value }) => keyText(key) === "pagination bounds" && isNotShown(value));
  const table = tablesOf(body).find(
    ({ columns }) => columns.map(keyText).join() === "limit,bound,applies to",
  );
  const last = table?.rows.at(-1);
  return {
    lastItem: items.at(-1)?.position.end.line ?? positionIn(heading).start.line,
    openBounds: open && lineOf(open),
    lastRow: last && lineOf(last),
    rows: (table?.rows ?? []).flatMap((row) => (table ? [limitOf(table, row)] : [])),
  };
}

function limitOf(table: TableNode, row: RowNode): SourceLimit {
  const text = (column: string) => cellOf(table, row, column)?.text.trim() ?? "";
  return { limit: text("limit"), bound: text("bound"), appliesTo: text("applies to"), table, row };
}

/** Rules of a cell, split at commas outside of backticks. */
function rulesOf(text: string): readonly string[] {
  return (text.match(/(?:`[^`]*`|[^,`])+/g) ?? []).map((rule) => rule.trim()).filter((rule) => rule !== "");
}

/** The line of a node, counted from 1. */
export function lineOf({ position }: { readonly position: ItemNode["position"] }): number {
  return position.start.line;
}

/** The line of a section's heading. */
export function headingLine({ heading }: Section): number {
  return positionIn(heading).start.line;
}
