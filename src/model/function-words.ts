/** What expressions know of a function of the handlers' module: the types of its arguments and its result. */
import type { HandlerFunctionWords } from "../expressions/scope.ts";
import { types } from "../expressions/type.ts";
import { expressionType } from "../fields/type.ts";
import type { HandlerFunction } from "./model.ts";

export function wordsOfFunction({ arguments: args, returns }: HandlerFunction): HandlerFunctionWords {
  const given = args.map(({ type }) => expressionType(type));
  if (returns.kind === "condition") return { arguments: given, returns: types.any, isCondition: true };
  return { arguments: given, returns: expressionType(returns) };
}
