/**
 * JSON view: a tree with collapsible branches, and a text to copy. Numbers are shown as written,
 * with every digit even beyond a double. The service has already masked secrets.
 */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { t } from "../words/words.ts";
import { CopyButton } from "./copy-button.tsx";

/** Larger branches start collapsed, so that their surroundings are visible. */
const openItemsMax = 30;
const openDepthMax = 3;
/** The number of elements of a branch that are shown at a time. */
const itemsStep = 100;

/** A number as its source text. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Tree = null | boolean | string | number | Digits | readonly Tree[] | { readonly [name: string]: Tree };

export function JsonView({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const tree = useMemo(() => readTree(text), [text]);
  return (
    <div class="code json">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: what scrolls has to be reached by keyboard. */}
      <div class="json-tree" role="group" aria-label={label} tabIndex={0}>
        {tree === undefined ? <span class="json-plain">{text}</span> : <Branch tree={tree} depth={0} />}
      </div>
      <CopyButton text={() => (tree === undefined ? text : format(tree))} />
    </div>
  );
}

/** Undefined for a text that isn't JSON. */
function readTree(text: string): Tree | undefined {
  type Reviver = (name: string, value: Tree, context?: { readonly source?: string }) => Tree;
  const exact: Reviver = (_name, value, context) =>
    typeof value === "number" && context?.source !== undefined && String(value) !== context.source
      ? new Digits(context.source)
      : value;
  try {
    return JSON.parse(text, exact as (name: string, value: unknown) => unknown) as Tree;
  } catch {
    return undefined;
  }
}

function Branch({
  tree,
  depth,
  name,
}: {
  readonly tree: Tree;
  readonly depth: number;
  readonly name?: string;
}): VNode {
  const key = name === undefined ? null : <span class="json-key">{JSON.stringify(name)}: </span>;
  const items = itemsOf(tree);
  const [isOpen, setOpen] = useState(depth < openDepthMax && (items?.length ?? 0) <= openItemsMax);
  const [visibleCount, setVisibleCount] = useState(itemsStep);
  if (!items)
    return (
      <div class="json-line">
        {key}
        <Leaf tree={tree as Exclude<Tree, object> | Digits} />
      </div>
    );
  const [open, close] = Array.isArray(tree) ? "[]" : "{}";
  if (items.length === 0)
    return (
      <div class="json-line">
        {key}
        {open}
        {close}
      </div>
    );
  const isList = Array.isArray(tree);
  return (
    <div class="json-branch">
      <div class="json-line">
        <button
          type="button"
          class="json-toggle"
          aria-expanded={isOpen}
          aria-label={t(isOpen ? "parts.fold" : "parts.expand")}
          onClick={() => setOpen(!isOpen)}
        />
        {key}
        {open}
        {!isOpen && (
          <>
            <span class="muted"> {t(isList ? "parts.items" : "parts.fields", { count: items.length })} </span>
            {close}
          </>
        )}
      </div>
      {isOpen && (
        <>
          <div class="json-inside">
            {items.slice(0, visibleCount).map(([itemName, item], at) => (
              <Branch
                key={itemName ?? at}
                tree={item}
                depth={depth + 1}
                {...(itemName === undefined ? {} : { name: itemName })}
              />
            ))}
            {items.length > visibleCount && (
              <button
                type="button"
                class="small quiet"
                onClick={() => setVisibleCount(visibleCount + itemsStep)}
              >
                {t("parts.more", { count: items.length - visibleCount })}
              </button>
            )}
          </div>
          <div class="json-line">{close}</div>
        </>
      )}
    </div>
  );
}

function Leaf({ tree }: { readonly tree: null | boolean | string | number | Digits }): VNode {
  if (typeof tree === "string") return <span class="json-text">{JSON.stringify(tree)}</span>;
  return <span class="json-word">{format(tree)}</span>;
}

function itemsOf(tree: Tree): readonly (readonly [string | undefined, Tree])[] | undefined {
  if (typeof tree !== "object" || tree === null || tree instanceof Digits) return undefined;
  return Array.isArray(tree) ? tree.map((item) => [undefined, item] as const) : Object.entries(tree);
}

/** The tree as text, over several lines. */
function format(tree: Tree, indent = ""): string {
  if (tree instanceof Digits) return tree.text;
  const items = itemsOf(tree);
  if (!items) return JSON.stringify(tree);
  const [open, close] = Array.isArray(tree) ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  const inside = `${indent}  `;
  const lines = items.map(
    ([name, item]) =>
      `${inside}${name === undefined ? "" : `${JSON.stringify(name)}: `}${format(item, inside)}`,
  );
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}
