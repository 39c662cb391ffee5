/**
 * Records from `Given` lines, as in seeds and scenarios: reads the lines, and reports each mistake
 * with its position.
 */
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import type { GivenStep } from "../../../engine/given.ts";
import type { Model } from "../../../model/model.ts";
import type { GivenRead } from "../../../model/reading/read-given.ts";
import { nearest } from "../../../support/nearest.ts";
import type { AdminSpace } from "../../context.ts";
import { badRequest, OperationRefusal, type TextError } from "../routing/refusal.ts";

/**
 * The steps of a sent text, or of the start of a scenario. Without either, they are the seed of an
 * empty store.
 * @throws OperationRefusal
 */
export function seedOf(
  { markdown, scenario }: { readonly markdown?: string; readonly scenario?: string },
  space: AdminSpace,
  standard: readonly GivenStep[],
): readonly GivenStep[] {
  if (markdown !== undefined && scenario !== undefined)
    throw badRequest('Send either "markdown" or "scenario", not both.');
  if (scenario !== undefined) return givenStepsOf(space.service.model, scenario);
  if (markdown !== undefined) return stepsOf(space.readGiven("seed", markdown));
  if (standard.length === 0)
    throw badRequest(
      'The sandbox was started without a seed. Send one: {"markdown": "- Given: …"} or {"scenario": "its name"}.',
    );
  return standard;
}

/** The start of a scenario: its `Given` lines up to its first request. @throws OperationRefusal */
export function givenStepsOf(model: Model, name: string): readonly GivenStep[] {
  const scenario = model.scenarios.find((scenario) => scenario.name === name);
  if (!scenario) {
    const names = model.scenarios.map((scenario) => scenario.name);
    const suggestion = nearest(name, names);
    throw new OperationRefusal(
      404,
      "No such scenario",
      `The document has no scenario "${name.slice(0, 200)}". ${suggestion === undefined ? `It has ${names.length === 0 ? "none" : names.map((name) => `"${name}"`).join(", ")}.` : `Did you mean "${suggestion}"?`}`,
    );
  }
  const end = scenario.steps.findIndex((step) => step.kind !== "given");
  return (end === -1 ? scenario.steps : scenario.steps.slice(0, end)) as readonly GivenStep[];
}

/** Reads one or several texts such as `Shop with name = "Ada" as ada`. @throws OperationRefusal */
export function recordsOf(given: string | readonly string[], space: AdminSpace): readonly GivenStep[] {
  const texts = typeof given === "string" ? [given] : given;
  if (texts.length === 0)
    throw badRequest('"given" must state the records: {"given": "Shop with name = \\"Ada\\" as ada"}.');
  const lines = texts.map((text) => itemStart + text.replace(/\s*\n\s*/g, " "));
  return stepsOf(space.readGiven("given", lines.join("\n")), itemStart.length);
}

/** Reads the text after `with` as one record. @throws OperationRefusal */
export function stepsOfFields(resource: string, written: string, space: AdminSpace): readonly [GivenStep] {
  const start = `${itemStart}${resource} with `;
  const text = start + written.replace(/\s*\n\s*/g, " ");
  return stepsOf(space.readGiven("set", text), start.length) as readonly [GivenStep];
}

const itemStart = "- Given: ";

/** @param before the number of characters on each line before the sent text */
function stepsOf({ steps, diagnostics }: GivenRead, before = 0): readonly GivenStep[] {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const [first] = errors;
  if (first)
    throw new OperationRefusal(
      422,
      "The records can't be read",
      `Line ${first.position.start.line}: ${first.message}`,
      { errors: errors.map((error) => toTextError(error, before)) },
    );
  if (steps.length === 0) throw badRequest("There is no `- Given:` line in it.");
  return steps;
}

function toTextError({ position, message, hint }: Diagnostic, before: number): TextError {
  return {
    line: position.start.line,
    column: Math.max(1, position.start.column - before),
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
