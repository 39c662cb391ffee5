/** The functions of `postgrest.md`: PostgREST's filters as conditions. Typed from the document by `ninefold types`. */
import type { Condition, Functions } from "./postgrest.types.ts";

/** A filter that can't be read. */
class Unreadable extends Error {}

const comparisons = { eq: "==", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Columns and keys of a filter in brackets, at commas outside of brackets and quotes: `(a.eq.1,or(b.is.null))`. */
function parts(list: string): string[] {
  if (!list.startsWith("(") || !list.endsWith(")")) throw new Unreadable(list);
  const found: string[] = [];
  let [depth, isQuoted, from] = [0, false, 1];
  for (let at = 1; at < list.length; at += 1) {
    const sign = list[at];
    if (sign === "\\" && isQuoted) at += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === "(" || sign === "{") depth += 1;
    else if ((sign === ")" || sign === "}") && at < list.length - 1) depth -= 1;
    else if ((sign === "," && depth === 0) || at === list.length - 1) {
      found.push(list.slice(from, at));
      from = at + 1;
    }
    if (depth < 0) throw new Unreadable(list);
  }
  if (depth > 0 || isQuoted) throw new Unreadable(list);
  return found;
}

function unquoted(value: string): string {
  return /^".*"$/s.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : value;
}

/** `%`, `*` and `_` as a pattern. */
function patternOf(like: string): string {
  const pieces = [...like.matchAll(/\\(.)|([%*])|(_)|(.)/gs)].map(([, escaped, many, single, plain]) => {
    if (many !== undefined) return ".*";
    return single === undefined ? (escaped ?? plain ?? "").replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&") : ".";
  });
  return `(?s)^${pieces.join("")}$`;
}

/** In SQL, a comparison with null is neither true nor false, so its opposite isn't true. */
function negated(field: string, condition: Condition): Condition {
  return { and: [{ not: condition }, { field, is: "!=", value: null }] };
}

/** `gte.18`, `not.in.(a,b)` and similar, of a column. */
function comparison(field: string, text: string, isNot: boolean): Condition {
  const [, operator = "", value = ""] = /^([a-z]+)\.(.*)$/s.exec(text) ?? [];
  if (operator === "not") return comparison(field, value, !isNot);
  if (operator === "is") return isComparison(field, value, isNot, text);
  if (operator === "neq") return comparison(field, `eq.${value}`, !isNot);
  const condition = positive(field, operator, value);
  if (!condition) throw new Unreadable(text);
  return isNot ? negated(field, condition) : condition;
}

function positive(field: string, operator: string, value: string): Condition | undefined {
  if (Object.hasOwn(comparisons, operator))
    return { field, is: comparisons[operator as keyof typeof comparisons], value };
  switch (operator) {
    case "like":
    case "ilike":
      return { field, is: "matches", value: patternOf(value), ignoreCase: operator === "ilike" };
    case "match":
    case "imatch":
      return { field, is: "matches", value, ignoreCase: operator === "imatch" };
    case "in":
      return { field, is: "in", value: parts(value).map(unquoted) };
    case "cs": {
      const elements = /^\{(.*)\}$/s.exec(value)?.[1];
      if (elements === undefined) return undefined;
      return {
        and: parts(`(${elements})`).map((element) => ({ field, is: "contains", value: unquoted(element) })),
      };
    }
    default:
      return undefined;
  }
}

function isComparison(field: string, value: string, isNot: boolean, text: string): Condition {
  const condition: Condition | undefined = {
    null: { field, is: "==", value: null } as const,
    not_null: { field, is: "!=", value: null } as const,
    true: { field, is: "==", value: true } as const,
    false: { field, is: "==", value: false } as const,
  }[value.toLowerCase()];
  if (!condition) throw new Unreadable(text);
  // `is` knows null, so its opposite is true for it.
  return isNot ? { not: condition } : condition;
}

/** `(a.eq.1,not.or(b.is.null,c.gt.2))`. The opposite of a group is that of its parts. */
function group(operator: "and" | "or", list: string, isNot: boolean): Condition {
  const conditions = parts(list).map((part) => member(part, isNot));
  return (operator === "and") === isNot ? { or: conditions } : { and: conditions };
}

function member(part: string, isNot: boolean): Condition {
  const [, not, operator, list] = /^(not\.)?(and|or)(\(.*\))$/s.exec(part) ?? [];
  if (list !== undefined) return group(operator as "and" | "or", list, isNot !== (not !== undefined));
  const dot = part.indexOf(".");
  if (dot === -1) throw new Unreadable(part);
  const text = part
    .slice(dot + 1)
    .replace(
      /^((?:not\.)?[a-z]+\.)(".*")$/s,
      (_all, start: string, value: string) => start + unquoted(value),
    );
  return comparison(unquoted(part.slice(0, dot)), text, isNot);
}

function filter(key: string, text: string): Condition {
  const [, not, operator] = /^(not\.)?(and|or)$/.exec(key) ?? [];
  return operator === undefined
    ? comparison(key, text, false)
    : group(operator as "and" | "or", text, not !== undefined);
}

export const functions: Functions = {
  filtered(filters) {
    try {
      const sent = Object.entries(filters).flatMap(([key, texts]) =>
        texts.map((text) => [key, text] as const),
      );
      return { and: sent.map(([key, text]) => filter(key, text)) };
    } catch (error) {
      if (error instanceof Unreadable) return { invalid: `is not readable: "${error.message}"` };
      throw error;
    }
  },

  columns: (select) => (select === "*" ? null : select.split(",").map(unquoted)),
};
