/**
 * Side-by-side diff of expected and actual text, line by line. JSON is compared by its structure,
 * so equal keys are paired regardless of their order. The result is plain data; the terminal and
 * the page choose the display.
 */
import type { Json } from "../support/json.ts";
import { quotePlaceholders } from "./template.ts";

export interface SideRow {
  /** Null if the expected side has no such line. */
  readonly expected: string | null;
  readonly actual: string | null;
  /** `more`: received but not expected. */
  readonly verdict: "same" | "differs" | "more";
}

/** The maximum number of displayed lines, and of characters in a line. */
const rowsMax = 300;
const lineLengthMax = 200;

/** @param differing the paths of the differences, as `matchJson` reports them */
export function sideBySide(
  expected: string,
  actual: string,
  differing: Iterable<string>,
): readonly SideRow[] {
  const [pattern, json] = [jsonOf(quotePlaceholders(expected)), jsonOf(actual)];
  const rows: SideRow[] = [];
  if (pattern === undefined || json === undefined) return textRows(expected, actual);
  walk({ rows, differing: new Set(differing) }, pattern, json, { path: "", depth: 0, label: "" });
  return rows.length > rowsMax
    ? [...rows.slice(0, rowsMax), { expected: "…", actual: "…", verdict: "same" }]
    : rows;
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Texts that aren't JSON are paired line by line. */
function textRows(expected: string, actual: string): readonly SideRow[] {
  const [left, right] = [expected, actual].map((text) => text.split("\n").slice(0, rowsMax).map(cut));
  return Array.from({ length: Math.max(left?.length ?? 0, right?.length ?? 0) }, (_, at): SideRow => {
    const [leftAnswer, rightAnswer] = [left?.[at] ?? null, right?.[at] ?? null];
    return {
      expected: leftAnswer,
      actual: rightAnswer,
      verdict: leftAnswer === rightAnswer ? "same" : "differs",
    };
  });
}

interface Walk {
  readonly rows: SideRow[];
  readonly differing: ReadonlySet<string>;
}

interface Place {
  readonly path: string;
  readonly depth: number;
  /** The label `"id": `, or an empty text in a list. */
  readonly label: string;
  /**
   * Whether the value is an element of a list. A list has exactly the expected elements; an object
   * may have more keys.
   */
  readonly isElement?: boolean;
}

function walk(to: Walk, expected: Json | undefined, actual: Json | undefined, at: Place): void {
  const [left, right] = [membersOf(expected), membersOf(actual)];
  const isList = Array.isArray(expected) || (expected === undefined && Array.isArray(actual));
  const isSameKind = left && right && Array.isArray(expected) === Array.isArray(actual);
  if (!isSameKind) {
    leaf(to, expected, actual, at);
    return;
  }
  const indent = "  ".repeat(at.depth);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const same = (text: string): SideRow => ({ expected: text, actual: text, verdict: "same" });
  to.rows.push(same(`${indent}${at.label}${open}`));
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    if (to.rows.length > rowsMax) return;
    const path = isList ? `${at.path}[${key}]` : at.path === "" ? key : `${at.path}.${key}`;
    const label = isList ? "" : `${JSON.stringify(key)}: `;
    walk(to, left.get(key), right.get(key), { path, depth: at.depth + 1, label, isElement: isList });
  }
  to.rows.push(same(`${indent}${close}`));
}

function leaf(to: Walk, expected: Json | undefined, actual: Json | undefined, at: Place): void {
  const line = (json: Json | undefined) =>
    json === undefined ? null : cut(`${"  ".repeat(at.depth)}${at.label}${JSON.stringify(json)}`);
  const isMore = expected === undefined && !at.isElement;
  const differs =
    expected === undefined ||
    (at.isElement && actual === undefined) ||
    [...to.differing].some((path) => path === at.path || path.startsWith(`${at.path}.`));
  to.rows.push({
    expected: line(expected),
    actual: line(actual),
    verdict: isMore ? "more" : differs ? "differs" : "same",
  });
}

/** The keys of an object, or the indexes of a list; undefined for any other value. */
function membersOf(json: Json | undefined): ReadonlyMap<string, Json> | undefined {
  return typeof json === "object" && json !== null ? new Map(Object.entries(json)) : undefined;
}

function cut(text: string): string {
  return text.length > lineLengthMax ? `${text.slice(0, lineLengthMax)}…` : text;
}
