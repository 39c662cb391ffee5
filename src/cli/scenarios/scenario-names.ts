/** The scenarios that `--only` names; if there are none, those with similar names. */
import type { Scenario } from "../../model/model.ts";
import { nearest } from "../../support/nearest.ts";

/** Maximum number of suggested names. */
const suggestedMax = 3;

export function scenariosMatching(
  scenarios: readonly Scenario[],
  text: string | undefined,
): readonly Scenario[] {
  return text === undefined ? scenarios : scenarios.filter(({ name }) => name.includes(text));
}

/** The message if no name contains the text. */
export function noMatchMessage(scenarios: readonly Scenario[], text: string): string {
  const message = `No scenario has "${text}" in its name.`;
  if (scenarios.length === 0) return `${message} The document has none.`;
  const near = nearNames(
    scenarios.map(({ name }) => name),
    text,
  );
  const list = near.map((name) => `"${name}"`).join(", ");
  return `${message} ${near.length === scenarios.length ? "There is" : "Did you mean"} ${list}${near.length === scenarios.length ? "." : "?"}`;
}

/**
 * The names that share the most words with the text, including misspelt ones; the first names if
 * none shares any.
 */
function nearNames(names: readonly string[], text: string): readonly string[] {
  const wanted = wordsOf(text);
  const rank = (name: string): number => {
    const words = wordsOf(name);
    return wanted.filter((word) => nearest(word, words) !== undefined).length;
  };
  const ranked = names
    .map((name) => ({ name, rank: rank(name) }))
    .toSorted((left, right) => right.rank - left.rank);
  const near = ranked.filter((candidate) => candidate.rank > 0);
  return (near.length > 0 ? near : ranked).slice(0, suggestedMax).map(({ name }) => name);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
}
