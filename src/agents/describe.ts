/** Descriptions of a document for an agent: an overview, and the text of one section. */
import type { Compilation } from "../compile.ts";
import { nearest } from "../support/nearest.ts";
import { diagnosticLine, errorsOf, ToolRefused } from "./document-file.ts";

/** Maximum number of errors in an overview. */
const errorsMax = 20;

/** An overview with names only, so that it stays short for a large document. */
export function describeDocument(text: string, compilation: Compilation) {
  const { model, ledger } = compilation;
  const open = ledger.filter(({ answer }) => answer === "silent" || answer === "not shown");
  return {
    name: model?.name ?? null,
    lines: text.split("\n").length,
    errors: errorsOf(compilation).slice(0, errorsMax).map(diagnosticLine),
    openItems: open.map(({ item, answer }) => `${item}: ${answer}`),
    resources: model?.resources.map(({ name, fields, states }) => ({
      name,
      fields: fields.map((field) => field.name),
      ...(states ? { states: states.states.map((state) => state.name) } : {}),
    })),
    endpoints: model?.endpoints.map(({ method, path }) => `${method} ${path.text || "/"}`),
    basePath: model?.endpointsPart.basePath.text,
    events: model?.events.events.map(({ name }) => name),
    errorCodes: [...new Set(model?.errors.rows.flatMap(({ code }) => code ?? []))],
    scenarios: model?.scenarios.map(({ name }) => name),
    sections: headingsOf(text).map(({ title }) => title),
  };
}

interface Heading {
  readonly title: string;
  readonly level: number;
  readonly line: number;
}

function headingsOf(text: string): readonly Heading[] {
  let isFenced = false;
  return text.split("\n").flatMap((line, at) => {
    if (/^ {0,3}(?:`{3,}|~{3,})/.test(line)) isFenced = !isFenced;
    const [, marks, title] = isFenced ? [] : (/^(#{1,3}) (.+)$/.exec(line) ?? []);
    return marks === undefined || title === undefined
      ? []
      : [{ title: title.trim(), level: marks.length, line: at }];
  });
}

/** All sections under a heading of this title, with their first lines. @throws ToolRefused */
export function sectionNamed(text: string, title: string): string {
  const lines = text.split("\n");
  const headings = headingsOf(text);
  const wanted = title
    .replace(/^#+\s*/, "")
    .trim()
    .toLowerCase();
  const found = headings.filter((heading) => heading.title.toLowerCase() === wanted);
  if (found.length === 0) {
    const titles = headings.map((heading) => heading.title);
    const near = nearest(wanted, titles);
    throw new ToolRefused(
      `No section is called "${title}". ${near === undefined ? "describe without a section lists all." : `Did you mean "${near}"?`}`,
    );
  }
  return found
    .map(({ level, line }) => {
      const next = headings.find((heading) => heading.line > line && heading.level <= level);
      return `Line ${line + 1}:\n${lines.slice(line, next?.line).join("\n").trimEnd()}`;
    })
    .join("\n\n");
}
