/**
 * SQL fragments with their parameters, and the finished statement.
 *
 * Values of requests are always parameters, never text. The other files of this folder produce the
 * fragments.
 */
import { StatementTooLarge } from "../errors.ts";
import type { Frame } from "../../expressions/value.ts";
import type { Form } from "./form.ts";
import type { SqlValue } from "./sql-value.ts";

/**
 * A parameter, whose value is computed when the statement runs. Parameters with the same key have
 * the same value and form.
 */
export interface Parameter {
  readonly key: string;
  readonly form: Form;
  readonly bind: (frame: Frame) => SqlValue;
}

/** A fragment of SQL: texts and parameters in order, without adjacent texts. */
export interface Sql {
  readonly parts: readonly (string | Parameter)[];
}

/**
 * Builds a fragment from a template. Strings in it are SQL text, so no string may come from a
 * request.
 */
export function sql(texts: TemplateStringsArray, ...values: readonly (Sql | string | number)[]): Sql {
  const parts: (string | Parameter)[] = [];
  for (const [at, text] of texts.entries()) {
    if (text !== "") add(parts, text);
    const value = values[at];
    if (value === undefined) continue;
    if (typeof value === "object") for (const part of value.parts) add(parts, part);
    else add(parts, String(value));
  }
  return { parts };
}

/**
 * Adds a part, and joins adjacent texts. Long statements consist of many small texts, which each
 * enclosing fragment would otherwise copy one by one.
 */
function add(parts: (string | Parameter)[], part: string | Parameter): void {
  const last = parts.length - 1;
  if (typeof part === "string" && typeof parts[last] === "string") parts[last] += part;
  else parts.push(part);
}

/** A fragment of SQL text. It must not contain text of a request. */
export function raw(text: string): Sql {
  return { parts: [text] };
}

/**
 * A fragment with one parameter.
 * @param key equal keys have equal values, and are bound once
 */
export function parameter(key: string, form: Form, bind: Parameter["bind"]): Sql {
  return { parts: [{ key, form, bind }] };
}

/** Joins fragments with a separator. */
export function joined(pieces: readonly Sql[], separator: string): Sql {
  const parts: (string | Parameter)[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) add(parts, separator);
    for (const part of piece.parts) add(parts, part);
  }
  return { parts };
}

/** The text of a fragment without parameters, to compare fragments. */
export function textOf(piece: Sql): string {
  return piece.parts.map((part) => (typeof part === "string" ? part : `{${part.key}}`)).join("");
}

/** Quotes an identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Prefixes that a database reserves for its own tables and indexes, and this store for its own. */
const reservedNames = /^(?:sqlite|ninefold)_/i;

/**
 * The table of a resource. A reserved name gets a prefix that no resource and no other table can
 * have.
 */
export function tableName(resource: string): string {
  return reservedNames.test(resource) ? `resource ${resource}` : resource;
}

/** The quoted table of a resource. */
export function quotedTable(resource: string): string {
  return quoted(tableName(resource));
}

/** Quotes a text. Only for texts of the document. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * The maximum length of a statement in characters, and of its parameters. Above them, a database
 * may reject a statement, or take too long to plan it.
 */
export const statementLengthMax = 256 * 1024;
export const parametersMax = 900;

export interface Statement {
  readonly text: string;
  readonly bind: (frame: Frame) => SqlValue[];
}

/**
 * Finishes a statement. Each parameter is bound once, however often it occurs.
 * @param place writes the n-th parameter, from 1
 */
export function finishStatement(piece: Sql, place: (number: number, form: Form) => string): Statement {
  const numbers = new Map<string, number>();
  const binders: Parameter["bind"][] = [];
  let text = "";
  for (const part of piece.parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    let number = numbers.get(part.key);
    if (number === undefined) {
      binders.push(part.bind);
      number = binders.length;
      numbers.set(part.key, number);
    }
    text += place(number, part.form);
  }
  if (text.length > statementLengthMax || binders.length > parametersMax)
    throw new StatementTooLarge(text.length, binders.length);
  const count = binders.length;
  return {
    text,
    bind(frame) {
      const values: SqlValue[] = new Array(count);
      for (let at = 0; at < count; at += 1) values[at] = (binders[at] as Parameter["bind"])(frame);
      return values;
    },
  };
}
