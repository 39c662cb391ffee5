/**
 * Preview: the document as a page, with its open items first and a diagram for each state machine.
 */
import { loadLayout, type LayoutDiagram } from "../../outputs/diagrams/layout.ts";
import { stateGraph } from "../../outputs/diagrams/state-graph.ts";
import { stateSvg } from "../../outputs/diagrams/state-svg.ts";
import { html } from "../../outputs/docs/html.ts";
import { prose } from "../../outputs/docs/prose.ts";
import { partTitles } from "../../syntax/nodes.ts";
import type { Analysis } from "../analysis.ts";
import { chunksOf, headingForm } from "../chunks.ts";

/** Loaded with the first document that has states. */
let layout: Promise<LayoutDiagram> | undefined;

/**
 * A diagram has only classes. In an editor its colours are those of the text, in light and dark
 * mode.
 */
const style = `<style>
.diagram { max-width: 100%; height: auto; font-family: monospace; }
.diagram text { fill: currentColor; text-anchor: middle; dominant-baseline: central; }
.diagram .name { font-size: 13px; font-weight: 600; }
.diagram .label { font-size: 12px; }
.diagram .box { fill: none; stroke: currentColor; }
.diagram .box.initial { stroke-width: 2; }
.diagram .box.any { stroke-dasharray: 4 3; }
.diagram .begin, .diagram .head { fill: currentColor; }
.diagram .line { fill: none; stroke: currentColor; }
</style>
`;

export interface Preview {
  /** A fragment of HTML with its style, without scripts. */
  readonly html: string;
  readonly gaps: number;
}

export async function previewOf({ source, compilation: { model, ledger } }: Analysis): Promise<Preview> {
  const machines = (model?.resources ?? []).filter(({ states }) => states !== undefined);
  if (machines.length > 0) layout ??= loadLayout();
  const lay = await layout;
  const diagramOf = (section: string): string => {
    const resource = machines.find(({ name }) => name === section);
    const graph = resource && stateGraph(resource);
    if (!graph || !lay) return "";
    return stateSvg(graph, lay, { state: () => undefined, transition: () => undefined }) ?? "";
  };
  const open = ledger.filter(({ answer }) => answer === "silent" || answer === "not shown");
  const gaps = open.map(
    ({ item, answer, part, position }) =>
      html`<li data-line="${position.start.line}">${item} (${partTitles[part]}): ${answer}</li>`,
  );
  const page = chunksOf(source.text).flatMap(({ part, section, text }) => [
    headed(text),
    part === "states" ? diagramOf(section) : "",
  ]);
  const list = gaps.length === 0 ? "" : html`<h2>Open items</h2><ul class="gaps">${gaps}</ul>`.text;
  return { html: style + list + page.join("\n"), gaps: gaps.length };
}

/** The heading of a chunk, and its text. The text is untrusted, so HTML in it stays text. */
function headed(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  const [, marks = "", title = ""] = headingForm.exec(first) ?? [];
  if (marks === "") return prose(text).text;
  const heading = html`${title}`.text;
  return `<h${marks.length}>${heading}</h${marks.length}>\n${prose(rest.join("\n")).text}`;
}
