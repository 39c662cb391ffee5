/** The output of `test --mutate`: the changes of rules that no scenario detects, by line. */
import type { Paint } from "../../diagnostics/formats/paint.ts";
import type { MutationResult } from "../../explore/scenarios/mutate-scenarios.ts";

export function mutationsText(file: string, results: readonly MutationResult[], paint: Paint): string {
  const unnoticed = results
    .filter(({ noticedBy }) => noticedBy === undefined)
    .map(({ mutation }) => mutation)
    .toSorted((left, right) => left.line - right.line);
  const lines = unnoticed.map(({ line, name }) => `  ${paint("note", `${file}:${line}`)} ${name}`);
  const noticed = results.length - unnoticed.length;
  return [
    "",
    `${noticed} of ${results.length} broken rules are noticed by a scenario.`,
    ...(lines.length > 0 ? ["Not noticed:", ...lines] : []),
    "",
  ].join("\n");
}

/** The mutations as JSON. */
export function mutationsJson(results: readonly MutationResult[]): readonly object[] {
  return results.map(({ mutation: { name, line }, noticedBy }) => ({
    name,
    line,
    noticedBy: noticedBy ?? null,
  }));
}
