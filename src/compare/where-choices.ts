/** Compares the fields that conditions of requests may name (`Where: any of …`), and the calls that read them. */
import type { Endpoint, WhereChoice } from "../model/model.ts";
import { type Piece, report } from "./aspects.ts";
import type { Differences } from "./difference.ts";
import { sameMeaning } from "./meaning.ts";

export function compareWhereChoices(
  was: Endpoint,
  now: Endpoint,
  piece: Piece,
  differences: Differences,
): void {
  const [old, current] = [was.whereChoices ?? [], now.whereChoices ?? []];
  if (sameMeaning(old, current)) return;
  for (const choice of old) {
    const text = `\`${choice.condition.text}\``;
    const other = findCall(current, choice);
    if (!other) {
      report(differences, piece, "operation-changed", `no longer selects by ${text}`, now.position);
      continue;
    }
    for (const name of namesOnlyIn(choice, other))
      report(differences, piece, "input-narrowed", `no longer takes \`${name}\` in ${text}`, other.position);
    for (const name of namesOnlyIn(other, choice))
      report(differences, piece, "input-widened", `also takes \`${name}\` in ${text} now`, other.position);
  }
  for (const choice of current.filter((choice) => !findCall(old, choice))) {
    const what = `also selects by \`${choice.condition.text}\` now`;
    report(differences, piece, "operation-changed", what, choice.position);
  }
}

function findCall(choices: readonly WhereChoice[], { condition }: WhereChoice): WhereChoice | undefined {
  return choices.find((choice) => sameMeaning(choice.condition, condition));
}

function namesOnlyIn({ of }: WhereChoice, other: WhereChoice): readonly string[] {
  return of.flatMap(({ name }) => (other.of.some((known) => known.name === name) ? [] : [name]));
}
