/**
 * Type of `error` in expressions (3.7): its default fields and the further columns of part 7.
 * Shapes of part 7 see it too.
 */
import { type Type, types } from "../../../expressions/type.ts";
import type { Phrase } from "../../../source/phrase.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import type { DocumentNode } from "../../../syntax/nodes.ts";
import { keyText } from "../../../syntax/read.ts";
import { partBlocks } from "../any-part/part-blocks.ts";

/** The columns of part 7 that have a meaning in the notation. */
export const errorColumns = ["code", "status", "when", "field", "message", "payload", "media type"] as const;

const problemType: Type = {
  kind: "object",
  fields: {
    code: types.string,
    resource: types.string,
    field: types.string,
    input: types.string,
    pointer: types.string,
    rule: types.string,
    value: types.any,
    message: types.string,
  },
};

const defaultFields: Readonly<Record<string, Type>> = {
  code: types.string,
  status: types.integer,
  message: types.string,
  field: types.string,
  resource: types.string,
  reference: types.string,
  problem: types.string,
  value: types.any,
  parameter: types.string,
  input: types.string,
  pointer: types.string,
  rule: types.string,
  transition: types.string,
  allowed: { kind: "list", of: types.string },
  // The name or the bound of a limit: a text or a number.
  limit: types.any,
  retry_after: types.integer,
  problems: { kind: "list", of: problemType },
  fields: { kind: "map", of: { kind: "list", of: types.string } },
};

/** `error` without additional columns. */
export const defaultErrorType: Type = { kind: "object", fields: defaultFields };

/** The fields that `error` always has. */
export const defaultErrorFields: readonly string[] = Object.keys(defaultFields);

/**
 * The type of `error` in this document: the default fields, and a text for each further column of
 * part 7's tables.
 */
export const errorType = memoizeBy((document: DocumentNode): Type => {
  const further: Record<string, Type> = {};
  for (const table of partBlocks(document, "errors").tables.filter((table) => isErrorTable(table.columns))) {
    for (const heading of table.columns) {
      const name = errorMemberName(heading);
      if (name !== undefined && !Object.hasOwn(defaultFields, name)) further[name] = types.string;
    }
  }
  return { kind: "object", fields: { ...defaultFields, ...further } };
});

/** Whether a table of part 7 has errors: it has one of these columns. Other tables are description. */
export function isErrorTable(columns: readonly Phrase[]): boolean {
  return columns.some((column) => ["code", "status", "when"].includes(keyText(column)));
}

/**
 * The name of a further column in `error`: `Type` → `type`, `docUrl` → `docUrl`, `Doc URL` →
 * `doc_url`. Undefined for built-in columns, and for texts that can't be names.
 */
export function errorMemberName(heading: Phrase): string | undefined {
  const text = heading.text.replaceAll("`", "").trim();
  if (text === "" || (errorColumns as readonly string[]).includes(keyText(heading))) return undefined;
  const words = text.split(/[^A-Za-z0-9_]+/).filter((word) => word !== "");
  if (!/^[A-Za-z]/.test(words[0] ?? "")) return undefined;
  if (words.length === 1)
    return (words[0] as string).slice(0, 1).toLowerCase() + (words[0] as string).slice(1);
  return words.join("_").toLowerCase();
}
