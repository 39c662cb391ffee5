/** Differences as SARIF 2.1.0, so that code hosts show them at the lines of a pull request. */
import { audienceWords } from "../../compare/difference.ts";
import { type RuleName, rules, type Severity } from "../../compare/rules.ts";
import { sarifLog, sarifLocation } from "../../diagnostics/formats/sarif.ts";
import type { Compared } from "./comparison-text.ts";

const levels: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  breaking: "error",
  careful: "warning",
  fine: "note",
};

/**
 * The position of a removed member is in the old document, which the code host may not have: the
 * result is then at the start of the new document.
 */
export function comparisonSarif({ file, differences }: Compared, version: string): string {
  const used = [...new Set(differences.map(({ rule }) => rule))].sort();
  const ruleOf = (name: RuleName) => ({
    id: `changes/${name}`,
    shortDescription: { text: rules[name].title },
    defaultConfiguration: { level: levels[rules[name].severity] },
  });
  const start = { line: 1, column: 1, offset: 0 };
  const results = differences.map(({ rule, severity, message, audience, place, write }) => ({
    ruleId: `changes/${rule}`,
    ruleIndex: used.indexOf(rule),
    level: levels[severity],
    message: {
      text: `${message} Who notices: ${audienceWords(audience)}.${write === undefined ? "" : ` To keep old callers: ${write}`}`,
    },
    locations: [
      { physicalLocation: sarifLocation(file, place.in === "new" ? place.position : { start, end: start }) },
    ],
  }));
  return sarifLog(version, used.map(ruleOf), results);
}
