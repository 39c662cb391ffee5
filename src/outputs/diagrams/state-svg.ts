/** The states of a resource as a picture: a box for each state, an arrow for each pair of states with the transitions between them. */
import type { DiagramLine, LayDiagram, Layout, Spot } from "./layout.ts";
import { arrowLabel } from "./mermaid.ts";
import type { StateArrow, StateGraph, StateNode } from "./state-graph.ts";
import { boxSvg, type LinkOf, lineSvg, linked, svgText, textSvg, textWidth } from "./svg.ts";

export interface StateLinks {
  readonly state: LinkOf;
  readonly transition: LinkOf;
}

/** Undefined where it would be too large to be looked at. */
export function stateSvg(graph: StateGraph, lay: LayDiagram, links: StateLinks): string | undefined {
  const anyState = graph.arrows.some((arrow) => arrow.from === undefined && arrow.to !== undefined);
  const boxes = [
    ...graph.states.map(({ name }) => ({ id: stateId(name), width: stateWidth(name), height: stateHeight })),
    ...(graph.states.some((state) => state.initial) ? [{ id: beginning, width: 14, height: 14 }] : []),
    ...(anyState ? [{ id: anywhere, width: stateWidth("any state"), height: stateHeight }] : []),
  ];
  const bundles = bundlesOf(graph);
  const layout = lay(boxes, bundles, "down");
  if (!layout) return undefined;
  const spotOf = (id: string) => layout.boxes.get(id) as Spot;
  const body = [
    ...layout.lines.map((line) => lineSvg(line, "line")),
    ...(layout.boxes.has(beginning) ? [dotSvg(spotOf(beginning))] : []),
    ...(anyState ? [boxWithName(spotOf(anywhere), "any state", "box any")] : []),
    ...graph.states.map((state) =>
      linked(stateBox(state, spotOf(stateId(state.name))), links.state(state.name)),
    ),
    ...bundles.map((bundle, at) => labelsSvg(bundle.arrows, layout.lines[at], links.transition)),
  ];
  const { resource } = graph;
  return svgText({
    ...sizeOf(layout),
    body: body.join(""),
    title: `States of ${resource}`,
    id: `states-${resource}`,
  });
}

function sizeOf({ width, height }: Layout): { readonly width: number; readonly height: number } {
  return { width, height };
}

const fontPx = 13;
const labelFontPx = 12;
const labelHeight = 18;
const stateHeight = 32;
const beginning = "begin";
const anywhere = "any";

function stateId(name: string): string {
  return `state ${name}`;
}

function stateWidth(name: string): number {
  return Math.ceil(textWidth(name, fontPx)) + 28;
}

/** All transitions from one state to another: they share an arrow, and each has a line of its label. */
interface Bundle extends DiagramLine {
  readonly arrows: readonly StateArrow[];
}

function bundlesOf(graph: StateGraph): readonly Bundle[] {
  const bundles = new Map<string, StateArrow[]>();
  // What stays as it is from any state would be a loop at each of them: the table says it once.
  for (const arrow of graph.arrows.filter((one) => one.to !== undefined)) {
    const key = JSON.stringify([arrow.from ?? null, arrow.to]);
    bundles.set(key, [...(bundles.get(key) ?? []), arrow]);
  }
  const beginnings = graph.states
    .filter((state) => state.initial)
    .map(({ name }) => ({ from: beginning, to: stateId(name), arrows: [] }));
  const between = [...bundles.values()].map((arrows) => {
    const { from, to } = arrows[0] as StateArrow;
    const width = Math.max(...arrows.map((arrow) => textWidth(arrowLabel(arrow), labelFontPx)));
    return {
      from: from === undefined ? anywhere : stateId(from),
      to: stateId(to as string),
      arrows,
      label: { width: width + 12, height: arrows.length * labelHeight + 2 },
    };
  });
  return [...beginnings, ...between];
}

function stateBox({ name, initial, final }: StateNode, spot: Spot): string {
  return boxWithName(spot, name, `box${initial ? " initial" : ""}${final ? " final" : ""}`);
}

function boxWithName(spot: Spot, name: string, shape: string): string {
  return boxSvg(spot, stateWidth(name), stateHeight, shape) + textSvg(spot, name, "name");
}

function dotSvg({ x, y }: Spot): string {
  return `<circle cx="${x}" cy="${y}" r="7" class="begin"/>`;
}

function labelsSvg(
  arrows: readonly StateArrow[],
  line: Layout["lines"][number] | undefined,
  linkOf: LinkOf,
): string {
  const middle = line?.label;
  if (!middle) return "";
  return arrows
    .map((arrow, at) => {
      const y = middle.y + (at - (arrows.length - 1) / 2) * labelHeight;
      return linked(textSvg({ x: middle.x, y }, arrowLabel(arrow), "label"), linkOf(arrow.transition));
    })
    .join("");
}
