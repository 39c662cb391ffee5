/**
 * Fields that are unique together, which part 4 needs from a resource's section and the symbol
 * table doesn't have.
 */
import { splitOutside, unquote } from "../../../../source/phrase.ts";
import { itemsOf, keyText } from "../../../../syntax/read.ts";
import type { BuildContext } from "../../any-part/context.ts";

/** `- Unique: repository, name`: the sets of fields that are unique together. */
export function jointlyUnique(resource: string, ctx: BuildContext): readonly (readonly string[])[] {
  const sections = ctx.document.parts.resources?.sections ?? [];
  const section = sections.find((section) => unquote(section.heading).text === resource);
  return itemsOf(section?.body ?? [])
    .filter((item) => keyText(item.key) === "unique")
    .map((item) => splitOutside(unquote(item.value), ",").map((piece) => unquote(piece).text));
}
