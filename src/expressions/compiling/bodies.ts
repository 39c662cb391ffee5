/** Computed fields and shapes as functions: each body is compiled once for a model. */
import { enter, leave } from "../cost.ts";
import type { Node } from "../node.ts";
import { depthOf } from "../nodes.ts";
import type { Meaning } from "../scope.ts";
import type { Frame, Value } from "../value.ts";
import type { Evaluate, CompileContext } from "./context.ts";

interface Body {
  /** Set after compilation. A body that uses itself (a tree of values) finds this entry. */
  run: Evaluate;
  readonly usesVariables: boolean;
}

const compiled = new WeakMap<Meaning, Map<string, Body>>();

export type CompileNode = (node: Node, context: CompileContext) => Evaluate;

/**
 * A function that evaluates a body for a record or a value. `name` identifies the body within the
 * model. Null gives null, like a call on null.
 */
export function compileBody(
  compile: CompileNode,
  meaning: Meaning,
  name: string,
  thisAtHand: boolean,
  node: Node,
): (frame: Frame, of: Value) => Value {
  const body = bodyNamed(compile, meaning, `${name} ${thisAtHand}`, thisAtHand, node);
  return evaluatorOf(body, null);
}

/** Evaluates a body with its own `this` and its own variables. `ofNull` is the result for null. */
export function evaluatorOf<T>(
  body: { readonly run: (frame: Frame) => T; readonly usesVariables: boolean },
  ofNull: T,
): (frame: Frame, of: Value) => T {
  return (frame, of) => {
    if (of === null || of === undefined) return ofNull;
    enter();
    const outerThis = frame.this;
    const outerLocals = frame.locals;
    frame.this = of;
    if (body.usesVariables) frame.locals = [];
    try {
      return body.run(frame);
    } finally {
      frame.this = outerThis;
      frame.locals = outerLocals;
      leave();
    }
  };
}

function bodyNamed(
  compile: CompileNode,
  meaning: Meaning,
  key: string,
  thisAtHand: boolean,
  node: Node,
): Body {
  let bodies = compiled.get(meaning);
  if (!bodies) {
    bodies = new Map();
    compiled.set(meaning, bodies);
  }
  const known = bodies.get(key);
  if (known) return known;
  const body: Body = { run: () => null, usesVariables: depthOf(node) > 0 };
  bodies.set(key, body);
  body.run = compile(node, { meaning, thisAtHand, localsAtHand: [] });
  return body;
}
