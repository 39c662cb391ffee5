/**
 * Single faults for mutation testing: an operator reversed, a condition always or never true, a
 * statement left out.
 */
import { createHash } from "node:crypto";
import { parseSync, Visitor } from "vite";

export interface Mutant {
  /**
   * A hash of the file's name, the original text and the replacement: it is stable when the file
   * changes elsewhere.
   */
  readonly key: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Whether a statement is left out; otherwise an expression is changed. */
  readonly isStatement: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const turned: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
};

/** Node types that can be left out without a syntax error. */
const leftOut: ReadonlySet<string> = new Set([
  "AssignmentExpression",
  "AwaitExpression",
  "CallExpression",
  "UnaryExpression",
  "UpdateExpression",
]);

/** @param file the file of the text, relative to the repository */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const found: (Span & { readonly replacement: string; readonly isStatement: boolean })[] = [];
  /** Type annotations are removed before anything runs. */
  const types: Span[] = [];
  const add = ({ start, end }: Span, replacement: string) =>
    found.push({ start, end, replacement, isStatement: false });
  const leaveOut = ({ start, end }: Span) => found.push({ start, end, replacement: "{}", isStatement: true });
  const textOf = ({ start, end }: Span) => text.slice(start, end);
  const turn = (node: Span & { readonly left: Span; readonly right: Span; readonly operator: string }) => {
    const opposite = turned[node.operator];
    if (opposite !== undefined) add(node, `(${textOf(node.left)} ${opposite} ${textOf(node.right)})`);
  };
  new Visitor({
    BinaryExpression: turn,
    LogicalExpression(node) {
      if (node.operator === "??") add(node, textOf(node.left));
      else turn(node);
    },
    UnaryExpression(node) {
      if (node.operator === "!") add(node, `(${textOf(node.argument)})`);
    },
    IfStatement(node) {
      add(node.test, "true");
      add(node.test, "false");
    },
    ConditionalExpression(node) {
      add(node.test, `!(${textOf(node.test)})`);
    },
    Literal(node) {
      if (typeof node.value === "boolean") add(node, String(!node.value));
    },
    ExpressionStatement(node) {
      if (leftOut.has(node.expression.type)) leaveOut(node);
    },
    ContinueStatement: leaveOut,
    TSLiteralType(node) {
      types.push(node);
    },
  }).visit(parseSync(file, text).program);
  const times = new Map<string, number>();
  return found
    .filter(({ start }) => !types.some((type) => type.start <= start && start < type.end))
    .map((span) => {
      const words = JSON.stringify([file, textOf(span), span.replacement]);
      const time = times.get(words) ?? 0;
      times.set(words, time + 1);
      return { key: hashOf(`${words}${time}`), file, ...span };
    });
}

/** @returns a short hash of a text */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** The original text and the replacement. */
export function faultOf({ start, end, replacement }: Mutant, text: string): string {
  const shown = (some: string) => some.replace(/\s+/g, " ").slice(0, 100);
  return `${shown(text.slice(start, end))}  →  ${shown(replacement)}`;
}

export function lineOf({ start }: Mutant, text: string): number {
  return text.slice(0, start).split("\n").length;
}
