/** Reads the response to a body that may be a list: `201 Book or list of Book`. */
import type { Expression } from "../../../../expressions/node.ts";
import { type Phrase, positionIn, slice, unquote } from "../../../../source/phrase.ts";
import type { Return } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";

type ListAnswer = Omit<Extract<Return, { kind: "list" }>, "when" | "position">;

/**
 * Reads `list of Book`, or `Book or list of Book`, which has the form of the request.
 *
 * @param list what follows `list of`
 * @param shapeOf the shape of the record of an element
 */
export function readEachElement(
  rest: Phrase,
  list: Phrase | undefined,
  status: number,
  shapeOf: (name: Phrase) => Expression | undefined,
  ctx: BuildContext,
): ListAnswer | undefined {
  const [, single, each] = /^(\S+)\s+or\s+list\s+of\s+(\S+)$/i.exec(rest.text) ?? [];
  const named = list ?? (single === undefined ? undefined : slice(rest, 0, single.length));
  const name = named && unquote(named);
  if (!name || (each !== undefined && each.replaceAll("`", "") !== name.text)) {
    const shape = unquote(rest).text;
    ctx.reporter.report("endpoints/list-body-answer", positionIn(rest), {
      text: rest.text,
      status,
      ...(/^[A-Za-z_]\w*$/.test(shape) ? { shape } : {}),
    });
    return undefined;
  }
  const item = shapeOf(name);
  return item && { kind: "list", status, item, ...(list ? {} : { orOne: true as const }) };
}
