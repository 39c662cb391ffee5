/** Code lenses: each scenario can be run from the editor. */
import type { CodeLens } from "vscode-languageserver";
import { type Analysis, rangeOf } from "../analysis.ts";

/** The command that runs one scenario of an open document. Its arguments are the URI and the name. */
export const runScenarioCommand = "ninefold.runScenario";

export function lensesOf(analysis: Analysis): readonly CodeLens[] {
  const { uri, compilation } = analysis;
  return (compilation.model?.scenarios ?? []).map((scenario) => ({
    range: rangeOf(analysis, scenario.position),
    command: { title: "Run this scenario", command: runScenarioCommand, arguments: [uri, scenario.name] },
  }));
}
