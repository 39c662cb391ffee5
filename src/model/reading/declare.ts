/**
 * Declarations: fills the symbol table before expressions are read. Each `declare…` function
 * returns what it found, `take` adds it, and `vocabulary` offers it to expressions. Types that
 * depend on each other (shapes, `body` of transitions) are computed on first use, silently; their
 * mistakes are reported when their part is built.
 */
import { bindExpression } from "../../expressions/bind.ts";
import type { Node } from "../../expressions/node.ts";
import { functionNamed } from "../../expressions/functions/index.ts";
import { partsOfNode, someNode } from "../../expressions/nodes.ts";
import { namesIn } from "./any-part/mentions.ts";
import type { ResourceWords, Scope, ShapeFunction, ShapeWords, Vocabulary } from "../../expressions/scope.ts";
import { type Type, types } from "../../expressions/type.ts";
import { createReporter, type Reporter } from "../../diagnostics/diagnostic.ts";
import { hasRule, isHidden } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import type { Position } from "../../source/source.ts";
import type { Declarations, DeclaredEvent, DeclaredResource, DeclaredShape } from "./declarations.ts";
import type { DeclaredFunction } from "./endpoints/functions.ts";
import { createTransitionBodies, type TransitionUses } from "./effects/transition-body.ts";

/** The results of the `declare…` functions. */
export interface DeclaredNames {
  readonly resources: ReadonlyMap<string, DeclaredResource>;
  readonly shapes: ReadonlyMap<string, DeclaredShape>;
  readonly errorCodes: ReadonlyMap<string, Position>;
  readonly codesAreNone: boolean;
  readonly events: ReadonlyMap<string, DeclaredEvent>;
  readonly schemes: ReadonlyMap<string, Position>;
  readonly rateNames: ReadonlyMap<string, Position>;
  readonly ratesAreKnown: boolean;
  readonly hasClaims: boolean;
  readonly versions: ReadonlyMap<string, Position>;
  readonly functions: ReadonlyMap<string, DeclaredFunction>;
  readonly caller: Type;
  readonly credential: Type;
  /** The resources of `caller` and `credential`, if schemes differ. */
  readonly several: NonNullable<Scope["several"]>;
  /** The uses of transitions: endpoints that fire them, and every `do` of an effect. */
  readonly transitionUses: readonly TransitionUses[];
}

/** Returns the scope of a shape's body, which part 4 defines. */
export type ShapeScope = (shape: DeclaredShape, declarations: Declarations) => Scope;

export class SymbolTable implements Declarations {
  readonly resources = new Map<string, DeclaredResource>();
  readonly shapes = new Map<string, DeclaredShape>();
  readonly errorCodes = new Map<string, Position>();
  readonly events = new Map<string, DeclaredEvent>();
  readonly schemes = new Map<string, Position>();
  readonly rateNames = new Map<string, Position>();
  readonly versions = new Map<string, Position>();
  readonly vocabulary: Vocabulary;
  readonly #functions = new Map<string, DeclaredFunction>();
  readonly #bodies: ReturnType<typeof createTransitionBodies>;
  codesAreNone = false;
  ratesAreKnown = false;
  hasClaims = false;
  // `any` before part 5 was read, so that an early use isn't reported.
  caller: Type = types.any;
  credential: Type = types.any;
  several: NonNullable<Scope["several"]> = {};

  constructor(reporter: Reporter, shapeScope: ShapeScope) {
    this.vocabulary = createVocabulary(reporter, this.resources, this.shapes, this.#functions, (shape) =>
      shapeScope(shape, this),
    );
    this.#bodies = createTransitionBodies(reporter, this.vocabulary);
  }

  transitionBody(resource: string, transition: string): Type {
    return this.#bodies.bodyOf(resource, transition);
  }

  get baseScope(): Scope {
    return baseScope(this);
  }

  /** Adds names. An existing name is kept, and the reader of the duplicate reports it. */
  take(names: Partial<DeclaredNames>): void {
    add(this.resources, names.resources);
    add(this.shapes, names.shapes);
    add(this.errorCodes, names.errorCodes);
    this.codesAreNone = names.codesAreNone ?? this.codesAreNone;
    this.ratesAreKnown = names.ratesAreKnown ?? this.ratesAreKnown;
    this.hasClaims = names.hasClaims ?? this.hasClaims;
    add(this.events, names.events);
    add(this.schemes, names.schemes);
    add(this.rateNames, names.rateNames);
    add(this.versions, names.versions);
    add(this.#functions, names.functions);
    this.#bodies.add(names.transitionUses ?? []);
    this.caller = names.caller ?? this.caller;
    this.credential = names.credential ?? this.credential;
    this.several = names.several ?? this.several;
  }
}

function add<T>(to: Map<string, T>, from: ReadonlyMap<string, T> | undefined): void {
  for (const [name, value] of from ?? []) if (!to.has(name)) to.set(name, value);
}

/**
 * The names of every expression (notation, "Names"). `this`, `old`, `body` and records are added
 * where they exist.
 */
function baseScope(table: Declarations): Scope {
  return {
    fixed: {
      caller: table.caller,
      credential: table.credential,
      request: requestType,
      now: types.timestamp,
      service: { kind: "object", fields: { url: types.string } },
      limits: limitsType(table),
      headers: { kind: "map", of: types.string },
    },
    named: {},
    locals: [],
    vocabulary: table.vocabulary,
    hasClaims: table.hasClaims,
    ...(Object.keys(table.several).length > 0 ? { several: table.several } : {}),
  };
}

export const limitType: Type = {
  kind: "object",
  fields: {
    limit: types.integer,
    remaining: types.integer,
    used: types.integer,
    reset: types.timestamp,
  },
};

/**
 * The type of `limits` (part 8): `limits.core.remaining`. If the document doesn't show them, any name is allowed and
 * its value is null.
 */
function limitsType({ rateNames: names, ratesAreKnown }: Declarations): Type {
  const known = limitsTypes.get(names);
  if (known?.count === names.size && known.areAll === ratesAreKnown) return known.type;
  const fields = Object.fromEntries([...names.keys()].map((name) => [name, limitType]));
  const type: Type = { kind: "object", fields, ...(ratesAreKnown ? {} : { open: true }) };
  limitsTypes.set(names, { count: names.size, areAll: ratesAreKnown, type });
  return type;
}

/** Cache of types. Every expression needs a scope, and a document may have thousands of limits. Names are only ever added. */
const limitsTypes = new WeakMap<
  object,
  { readonly count: number; readonly areAll: boolean; readonly type: Type }
>();

export const requestType: Type = {
  kind: "object",
  fields: {
    id: types.string,
    method: types.string,
    path: types.string,
    url: types.string,
    ip: types.string,
    version: types.string,
    prefer: types.string,
    replayed: types.boolean,
    body: types.bytes,
  },
};

function createVocabulary(
  reporter: Reporter,
  resources: ReadonlyMap<string, DeclaredResource>,
  shapes: ReadonlyMap<string, DeclaredShape>,
  functions: ReadonlyMap<string, DeclaredFunction>,
  scopeOf: (shape: DeclaredShape) => Scope,
): Vocabulary {
  const resourceWords = new Map<DeclaredResource, ResourceWords>();
  const shapeWords = new Map<DeclaredShape, ShapeWords>();
  return {
    get resourceNames() {
      return [...resources.keys()];
    },
    resource(name) {
      const declared = resources.get(name);
      return declared && remembered(resourceWords, declared, wordsOfResource);
    },
    get shapeNames() {
      return [...shapes.keys()];
    },
    shape(name) {
      const declared = shapes.get(name);
      return declared && remembered(shapeWords, declared, (shape) => wordsOfShape(shape, reporter, scopeOf));
    },
    get handlerFunctionNames() {
      return [...functions.keys()];
    },
    handlerFunction: (name) => functions.get(name),
  };
}

function remembered<K, V>(known: Map<K, V>, key: K, make: (key: K) => V): V {
  const found = known.get(key) ?? make(key);
  known.set(key, found);
  return found;
}

function wordsOfResource(declared: DeclaredResource): ResourceWords {
  const fields = [...declared.fields.values()].map((field) => ({
    name: field.name,
    type: expressionType(field.type),
    computed: field.computed,
    hidden: isHidden(field.rules),
    anyCase: hasRule(field.rules, "any case"),
  }));
  return {
    name: declared.name,
    isValue: declared.isValue,
    fields: new Map(fields.map((field) => [field.name, field])),
    identifier: declared.identifier,
    deletedMarked: declared.deletedMarked,
  };
}

function wordsOfShape(
  shape: DeclaredShape,
  reporter: Reporter,
  scopeOf: (shape: DeclaredShape) => Scope,
): ShapeWords {
  let type: Type | undefined;
  const asFunction = shapeFunctionOf(shape, reporter, scopeOf);
  return {
    name: shape.name,
    ...(shape.of === undefined ? {} : { of: shape.of }),
    ...(asFunction ? { asFunction } : {}),
    type() {
      if (type) return type;
      // In a cycle of shapes, the type is `any`. Part 4 reports the cycle.
      type = types.any;
      const { body } = shape;
      if (body)
        type =
          reporter.silently(() => bindExpression(body, scopeOf(shape), reporter)).value?.node.type ??
          types.any;
      return type;
    },
  };
}

/** Most names, values and operators of a shape with its arguments in place: the arguments may be such shapes themselves. */
const appliedSizeMax = 5000;

/** Undefined for a shape without parameters, or without a block. */
function shapeFunctionOf(
  shape: DeclaredShape,
  reporter: Reporter,
  scopeOf: (shape: DeclaredShape) => Scope,
): ShapeFunction | undefined {
  const { parameters, body } = shape;
  if (!parameters || !body) return undefined;
  let isApplying = false;
  let isUsed = false;
  return {
    parameters,
    get isUsed() {
      return isUsed;
    },
    apply(args, depth) {
      isUsed = true;
      const read = namesIn(body.text);
      const repeated = parameters.find(
        (name, at) => isNewEachTime(args[at]) && read.filter((parameter) => parameter === name).length > 1,
      );
      if (repeated !== undefined)
        return {
          why: `Its block reads \`${repeated}\` more than once, and it would be another value each time.`,
        };
      if (isApplying) return { why: `Circular shape: ${shape.name} contains itself.` };
      isApplying = true;
      try {
        const given = Object.fromEntries(args.map((arg, at) => [parameters[at] ?? "", arg]));
        // The variables around the call keep their places, and have no names here.
        const locals = Array.from({ length: depth }, () => ({ name: "", type: types.any }));
        const own = createReporter(reporter.source);
        const bound = bindExpression(body, { ...scopeOf(shape), given, locals }, own);
        const [cause] = own.diagnostics;
        if (!bound) return { why: cause?.message ?? "", ...(cause ? { cause } : {}) };
        const isLarge = sizeOf(bound.node, new Map()) > appliedSizeMax;
        return isLarge
          ? { why: "It becomes too large: write identifiers instead of records." }
          : { node: bound.node };
      } finally {
        isApplying = false;
      }
    },
  };
}

/** `random(8)`, or a function of the handlers' module, anywhere in the argument. */
function isNewEachTime(node: Node | undefined): boolean {
  const isNew = (name: string) => functionNamed(name)?.isNewEachTime ?? !functionNamed(name);
  return node !== undefined && someNode(node, (inner) => inner.op === "call" && isNew(inner.function));
}

/** Nodes of an expression, each as often as it is evaluated; arguments are shared objects. */
function sizeOf(node: Node, known: Map<Node, number>): number {
  const found = known.get(node);
  if (found !== undefined) return found;
  const size = partsOfNode(node).reduce((sum, part) => sum + sizeOf(part, known), 1);
  known.set(node, size);
  return size;
}
