/** Found story as a tested scenario: it passes while the document behaves as the story shows. */
import { compile } from "../../compile.ts";
import type { HandlerModule } from "../../engine/handler-module.ts";
import type { Model } from "../../model/model.ts";
import { insertScenario } from "../../scenarios/insert-scenario.ts";
import { createLocalTarget } from "../../scenarios/local-target.ts";
import { runScenario } from "../../verify/run-scenario.ts";
import type { FoundStory } from "../findings/finding.ts";
import { type ScenarioParts, scenarioText } from "./scenario-text.ts";

export async function foundStory(
  model: Model,
  handlers: HandlerModule | undefined,
  parts: ScenarioParts,
): Promise<FoundStory> {
  const text = scenarioText(parts);
  const passes = text !== undefined && (await isPassing(model, handlers, text, parts.name));
  return { given: parts.given, steps: parts.steps, scenario: passes ? text : undefined };
}

async function isPassing(
  { file, text }: Model,
  handlers: HandlerModule | undefined,
  scenario: string,
  name: string,
): Promise<boolean> {
  const inserted = insertScenario(file, text, scenario);
  const model = inserted && compile(inserted.text, { file }).model;
  const added = model?.scenarios.find((scenario) => scenario.name === name);
  if (!model || !added) return false;
  const target = await createLocalTarget(model, { printError() {} }, handlers);
  try {
    return (await runScenario(model, added, target, "explored")).outcome === "passed";
  } finally {
    await target.close();
  }
}
