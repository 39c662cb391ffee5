/**
 * The layout of a diagram's boxes and arrows, computed by Graphviz: positions only, without style.
 * Boxes and labels have fixed sizes, so that no font is measured and every run gives the same
 * picture.
 */
import type { Viz } from "@viz-js/viz";

export interface DiagramBox {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface DiagramLine {
  readonly from: string;
  readonly to: string;
  /** The size of its label; absent for a line without a label. */
  readonly label?: { readonly width: number; readonly height: number };
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** In pixels, with `y` going down; the spot of a box or label is its centre. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Point>;
  /**
   * One for each line, in the order of the lines: the first point and then three points for each
   * curve.
   */
  readonly lines: readonly {
    readonly points: readonly Point[];
    readonly end?: Point;
    readonly label?: Point;
  }[];
}

export type LayoutDiagram = (
  boxes: readonly DiagramBox[],
  lines: readonly DiagramLine[],
  direction: "down" | "right",
) => Layout | undefined;

/**
 * A picture beyond these limits is unreadable and slow to lay out; the table next to it lists
 * everything.
 */
const boxesMax = 300;
const linesMax = 600;

/**
 * Above this many lines Graphviz gets faster settings: 100 boxes with 300 lines take 0.3 s, instead
 * of 11 s.
 */
const carefulLinesMax = 120;
const hasty = { splines: "line", nslimit: 1, nslimit1: 1, mclimit: 0.2 };

/** Loads Graphviz, which takes some 30 ms; after that, layouts are synchronous. */
export async function loadLayout(): Promise<LayoutDiagram> {
  const { instance } = await import("@viz-js/viz");
  const viz = await instance();
  return (boxes, lines, direction) => {
    if (boxes.length > boxesMax || lines.length > linesMax) return undefined;
    return layoutBy(viz, boxes, lines, direction);
  };
}

const pointsOfInch = 72;

function layoutBy(
  viz: Viz,
  boxes: readonly DiagramBox[],
  lines: readonly DiagramLine[],
  direction: "down" | "right",
): Layout | undefined {
  const result = viz.render(
    {
      directed: true,
      graphAttributes: {
        rankdir: direction === "down" ? "TB" : "LR",
        nodesep: 0.35,
        ranksep: 0.4,
        ...(lines.length > carefulLinesMax ? hasty : {}),
      },
      nodeAttributes: { shape: "box", fixedsize: true, label: "" },
      // The node names are generated, because Graphviz reads some names as ports of a box.
      nodes: boxes.map(({ width, height }, at) => ({
        name: `b${at}`,
        attributes: { width: width / pointsOfInch, height: height / pointsOfInch },
      })),
      edges: lines.map(({ from, to, label }) => ({
        tail: `b${boxes.findIndex((box) => box.id === from)}`,
        head: `b${boxes.findIndex((box) => box.id === to)}`,
        attributes: label ? { label: { html: roomFor(label) } } : {},
      })),
    },
    { format: "json" },
  );
  return result.status === "success" ? readLayout(JSON.parse(result.output), boxes, lines.length) : undefined;
}

function roomFor({ width, height }: { readonly width: number; readonly height: number }): string {
  return `<TABLE BORDER="0" FIXEDSIZE="TRUE" WIDTH="${Math.ceil(width)}" HEIGHT="${Math.ceil(height)}"><TR><TD></TD></TR></TABLE>`;
}

interface Drawn {
  readonly bb: string;
  readonly objects?: readonly { readonly pos: string }[];
  readonly edges?: readonly { readonly pos?: string; readonly lp?: string }[];
}

function readLayout(drawn: Drawn, boxes: readonly DiagramBox[], lines: number): Layout {
  const [, , width = 0, height = 0] = drawn.bb.split(",").map(Number);
  const spot = (text: string): Point => {
    const [x = 0, y = 0] = text.split(",").map(Number);
    return { x: rounded(x), y: rounded(height - y) };
  };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    boxes: new Map(boxes.map((box, at) => [box.id, spot(drawn.objects?.[at]?.pos ?? "0,0")])),
    lines: Array.from({ length: lines }, (_, at) => {
      const { pos = "", lp } = drawn.edges?.[at] ?? {};
      const pieces = pos.split(" ").filter((piece) => piece !== "");
      const end = pieces.find((piece) => piece.startsWith("e,"));
      return {
        points: pieces.filter((piece) => !/^[es],/.test(piece)).map(spot),
        ...(end === undefined ? {} : { end: spot(end.slice(2)) }),
        ...(lp === undefined ? {} : { label: spot(lp) }),
      };
    }),
  };
}

/** Rounds to a tenth of a pixel, which is finer than a screen shows. */
function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}
