/**
 * Functions of the handler module for expressions (notation, "Handlers"). They receive plain data,
 * and the engine checks their results against the declared type. Expressions call them during an
 * evaluation, so they return synchronously and read nothing. A null argument gives null, as in the
 * notation's own functions.
 */
import type { Frame, Value } from "../../expressions/value.ts";
import { expressionType } from "../../fields/type.ts";
import type { HandlerFunction } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { NotShown, Problem } from "../problem.ts";
import { HandlerMistake } from "../handler-module.ts";
import { readConditionTree } from "./condition-tree.ts";
import { plainReader, plainWriter, toJson } from "./plain.ts";
import { bareObject } from "../../support/bare-object.ts";
import { stackOf } from "../../support/failure.ts";
import { planMasking, withoutSecretsOf } from "../secrets/masking.ts";

type Functions = Readonly<Record<string, (...args: readonly Value[]) => Value>>;

/** @param frame creates a frame for writing computed parts of values */
export function planFunctions(context: PlanContext, frame: () => Frame): Functions {
  const planned = (context.model.endpointsPart.functions ?? []).map(
    (declared) => [declared.name, planFunction(context, declared, frame)] as const,
  );
  return Object.assign(bareObject(), Object.fromEntries(planned)) as Functions;
}

function planFunction(
  context: PlanContext,
  declared: HandlerFunction,
  frame: () => Frame,
): Functions[string] {
  const { name, position } = declared;
  const writers = declared.arguments.map(({ type }) => plainWriter(context, expressionType(type)));
  const read = planResult(context, declared);
  const found = context.handlers?.functions?.[name] as ((...args: unknown[]) => unknown) | undefined;
  return (...args) => {
    if (!found)
      throw new NotShown({
        part: "endpoints",
        item: "payload shapes",
        subject: `the function \`${name}\``,
        position,
        ofModule: { under: "functions", isThere: context.handlers !== undefined },
      });
    if (writers.some((_write, at) => args[at] === null || args[at] === undefined)) return null;
    try {
      const plain = writers.map((write, at) => write(args[at] ?? null, frame()));
      const answer = found(...plain);
      if (answer instanceof Promise) {
        answer.catch(() => {});
        throw new HandlerMistake("it returned a promise; functions must return a value");
      }
      return read(answer);
    } catch (error) {
      context.ports.log.error(
        {
          function: name,
          line: position.start.line,
          // The arguments may be secret, so the log masks all of them.
          error: withoutSecretsOf(planMasking(context.model).of(null), stackOf(error), { secret: args }),
        },
        "a function of the handlers' module failed",
      );
      throw new Problem({ condition: "internal", problem: "failed" }, { because: position });
    }
  };
}

/** Reads what a function returned. A condition is a value only for the `Where` that calls the function. */
function planResult(context: PlanContext, { name, returns }: HandlerFunction): (answer: unknown) => Value {
  if (returns.kind === "condition")
    return (answer) => (answer === null ? null : (readConditionTree(answer) as Value));
  const read = plainReader(context, returns);
  return (answer) =>
    read(
      toJson(answer ?? null, () => undefined),
      `the result of ${name}`,
    );
}
