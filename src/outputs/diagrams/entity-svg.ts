/**
 * Entity diagram as SVG: a box for each resource, an arrow along each field that refers to another.
 */
import { nonNull } from "../../support/non-null.ts";
import type { EntityGraph, Relation } from "./entity-graph.ts";
import type { LayoutDiagram } from "./layout.ts";
import { boxSvg, type LinkOf, lineSvg, linkTo, svgText, textSvg, textWidth } from "./svg.ts";

/** Undefined if the diagram would be too large to read. */
export function entitySvg(graph: EntityGraph, lay: LayoutDiagram, linkOf: LinkOf): string | undefined {
  const boxes = graph.entities.map(({ name }) => ({ id: name, width: boxWidth(name), height: boxHeight }));
  const bundles = bundlesOf(graph.relations);
  const layout = lay(
    boxes,
    bundles.map(({ relations }) => {
      const { from, to } = nonNull(relations[0]);
      const width = Math.max(...relations.map((relation) => textWidth(labelOf(relation), labelFontPx)));
      return { from, to, label: { width: width + 12, height: relations.length * labelHeight + 2 } };
    }),
    "down",
  );
  if (!layout) return undefined;
  const body = [
    ...layout.lines.map((line, at) => lineSvg(line, bundles[at]?.embedded ? "line embedded" : "line")),
    ...graph.entities.map(({ name, value }) => {
      const spot = nonNull(layout.boxes.get(name));
      const shape = boxSvg(spot, boxWidth(name), boxHeight, value ? "box value" : "box");
      return linkTo(shape + textSvg(spot, name, "name"), linkOf(name));
    }),
    ...bundles.flatMap(({ relations }, at) => {
      const middle = layout.lines[at]?.label;
      if (!middle) return [];
      return relations.map((relation, row) => {
        const y = middle.y + (row - (relations.length - 1) / 2) * labelHeight;
        return textSvg({ x: middle.x, y }, labelOf(relation), "label");
      });
    }),
  ];
  const { width, height } = layout;
  return svgText({
    width,
    height,
    body: body.join(""),
    title: "Resources and their references",
    id: "entities",
  });
}

const fontPx = 13;
const labelFontPx = 12;
const labelHeight = 18;
const boxHeight = 32;

function boxWidth(name: string): number {
  return Math.ceil(textWidth(name, fontPx)) + 28;
}

/** `shop 0..1`: a record has at most one shop. */
function labelOf({ field, toCount }: Relation): string {
  return `${field} ${toCount}`;
}

/** Fields that lead from one resource to the same other resource share an arrow. */
function bundlesOf(
  relations: readonly Relation[],
): readonly { readonly embedded: boolean; readonly relations: readonly Relation[] }[] {
  const bundles = new Map<string, Relation[]>();
  for (const relation of relations) {
    const key = JSON.stringify([relation.from, relation.to, relation.embedded]);
    bundles.set(key, [...(bundles.get(key) ?? []), relation]);
  }
  return [...bundles.values()].map((bundle) => ({
    embedded: bundle[0]?.embedded ?? false,
    relations: bundle,
  }));
}
