/**
 * Proofs in the documents of this folder, below their scenarios:
 *
 *     Proves: `rule: trimmed`, `rule: lower case`
 *     Without: `trimmed, ` → `` → fails
 *
 * `Proves` names phrases of the register. Each `Without` below it is a *mutant*: the document with
 * the first code replaced by the second, or removed if there is no second. The scenario must fail
 * with it, so it does observe the phrase. The text occurs once in the document after its scenarios.
 * `Without, here` changes the scenario's own text instead, `Refused` is a mutant that `check`
 * rejects, and `⏎` means a new line.
 */

export interface Mutant {
  readonly kind: "fails" | "refused";
  readonly within: "document" | "scenario";
  readonly from: string;
  readonly to: string;
  /** From 1. */
  readonly line: number;
}

export interface Proof {
  readonly scenario: string;
  readonly phrases: readonly string[];
  readonly mutants: readonly Mutant[];
  readonly line: number;
}

const kinds: Readonly<Record<string, Pick<Mutant, "kind" | "within">>> = {
  Without: { kind: "fails", within: "document" },
  "Without, here": { kind: "fails", within: "scenario" },
  Refused: { kind: "refused", within: "document" },
  "Refused, here": { kind: "refused", within: "scenario" },
};

const proofLine = /^(Proves|Without(?:, here)?|Refused(?:, here)?): (.+)$/;

/** The proofs of a document, in order. @throws if a line can't be parsed */
export function proofsOf(text: string): readonly Proof[] {
  const proofs: { scenario: string; phrases: string[]; mutants: Mutant[]; line: number }[] = [];
  let scenario = "";
  for (const [at, line] of text.split("\n").entries()) {
    const heading = /^### Scenario: (.+)$/.exec(line);
    if (heading) scenario = heading[1] as string;
    const [, key, rest] = proofLine.exec(line) ?? [];
    if (key === undefined || rest === undefined) continue;
    const codes = codesOf(rest);
    if (codes.length === 0) throw new Error(`line ${at + 1}: nothing in backticks`);
    if (key === "Proves") proofs.push({ scenario, phrases: codes, mutants: [], line: at + 1 });
    else proofs.at(-1)?.mutants.push(mutantOf(key, codes, at + 1));
  }
  return proofs;
}

function mutantOf(key: string, [from, to = "", ...more]: readonly string[], line: number): Mutant {
  if (from === undefined || more.length > 0) throw new Error(`line ${line}: one code, or two`);
  return { ...(kinds[key] as Pick<Mutant, "kind" | "within">), from: breaks(from), to: breaks(to), line };
}

function breaks(text: string): string {
  return text.replaceAll("⏎", "\n");
}

/**
 * The codes of a text, in any number of backticks. One blank at both ends is removed, as in
 * Markdown.
 */
function codesOf(text: string): string[] {
  return [...text.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map((hit) => {
    const code = hit[2] as string;
    return code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "" ? code.slice(1, -1) : code;
  });
}

/** The document changed by a mutant. @throws unless its text occurs exactly once */
export function mutated(text: string, { scenario }: Proof, { from, to, within, line }: Mutant): string {
  const lines = text.split("\n").map((lineText) => (proofLine.test(lineText) ? "" : lineText));
  const plain = lines.join("\n");
  const [start, end] = within === "scenario" ? scenarioPlace(plain, scenario) : documentPlace(plain);
  const place = plain.slice(start, end);
  const times = place.split(from).length - 1;
  if (times !== 1) throw new Error(`line ${line}: \`${from}\` stands ${times} times in the ${within}`);
  return plain.slice(0, start) + place.replace(from, () => to) + plain.slice(end);
}

function documentPlace(text: string): [number, number] {
  return [text.indexOf("\n## Resources and their fields"), text.length];
}

function scenarioPlace(text: string, scenario: string): [number, number] {
  const start = text.indexOf(`\n### Scenario: ${scenario}\n`) + 1;
  const next = /\n##/g;
  next.lastIndex = start + 1;
  return [start, next.exec(text)?.index ?? text.length];
}
