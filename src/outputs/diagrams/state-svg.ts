/**
 * State diagram as SVG: a box for each state, an arrow for each pair of states with the transitions
 * between them.
 */
import type { LayoutDiagram, Point } from "./layout.ts";
import { anyStateName, layStates, type PlacedBox, type PlacedState } from "./state-layout.ts";
import type { StateGraph } from "./state-graph.ts";
import { boxSvg, type LinkOf, lineSvg, linkTo, svgText, textSvg } from "./svg.ts";

export interface StateLinks {
  readonly state: LinkOf;
  readonly transition: LinkOf;
}

/** Undefined if the diagram would be too large to read. */
export function stateSvg(graph: StateGraph, lay: LayoutDiagram, links: StateLinks): string | undefined {
  const layout = layStates(graph, lay);
  if (!layout) return undefined;
  const { width, height, states, lines, begin, any } = layout;
  const body = [
    ...lines.map((line) => lineSvg(line, "line")),
    ...(begin ? [dotSvg(begin)] : []),
    ...(any ? [boxWithName(any, anyStateName, "box any")] : []),
    ...states.map((state) => linkTo(stateBox(state), links.state(state.name))),
    ...lines.flatMap(({ labels }) =>
      labels.map(({ arrow, text, ...spot }) =>
        linkTo(textSvg(spot, text, "label"), links.transition(arrow.transition)),
      ),
    ),
  ];
  const { resource } = graph;
  return svgText({
    width,
    height,
    body: body.join(""),
    title: `States of ${resource}`,
    id: `states-${resource}`,
  });
}

function stateBox(state: PlacedState): string {
  const { name, initial, final } = state;
  return boxWithName(state, name, `box${initial ? " initial" : ""}${final ? " final" : ""}`);
}

function boxWithName(box: PlacedBox, name: string, shape: string): string {
  return boxSvg(box, box.width, box.height, shape) + textSvg(box, name, "name");
}

function dotSvg({ x, y }: Point): string {
  return `<circle cx="${x}" cy="${y}" r="7" class="begin"/>`;
}
