/** The table of functions of the reference, between its two marks. Pure. */
import { functions } from "../src/expressions/functions/index.ts";

const marks = {
  start: "<!-- functions: npm run function-table -->",
  end: "<!-- end of functions -->",
};

/** The page with the current table of functions. */
export function withFunctionTable(page: string): string {
  const start = page.indexOf(marks.start);
  const end = page.indexOf(marks.end);
  if (start < 0 || end < start) throw new Error("docs/notation.md has lost the marks around its functions");
  return `${page.slice(0, start)}${marks.start}\n\n${functionTable()}\n\n${page.slice(end)}`;
}

function functionTable(): string {
  const rows = functions
    .filter((definition) => !definition.internal)
    .map(({ name, form, sentence, example }) => {
      const both = form === "both" ? " *both*" : "";
      return `| \`${name}\`${both} | ${cell(sentence)} | \`${cell(example)}\` |`;
    });
  return ["| Function | Meaning | Example |", "|---|---|---|", ...rows].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
