/** `llms.txt` (llmstxt.org): what the site is about, and the Markdown of each of its pages. */
import type { Page, Site } from "./site.ts";

/** `resource-Parcel.html` → `resource-Parcel.md`. */
export function markdownPath(path: string): string {
  return path.replace(/\.html$/, ".md");
}

export function llmsText({ model, wire }: Site, pages: readonly Page[]): string {
  const line = ({ path, title, description }: Page) =>
    `- [${title}](${markdownPath(path)})${description === "" ? "" : `: ${oneLine(description)}`}`;
  const isOperations = ({ path }: Page) => /^(?:resource|endpoints)-/.test(path);
  const about = oneLine(model.purpose.purpose ?? "");
  return [
    `# ${model.name}`,
    ...(about === "" ? [] : [`> ${about}`]),
    ...(wire.version ? [`Version ${wire.version.name}.`] : []),
    `## Guide\n\n${pages
      .filter((page) => !isOperations(page))
      .map(line)
      .join("\n")}`,
    ...(pages.some(isOperations)
      ? [`## Resources and endpoints\n\n${pages.filter(isOperations).map(line).join("\n")}`]
      : []),
  ]
    .join("\n\n")
    .concat("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
