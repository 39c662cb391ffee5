/** Declared names: the variables, parameters and functions of a source, by its syntax tree. */
import { type ESTree, parseSync, Visitor } from "vite";

export interface DeclaredName {
  readonly name: string;
  /** The line number, from 1. */
  readonly line: number;
}

type Pattern = ESTree.BindingPattern | ESTree.ParamPattern | ESTree.BindingRestElement | null;

/** Returns the variables, parameters and functions that a source declares, without imports. */
export function declaredNames(path: string, text: string): readonly DeclaredName[] {
  const declared: DeclaredName[] = [];
  const add = (...patterns: readonly Pattern[]) => {
    for (const { name, start } of patterns.flatMap(identifiersOf))
      declared.push({ name, line: text.slice(0, start).split("\n").length });
  };
  const addFunction = (node: { readonly id: Pattern; readonly params: readonly Pattern[] }) =>
    add(node.id, ...node.params);
  const addParameters = (node: { readonly params: readonly Pattern[] }) => add(...node.params);
  new Visitor({
    VariableDeclarator: ({ id }) => add(id),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    TSDeclareFunction: addFunction,
    ArrowFunctionExpression: addParameters,
    TSFunctionType: addParameters,
    TSMethodSignature: addParameters,
    CatchClause: ({ param }) => add(param),
  }).visit(parseSync(path, text).program);
  return declared;
}

function identifiersOf(pattern: Pattern): readonly { readonly name: string; readonly start: number }[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern];
    case "AssignmentPattern":
      return identifiersOf(pattern.left);
    case "RestElement":
      return identifiersOf(pattern.argument);
    case "TSParameterProperty":
      return identifiersOf(pattern.parameter);
    case "ArrayPattern":
      return pattern.elements.flatMap(identifiersOf);
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        identifiersOf(property.type === "Property" ? property.value : property),
      );
    default:
      return [];
  }
}
