/** The line of an answer by hand: of an input, of an item, or by its number. */
import { itemsOf, keyText } from "../../syntax/read.ts";
import type { ItemNode } from "../../syntax/nodes.ts";
import { lineOf, type SourceDocument } from "./source-document.ts";

/**
 * The line with the `not shown` that an id denotes. Undefined if there is none.
 *
 * @param id `GET /pets kind` for an input, `GET /pets Order` for an item, `Rate limits` for a part,
 * or `line:12`
 */
export function lineOfQuestion(document: SourceDocument, id: string): number | undefined {
  const [, number] = /^line:(\d+)$/.exec(id) ?? [];
  if (number !== undefined) return Number(number);
  const [, endpoint, name] = /^([A-Z]+ \/\S*) (.+)$/.exec(id) ?? [];
  return name === undefined ? lineOfPart(document, id) : lineOfEndpoint(document, endpoint, name);
}

function lineOfEndpoint(
  { endpoints }: SourceDocument,
  endpoint: string | undefined,
  name: string,
): number | undefined {
  const found = endpoints.find((written) => written.name === endpoint);
  if (!found) return undefined;
  const input = found.inputs.find((written) => written.name === name && written.isOpen);
  return input ? lineOf(input.row) : openItem(itemsOf(found.section.body), name);
}

function lineOfPart({ parts }: SourceDocument, name: string): number | undefined {
  const items = Object.values(parts).flatMap((part) => (part ? itemsOf(part.body) : []));
  return openItem(items, name);
}

function openItem(items: readonly ItemNode[], name: string): number | undefined {
  const found = items.find(
    (item) => keyText(item.key) === name.toLowerCase() && /\bnot shown$/.test(item.value.text.trim()),
  );
  return found && lineOf(found);
}
