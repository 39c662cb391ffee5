/**
 * Nested parameter names, such as `created[gt]` or `payment.method`: those of inputs, which may be
 * written with dots, and those that the engine reads itself.
 */
import type { FieldOptions } from "./field-reader.ts";
import type { Findings, UnknownKeys } from "./findings.ts";
import type { FormNode } from "./form.ts";
import { nestedKeys, parameterKeys } from "./parameter-keys.ts";
import type { FieldType } from "./type.ts";
import { partPaths } from "./types/reference.ts";

interface NamedInput {
  readonly name: readonly string[];
  readonly type: FieldType;
}

export type KnownParts = readonly (readonly [first: string, parts: ReadonlySet<string>])[];

/** Bracketed keys of the engine's own parameters, unless an input starts alike. */
export function knownParts(
  names: readonly string[],
  inputs: readonly { readonly input: NamedInput }[],
): KnownParts {
  const own = new Set<string | undefined>([...inputs.map(({ input }) => input.name[0]), ...names]);
  const nested = names.map(nestedKeys).filter(([first]) => !own.has(first));
  return [...Map.groupBy(nested, ([first]) => first)].map(
    ([first, group]) => [first, new Set(group.flatMap(([, part]) => part ?? []))] as const,
  );
}

/**
 * The query without the engine's bracketed parameters whose name an input shares: `page[limit]`
 * when `page.sort` is an input.
 */
export function withoutEngineParameters(
  node: FormNode,
  names: readonly string[],
  inputs: readonly { readonly input: NamedInput }[],
): FormNode {
  const own = new Set(inputs.map(({ input }) => input.name.join(".")));
  const parts = new Map(node.parts);
  for (const [first, part, ...rest] of names.map(nestedKeys)) {
    const within = parts.get(first);
    if (part === undefined || rest.length > 0 || own.has(first) || own.has(`${first}.${part}`)) continue;
    if (!within?.parts?.has(part)) continue;
    const otherParts = new Map(within.parts);
    otherParts.delete(part);
    if (otherParts.size > 0 || within.texts.length > 0 || within.items)
      parts.set(first, { ...within, parts: otherParts });
    else parts.delete(first);
  }
  return { ...node, parts };
}

export function reportOtherParts(
  sent: FormNode | undefined,
  known: KnownParts,
  unknownKeys: UnknownKeys,
  findings: Findings,
): void {
  for (const [first, parts] of known) {
    const node = sent?.parts?.get(first);
    if (!node) continue;
    findings.order = Number.POSITIVE_INFINITY;
    const unknownNames = [...(node.parts?.keys() ?? [])].filter((key) => !parts.has(key));
    for (const key of unknownNames) findings.refuseUnknown(unknownKeys, `${first}[${key}]`);
    if (node.texts.length > 0) findings.refuseUnknown(unknownKeys, first);
  }
}

/** Reports the keys next to the wrapper of `Body in`. */
export function reportOtherKeys(
  names: Iterable<string>,
  wrapper: string,
  unknownKeys: UnknownKeys,
  findings: Findings,
): void {
  findings.order = Number.POSITIVE_INFINITY;
  for (const name of names) if (name !== wrapper) findings.refuseUnknown(unknownKeys, name);
}

export interface DottedName {
  readonly name: readonly string[];
  /** Whether any key is allowed after the name and a dot, as for a map. */
  readonly isOpen: boolean;
}

/** Names of inputs, and names of identifying fields of what an input refers to: `issue.number`. */
export function dottedNames(
  inputs: readonly { readonly input: NamedInput }[],
  options: FieldOptions,
): readonly DottedName[] {
  const names = inputs.flatMap(({ input: { name, type } }): DottedName[] => [
    { name, isOpen: false },
    ...(type.kind === "reference"
      ? partPaths(type.resource, options.resource).map((path) => ({
          name: [...name, ...path],
          isOpen: false,
        }))
      : []),
    ...(type.kind === "map" ? [{ name, isOpen: true }] : []),
  ]);
  return names.filter(({ name, isOpen }) => name.length > 1 || isOpen);
}

/**
 * Rewrites `payment.method=card` as `payment[method]=card` in forms and queries, for inputs of such a name and for
 * keys of maps.
 */
export function unfoldDots(node: FormNode, dotted: readonly DottedName[]): FormNode {
  let parts = node.parts;
  for (const { name, isOpen } of dotted) {
    const written = name.join(".");
    const sent = isOpen
      ? [...(parts?.keys() ?? [])].filter((key) => key.startsWith(`${written}.`))
      : [written];
    for (const key of sent) {
      const found = parts?.get(key);
      if (!parts || !found) continue;
      const remaining = new Map(parts);
      remaining.delete(key);
      parts = withPart(remaining, isOpen ? [...name, key.slice(written.length + 1)] : name, found);
    }
  }
  return parts === node.parts ? node : { ...node, parts: parts as ReadonlyMap<string, FormNode> };
}

/**
 * Rewrites a form or a query so that inputs whose name has brackets, `filter[name]` or `include[]`,
 * are found under that name.
 */
export function foldBrackets(node: FormNode, names: readonly string[]): FormNode {
  return names.reduce((folded, name) => {
    const keys = parameterKeys(name);
    const [found, remaining] = withoutPart(folded, keys.at(-1) === "" ? keys.slice(0, -1) : keys);
    return found ? { ...remaining, texts: [], parts: new Map(remaining?.parts).set(name, found) } : folded;
  }, node);
}

/** What a node has at a path, and the node without it; no node if nothing else is in it. */
function withoutPart(
  node: FormNode,
  [first, ...rest]: readonly string[],
): readonly [found: FormNode | undefined, others: FormNode | undefined] {
  const there = first === undefined ? undefined : node.parts?.get(first);
  if (first === undefined || !there) return [first === undefined ? node : undefined, undefined];
  const [found, left] = withoutPart(there, rest);
  const parts = new Map(node.parts);
  if (left) parts.set(first, left);
  else parts.delete(first);
  const isEmpty = parts.size === 0 && node.texts.length === 0 && !node.items && !node.files && !node.json;
  return [found, isEmpty ? undefined : { ...node, parts }];
}

/** The names of inputs that have brackets. */
export function bracketedNames(inputs: readonly { readonly input: NamedInput }[]): readonly string[] {
  return inputs.flatMap(({ input: { name } }) =>
    name.length === 1 && name[0]?.includes("[") ? [name[0]] : [],
  );
}

function withPart(
  parts: ReadonlyMap<string, FormNode>,
  name: readonly string[],
  node: FormNode,
): Map<string, FormNode> {
  const [first, ...rest] = name as [string, ...string[]];
  const there = parts.get(first);
  const inner =
    rest.length === 0
      ? node
      : { texts: [], ...there, parts: withPart(there?.parts ?? new Map(), rest, node) };
  return new Map(parts).set(first, inner);
}
