/**
 * Case mapping as in JavaScript, in plain SQL.
 *
 * PostgreSQL's own `lower` and `upper` depend on a locale and on the server's Unicode version, so
 * one expression could have two meanings. The tables are generated from JavaScript when the
 * functions are created.
 */
import { codePoints } from "./forms.ts";

/** The Unicode planes that contain cased characters or marks. */
const planes = [0, 1, 14];
const planeSize = 0x1_0000;

function* codePointsOfPlanes(): Generator<readonly [code: number, letter: string]> {
  for (const plane of planes) {
    for (let code = plane * planeSize; code < (plane + 1) * planeSize; code += 1) {
      const letter = String.fromCodePoint(code);
      if (letter.isWellFormed()) yield [code, letter];
    }
  }
}

/**
 * Every non-ASCII character that the mapping changes, with its result. The context of a character
 * is ignored.
 */
function changed(inCase: (letter: string) => string): ReadonlyMap<string, string> {
  const caseMap = new Map<string, string>();
  for (const [code, letter] of codePointsOfPlanes()) {
    const mapped = inCase(letter);
    if (code > 0x7f && mapped !== letter) caseMap.set(letter, mapped);
  }
  return caseMap;
}

/**
 * Applies a mapping: `translate` for single characters. Those that map to several characters, which
 * are rare, need `replace`.
 */
function translated(
  caseMap: ReadonlyMap<string, string>,
  ascii: readonly [from: string, to: string],
  value: string,
): string {
  const isOne = ([, to]: readonly [string, string]) => [...to].length === 1;
  const single = [...caseMap].filter(isOne);
  const several = [...caseMap].filter((candidate) => !isOne(candidate));
  const from = ascii[0] + single.map(([letter]) => letter).join("");
  const to = ascii[1] + single.map(([, mapped]) => mapped).join("");
  const all = `translate(${value}, '${from}', '${to}')`;
  const whole = several.reduce((text, [letter, mapped]) => `replace(${text}, '${letter}', '${mapped}')`, all);
  const form = `[${several.map(([letter]) => letter).join("")}]`;
  return `CASE WHEN ${value} ~ '${form}' THEN ${whole} ELSE ${all} END`;
}

/** The code points with a Unicode property, as a set in a regular expression. */
function inBrackets(property: RegExp): string {
  const ranges: [from: number, to: number][] = [];
  for (const [code, letter] of codePointsOfPlanes()) {
    if (!property.test(letter)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const written = (code: number) => `\\U${code.toString(16).padStart(8, "0")}`;
  return `[${ranges.map(([from, to]) => `${written(from)}-${written(to)}`).join("")}]`;
}

/**
 * Lowercases each final sigma to its special form. A sigma is final after a cased character and
 * before none; marks between don't count.
 */
function withLastSigmas(value: string): string {
  const letter = inBrackets(/(?!\p{Case_Ignorable})\p{Cased}/u);
  const mark = inBrackets(/\p{Case_Ignorable}/u);
  return `regexp_replace(${value}, '(?<=${letter}${mark}*)Σ(?!${mark}*${letter})', 'ς', 'g')`;
}

const small = "abcdefghijklmnopqrstuvwxyz";
const capital = small.toUpperCase();
const isAscii = "octet_length(value) = length(value)";
const value = `(value ${codePoints})`;

/** The body of the SQL function that lowercases its parameter `value`. */
export function inLowerCase(): string {
  const caseMap = changed((letter) => letter.toLowerCase());
  const ascii = [capital, small] as const;
  return `SELECT CASE WHEN ${isAscii} THEN lower(value ${codePoints})
    WHEN strpos(value, 'Σ') = 0 THEN ${translated(caseMap, ascii, value)}
    ELSE ${translated(caseMap, ascii, withLastSigmas(value))} END`;
}

/** The body of the SQL function that uppercases its parameter `value`. */
export function inUpperCase(): string {
  const caseMap = changed((letter) => letter.toUpperCase());
  return `SELECT CASE WHEN ${isAscii} THEN upper(value ${codePoints}) ELSE ${translated(caseMap, [small, capital], value)} END`;
}
