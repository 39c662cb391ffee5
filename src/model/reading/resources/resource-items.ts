/**
 * The items of a resource (`Unique`, `Visible`, `Kept` …) except `Identifier`: parsed with the
 * declarations, bound when all names are known.
 */
import { withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import type { FieldType } from "../../../fields/type.ts";
import { type Phrase, positionIn, splitOutside, unquote } from "../../../source/phrase.ts";
import { durationMs } from "../../../support/quantity.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { endsNotShown, isEmpty, isNone, isNotShown, itemsOf } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { Gap, Resource } from "../../model.ts";
import { reportUnknownField } from "../unknown-field.ts";
import type { BuildContext } from "../any-part/context.ts";
import { bindFails } from "../effects/fail-rule.ts";
import { createPartReader, type PartReader } from "../any-part/part-reader.ts";
import type { ResourceSection } from "./resource-sections.ts";
import { typeWords } from "../../../fields/type-words.ts";
import { splitAtWord } from "../any-part/when-clause.ts";
import { isStoredTimestamp } from "../effects/stored-timestamp.ts";

export interface ResourceItems {
  readonly identifier?: ItemNode;
  readonly unique: readonly ItemNode[];
  readonly fails: readonly ItemNode[];
  readonly visible?: ItemNode;
  readonly always: readonly ItemNode[];
  readonly kept?: ItemNode;
  readonly deleted: "removed" | "marked";
  readonly called?: string;
  /** The items that are not shown, by key. */
  readonly open: ReadonlyMap<string, Gap>;
  /** The item `- Fields: not shown` or `none`. */
  readonly fields?: ItemNode;
}

const forms: readonly { readonly key: string; readonly expected: string; readonly several?: boolean }[] = [
  { key: "Identifier", expected: "`id, made by uuid()`, `sku, given`, `article and user` or `none`" },
  { key: "Unique", expected: "the fields that are unique together: `shop, reference`", several: true },
  { key: "Fails", expected: "`code on field when <condition>`", several: true },
  { key: "Visible", expected: "a condition: `this.shop == caller.shop`" },
  { key: "Always", expected: "a condition: `this.refunded <= this.paid`", several: true },
  { key: "Kept", expected: "`30 days after created_at`" },
  { key: "Deleted", expected: "`marked` or `removed`" },
  { key: "Called", expected: "the name that `error.resource` says" },
  { key: "Fields", expected: "a table of fields, `none`" },
];

export function readResourceItems({ name, section }: ResourceSection, context: BuildContext): ResourceItems {
  const reader = createPartReader(context, "resources");
  const found = new Map<string, ItemNode[]>();
  const read = (item: ItemNode, key: string): void => void found.set(key, [...(found.get(key) ?? []), item]);
  const items = itemsOf(section.body);
  reader.items(
    items,
    forms.map((form) => ({ ...form, read: (item) => read(item, form.key) })),
  );
  const first = (key: string): ItemNode | undefined => found.get(key)?.[0];
  const open = new Map<string, Gap>();
  const stated = (key: string): ItemNode[] =>
    (found.get(key) ?? []).filter((item) => {
      if (isNone(item.value)) return false;
      if (!isNotShown(item.value) && !endsNotShown(item.value)) return true;
      open.set(
        key,
        context.ledger.gap("resources", "resources", `${key} of ${name.text}`, positionIn(item.value)),
      );
      return false;
    });
  const [visible] = stated("Visible");
  const [kept] = stated("Kept");
  const [called] = stated("Called");
  const identifier = first("Identifier");
  const fields = first("Fields");
  return {
    ...(identifier ? { identifier } : {}),
    unique: stated("Unique"),
    fails: stated("Fails"),
    ...(visible ? { visible } : {}),
    always: stated("Always"),
    ...(kept ? { kept } : {}),
    deleted: readDeleted(stated("Deleted")[0], reader),
    open,
    ...(called ? { called: unquote(called.value).text } : {}),
    ...(fields ? { fields } : {}),
  };
}

function readDeleted(item: ItemNode | undefined, reader: PartReader): "removed" | "marked" {
  const word = item ? unquote(item.value).text.toLowerCase() : "removed";
  if (word !== "removed" && word !== "marked")
    reader.unreadable(item?.value as Phrase, "`marked` (kept, but hidden) or `removed`");
  return word === "marked" ? "marked" : "removed";
}

type BoundItems = Pick<Resource, "unique" | "fails" | "visible" | "always" | "kept" | "openItems">;

export function bindResourceItems(
  items: ResourceItems,
  declared: DeclaredResource,
  openRecords: Gap | undefined,
  context: BuildContext,
): BoundItems {
  const reader = createPartReader(context, "resources");
  if (declared.isValue) return refuseOfValue(items, declared, context);
  const self: Type = { kind: "record", resource: declared.name };
  const scope = withFixed(context.declarations.baseScope, { this: self });
  const visible = items.visible && reader.expression(items.visible.value, scope, types.boolean);
  const kept = items.kept && readRetention(items.kept.value, declared, reader);
  return {
    unique: items.unique.flatMap((item) => readUnique(item, declared, reader) ?? []),
    // A rule about a change may read the previous state.
    fails: items.fails.flatMap(
      (item) => bindFails(item.value, withFixed(scope, { old: self }), context, declared) ?? [],
    ),
    ...(visible ? { visible } : {}),
    always: items.always.flatMap((item) => reader.expression(item.value, scope, types.boolean) ?? []),
    ...(kept ? { kept } : {}),
    ...openItems(items.open, openRecords),
  };
}

function openItems(open: ReadonlyMap<string, Gap>, records: Gap | undefined): Pick<Resource, "openItems"> {
  const [visible, unique, deleted] = [open.get("Visible"), open.get("Unique"), open.get("Deleted")];
  if (!visible && !unique && !deleted && !records) return {};
  return {
    openItems: {
      ...(visible ? { visible } : {}),
      ...(unique ? { unique } : {}),
      ...(deleted ? { deleted } : {}),
      ...(records ? { records } : {}),
    },
  };
}

/** Reports items that a value can't have, because it has no records of its own to identify, hide or delete. */
function refuseOfValue(
  items: ResourceItems,
  { name }: DeclaredResource,
  { reporter }: BuildContext,
): BoundItems {
  for (const item of [...items.unique, ...items.fails, ...items.always, items.visible, items.kept]) {
    if (item)
      reporter.report("resources/item-of-value", positionIn(item.key), {
        key: item.key.text.trim(),
        resource: name,
      });
  }
  return { unique: [], fails: [], always: [] };
}

const uncomparable: ReadonlySet<FieldType["kind"]> = new Set<FieldType["kind"]>([
  "list",
  "map",
  "json",
  "object",
  "value",
  "password",
]);

function readUnique(
  item: ItemNode,
  declared: DeclaredResource,
  reader: PartReader,
): Resource["unique"][number] | undefined {
  const fields: string[] = [];
  for (const name of splitOutside(unquote(item.value), ",").map(unquote)) {
    const field = declared.fields.get(name.text);
    if (!field) {
      if (!declared.gap) reportUnknownField(name, declared, reader.context.reporter);
      return undefined;
    }
    if (fields.includes(field.name)) {
      reader.context.reporter.report("resources/field-twice", positionIn(name), { name: name.text });
    } else if (field.computed || uncomparable.has(field.type.kind)) {
      const type = field.computed ? "computed when it is read" : typeWords(field.type);
      reader.context.reporter.report("resources/not-comparable", positionIn(name), { name: name.text, type });
      return undefined;
    } else fields.push(field.name);
  }
  return { fields, position: item.position };
}

// For example: 30 days after created_at
function readRetention(value: Phrase, declared: DeclaredResource, reader: PartReader): Resource["kept"] {
  const parts = splitAtWord(unquote(value), "after");
  const milliseconds = parts && durationMs(unquote(parts[0]).text);
  const name = parts && unquote(parts[1]);
  if (!name || isEmpty(name) || milliseconds === undefined)
    return reader.unreadable(value, "`30 days after created_at`");
  return isStoredTimestamp(name, declared, reader.context)
    ? { milliseconds, after: name.text, position: positionIn(value) }
    : undefined;
}
