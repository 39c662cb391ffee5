/**
 * Compiles nodes to closures, once for many calls. Nothing here reads the store: expressions that
 * need it are rejected before.
 */
import { isDefaulted } from "../input-defaults.ts";
import { Fault } from "../../support/invariant.ts";
import { keyText } from "../key.ts";
import type { FixedName, Node } from "../node.ts";
import type { Frame, Value } from "../value.ts";
import { compileBody } from "./bodies.ts";
import { compileCall } from "./calls.ts";
import { type Evaluate, isResult, type CompileContext, resultPrefix } from "./context.ts";
import { identifierReader, keyFormsIn, keyPartReader } from "./identifier.ts";
import { compileMacro } from "./macros.ts";
import { compileBinary, compileNegation } from "./operators.ts";
import { isRecordLoaded, macroContext } from "./reach.ts";
import { bareObject } from "../../support/bare-object.ts";
import { type RecordMember, recordMember } from "../record-members.ts";

export function compileNode(node: Node, context: CompileContext): Evaluate {
  switch (node.op) {
    case "literal": {
      const value = node.value as Value;
      return () => value;
    }
    case "fixed":
      return fixedNames[node.name];
    case "named":
      return compileNamed(node, context);
    case "parameter": {
      const { name } = node;
      return (frame) => frame.parameters[name] ?? null;
    }
    case "local": {
      const { depth } = node;
      return (frame) => frame.locals[depth] ?? null;
    }
    case "field":
      return compileField(node, context);
    case "index":
      return compileIndex(compileNode(node.of, context), compileNode(node.index, context));
    case "has":
      return compileHas(node, context);
    case "not": {
      const of = compileNode(node.of, context);
      return (frame) => of(frame) !== true;
    }
    case "negate":
      return compileNegation(compileNode(node.of, context), node.type);
    case "and": {
      const [left, right] = [compileNode(node.left, context), compileNode(node.right, context)];
      return (frame) => left(frame) === true && right(frame) === true;
    }
    case "or": {
      const [left, right] = [compileNode(node.left, context), compileNode(node.right, context)];
      return (frame) => left(frame) === true || right(frame) === true;
    }
    case "if": {
      const condition = compileNode(node.condition, context);
      const [then, otherwise] = [compileNode(node.then, context), compileNode(node.else, context)];
      return (frame) => (condition(frame) === true ? then(frame) : otherwise(frame));
    }
    case "binary":
      return compileBinary(
        node,
        compileNode(node.left, context),
        compileNode(node.right, context),
        context.meaning.vocabulary,
      );
    case "list": {
      const items = node.items.map((item) => compileNode(item, context));
      return (frame) => items.map((item) => item(frame));
    }
    case "map":
      return compileMap(node, context);
    case "call":
      return compileCall(
        node,
        node.args.map((arg) => compileNode(arg, context)),
        context.meaning.vocabulary,
      );
    case "key":
      return compileKey(node, context);
    case "macro": {
      const body = node.body && compileNode(node.body, macroContext(node, context));
      return compileMacro(node, compileNode(node.of, context), body, context.meaning.vocabulary);
    }
    case "shape":
      return compileShape(node, context);
    case "representation":
      return compileRepresentation(node, context);
    case "collection":
      throw new Fault(`the collection of ${node.resource} can only be read by the store`);
  }
}

const fixedNames: Readonly<Record<FixedName, Evaluate>> = {
  this: (frame) => frame.this,
  old: (frame) => frame.old,
  caller: (frame) => frame.caller,
  credential: (frame) => frame.credential,
  body: (frame) => frame.body,
  query: (frame) => frame.query,
  path: (frame) => frame.path,
  headers: (frame) => frame.headers,
  request: (frame) => frame.request,
  now: (frame) => frame.now,
  service: (frame) => frame.service,
  page: (frame) => frame.page,
  event: (frame) => frame.event,
  delivery: (frame) => frame.delivery,
  error: (frame) => frame.error,
  limits: (frame) => frame.limits,
};

function compileNamed(node: Extract<Node, { op: "named" }>, context: CompileContext): Evaluate {
  const { name } = node;
  const { results } = context;
  if (results && isResult(node)) {
    const at = Number(name.slice(resultPrefix.length));
    return () => results.current[at] ?? null;
  }
  return (frame) => frame.named[name] ?? null;
}

// ── Fields ──────────────────────────────────────────────────────────────────────────────────────

function compileField(node: Extract<Node, { op: "field" }>, context: CompileContext): Evaluate {
  const { of, name } = node;
  const { meaning } = context;
  const read = compileNode(of, context);
  if (of.type.kind === "record" || of.type.kind === "value") {
    const { resource } = of.type;
    const words = meaning.vocabulary.resource(resource);
    const field = words?.fields.get(name);
    const computed = field?.computed ? meaning.computed(resource, name) : undefined;
    if (computed) {
      const evaluate = compileBody(compileNode, meaning, `computed ${resource}.${name}`, true, computed);
      return (frame) => evaluate(frame, read(frame));
    }
    const at = of.type.kind === "record" ? (words?.identifier.indexOf(name) ?? -1) : -1;
    if (at !== -1) return readIdentifying(read, name, keyPartReader(resource, at, meaning.vocabulary));
    const member = words && recordMember(words, name);
    if (member) return readMember(read, member);
    if (field && of.type.kind === "record") return readColumn(read, name);
  }
  return readKey(read, name);
}

/** Reads an identifying field from a loaded record, or from the key of a reference. */
function readIdentifying(read: Evaluate, name: string, part: (key: Value) => Value): Evaluate {
  return (frame) => {
    const record = read(frame);
    if (record === null) return null;
    return isKeyed(record) ? (record[name] ?? null) : part(record);
  };
}

/** Part 2: a record that is identified by several fields, named by their values. */
function compileKey(node: Extract<Node, { op: "key" }>, context: CompileContext): Evaluate {
  const words = context.meaning.vocabulary;
  const forms = keyFormsIn(node.resource, words);
  const parts = node.parts.map((part): Evaluate => {
    const read = compileNode(part, context);
    const identify = part.type.kind === "record" ? identifierReader(part.type.resource, words) : undefined;
    return identify ? (frame) => identify(read(frame)) : read;
  });
  return (frame) =>
    keyText(
      parts.map((part) => part(frame)),
      forms,
    );
}

function readMember(read: Evaluate, { column }: RecordMember): Evaluate {
  return (frame) => {
    const record = read(frame);
    return isKeyed(record) ? (record[column] ?? null) : null;
  };
}

/** Reads a stored field. A record has each of them as an own property, so no inherited property is read. */
function readColumn(read: Evaluate, name: string): Evaluate {
  return (frame) => {
    const record = read(frame);
    return record === null || typeof record !== "object" ? null : ((record as Keyed)[name] ?? null);
  };
}

function readKey(read: Evaluate, name: string): Evaluate {
  return (frame) => {
    const of = read(frame);
    return isKeyed(of) && Object.hasOwn(of, name) ? (of[name] ?? null) : null;
  };
}

interface Keyed {
  readonly [key: string]: Value;
}

function isKeyed(value: Value): value is Keyed & Value {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/**
 * For inputs, `has` is true for a sent null and false for a default. For records it tests whether
 * the field has a value.
 */
function compileHas(node: Extract<Node, { op: "has" }>, context: CompileContext): Evaluate {
  if (node.of.type.kind === "record") {
    const field = compileField({ op: "field", of: node.of, name: node.name, type: node.type }, context);
    return (frame) => field(frame) !== null;
  }
  const read = compileNode(node.of, context);
  const { name } = node;
  const sent = isSent(node.of);
  return (frame) => {
    const of = read(frame);
    if (!isKeyed(of) || !Object.hasOwn(of, name) || of[name] === undefined) return false;
    return !sent || !isDefaulted(of, name);
  };
}

/** Whether the node is a part of the request, at any depth. */
function isSent(node: Node): boolean {
  if (node.op === "field" || node.op === "index") return isSent(node.of);
  return node.op === "fixed" && ["body", "query", "path", "headers"].includes(node.name);
}

function compileIndex(of: Evaluate, index: Evaluate): Evaluate {
  return (frame) => {
    const container = of(frame);
    if (container === null || typeof container !== "object") return null;
    const at = index(frame);
    if (Array.isArray(container))
      return typeof at === "number" ? ((container as readonly Value[])[at] ?? null) : null;
    return isKeyed(container) && typeof at === "string" && Object.hasOwn(container, at)
      ? (container[at] ?? null)
      : null;
  };
}

// ── Maps and shapes ─────────────────────────────────────────────────────────────────────────────

function compileMap(node: Extract<Node, { op: "map" }>, context: CompileContext): Evaluate {
  const entries = node.entries.map(({ key, optional, value }) => ({
    key,
    optional,
    read: compileNode(value, context),
  }));
  return (frame) => {
    const made = bareObject<Record<string, Value>>();
    for (const { key, optional, read } of entries) {
      const value = read(frame);
      if (value !== null || !optional) made[key] = value;
    }
    return made;
  };
}

function compileShape(node: Extract<Node, { op: "shape" }>, context: CompileContext): Evaluate {
  const { meaning } = context;
  const body = meaning.shapeBody(node.shape);
  if (!body) return () => null;
  const thisAtHand = node.of ? isRecordLoaded(node.of, context) : context.thisAtHand;
  const evaluate = compileBody(compileNode, meaning, `shape ${node.shape}`, thisAtHand, body);
  if (!node.of) return (frame) => evaluate(frame, frame.this ?? nothing);
  const of = compileNode(node.of, context);
  return (frame) => evaluate(frame, of(frame));
}

/** Placeholder for `this` in a shape without argument, distinct from a shape of null. */
const nothing: Value = Object.freeze(Object.create(null));

function compileRepresentation(
  node: Extract<Node, { op: "representation" }>,
  context: CompileContext,
): Evaluate {
  const of = compileNode(node.of, context);
  const fields = representationFields(node, context).map(({ name, read }) => ({ name, evaluate: read }));
  return (frame) => {
    const record = of(frame);
    if (!isKeyed(record)) return null;
    const made = bareObject<Record<string, Value>>();
    for (const { name, evaluate } of fields) made[name] = evaluate(frame, record);
    return made;
  };
}

export interface RepresentationField {
  readonly name: string;
  readonly node: Node;
  readonly read: (frame: Frame, record: Value) => Value;
}

/** The readable fields of a record or a value, in order, without passwords, whatever their rules are. */
function representationFields(
  node: Extract<Node, { op: "representation" }>,
  context: CompileContext,
): readonly RepresentationField[] {
  const { meaning } = context;
  const fields: RepresentationField[] = [];
  for (const field of meaning.vocabulary.resource(node.resource)?.fields.values() ?? []) {
    if (field.hidden || field.type.kind === "password") continue;
    const { name } = field;
    const fieldNode: Node = { op: "field", of: node.of, name, type: field.type };
    const computed = field.computed ? meaning.computed(node.resource, name) : undefined;
    const read = computed
      ? compileBody(compileNode, meaning, `computed ${node.resource}.${name}`, true, computed)
      : (_frame: Frame, record: Value) => (isKeyed(record) ? (record[name] ?? null) : null);
    fields.push({ name, node: fieldNode, read });
  }
  return fields;
}
