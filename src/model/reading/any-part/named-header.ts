/**
 * Named headers: `- Header: Name: <expr>` of a part whose headers don't belong to an endpoint
 * (parts 6 and 7).
 */
import type { Scope } from "../../../expressions/scope.ts";
import { slice, trim, unquote } from "../../../source/phrase.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { isHeaderName } from "../../endpoints/header-names.ts";
import type { HeaderItem } from "../../model.ts";
import type { PartReader } from "./part-reader.ts";

export function readNamedHeader(
  reader: PartReader<"errors" | "events">,
  item: ItemNode,
  scope: Scope,
  expected: string,
): HeaderItem | undefined {
  const whole = unquote(item.value);
  const colon = whole.text.indexOf(":");
  const name = unquote(slice(whole, 0, Math.max(0, colon)));
  if (!isHeaderName(name.text)) return reader.unreadable(whole, expected);
  const value = reader.expression(trim(slice(whole, colon + 1)), scope);
  return value && { name: name.text, value, position: item.position };
}
