/**
 * Coverage as text: the covered share of each part, then each rule with an outcome that no scenario
 * has reached, at its line.
 */
import type { Paint } from "../../diagnostics/formats/paint.ts";
import type { CoverageReport, CoveredPart, CoveredRule } from "../../scenarios/coverage/report.ts";

export function coverageText(file: string, report: CoverageReport, paint: Paint): string {
  const width = Math.max(...report.parts.map(({ title }) => title.length), 0);
  const lines = report.parts.map(
    (part) => `  ${part.title.padEnd(width)}  ${share(part)}  ${part.met} of ${part.of}`,
  );
  const unmet = report.parts.flatMap(({ rules }) =>
    rules.filter(isUnmet).map((rule) => {
      const uncovered = rule.sides.filter(({ by }) => by.length === 0).map(({ side }) => `not ${side}`);
      return `  ${paint("note", `${file}:${rule.line}`)} ${rule.subject}: ${paint("warning", uncovered.join(", "))}`;
    }),
  );
  const whole = `${paint("bold", "Coverage")}  ${share(report).trim()}: ${report.met} of ${report.of} sides of the document's rules were met`;
  return `\n${[whole, ...lines, ...(unmet.length > 0 ? ["", ...unmet] : [])].join("\n")}\n`;
}

function isUnmet({ sides }: CoveredRule): boolean {
  return sides.some(({ by }) => by.length === 0);
}

/** Rounded down, so that 100 % means all. */
function share({ met, of }: Pick<CoveredPart, "met" | "of">): string {
  return `${of === 0 ? 100 : Math.floor((100 * met) / of)} %`.padStart(5);
}
