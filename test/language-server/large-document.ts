/**
 * Large documents: an example whose resources, states and endpoints are repeated under other names.
 */
import { compile } from "../../src/compile.ts";

/** The content of a part, from its heading to the next. */
function partOf(text: string, title: string): string {
  const start = text.indexOf(`\n## ${title}\n`);
  const end = text.indexOf("\n## ", start + 4);
  return text.slice(start + title.length + 5, end === -1 ? text.length : end);
}

const copied = ["Resources and their fields", "States and transitions", "Endpoints"];

/** The document repeated to at least this number of lines. */
export function largeDocument(text: string, lines: number): string {
  const { model } = compile(text, { file: "large.md" });
  const names = [...(model?.resources ?? []), ...(model?.shapes ?? [])].map(({ name }) => name);
  const word = new RegExp(`(?<![\\w.])(?:${names.join("|")})(?=\\b)`, "g");
  let large = text;
  for (let copy = 2; large.split("\n").length < lines; copy += 1) {
    for (const title of copied) {
      const renamed = partOf(text, title)
        // Items of the whole part are stated once.
        .replace(/^[\s\S]*?(?=\n### )/, "")
        .replace(/^(### (?:[A-Z]+ )?)(\/.*)$/gm, `$1/copy${copy}$2`)
        .replace(/^(- Like: [A-Z]+ )\//gm, `$1/copy${copy}/`)
        .replace(word, (name) => `${name}${copy}`);
      const end = large.indexOf("\n## ", large.indexOf(`\n## ${title}\n`) + 4);
      large = `${large.slice(0, end).trimEnd()}\n${renamed}\n${large.slice(end)}`;
    }
  }
  return large;
}
