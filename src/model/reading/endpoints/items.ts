/**
 * The items of part 4: where each is allowed, and which apply to an endpoint: its own, those of the
 * endpoint in its `Like`, or the part's. Their values are read in files of their own.
 */
import { nonNull } from "../../../support/non-null.ts";
import { itemInOurWords } from "../any-part/synonyms.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { type Block, type ItemNode, itemsOfParts } from "../../../syntax/nodes.ts";
import { isEmpty, isNone, itemsOf, keyText } from "../../../syntax/read.ts";
import type { BuildContext } from "../any-part/context.ts";
import { nearestHint } from "../nearest-hint.ts";

/** What the key alone determines about an item. */
interface ItemForm {
  /** How often it may occur in one place. */
  readonly occurs: "once" | "several";
  /** Allowed under path headings as well as at endpoints. */
  readonly isOfPaths?: true;
  /** Its text may read inputs and path parameters. */
  readonly reads?: true;
  /** Its `none` differs from its absence: it is a value, or a mistake that is reported when the value is read. */
  readonly mayBeNone?: true;
  /**
   * The meaning of `not shown`. `needed`: a request can't be checked, so the endpoint can't answer.
   * `outcome`: a request can be checked, and not be answered. `dispensable`: it is reported, and the
   * rest works. Absent: the reader of the value reports it.
   */
  readonly gap?: "needed" | "outcome" | "dispensable";
}

/** The items of an endpoint, in the order in which their gaps are searched. */
const endpointForms = {
  does: { occurs: "several", reads: true, mayBeNone: true },
  then: { occurs: "several", reads: true, gap: "outcome" },
  body: { occurs: "several" },
  query: { occurs: "several" },
  where: { occurs: "several", isOfPaths: true, reads: true, gap: "needed" },
  allowed: { occurs: "several", isOfPaths: true, reads: true, mayBeNone: true, gap: "needed" },
  fails: { occurs: "several", isOfPaths: true, reads: true, gap: "dispensable" },
  let: { occurs: "several", reads: true, gap: "needed" },
  set: { occurs: "several", reads: true, gap: "needed" },
  effect: { occurs: "several", reads: true, gap: "outcome" },
  order: { occurs: "several", reads: true, gap: "dispensable" },
  returns: { occurs: "several", reads: true, mayBeNone: true },
  header: { occurs: "several", isOfPaths: true, reads: true, gap: "dispensable" },
  headers: { occurs: "several", isOfPaths: true, reads: true, gap: "dispensable" },
  "body in": { occurs: "once", gap: "needed" },
  "body is": { occurs: "once", gap: "needed" },
  accepts: { occurs: "once", gap: "needed" },
  encodings: { occurs: "once", gap: "needed" },
  "unknown fields": { occurs: "once" },
  pagination: { occurs: "once", mayBeNone: true, gap: "needed" },
  idempotency: { occurs: "once", reads: true, gap: "needed" },
  preconditions: { occurs: "once", gap: "needed" },
  scheme: { occurs: "once", isOfPaths: true, mayBeNone: true, gap: "needed" },
  finds: { occurs: "once", gap: "needed" },
  deprecated: { occurs: "once" },
  extensions: { occurs: "once", gap: "dispensable" },
  waits: { occurs: "once", reads: true, gap: "outcome" },
  starts: { occurs: "once", reads: true, gap: "outcome" },
  sends: { occurs: "several", reads: true, gap: "outcome" },
  ends: { occurs: "several", reads: true, gap: "dispensable" },
  like: { occurs: "once", gap: "needed" },
} as const satisfies Readonly<Record<string, ItemForm>>;

/** Items of the part. Items of endpoints are allowed there, too, and apply to all endpoints. */
const partForms = {
  "base path": { occurs: "once" },
  "media type": { occurs: "once" },
  "empty inputs": { occurs: "once" },
  "null fields": { occurs: "once" },
  timestamps: { occurs: "once" },
  expansion: { occurs: "once" },
  "cross-origin": { occurs: "once" },
  functions: { occurs: "several" },
} as const satisfies Readonly<Record<string, ItemForm>>;

type ItemOfPaths<Forms> = {
  [Key in keyof Forms]: Forms[Key] extends { readonly isOfPaths: true } ? Key : never;
}[keyof Forms];

export type EndpointItem = keyof typeof endpointForms;
export type PathItem = ItemOfPaths<typeof endpointForms> | "is";
export type PartItem = keyof typeof partForms;

type Forms<K extends string> = ReadonlyMap<K, ItemForm>;

/** Items that may occur only once come first, which is the order of hints. */
function formsOf<K extends string>(forms: Readonly<Record<K, ItemForm>>): Forms<K> {
  const all = Object.entries(forms) as [K, ItemForm][];
  return new Map(["once", "several"].flatMap((often) => all.filter(([, form]) => form.occurs === often)));
}

export const endpointItems: Forms<EndpointItem> = formsOf<EndpointItem>(endpointForms);
export const partItems: Forms<PartItem> = formsOf<PartItem>(partForms);
const pathItems: Forms<PathItem> = new Map<PathItem, ItemForm>([
  ["is", { occurs: "once" }],
  ...[...endpointItems].filter((entry): entry is [PathItem & EndpointItem, ItemForm] => !!entry[1].isOfPaths),
]);

export function isEndpointItem(key: PartItem | EndpointItem): key is EndpointItem {
  return endpointItems.has(key as EndpointItem);
}

/** Whether `none` is a value, or a mistake that is reported when the value is read. */
export function mayBeNone(key: PathItem): boolean {
  return pathItems.get(key)?.mayBeNone === true;
}

/** The endpoint items whose `not shown` has this meaning. */
export function itemsWithGap(gap: NonNullable<ItemForm["gap"]>): readonly EndpointItem[] {
  return (Object.keys(endpointForms) as EndpointItem[]).filter((key) => endpointItems.get(key)?.gap === gap);
}

/** The items whose texts may read inputs and parameters: of an endpoint, and of a path. */
export const readingItems = readingOf(endpointItems);
export const readingPathItems = readingOf(pathItems);

function readingOf<K extends string>(forms: Forms<K>): readonly K[] {
  return [...forms.keys()].filter((key) => forms.get(key)?.reads);
}

/** Items by key, in the order of the text. */
export type Items<K extends string> = ReadonlyMap<K, readonly ItemNode[]>;

/** The items that are allowed under an endpoint's heading. */
export function endpointItemsOf(blocks: readonly Block[], ctx: BuildContext): Items<EndpointItem> {
  return readItems(blocks, endpointItems, "an endpoint", ctx);
}

/** The items that are allowed under a path's heading. */
export function pathItemsOf(blocks: readonly Block[], ctx: BuildContext): Items<PathItem> {
  return readItems(blocks, pathItems, "a path", ctx);
}

/** The items that apply to the part, including endpoint items that apply to all endpoints. */
export function partItemsOf(ctx: BuildContext): Items<PartItem | EndpointItem> {
  const names: readonly string[] = itemsOfParts.endpoints;
  const blocks = ctx.document.parts.endpoints?.body ?? [];
  // The ledger reads statements about complete items (`- Methods: not shown`).
  const own = blocks.filter((block) => !(block.kind === "item" && names.includes(keyText(block.key))));
  return readItems(
    own,
    new Map<PartItem | EndpointItem, ItemForm>([...partItems, ...endpointItems]),
    "this part",
    ctx,
  );
}

/** Maximum number of items with one key in one place. Known contracts have at most twenty. */
const itemsMax = 64;

function readItems<K extends string>(
  blocks: readonly Block[],
  forms: Forms<K>,
  where: string,
  ctx: BuildContext,
): Items<K> {
  const found = new Map<K, ItemNode[]>();
  ctx.keys.note("endpoints", forms.keys());
  for (const item of itemsOf(blocks)) {
    const key = keyText(item.key) as K;
    if (!forms.has(key)) {
      reportUnknown(item.key, key, [...forms.keys()], where, ctx);
      continue;
    }
    const before = found.get(key);
    if (isEmpty(item.value)) {
      ctx.reporter.report("endpoints/empty-item", positionIn(item.key), { key: item.key.text });
    } else if (before && forms.get(key)?.occurs === "once") {
      const related = [{ position: positionIn(nonNull(before[0]).key), message: "First defined here." }];
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

/** The sources of an endpoint's items. */
export interface ItemSources {
  readonly own: Items<EndpointItem>;
  /** The items of the endpoint in `Like`. */
  readonly like: Items<EndpointItem> | undefined;
  readonly part: Items<PartItem | EndpointItem>;
}

/** The items that apply to an endpoint. */
export interface ItemLookup {
  /**
   * All items of a key. Only the nearest source with the key counts, and its `none` overrides the
   * part's. `Fails` accumulates. `Header` accumulates too, but without the part's.
   */
  all(key: EndpointItem): readonly ItemNode[];
  first(key: EndpointItem): ItemNode | undefined;
  /** Whether the endpoint (or the one in its `Like`) states it, and not the part. */
  isOwn(key: EndpointItem): boolean;
  /** Whether it comes from the endpoint in `Like`. */
  isCopied(key: EndpointItem): boolean;
}

/**
 * Whether items add up. `Fails` of the part and of the endpoint all apply, those of the part first; `none` removes
 * the part's.
 */
function addsUp(key: EndpointItem, near: readonly ItemNode[]): boolean {
  return key === "fails" && !near.some((item) => isNone(item.value));
}

export function lookupItems({ own, like, part }: ItemSources): ItemLookup {
  const lookup: ItemLookup = {
    all(key) {
      const near = own.get(key) ?? like?.get(key);
      const wide = key === "header" ? [] : (part.get(key) ?? []);
      const items = near && !addsUp(key, near) ? near : [...wide, ...(near ?? [])];
      return endpointItems.get(key)?.mayBeNone ? items : items.filter((item) => !isNone(item.value));
    },
    first: (key) => lookup.all(key)[0],
    isOwn: (key) => own.has(key) || (like?.has(key) ?? false),
    isCopied: (key) => !own.has(key) && (like?.has(key) ?? false),
  };
  return lookup;
}

/** The items of `other`, except those whose keys are in `own`. */
export function withoutOverridden(
  inherited: Items<EndpointItem>,
  own: Items<EndpointItem>,
): Items<EndpointItem> {
  return new Map([...inherited].filter(([key]) => !own.has(key) && key !== "like"));
}
