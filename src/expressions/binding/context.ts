/** Shared context of the binder: scope, positions and reporting. */
import type { DiagnosticCode, ParamsOf } from "../../diagnostics/codes/index.ts";
import type { Related, Reporter } from "../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../../source/phrase.ts";
import type { Node } from "../node.ts";
import type { Syntax } from "../parse.ts";
import type { Scope, Vocabulary } from "../scope.ts";
import { type Type, types } from "../type.ts";

/** A range of the phrase's text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Binding {
  readonly phrase: Phrase;
  readonly scope: Scope;
  readonly words: Vocabulary;
  readonly reporter: Reporter;
  /** Variables from the outermost inwards; the index is the depth. Variables of `for` come first. */
  readonly locals: readonly { readonly name: string; readonly type: Type }[];
  /** Number of enclosing macros. */
  readonly macros: number;
  /** The complete expression, for functions that must be used alone. */
  readonly root: Syntax;
  readonly progress: Progress;
  /** The type that the place of the expression requires. */
  readonly expected?: Type | undefined;
  /** The expression is bound to try a hint, so mistakes need none. */
  readonly isTrial?: boolean;
  /** Binds a part of the expression. After a mistake the result is of unknown type, so that the rest is checked. */
  readonly bind: (syntax: Syntax, binding: Binding) => Node;
}

export interface Progress {
  failed: boolean;
  /** Number of hints that were tried. */
  tried?: number;
  /** Positions of nodes; nodes themselves are plain data. */
  readonly ranges: WeakMap<Node, Range>;
  /** Names for records of several resources that are not distinguished yet (`resource-choice.ts`). */
  readonly several: Set<Node>;
}

/** Reports a mistake. The expression then has no result. */
export function mistake<C extends DiagnosticCode>(
  binding: Binding,
  code: C,
  range: Range,
  params: ParamsOf<C>,
  related: readonly Related[] = [],
): Node {
  binding.progress.failed = true;
  binding.reporter.report(code, positionIn(binding.phrase, range.start, range.end), params, related);
  return unknown();
}

/** Reports a warning, unless the expression has a mistake, which may be its cause. */
export function warn<C extends DiagnosticCode>(
  binding: Binding,
  code: C,
  range: Range,
  params: ParamsOf<C>,
): void {
  if (!binding.progress.failed)
    binding.reporter.report(code, positionIn(binding.phrase, range.start, range.end), params);
}

/**
 * Placeholder for an expression that couldn't be bound. It fits everywhere, so that one mistake is
 * reported once.
 */
function unknown(): Node {
  return { op: "literal", value: null, type: types.any };
}

export function textOf(binding: Binding, range: Range): string {
  return binding.phrase.text.slice(range.start, range.end);
}

/** The position of a node. For a generated node, that of the complete expression. */
export function rangeOf(binding: Binding, node: Node): Range {
  return binding.progress.ranges.get(node) ?? binding.root;
}

/** Sets the position of a node to that of another node or of syntax, and returns the node. */
export function withPosition<N extends Node>(binding: Binding, node: N, range: Range): N {
  binding.progress.ranges.set(node, range);
  return node;
}

/** The binding inside of a macro. Its variable hides all other meanings of its name (decision "Names that meet"). */
export function withVariable(binding: Binding, name: string, type: Type): Binding {
  return { ...binding, locals: [...binding.locals, { name, type }], macros: binding.macros + 1 };
}
