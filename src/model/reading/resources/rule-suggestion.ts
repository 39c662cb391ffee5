/**
 * Suggestions for unknown rules: the equivalent of what other notations write, such as `max 200`,
 * `mandatory`, `primary key`.
 */
import { ruleList, ruleStarts, type RuleWords } from "../../../fields/rules/index.ts";

const identifierItem = "`- Identifier: …` above the table";

/** Unnecessary rules of other notations. */
const elsewhere: Readonly<Record<string, string>> = {
  optional: "nothing: a field without `required` is optional",
  "primary key": identifierItem,
  "primary-key": identifierItem,
  primary: identifierItem,
  pk: identifierItem,
  identifier: identifierItem,
  id: identifierItem,
  yes: "the rule itself: `required`, `unique` … in the column `Rules`; a cell that says nothing stays empty",
  no: "nothing: a cell without rules stays empty",
  true: "the rule itself: `required`, `unique` … in the column `Rules`; a cell that says nothing stays empty",
  false: "nothing: a cell without rules stays empty",
  "auto increment": "``- Identifier: …, made by `sequence()` `` above the table",
  autoincrement: "``- Identifier: …, made by `sequence()` `` above the table",
  "foreign key": "nothing: a field whose type is a resource refers to a record of it",
  index: "nothing: indexes are created automatically",
  indexed: "nothing: indexes are created automatically",
};

/** The equivalents of other notations' rules. */
export function ruleInOurWords(words: string): string | undefined {
  const suggestions = [elsewhere, ...ruleList.map(({ otherWords }: RuleWords) => otherWords ?? {})].find(
    (phrases) => Object.hasOwn(phrases, words),
  );
  if (suggestions) return suggestions[words];
  const rest = /^(?:must be|has to be|should be|is|are|it is)\s+(.+)$/.exec(words)?.[1];
  if (rest !== undefined) {
    const rule = ruleStarts.find((start) => start === rest);
    return rule === undefined ? ruleInOurWords(rest) : `\`${rule}\``;
  }
  if (/^(?:now|today)(?:\(\))?$/.test(words))
    return "`on create `now``, or `default `now`` where a request may send it";
  return boundInOtherWords(words);
}

/** The equivalent of other notations' bounds: `max 200`, `min length: 3`, `between 1 and 40`, `>= 1`. */
function boundInOtherWords(words: string): string | undefined {
  const between =
    /^(?:between|from)?\s*(-?\d+(?:\.\d+)?)\s*(?:and|to|-|–)\s*(-?\d+(?:\.\d+)?)( characters| letters| items)?$/.exec(
      words,
    );
  if (between) {
    const [, low, high, of = ""] = between;
    const what = of === "" ? "" : of === " items" ? "items " : "length ";
    return `\`${what}${low}..${high}\``;
  }
  const edge = /^(>=|at least|from|<=|at most|up to)\s*(-?\d+(?:\.\d+)?)( characters| letters| items)?$/.exec(
    words,
  );
  if (edge) {
    const [, sign = "", number, of = ""] = edge;
    const what = of === "" ? "" : of === " items" ? "items " : "length ";
    return `\`${what}${[">=", "at least", "from"].includes(sign) ? `${number}..` : `..${number}`}\``;
  }
  const match = /^(max|min|maximum|minimum)[ -]?(length|items|size)?[ :=]*(-?\d+(?:\.\d+)?)$/.exec(words);
  if (!match) return undefined;
  const [, end, of, number] = match;
  const range = (end as string).startsWith("max") ? `..${number}` : `${number}..`;
  return `\`${of === undefined ? "" : of === "items" ? "items " : "length "}${range}\``;
}
