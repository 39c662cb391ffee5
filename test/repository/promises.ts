/** Promises that no code awaits, found by their types in the TypeScript program. */
import { API, type Checker, type Type } from "typescript/unstable/sync";
import { type Identifier, type Node, SyntaxKind } from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isCallExpression,
  isExpressionStatement,
  isIdentifier,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment,
  isVariableDeclaration,
  isVoidExpression,
} from "typescript/unstable/ast/is";
import { relative } from "node:path";
import { pathOf } from "./repository.ts";

const root = pathOf(".");

/**
 * Finds the places in sources where a promise, or a possible one, is created and no code awaits it
 * or handles its rejection. They are an expression statement, an operand of `void`, and a variable
 * of which only `instanceof` or members are read. A rejection there ends the process.
 * @param isWanted selects files by their path from the root
 * @returns `path:line text` of each place
 */
export function unawaitedPromises(isWanted: (path: string) => boolean): readonly string[] {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] });
    return snapshot.getProjects().flatMap(({ program, checker }) => {
      const files = program.getSourceFileNames().filter((name) => isWanted(relative(root, name)));
      return files.flatMap((name) => {
        const file = program.getSourceFile(name);
        if (!file) throw new Error(`the program has no ${name}`);
        const placeOf = (node: Node) =>
          `${relative(root, name)}:${file.text.slice(0, node.getStart(file)).split("\n").length} ${node.getText(file).split("\n")[0]}`;
        return unawaitedIn(file, checker).map(placeOf);
      });
    });
  } finally {
    api.close();
  }
}

function unawaitedIn(file: Node, checker: Checker): readonly Node[] {
  const alone: Node[] = [];
  const declared: Identifier[] = [];
  const named = new Map<string, Identifier[]>();
  const visit = (node: Node): void => {
    if (isExpressionStatement(node)) alone.push(behindVoid(node.expression));
    else if (isVariableDeclaration(node) && isIdentifier(node.name)) declared.push(node.name);
    else if (isIdentifier(node)) named.set(node.text, [...(named.get(node.text) ?? []), node]);
    node.forEachChild((child) => void visit(child));
  };
  visit(file);
  const suspects = [...alone.filter((node) => !takesRejection(node) && !isPassedOn(node)), ...declared];
  const types = checker.getTypeAtLocation(suspects);
  return suspects.filter((node, at) => {
    if (!mayBePromise(types[at])) return false;
    if (!isIdentifier(node) || !declared.includes(node)) return true;
    const symbol = checker.getSymbolAtLocation(node);
    const uses = (named.get(node.text) ?? []).filter(
      (use) => use !== node && symbolOf(use, checker) === symbol,
    );
    return uses.every(isOnlyLookedAt);
  });
}

/** Returns the operand of `void`. */
function behindVoid(node: Node): Node {
  return isVoidExpression(node) ? node.expression : node;
}

/** Whether the promise is assigned, so that other code reads it. */
function isPassedOn(node: Node): boolean {
  return isBinaryExpression(node) && assigning.has(node.operatorToken.kind);
}

const assigning: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsToken,
  SyntaxKind.QuestionQuestionEqualsToken,
]);

/**
 * Whether the expression handles rejections itself: `.catch(…)` or `.then(…, …)`, at the end or
 * before a `.finally(…)`.
 */
function takesRejection(node: Node): boolean {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  if (name.text === "catch" || (name.text === "then" && node.arguments.length === 2)) return true;
  return (name.text === "finally" || name.text === "then") && takesRejection(expression);
}

/** Returns the symbol of a use. In `{ name }` the variable is used, and not the member. */
const symbolOf = (use: Identifier, checker: Checker) =>
  isShorthandPropertyAssignment(use.parent)
    ? checker.getShorthandAssignmentValueSymbol(use.parent)
    : checker.getSymbolAtLocation(use);

const settling = new Set(["then", "catch", "finally"]);

const comparing: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.InstanceOfKeyword,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
]);

/** Whether the use neither awaits the value nor passes it on. */
function isOnlyLookedAt(use: Identifier): boolean {
  const { parent } = use;
  if (isBinaryExpression(parent)) return comparing.has(parent.operatorToken.kind);
  return isPropertyAccessExpression(parent) && parent.expression === use && !settling.has(parent.name.text);
}

function mayBePromise(type: Type | undefined): boolean {
  if (!type) return false;
  if (type.isUnionType()) return type.getTypes().some(mayBePromise);
  return type.getSymbol()?.name === "Promise";
}
