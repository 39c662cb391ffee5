/**
 * Code lenses: a scenario can be run, an endpoint tried, and its last requests listed, from the
 * editor.
 */
import type { CodeLens } from "vscode-languageserver";
import type { Position } from "../../source/source.ts";
import { type Analysis, rangeOf } from "../analysis.ts";

/** Runs one scenario of an open document. Its arguments are the URI and the name. */
export const runScenarioCommand = "ninefold.runScenario";
/**
 * Sends the request of a scenario to an endpoint of an open document. Its arguments are the URI,
 * method and path.
 */
export const tryEndpointCommand = "ninefold.tryEndpoint";
/** Lists the last requests of a running service. Its argument is the endpoint's heading. */
export const lastRequestsCommand = "ninefold.lastRequests";

export function lensesOf(
  analysis: Analysis,
  { isServed }: { readonly isServed: boolean },
): readonly CodeLens[] {
  const { uri, compilation } = analysis;
  const lens = (position: Position, title: string, command: string, args: readonly string[]): CodeLens => ({
    range: rangeOf(analysis, position),
    command: { title, command, arguments: [...args] },
  });
  const { scenarios = [], endpoints = [] } = compilation.model ?? {};
  return [
    ...scenarios.map(({ name, position }) =>
      lens(position, "Run this scenario", runScenarioCommand, [uri, name]),
    ),
    ...endpoints.flatMap(({ method, path, position }) => [
      lens(position, "Try this endpoint", tryEndpointCommand, [uri, method, path.text]),
      ...(isServed
        ? [lens(position, "Show its last requests", lastRequestsCommand, [`${method} ${path.text}`])]
        : []),
    ]),
  ];
}
