/** Records by `Given` lines, as seeds and scenarios have them: what is asked for, and what is wrong with it, with its place. */
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import type { GivenRead } from "../../../model/read-given.ts";
import type { Model } from "../../../model/model.ts";
import { nearest } from "../../../support/nearest.ts";
import type { GivenStep } from "../../given.ts";
import { SandboxRefusal } from "../refusal.ts";
import type { Space } from "../space.ts";
import { badRequest, type Fields } from "./call.ts";

/** The steps of a body's `markdown` or `scenario`; those that the sandbox began with where it has neither. @throws SandboxRefusal */
export function seedOf(body: Fields, space: Space, standard: readonly GivenStep[]): readonly GivenStep[] {
  const { markdown, scenario } = body;
  if (markdown !== undefined && scenario !== undefined)
    throw badRequest('A seed is either "markdown" or the name of a "scenario", not both.');
  if (typeof scenario === "string") return beginningOf(space.service.model, scenario);
  if (typeof markdown === "string") return stepsOf(space.readGiven("seed", markdown));
  if (standard.length === 0)
    throw badRequest(
      'The sandbox was started without a seed. Send one: {"markdown": "- Given: …"} or {"scenario": "its name"}.',
    );
  return standard;
}

/** What a scenario begins with: its `Given` lines up to its first request. @throws SandboxRefusal */
export function beginningOf(model: Model, name: string): readonly GivenStep[] {
  const scenario = model.scenarios.find((one) => one.name === name);
  if (!scenario) {
    const names = model.scenarios.map((one) => one.name);
    const meant = nearest(name, names);
    throw new SandboxRefusal(
      404,
      "No such scenario",
      `The document has no scenario "${name}". ${meant === undefined ? `It has ${names.length === 0 ? "none" : names.map((one) => `"${one}"`).join(", ")}.` : `Did you mean "${meant}"?`}`,
    );
  }
  const end = scenario.steps.findIndex((step) => step.kind !== "given");
  return (end === -1 ? scenario.steps : scenario.steps.slice(0, end)) as readonly GivenStep[];
}

/** The steps of `given`: `Shop with name = "Ada" as ada`, one or several. @throws SandboxRefusal */
export function recordsOf(body: Fields, space: Space): readonly GivenStep[] {
  const { given } = body;
  const texts = typeof given === "string" ? [given] : ((given ?? []) as readonly string[]);
  if (texts.length === 0)
    throw badRequest('"given" says which records: {"given": "Shop with name = \\"Ada\\" as ada"}.');
  const lines = texts.map((text) => itemStart + text.replace(/\s*\n\s*/g, " "));
  return stepsOf(space.readGiven("given", lines.join("\n")), itemStart.length);
}

const itemStart = "- Given: ";

/** @param before characters that stand in front of what was sent, in every line */
function stepsOf({ steps, diagnostics }: GivenRead, before = 0): readonly GivenStep[] {
  const errors = diagnostics.filter((one) => one.severity === "error");
  const [first] = errors;
  if (first)
    throw new SandboxRefusal(
      422,
      "The records can't be read",
      `Line ${first.position.start.line}: ${first.message}`,
      { more: { errors: errors.map((error) => tellError(error, before)) } },
    );
  if (steps.length === 0) throw badRequest("There is no `- Given:` line in it.");
  return steps;
}

function tellError({ position, message, hint }: Diagnostic, before: number) {
  return {
    line: position.start.line,
    column: Math.max(1, position.start.column - before),
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
