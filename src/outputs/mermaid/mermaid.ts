/**
 * `ninefold export mermaid`: a Markdown file with the diagrams of a document, which code hosts,
 * wikis and editors render.
 */
import type { LedgerEntry, Model } from "../../model/model.ts";
import { entityGraph } from "../diagrams/entity-graph.ts";
import { entityMermaid, stateMermaid } from "../diagrams/mermaid.ts";
import { stateGraph } from "../diagrams/state-graph.ts";
import type { Output, OutputNote } from "../output.ts";

export const mermaidOutput: Output = {
  name: "mermaid",
  summary: "diagrams of the resources and of their states, as Markdown",
  gives: "file",
  options: [],
  generate: (model) => ({
    files: [{ path: "diagrams.md", text: markdownText(model) }],
    notes: notesOf(model),
  }),
};

function markdownText(model: Model): string {
  const machines = model.resources.flatMap((resource) => stateGraph(resource) ?? []);
  const sections = [
    `# ${oneLine(model.name)}: diagrams`,
    ...openItems(model).map((entry) => `Not shown: ${entry.item} (line ${entry.position.start.line}).`),
    ...(model.resources.length === 0 ? [] : [`## Resources\n\n${fenced(entityMermaid(entityGraph(model)))}`]),
    ...machines.map((graph) => `## States of ${graph.resource}\n\n${fenced(stateMermaid(graph))}`),
  ];
  return `${sections.join("\n\n")}\n`;
}

function fenced(text: string): string {
  return `\`\`\`mermaid\n${text}\`\`\``;
}

/** Escapes a name, which may contain Markdown syntax. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>]/g, "\\$&");
}

const drawn = ["resources", "fields", "states", "transitions"];

function openItems(model: Model): readonly LedgerEntry[] {
  return model.ledger.filter(
    ({ item, answer }) => drawn.includes(item) && (answer === "not shown" || answer === "silent"),
  );
}

function notesOf(model: Model): readonly OutputNote[] {
  return openItems(model).map(({ item, position }) => ({
    message: `The document doesn't show ${item}, so the diagrams don't have them.`,
    position,
  }));
}
