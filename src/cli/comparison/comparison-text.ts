/**
 * Differences between two documents as text for a terminal, as Markdown for a pull request, and as
 * JSON.
 */
import { audienceWords, type Difference, severities } from "../../compare/difference.ts";
import { rules, type Severity } from "../../compare/rules.ts";

/** The compared documents. */
export interface Compared {
  readonly file: string;
  readonly from: string;
  readonly differences: readonly Difference[];
}

const colours: Readonly<Record<Severity, string>> = { breaking: "31", careful: "33", fine: "32" };

/** @param options.quiet omits compatible changes */
export function comparisonText(
  compared: Compared,
  options: { readonly colour: boolean; readonly quiet: boolean },
): string {
  const shown = compared.differences.filter(({ severity }) => !options.quiet || severity !== "fine");
  const blocks = shown.map((difference) => {
    const label = difference.severity.padEnd(8);
    const head = options.colour ? `\u001b[${colours[difference.severity]}m${label}\u001b[0m` : label;
    const lines = [
      `${head}  ${placeOf(compared, difference)}  ${difference.message}`,
      `          ${audienceWords(difference.audience)}`,
    ];
    if (difference.write !== undefined) {
      const [where = "", ...write] = difference.write.split("\n");
      lines.push(`          to keep old callers: ${where}`, ...write.map((line) => `              ${line}`));
    }
    return `${lines.join("\n")}\n`;
  });
  return `${blocks.join("")}${verdictOf(compared)}\n`;
}

/** `2 breaking, 1 careful and 3 fine changes for callers, compared with main:api.md.` */
function verdictOf({ differences, from }: Compared): string {
  if (differences.length === 0) return `Callers of ${from} notice no change.`;
  const counts = severities.map((severity) => `${countOf(differences, severity)} ${severity}`);
  const breaksNone = differences.every(({ severity }) => severity === "fine");
  return `${counts.join(", ")}: changes for callers of ${from}.${breaksNone ? " No new version is needed." : ""}`;
}

/** The command that compares a document with an older one. */
interface Comparison {
  readonly file: string;
  /** The value of `--from`: a store, or `OLD` if no file has the previous document. */
  readonly from: string;
}

/** `2 changes break callers: …`; undefined where callers notice nothing, or only additions. */
export function noticedLine(
  differences: readonly Difference[],
  { file, from }: Comparison,
): string | undefined {
  const [first] = differences;
  const [breaking, careful] = [countOf(differences, "breaking"), countOf(differences, "careful")];
  if (!first || breaking + careful === 0) return undefined;
  const counts = breaking > 0 ? `${breaking} breaking and ${careful} careful` : `${careful} careful`;
  const many = breaking + careful === 1 ? "change" : "changes";
  return `${counts} ${many} for callers, the first: ${first.message} \`ninefold check ${file} --from ${from}\` lists them${from === "OLD" ? "; OLD is the previous document (in git `HEAD:PATH`), or a copy of the store from before" : ""}.`;
}

export function countOf(differences: readonly Difference[], severity: Severity): number {
  return differences.filter((difference) => difference.severity === severity).length;
}

/**
 * `api.md:41:3`, clickable in most terminals; for a removed member, the position in the old
 * document.
 */
function placeOf({ file, from }: Compared, { place }: Difference): string {
  const { line, column } = place.position.start;
  return `${place.in === "old" ? from : file}:${line}:${column}`;
}

/** A comment for a pull request: the summary for a reviewer, with the lines to write folded. */
export function comparisonMarkdown(compared: Compared): string {
  const { differences, file } = compared;
  const title = `### What changes for callers of \`${file}\`\n\n${verdictOf(compared)}\n`;
  if (differences.length === 0) return title;
  const rows = differences.map(
    (difference) =>
      `| ${difference.severity} | ${cell(difference.message)} | ${cell(audienceWords(difference.audience))} | ${cell(placeOf(compared, difference))} |`,
  );
  const writes = [...new Set(differences.flatMap(({ write }) => write ?? []))];
  const details =
    writes.length === 0
      ? ""
      : `\n<details><summary>To keep old callers</summary>\n\n${writes.map((write) => writeBlock(write)).join("\n")}\n</details>\n`;
  return `${title}\n| | Change | Who | Line |\n|---|---|---|---|\n${rows.join("\n")}\n${details}`;
}

function writeBlock(write: string): string {
  const [where = "", ...lines] = write.split("\n");
  return `${where}\n\n\`\`\`markdown\n${lines.join("\n")}\n\`\`\`\n`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

export function comparisonJson(compared: Compared, ok: boolean): string {
  const { file, from, differences } = compared;
  const counts = Object.fromEntries(severities.map((severity) => [severity, countOf(differences, severity)]));
  const listed = differences.map(({ place, audience, ...difference }) => ({
    ...difference,
    title: rules[difference.rule].title,
    file: place.in === "old" ? from : file,
    position: place.position,
    audience: { ...audience, words: audienceWords(audience) },
  }));
  return `${JSON.stringify({ file, from, ok, counts, differences: listed }, null, 2)}\n`;
}
