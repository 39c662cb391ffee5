/**
 * Compiles typed expressions to functions that return JSON text. Objects are written key by key
 * from their nodes without building them. Existing values are written by their type
 * (`writing/values.ts`).
 */
import { invariant } from "../support/invariant.ts";
import { evaluatorOf } from "./compiling/bodies.ts";
import { compileNode } from "./compiling/compile.ts";
import { type Evaluate, rootContext, type CompileContext } from "./compiling/context.ts";
import { isRecordLoaded, macroContext, reachesStore } from "./compiling/reach.ts";
import { countSteps, withinCost } from "./cost.ts";
import type { Node } from "./node.ts";
import { emptyFrame } from "./frame.ts";
import { depthOf, isBuilt } from "./nodes.ts";
import type { Meaning } from "./scope.ts";
import type { Frame, Value } from "./value.ts";
import { mergeWritten } from "./writing/merge-values.ts";
import { type Writing, writerOf } from "./writing/values.ts";
import type { WireForm } from "./writing/wire.ts";

export { compileValueWriter, valueToJson } from "./writing/values.ts";
export type { WireForm } from "./writing/wire.ts";

type Write = (frame: Frame) => string;

interface JsonWriting extends Writing {
  /** Writers of shapes by name, so that a shape that contains itself (for a tree of values) finds its own writer. */
  readonly shapeWriters: Map<string, { run: Write; readonly usesVariables: boolean }>;
  /** Shapes whose keys are being merged into another. One that contains itself has no keys. */
  readonly opened: Set<string>;
}

/** Compiles a node that doesn't read the store to a function that returns its value as JSON text. */
export function compileJson(node: Node, meaning: Meaning, wire: WireForm): Write {
  const context = rootContext(meaning);
  invariant(!reachesStore(node, context), "an expression that reads stored data was compiled as a function");
  const writing: JsonWriting = {
    meaning,
    wire,
    valueWriters: new Map(),
    shapeWriters: new Map(),
    opened: new Set(),
  };
  return withinCost(compileWrite(node, context, writing));
}

function compileWrite(node: Node, context: CompileContext, writing: JsonWriting): Write {
  switch (node.op) {
    case "literal": {
      const text = writerOf(node.type, writing, false)(node.value as Value, emptyFrame);
      return () => text;
    }
    case "if": {
      const condition = compileNode(node.condition, context);
      const [then, otherwise] = [
        compileWrite(node.then, context, writing),
        compileWrite(node.else, context, writing),
      ];
      return (frame) => (condition(frame) === true ? then(frame) : otherwise(frame));
    }
    case "list": {
      const items = node.items.map((item) => compileWrite(item, context, writing));
      return (frame) => `[${items.map((item) => item(frame)).join(",")}]`;
    }
    case "shape":
      return writeShape(node, context, writing);
    case "map":
    case "representation":
      return writeObject(node, context, writing);
    case "call":
      return node.function === "merge"
        ? writeObject(node, context, writing)
        : writeValue(node, context, writing);
    case "macro":
      return node.macro === "map" ? writeList(node, context, writing) : writeValue(node, context, writing);
    default:
      return writeValue(node, context, writing);
  }
}

function writeValue(node: Node, context: CompileContext, writing: JsonWriting): Write {
  const read = compileNode(node, context);
  const write = writerOf(node.type, writing, isBuiltAt(node, context));
  return (frame) => write(read(frame), frame);
}

function isBuiltAt(node: Node, context: CompileContext): boolean {
  return node.op === "local" ? context.builtLocals?.has(node.depth) === true : isBuilt(node);
}

/** Whether expressions made each element of a list. */
function buildsElements(node: Node, context: CompileContext): boolean {
  if (node.op === "list") return node.items.every((item) => isBuiltAt(item, context));
  if (node.op !== "macro") return (node.op === "named" || node.op === "index") && isBuilt(node);
  if (node.macro !== "map") return buildsElements(node.of, context);
  return node.body !== undefined && isBuiltAt(node.body, insideList(node, context));
}

/** The context inside of the body of a macro over a list. */
function insideList(node: Extract<Node, { op: "macro" }>, context: CompileContext): CompileContext {
  const inner = macroContext(node, context);
  const { depth } = node;
  if (depth === undefined || !buildsElements(node.of, context)) return inner;
  return { ...inner, builtLocals: new Set([...(context.builtLocals ?? []), depth]) };
}

function writeList(
  node: Extract<Node, { op: "macro" }>,
  context: CompileContext,
  writing: JsonWriting,
): Write {
  const { depth, body } = node;
  if (depth === undefined || body === undefined || node.of.type.kind !== "list")
    return writeValue(node, context, writing);
  const of = compileNode(node.of, context);
  const write = compileWrite(body, insideList(node, context), writing);
  return (frame) => {
    const items = of(frame);
    if (!Array.isArray(items)) return "null";
    countSteps(items.length + 1);
    const texts: string[] = [];
    for (const item of items as readonly Value[]) {
      frame.locals[depth] = item;
      texts.push(write(frame));
    }
    return `[${texts.join(",")}]`;
  };
}

function writeShape(
  node: Extract<Node, { op: "shape" }>,
  context: CompileContext,
  writing: JsonWriting,
): Write {
  const body = writing.meaning.shapeBody(node.shape);
  if (!body) return () => "null";
  const thisAtHand = node.of ? isRecordLoaded(node.of, context) : context.thisAtHand;
  const key = `${node.shape} ${thisAtHand}`;
  let shape = writing.shapeWriters.get(key);
  if (!shape) {
    shape = { run: () => "null", usesVariables: depthOf(body) > 0 };
    writing.shapeWriters.set(key, shape);
    shape.run = compileWrite(body, { meaning: writing.meaning, thisAtHand, localsAtHand: [] }, writing);
  }
  const write = evaluatorOf(shape, "null");
  if (!node.of) return (frame) => write(frame, frame.this ?? nothing);
  const of = compileNode(node.of, context);
  return (frame) => write(frame, of(frame));
}

const nothing: Value = Object.freeze(Object.create(null));

// ── Objects, key by key ─────────────────────────────────────────────────────────────────────────

interface Entry {
  readonly key: string;
  /** Whether the key is omitted if its value is null. */
  readonly optional: boolean;
  readonly write: Write;
}

interface Entries {
  /** Operands that must not be null for the object to exist. */
  readonly needs: readonly Evaluate[];
  readonly entries: readonly Entry[];
}

function writeObject(node: Node, context: CompileContext, writing: JsonWriting): Write {
  const found = entriesOf(node, context, writing);
  if (!found && node.op === "call") return writeMerged(node.args, context, writing);
  if (!found) return writeValue(node, context, writing);
  const { needs } = found;
  const entries = found.entries.map(({ key, optional, write }) => ({
    name: `${JSON.stringify(key)}:`,
    optional: optional || !writing.wire.nulls,
    write,
  }));
  return (frame) => {
    for (const need of needs) if (need(frame) === null) return "null";
    let text = "{";
    for (const { name, optional, write } of entries) {
      const value = write(frame);
      // Only null is written as `null`, because a text has quotes.
      if (optional && value === "null") continue;
      text += text === "{" ? name + value : `,${name}${value}`;
    }
    return `${text}}`;
  };
}

/** Merges values that are only known at run time. Each is written by its own type, because the merged value has none. */
function writeMerged(args: readonly Node[], context: CompileContext, writing: JsonWriting): Write {
  const parts = args.map((arg) => ({
    read: compileNode(arg, context),
    write: compileWrite(arg, context, writing),
  }));
  return (frame) => {
    const pairs = parts.flatMap(({ read, write }): Value[] => [read(frame), JSON.parse(write(frame))]);
    return JSON.stringify(mergeWritten(pairs));
  };
}

/** The keys of an object, if its node has them. Undefined if only the value does. */
function entriesOf(node: Node, context: CompileContext, writing: JsonWriting): Entries | undefined {
  switch (node.op) {
    case "map":
      return {
        needs: [],
        entries: node.entries.map(({ key, optional, value }) => ({
          key,
          optional,
          write: compileWrite(value, context, writing),
        })),
      };
    case "representation":
      return representationEntries(node, context, writing);
    case "shape":
      return shapeEntries(node, context, writing);
    case "call":
      return node.function === "merge" ? mergedEntries(node.args, context, writing) : undefined;
    default:
      return undefined;
  }
}

function representationEntries(
  node: Extract<Node, { op: "representation" }>,
  context: CompileContext,
  writing: JsonWriting,
): Entries {
  const fields = [...(writing.meaning.vocabulary.resource(node.resource)?.fields.values() ?? [])];
  const visible = fields.filter((field) => !field.hidden && field.type.kind !== "password");
  return {
    needs: [compileNode(node.of, context)],
    entries: visible.map((field) => ({
      key: field.name,
      optional: false,
      write: compileWrite({ op: "field", of: node.of, name: field.name, type: field.type }, context, writing),
    })),
  };
}

/** The keys of a shape's body, evaluated with the shape's own `this`. */
function shapeEntries(
  node: Extract<Node, { op: "shape" }>,
  context: CompileContext,
  writing: JsonWriting,
): Entries | undefined {
  const body = writing.meaning.shapeBody(node.shape);
  if (!body || writing.opened.has(node.shape)) return undefined;
  writing.opened.add(node.shape);
  const thisAtHand = node.of ? isRecordLoaded(node.of, context) : context.thisAtHand;
  const found = entriesOf(body, { meaning: writing.meaning, thisAtHand, localsAtHand: [] }, writing);
  writing.opened.delete(node.shape);
  if (!found) return undefined;
  const of: Evaluate = node.of ? compileNode(node.of, context) : (frame) => frame.this ?? nothing;
  const usesVariables = depthOf(body) > 0;
  const inside = <T>(run: (frame: Frame) => T, ofNull: T) => {
    const evaluate = evaluatorOf({ run, usesVariables }, ofNull);
    return (frame: Frame) => evaluate(frame, of(frame));
  };
  return {
    needs: [of, ...found.needs.map((need) => inside<Value>(need, null))],
    entries: found.entries.map((entry) => ({ ...entry, write: inside(entry.write, "null") })),
  };
}

/** If both have a key, the second replaces the first. An optional one does so only if it has a value. */
function mergedEntries(
  args: readonly Node[],
  context: CompileContext,
  writing: JsonWriting,
): Entries | undefined {
  const parameters: Evaluate[] = [];
  const merged = new Map<string, Entry>();
  for (const argument of args) {
    const found = entriesOf(argument, context, writing);
    if (!found) return undefined;
    parameters.push(...found.needs);
    for (const entry of found.entries) {
      const before = merged.get(entry.key);
      merged.set(entry.key, before && entry.optional ? otherwise(entry, before) : entry);
    }
  }
  return { needs: parameters, entries: [...merged.values()] };
}

function otherwise(entry: Entry, before: Entry): Entry {
  return {
    key: entry.key,
    optional: before.optional,
    write(frame) {
      const text = entry.write(frame);
      return text === "null" ? before.write(frame) : text;
    },
  };
}
