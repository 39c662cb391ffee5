/** Scenario insertion: the document with an additional scenario, before the author pastes it. */
import { createReporter } from "../diagnostics/diagnostic.ts";
import { createSource } from "../source/source.ts";
import { parseMarkdown } from "../syntax/markdown.ts";

export interface Inserted {
  readonly text: string;
  /** The first and last line of the inserted scenario. */
  readonly first: number;
  readonly last: number;
}

/** Inserts a scenario at the end of part 1. Undefined if the document has no part 1. */
export function insertScenario(file: string, text: string, markdown: string): Inserted | undefined {
  const source = createSource(file, text);
  const { purpose, ...otherParts } = parseMarkdown(source, createReporter(source)).parts;
  if (!purpose) return undefined;
  const lines = text.split("\n");
  const following = Object.values(otherParts)
    .map(({ position }) => position.start.line)
    .filter((line) => line > purpose.position.start.line);
  const at = Math.min(lines.length, ...following.map((line) => line - 1));
  const added = markdown.replace(/\r\n/g, "\n").trim().split("\n");
  const before = lines.slice(0, at);
  while (before.length > 0 && before.at(-1)?.trim() === "") before.pop();
  return {
    text: [...before, "", ...added, "", ...lines.slice(at)].join("\n"),
    first: before.length + 2,
    last: before.length + 1 + added.length,
  };
}
