/**
 * The items of part 4: which there are, where each may stand, and which of them hold for an endpoint: its own, those of the
 * endpoint that it is `Like`, or the part's. What their values mean is read in files of their own.
 */
import { itemInOurWords } from "../any-part/other-words.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { type Block, type ItemNode, itemsOfParts } from "../../../syntax/nodes.ts";
import { isEmpty, isNone, itemsOf, keyText } from "../../../syntax/read.ts";
import type { BuildContext } from "../any-part/context.ts";
import { nearestHint } from "../../nearest-hint.ts";

/** How often an item may be said in one place. */
type Often = "once" | "several";

export const severalEndpointItems = [
  "does",
  "then",
  "body",
  "query",
  "where",
  "allowed",
  "fails",
  "let",
  "set",
  "effect",
  "order",
  "returns",
  "header",
  "sends",
  "ends",
] as const;

export const singleEndpointItems = [
  "body in",
  "body is",
  "accepts",
  "pagination",
  "idempotency",
  "preconditions",
  "scheme",
  "finds",
  "waits",
  "starts",
  "like",
] as const;

const singlePathItems = ["is", "scheme"] as const;
const severalPathItems = ["where", "allowed", "fails", "header"] as const;

export const singlePartItems = [
  "base path",
  "media type",
  "empty inputs",
  "unknown fields",
  "null fields",
  "timestamps",
  "expansion",
  "cross-origin",
] as const;

export const severalPartItems = ["functions"] as const;

export type EndpointItem = (typeof severalEndpointItems | typeof singleEndpointItems)[number];
export type PathItem = (typeof severalPathItems | typeof singlePathItems)[number];
export type PartItem = (typeof singlePartItems | typeof severalPartItems)[number];

const endpointItems = formsOf<EndpointItem>(singleEndpointItems, severalEndpointItems);
const pathItems = formsOf<PathItem>(singlePathItems, severalPathItems);
const partItems = formsOf<PartItem>(singlePartItems, severalPartItems);

function formsOf<K extends string>(single: readonly K[], several: readonly K[]): ReadonlyMap<K, Often> {
  return new Map([
    ...single.map((key): [K, Often] => [key, "once"]),
    ...several.map((key): [K, Often] => [key, "several"]),
  ]);
}

/** Items by key, in the order of the text. */
export type Items<K extends string> = ReadonlyMap<K, readonly ItemNode[]>;

/** The items that stand under the heading of an endpoint. */
export function endpointItemsOf(blocks: readonly Block[], ctx: BuildContext): Items<EndpointItem> {
  return readItems(blocks, endpointItems, "an endpoint", ctx);
}

/** The items that stand under the heading of a path. */
export function pathItemsOf(blocks: readonly Block[], ctx: BuildContext): Items<PathItem> {
  return readItems(blocks, pathItems, "a path", ctx);
}

/** The items that hold for the whole part, the endpoint items that stand for all endpoints among them. */
export function partItemsOf(ctx: BuildContext): Items<PartItem | EndpointItem> {
  const names: readonly string[] = itemsOfParts.endpoints;
  const blocks = ctx.document.parts.endpoints?.body ?? [];
  // What is said of whole items (`- Methods: not shown`) is the ledger's.
  const own = blocks.filter((block) => !(block.kind === "item" && names.includes(keyText(block.key))));
  return readItems(own, new Map([...partItems, ...endpointItems]), "this part", ctx);
}

/** Most items of one key in one place; no contract that was met has more than twenty. */
const itemsMax = 64;

function readItems<K extends string>(
  blocks: readonly Block[],
  forms: ReadonlyMap<K, Often>,
  where: string,
  ctx: BuildContext,
): Items<K> {
  const found = new Map<K, ItemNode[]>();
  for (const item of itemsOf(blocks)) {
    const key = keyText(item.key) as K;
    if (!forms.has(key)) {
      reportUnknown(item.key, key, [...forms.keys()], where, ctx);
      continue;
    }
    const before = found.get(key);
    if (isEmpty(item.value)) {
      ctx.reporter.report("endpoints/empty-item", positionIn(item.key), { key: item.key.text });
    } else if (before && forms.get(key) === "once") {
      const related = [
        { position: positionIn((before[0] as ItemNode).key), message: "It is said here first." },
      ];
      ctx.reporter.report("endpoints/repeated-item", positionIn(item.key), { key: item.key.text }, related);
    } else if (before && before.length >= itemsMax) {
      const what = `items "${item.key.text}" in one place`;
      ctx.reporter.report("endpoints/too-many", positionIn(item.key), { what, most: itemsMax });
      break;
    } else if (before) before.push(item);
    else found.set(key, [item]);
  }
  return found;
}

function reportUnknown(
  key: Phrase,
  text: string,
  known: readonly string[],
  where: string,
  { reporter }: BuildContext,
): void {
  if (partItems.has(text as PartItem)) {
    reporter.report("endpoints/item-of-part", positionIn(key), { key: key.text });
  } else if (endpointItems.has(text as EndpointItem) || pathItems.has(text as PathItem)) {
    reporter.report("endpoints/misplaced-item", positionIn(key), { key: key.text, where });
  } else {
    const titled = known.map((name) => name.slice(0, 1).toUpperCase() + name.slice(1));
    reporter.report("endpoints/unknown-item", positionIn(key), {
      name: key.text,
      where,
      ...nearestHint(key.text, titled),
      instead: itemInOurWords("endpoints", key.text, ""),
    });
  }
}

/** Where an endpoint has its items from. */
export interface ItemSources {
  readonly own: Items<EndpointItem>;
  /** Those of the endpoint that it is `Like`. */
  readonly like: Items<EndpointItem> | undefined;
  readonly part: Items<PartItem | EndpointItem>;
}

/** Keys whose `none` is not simply the absence of the item: it is a value, or a slip that is told where the value is read. */
const noneIsSaid: readonly EndpointItem[] = ["does", "allowed", "returns", "pagination", "scheme"];

/** The items that hold for one endpoint. */
export interface ItemLookup {
  /**
   * All items of a key; the nearest place that says something of the key counts alone, and its `none` takes the part's away.
   * `Header`, which adds up, comes without the part's.
   */
  all(key: EndpointItem): readonly ItemNode[];
  first(key: EndpointItem): ItemNode | undefined;
  /** Was it said for this endpoint (or the one it is `Like`), and not for the whole part? */
  isOwn(key: EndpointItem): boolean;
  /** Was it taken from the endpoint that this one is `Like`? */
  isCopied(key: EndpointItem): boolean;
}

export function lookupItems({ own, like, part }: ItemSources): ItemLookup {
  const lookup: ItemLookup = {
    all(key) {
      const items = own.get(key) ?? like?.get(key) ?? (key === "header" ? undefined : part.get(key)) ?? [];
      return noneIsSaid.includes(key) ? items : items.filter((item) => !isNone(item.value));
    },
    first: (key) => lookup.all(key)[0],
    isOwn: (key) => own.has(key) || (like?.has(key) ?? false),
    isCopied: (key) => !own.has(key) && (like?.has(key) ?? false),
  };
  return lookup;
}

/** The items of `other`, but those whose keys stand in `own`. */
export function withoutThose(other: Items<EndpointItem>, own: Items<EndpointItem>): Items<EndpointItem> {
  return new Map([...other].filter(([key]) => !own.has(key) && key !== "like"));
}
