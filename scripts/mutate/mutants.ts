/** Single faults that could stand in a file: an operator turned round, a condition always or never true, a statement left out. */
import { parseSync, Visitor } from "vite";

export interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
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

/** What is left out without the code's form breaking. */
const leftOut: ReadonlySet<string> = new Set([
  "AssignmentExpression",
  "AwaitExpression",
  "CallExpression",
  "UnaryExpression",
  "UpdateExpression",
]);

/** @param file where the text stands; each mutant says so */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const add = ({ start, end }: Span, replacement: string) => found.push({ file, start, end, replacement });
  const textOf = ({ start, end }: Span) => text.slice(start, end);
  const turn = (node: Span & { readonly left: Span; readonly right: Span; readonly operator: string }) => {
    const other = turned[node.operator];
    if (other !== undefined) add(node, `(${textOf(node.left)} ${other} ${textOf(node.right)})`);
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
      if (leftOut.has(node.expression.type)) add(node, "{}");
    },
    ContinueStatement(node) {
      add(node, "{}");
    },
  }).visit(parseSync(file, text).program);
  return found;
}

/** As it is told: place, what stood there, what stands there now. */
export function told({ start, end, replacement }: Mutant, text: string): string {
  const line = text.slice(0, start).split("\n").length;
  const shown = (some: string) => some.replace(/\s+/g, " ").slice(0, 100);
  return `${line}: ${shown(text.slice(start, end))}  →  ${shown(replacement)}`;
}
