/** Breaks lines that are too long: each member of an object gets its own line. */

/** Maximum length of a line, in characters. */
const lineMax = 110;

/** The line unchanged, or broken inside its outermost braces, recursively if still too long. */
export function breakLine(line: string): string {
  const open = line.indexOf("{ ");
  if (line.length <= lineMax || open === -1 || line.trimStart().startsWith("/**")) return line;
  const close = endOf(line, open);
  if (close === -1) return line;
  const indent = line.slice(0, line.length - line.trimStart().length);
  const members = membersOf(line.slice(open + 2, close)).map((member) => breakLine(`${indent}  ${member};`));
  return [line.slice(0, open + 1), ...members, breakLine(`${indent}${line.slice(close)}`)].join("\n");
}

/** The position of the brace that closes the one at `open`. */
function endOf(text: string, open: number): number {
  let depth = 0;
  for (const [at, character] of [...characters(text)].slice(open)) {
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function membersOf(text: string): readonly string[] {
  const members: string[] = [];
  let depth = 0;
  let from = 0;
  for (const [at, character] of characters(text)) {
    if ("{[(".includes(character)) depth += 1;
    if ("}])".includes(character)) depth -= 1;
    if (character === ";" && depth === 0) {
      members.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...members, text.slice(from).trim()].filter((member) => member !== "");
}

/** Each character with its position; characters of string literals are yielded as blanks. */
function* characters(text: string): Generator<readonly [number, string]> {
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quoted && character === "\\") {
      yield [at, " "];
      at += 1;
      yield [at, " "];
      continue;
    }
    if (character === '"') quoted = !quoted;
    yield [at, quoted ? " " : character];
  }
}
