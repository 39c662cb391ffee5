/**
 * Suggests lines that preserve the meaning of fields: values normalised by their rules, and
 * computed values that become stored.
 */
import type { Question } from "../../../migrate.ts";
import { columnOf, tableOf, type TablesBeforeAndAfter, unknownValue } from "./tables-before-and-after.ts";
import type { StoredRule } from "../rule-changes.ts";

type QuestionOf<A extends Question["kind"]> = Extract<Question, { readonly kind: A }>;

/** `email = lower(old.email)`; empty if no form would help. */
export function lineForForm(
  { table, column, changes }: QuestionOf<"rules">,
  { after }: TablesBeforeAndAfter,
): readonly string[] {
  if (!changes.some(({ kind }) => kind === "normalises")) return [];
  const rules = columnOf(after, table, column)?.rules ?? [];
  const isOwn = rules.every(({ at, rule }) => at === "" || !(rule in forms));
  // Setting a value normalises it: for a deeper part, it is enough to set the field.
  const value = isOwn ? formed(`old.${column}`, rules) : `old.${column}`;
  return [`- For each ${table}: \`${column} = ${value}\``];
}

const forms: Readonly<Partial<Record<StoredRule["rule"], (value: string) => string>>> = {
  trimmed: (value) => `trim(${value})`,
  "lower case": (value) => `lower(${value})`,
  "empty is null": (value) => `${value} == "" ? null : ${value}`,
};

function formed(value: string, rules: readonly StoredRule[]): string {
  const has = (name: StoredRule["rule"]): boolean => rules.some(({ at, rule }) => at === "" && rule === name);
  return (["trimmed", "lower case", "empty is null"] as const)
    .filter(has)
    .reduce((text, name) => forms[name]?.(text) ?? text, value);
}

/** `total = old.price * 2`. Other computed fields that it reads are expanded. */
export function lineForComputed(
  { table, column, text, at }: QuestionOf<"was computed">,
  { before }: TablesBeforeAndAfter,
): string {
  if (at !== undefined) return `- For each ${table}: \`${column} = ${unknownValue}\``;
  const computedTexts = new Map(
    tableOf(before, table)?.computed?.map((computedField) => [computedField.name, computedField.text]),
  );
  return `- For each ${table}: \`${column} = ${ofOld(text, computedTexts, [column])}\``;
}

function ofOld(text: string, computed: ReadonlyMap<string, string>, within: readonly string[]): string {
  return outsideOfTexts(text, (code) =>
    code.replaceAll(/(?<![\w.])this\b(?:\.(\w+))?/g, (found, name?: string) => {
      const inner = name === undefined || within.includes(name) ? undefined : computed.get(name);
      if (inner !== undefined) return `(${ofOld(inner, computed, [...within, name as string])})`;
      return found.replace("this", "old");
    }),
  );
}

/** Replaces text outside quotes. */
export function outsideOfTexts(text: string, change: (code: string) => string): string {
  const pieces = text.split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/);
  return pieces.map((piece, at) => (at % 2 === 0 ? change(piece) : piece)).join("");
}
