/**
 * Path headings, `### /repos/{owner}/{repo}`, and their items: parsed but not bound, because each
 * endpoint binds them in its own scope.
 */
import { type Phrase, positionIn, unquote } from "../../../../source/phrase.ts";
import type { Position } from "../../../../source/source.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { hasNotShown, isNone, proseOf } from "../../../../syntax/read.ts";
import type { DeclaredResource } from "../../declarations.ts";
import type { Gap, PathTemplate } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { mayBeNone, type PathItem, pathItemsOf } from "../items.ts";
import type { PathSection } from "./sections.ts";

export interface ReadPath {
  readonly path: PathTemplate;
  readonly heading: Phrase;
  readonly is: DeclaredResource | undefined;
  readonly isPosition: Position | undefined;
  readonly prose: string;
  /** The expressions of `Where`. */
  readonly where: readonly Phrase[];
  items(key: PathItem): readonly ItemNode[];
  /** The gap of something that all endpoints below need. */
  readonly gap?: Gap;
}

export function readPath(section: PathSection, ctx: BuildContext): ReadPath {
  const items = pathItemsOf(section.section.body, ctx);
  const open = [...items].flatMap(([key, all]) =>
    all.filter((item) => hasNotShown(item.value)).map((item) => ({ key, item })),
  );
  const stated = (key: PathItem): readonly ItemNode[] =>
    (items.get(key) ?? []).filter(
      (item) => !hasNotShown(item.value) && (mayBeNone(key) || !isNone(item.value)),
    );
  const gaps = open.map(({ key, item }) => ({
    key,
    gap: ctx.ledger.gap(
      "endpoints",
      "path shapes",
      `"${item.key.text}" of the path ${section.path.text}`,
      positionIn(item.value),
    ),
  }));
  const blocking = gaps.find(({ key }) => key !== "fails" && key !== "header");
  const is = stated("is")[0];
  const where = stated("where");
  if (!is && where[0] && !open.some(({ key }) => key === "is")) {
    ctx.reporter.report("endpoints/where-without-is", positionIn(where[0].key), { path: section.path.text });
  }
  return {
    path: section.path,
    heading: section.heading,
    is: is && readIs(is, ctx),
    isPosition: is && positionIn(is.value),
    prose: proseOf(section.section.body),
    where: where.map((item) => unquote(item.value)),
    items: stated,
    ...(blocking ? { gap: blocking.gap } : {}),
  };
}

function readIs(item: ItemNode, { declarations, reporter }: BuildContext): DeclaredResource | undefined {
  const name = unquote(item.value);
  const resource = declarations.resources.get(name.text);
  if (!resource) {
    const known = [...declarations.resources.values()]
      .filter((resource) => !resource.isValue)
      .map((resource) => resource.name);
    reporter.report("endpoints/unknown-resource", positionIn(name), {
      name: name.text,
      ...nearestHint(name.text, known),
    });
    return undefined;
  }
  if (!resource.isValue) return resource;
  reporter.report("endpoints/value-resource", positionIn(name), { name: name.text });
  return undefined;
}
