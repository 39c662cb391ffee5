/**
 * Scopes: what an expression may name, and what the names mean. `model/` builds them and `bind.ts`
 * reads them.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { TimestampForm } from "./writing/wire.ts";
import type { FixedName, Node } from "./node.ts";
import type { Type } from "./type.ts";

/** Names of records that may belong to several resources: those of part 5's schemes, or (in part 7) of any error. */
export type AmbiguousName = "caller" | "credential" | "this" | "old";

/**
 * The names that are available to an expression. Immutable; `withNames` returns an extended one.
 */
export interface Scope {
  readonly fixed: Readonly<Partial<Record<FixedName, Type>>>;
  /** Path records, `Let`, `as`, the webhook's record … */
  readonly named: Readonly<Record<string, Type>>;
  /** Variables of enclosing `for`s (depth = index in the list). Macros add their own. */
  readonly locals: readonly { readonly name: string; readonly type: Type }[];
  /** Parameters of a shape with their arguments; names of `Let` in `Where`. A node stands for each. */
  readonly given?: Readonly<Record<string, Node>>;
  /** Whether the whole expression is a call of a function that returns a condition. */
  readonly isCondition?: true;
  /** Names of `Let` that have no value yet, for the hint about an unknown name. */
  readonly notYet?: readonly string[];
  readonly vocabulary: Vocabulary;
  /** Whether a token may identify the caller, so that `caller.claims` exists. */
  readonly hasClaims?: boolean;
  /** The resources of a name whose record may belong to several. The type of such a name is `any`. */
  readonly several?: Readonly<Partial<Record<AmbiguousName, readonly string[]>>>;
}

export function withFixed(scope: Scope, fixed: Partial<Record<FixedName, Type>>): Scope {
  return { ...scope, fixed: { ...scope.fixed, ...fixed } };
}

export function withNamed(scope: Scope, name: string, type: Type): Scope {
  return { ...scope, named: { ...scope.named, [name]: type } };
}

export function withLocal(scope: Scope, name: string, type: Type): Scope {
  return { ...scope, locals: [...scope.locals, { name, type }] };
}

/** The document's vocabulary: resources, shapes and functions. */
export interface Vocabulary {
  readonly resourceNames: readonly string[];
  resource(name: string): ResourceWords | undefined;
  readonly shapeNames: readonly string[];
  shape(name: string): ShapeWords | undefined;
  /** Functions of the handlers' module. Undefined without one. */
  readonly handlerFunctionNames?: readonly string[];
  /** The form of timestamps in JSON (part 4, `Timestamps`). Absent if not stated. */
  readonly timestamps?: TimestampForm | undefined;
  handlerFunction(name: string): HandlerFunctionWords | undefined;
}

export interface HandlerFunctionWords {
  readonly arguments: readonly Type[];
  readonly returns: Type;
  /** It returns a condition for the database, which no expression can use as a value. */
  readonly isCondition?: true;
}

export interface ResourceWords {
  readonly name: string;
  readonly isValue: boolean;
  /** Fields in order, including computed ones, identifiers and states. */
  readonly fields: ReadonlyMap<string, FieldWords>;
  /** Names of the identifying fields. Several for a joint identifier, none for values. */
  readonly identifier: readonly string[];
  readonly deletedMarked: boolean;
}

export interface FieldWords {
  readonly name: string;
  readonly type: Type;
  /** Evaluated on read. */
  readonly computed: boolean;
  /** Whether the field is `write-only` or `internal`, so that it isn't in the default representation. */
  readonly hidden: boolean;
  readonly anyCase: boolean;
}

export interface ShapeWords {
  readonly name: string;
  /** The resource that the shape applies to. Absent for a shape over `page` alone, or with parameters. */
  readonly of?: string;
  /** Of a shape with parameters: `### Shape: Envelope(data)`. */
  readonly asFunction?: ShapeFunction;
  /** The type of the result. `any` while it is being determined, because shapes may name each other. */
  type(): Type;
}

export interface ShapeFunction {
  readonly parameters: readonly string[];
  /** Whether some expression has applied it so far. */
  readonly isUsed: boolean;
  /**
   * The body with the arguments in place of the parameters; else why it can't take them, and the
   * mistake in the body that this causes.
   * @param depth number of variables at the call
   */
  apply(
    args: readonly Node[],
    depth: number,
  ):
    | { readonly node: Node }
    | { readonly why: string; readonly cause?: Pick<Diagnostic, "position" | "hint"> };
}

/** What the node compilers need of the model: the bodies of names. */
export interface Meaning {
  readonly vocabulary: Vocabulary;
  /** The expression of a computed field over `this`. */
  computed(resource: string, field: string): Node | undefined;
  /** The body of a shape over `this` (or `page`). */
  shapeBody(shape: string): Node | undefined;
}

/** Whether another record has the name, which `as` may not use again (decision "Names that meet"). */
export function isNameInUse(name: string, scope: Scope): boolean {
  return (
    Object.hasOwn(scope.named, name) ||
    Object.hasOwn(scope.fixed, name) ||
    scope.locals.some((local) => local.name === name)
  );
}
