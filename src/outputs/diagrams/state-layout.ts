/**
 * Layout of a state diagram: the position of each box, arrow and label as plain data. The renderer
 * decides the style.
 */
import { nonNull } from "../../support/non-null.ts";
import type { DiagramLine, LayoutDiagram, Point } from "./layout.ts";
import { arrowLabel } from "./mermaid.ts";
import type { StateArrow, StateGraph, StateNode } from "./state-graph.ts";
import { textWidth } from "./svg.ts";

export interface PlacedBox extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PlacedState extends StateNode, PlacedBox {}

/** The line of a label: one transition between two states. */
export interface PlacedLabel extends Point {
  readonly arrow: StateArrow;
  readonly text: string;
  /** The width of the whole label. */
  readonly width: number;
}

export interface PlacedLine {
  /** The first point, and then three points for each curve. */
  readonly points: readonly Point[];
  /** The position of its head. */
  readonly end?: Point;
  /**
   * All transitions from one state to another share an arrow; an arrow from the source of new
   * records has no labels.
   */
  readonly labels: readonly PlacedLabel[];
}

/** In pixels, with `y` going down; the position of a box or label is its centre. */
export interface StateLayout {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly lines: readonly PlacedLine[];
  /** The source of new records, if their initial states are known. */
  readonly begin?: Point;
  /** Represents any state, for a transition from any state to one. */
  readonly any?: PlacedBox;
}

/** The space that boxes and labels need besides their names. */
export interface Room {
  readonly stateHeight: number;
  readonly stateWidthMin: number;
  /** Padding after each label. */
  readonly behindLabel: number;
}

const plainRoom: Room = { stateHeight: 32, stateWidthMin: 0, behindLabel: 0 };

export const anyStateName = "any state";
const fontPx = 13;
const labelFontPx = 12;
const labelHeight = 18;
const beginning = "begin";
const anywhere = "any";

/** Undefined if the diagram would be too large to read. */
export function layStates(
  graph: StateGraph,
  lay: LayoutDiagram,
  room: Room = plainRoom,
): StateLayout | undefined {
  const isFromAny = graph.arrows.some((arrow) => arrow.from === undefined && arrow.to !== undefined);
  const { stateHeight: height } = room;
  const widthOf = (name: string) => Math.max(room.stateWidthMin, Math.ceil(textWidth(name, fontPx)) + 28);
  const boxes = [
    ...graph.states.map(({ name }) => ({ id: stateId(name), width: widthOf(name), height })),
    ...(graph.states.some((state) => state.initial) ? [{ id: beginning, width: 14, height: 14 }] : []),
    ...(isFromAny ? [{ id: anywhere, width: widthOf(anyStateName), height }] : []),
  ];
  const bundles = bundlesOf(graph, room);
  const layout = lay(boxes, bundles, "down");
  if (!layout) return undefined;
  const spotOf = (id: string) => nonNull(layout.boxes.get(id));
  return {
    width: layout.width,
    height: layout.height,
    states: graph.states.map((state) => ({
      ...state,
      ...spotOf(stateId(state.name)),
      width: widthOf(state.name),
      height,
    })),
    lines: bundles.map(({ arrows }, at) => {
      const { points = [], end, label } = layout.lines[at] ?? {};
      return { points, ...(end ? { end } : {}), labels: label ? labelsOf(arrows, label, room) : [] };
    }),
    ...(layout.boxes.has(beginning) ? { begin: spotOf(beginning) } : {}),
    ...(isFromAny ? { any: { ...spotOf(anywhere), width: widthOf(anyStateName), height } } : {}),
  };
}

function stateId(name: string): string {
  return `state ${name}`;
}

/**
 * All transitions from one state to another, which share an arrow; each has its own line in the
 * label.
 */
interface Bundle extends DiagramLine {
  readonly arrows: readonly StateArrow[];
}

function bundlesOf(graph: StateGraph, room: Room): readonly Bundle[] {
  const bundles = new Map<string, StateArrow[]>();
  // A transition that keeps any state would be a loop at each state; only the table lists it.
  for (const arrow of graph.arrows.filter((stateArrow) => stateArrow.to !== undefined)) {
    const key = JSON.stringify([arrow.from ?? null, arrow.to]);
    bundles.set(key, [...(bundles.get(key) ?? []), arrow]);
  }
  const beginnings = graph.states
    .filter((state) => state.initial)
    .map(({ name }) => ({ from: beginning, to: stateId(name), arrows: [] }));
  const between = [...bundles.values()].map((arrows) => {
    const { from, to } = nonNull(arrows[0]);
    return {
      from: from === undefined ? anywhere : stateId(from),
      to: stateId(to as string),
      arrows,
      label: { width: labelWidth(arrows, room), height: arrows.length * labelHeight + 2 },
    };
  });
  return [...beginnings, ...between];
}

function labelWidth(arrows: readonly StateArrow[], { behindLabel }: Room): number {
  return Math.max(...arrows.map((arrow) => textWidth(arrowLabel(arrow), labelFontPx))) + 12 + behindLabel;
}

function labelsOf(arrows: readonly StateArrow[], middle: Point, room: Room): readonly PlacedLabel[] {
  const width = labelWidth(arrows, room);
  return arrows.map((arrow, at) => ({
    arrow,
    text: arrowLabel(arrow),
    width,
    x: middle.x,
    y: middle.y + (at - (arrows.length - 1) / 2) * labelHeight,
  }));
}
