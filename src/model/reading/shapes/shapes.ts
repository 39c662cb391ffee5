/**
 * Shapes: `### Shape: Parcel of Parcel` and a `cel` block, in parts 4, 6 and 7, with one name space
 * (decision "Where shapes may stand"). Finds them and builds their bodies; `expressions/` defines
 * the meaning of a shape's name in an expression.
 */
import { nonNull } from "../../../support/non-null.ts";
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression, Node } from "../../../expressions/node.ts";
import { type Scope, type Vocabulary, withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import type { Position } from "../../../source/source.ts";
import { type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import type { DocumentNode, PartName, Section } from "../../../syntax/nodes.ts";
import { isNotShown, itemsOf } from "../../../syntax/read.ts";
import type { Declarations, DeclaredShape } from "../declarations.ts";
import type { Gap, Shape, ShapeFunction } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { mentions } from "../any-part/mentions.ts";
import { anyPageType } from "../scopes/page-type.ts";
import { oversizedShapes, shapeDepthMax, shapePartsMax } from "./shape-nesting.ts";
import { errorType } from "../scopes/error-type.ts";
import { deliveryType, eventType } from "../scopes/event-type.ts";
import { nearestHint } from "../nearest-hint.ts";
import { isShapeHeading } from "../any-part/part-blocks.ts";

/** The parts that may contain shapes (decision "Where shapes may stand"). */
const shapeParts = ["endpoints", "events", "errors"] as const satisfies readonly PartName[];

/** The section of a shape. Names are empty phrases if the heading lacks them. */
interface ShapeSection {
  readonly part: (typeof shapeParts)[number];
  readonly section: Section;
  readonly name: Phrase;
  readonly of: Phrase | undefined;
  /** In brackets after the name. Absent without brackets. */
  readonly parameters: readonly string[] | undefined;
  /** The text of the `cel` block. Absent if there is none, or if it is `not shown`. */
  readonly body: Phrase | undefined;
}

/**
 * All shapes of the document by name; the first of two with one name. `buildShapes` reports their
 * mistakes.
 */
export function declareShapes(ctx: BuildContext): ReadonlyMap<string, DeclaredShape> {
  const shapes = new Map<string, DeclaredShape>();
  for (const section of shapeSections(ctx)) {
    const declared = declaredShape(section, ctx);
    if (!shapes.has(declared.name)) shapes.set(declared.name, declared);
  }
  // A shape that is too large to be traversed has no body, and its type is `any`.
  for (const name of overgrown(shapes)) shapes.set(name, { ...nonNull(shapes.get(name)), body: undefined });
  return shapes;
}

function overgrown(shapes: ReadonlyMap<string, DeclaredShape>): ReadonlySet<string> {
  return oversizedShapes(new Map([...shapes.values()].map((shape) => [shape.name, shape.body?.text ?? ""])));
}

function declaredShape(section: ShapeSection, { document, declarations }: BuildContext): DeclaredShape {
  const of = section.of?.text;
  return {
    name: section.name.text,
    position: positionIn(section.name),
    ...(of !== undefined && declarations.resources.has(of) ? { of } : {}),
    ...(section.parameters === undefined ? {} : { parameters: section.parameters }),
    names: namesOfPart(section.part, document),
    body: section.body,
  };
}

function namesOfPart(part: ShapeSection["part"], document: DocumentNode): DeclaredShape["names"] {
  if (part === "events") return { event: eventType, delivery: deliveryType };
  return part === "errors" ? { error: errorType(document) } : {};
}

/**
 * Scope of a shape's body: its argument as `this`, and the names of its part. Inside its own block
 * the name of a shape means the default representation of the resource, so that `Parcel of Parcel`
 * can extend it.
 */
export function shapeScope(shape: DeclaredShape, declarations: Declarations): Scope {
  const scope = withFixed(declarations.baseScope, {
    ...shape.names,
    ...(shape.of === undefined ? {} : { this: shapedType(shape.of, declarations) }),
    ...(isPageShape(shape) ? { page: anyPageType } : {}),
  });
  const given = Object.fromEntries((shape.parameters ?? []).map((name) => [name, unknownArgument]));
  return {
    ...scope,
    ...(shape.parameters ? { given } : {}),
    vocabulary: shape.parameters ? scope.vocabulary : withoutShape(scope.vocabulary, shape.name),
  };
}

/** What a parameter is in the block alone: it fits everywhere. */
const unknownArgument: Node = { op: "literal", value: null, type: types.any };

function withoutShape(vocabulary: Vocabulary, own: string): Vocabulary {
  return {
    get resourceNames() {
      return vocabulary.resourceNames;
    },
    resource: (name) => vocabulary.resource(name),
    get shapeNames() {
      return vocabulary.shapeNames.filter((name) => name !== own);
    },
    shape: (name) => (name === own ? undefined : vocabulary.shape(name)),
    handlerFunctionNames: vocabulary.handlerFunctionNames ?? [],
    handlerFunction: (name) => vocabulary.handlerFunction(name),
  };
}

/** Whether it is a page shape: its body reads `page`. */
export function isPageShape(shape: DeclaredShape): boolean {
  return shape.of === undefined && shape.body !== undefined && mentions(shape.body.text, "page");
}

/** Builds every shape, and reports mistakes. */
export function buildShapes(ctx: BuildContext): readonly Shape[] {
  const shapes: Shape[] = [];
  const positions = new Map<string, Position>();
  for (const section of shapeSections(ctx)) {
    const name = section.name.text;
    const position = positionIn(section.name);
    const first = positions.get(name);
    if (first) {
      const related = [{ position: first, message: "First defined here." }];
      ctx.reporter.report("endpoints/duplicate-shape", position, { name }, related);
      continue;
    }
    positions.set(name, position);
    const shape = buildShape(section, ctx);
    if (shape) shapes.push(shape);
  }
  return shapes;
}

/** Shapes with parameters, after all expressions have been read. */
export function shapeFunctionsOf({ declarations }: BuildContext): readonly ShapeFunction[] {
  return [...declarations.shapes.values()].flatMap(({ name, position }) => {
    const asFunction = declarations.vocabulary.shape(name)?.asFunction;
    return asFunction
      ? [{ name, position, parameters: asFunction.parameters, isUsed: asFunction.isUsed }]
      : [];
  });
}

function buildShape(section: ShapeSection, ctx: BuildContext): Shape | undefined {
  if (!checkHeading(section, ctx)) return undefined;
  for (const item of itemsOf(section.section.body)) {
    ctx.reporter.report("endpoints/item-of-shape", positionIn(item.key), { key: item.key.text });
  }
  const declared = declaredShape(section, ctx);
  const { name, position } = declared;
  const of = declared.of === undefined ? {} : { of: declared.of };
  if (!section.body) {
    const fence = section.section.body.find((block) => block.kind === "fence");
    if (fence) ctx.reporter.report("endpoints/unread-block", fence.position, { name });
    return { name, ...of, body: unknownBody(position), position, gap: bodyGap(section, ctx) };
  }
  if (!ctx.declarations.shapes.get(name)?.body) {
    const maxima = { depth: shapeDepthMax, parts: shapePartsMax };
    ctx.reporter.report("endpoints/shape-too-large", position, { name, ...maxima });
    return { name, ...of, body: unknownBody(position), position };
  }
  const body = bindExpression(section.body, shapeScope(declared, ctx.declarations), ctx.reporter);
  // Each use of it is an expression of its own.
  if (declared.parameters) return undefined;
  return { name, ...of, body: body ?? unknownBody(position), position };
}

function unknownBody(position: Shape["position"]): Expression {
  return { text: "", position, node: { op: "literal", value: null, type: types.any } };
}

function bodyGap(section: ShapeSection, ctx: BuildContext): Gap {
  const item =
    section.part === "endpoints" ? "payload shapes" : section.part === "events" ? "events" : "payload shape";
  return ctx.ledger.gap(section.part, item, `the shape ${section.name.text}`, positionIn(section.name));
}

/** Whether the heading is valid enough to build a shape from it. */
function checkHeading(section: ShapeSection, ctx: BuildContext): boolean {
  const { declarations, reporter } = ctx;
  const name = section.name.text;
  if (!/^[A-Z][A-Za-z0-9_]*$/.test(name)) {
    const position = positionIn(section.name.text === "" ? section.section.heading : section.name);
    reporter.report("endpoints/bad-shape-name", position, { name });
    return false;
  }
  const of = section.of;
  if (of && !declarations.resources.has(of.text)) {
    const params = { name: of.text, ...nearestHint(of.text, declarations.resources.keys()) };
    reporter.report("endpoints/unknown-resource", positionIn(of), params);
    return false;
  }
  if (declarations.resources.has(name) && of?.text !== name) {
    reporter.report("endpoints/shape-of-resource-name", positionIn(section.name), { name });
    return false;
  }
  const wrong = wrongParameters(section, ctx);
  if (wrong !== undefined) {
    reporter.report("endpoints/shape-parameters", positionIn(section.name), { name, why: wrong });
    return false;
  }
  if (!of && section.body && mentions(section.body.text, "this")) {
    reporter.report("endpoints/shape-of-nothing", positionIn(section.name), { name });
    return false;
  }
  return true;
}

/** What is wrong with the parameters; undefined if nothing is. */
function wrongParameters(
  { parameters, of, body }: ShapeSection,
  { declarations }: BuildContext,
): string | undefined {
  if (!parameters) return undefined;
  if (of) return "a shape of a resource has one argument, the record, and no other parameter";
  const { fixed } = declarations.baseScope;
  for (const [at, name] of parameters.entries()) {
    if (!/^[a-z]\w*$/.test(name)) return `"${name}" is not a name in lower case`;
    if (Object.hasOwn(fixed, name) || otherNames.has(name)) return `"${name}" is already in use`;
    if (parameters.indexOf(name) !== at) return `"${name}" occurs twice`;
    if (body && !mentions(body.text, name)) return `the block doesn't read "${name}"`;
  }
  return undefined;
}

/** Names that are there in some places only. */
const otherNames: ReadonlySet<string> = new Set([
  ...["this", "old", "page", "event", "delivery", "error", "created", "body", "query", "path"],
]);

function shapeSections(ctx: BuildContext): ShapeSection[] {
  return shapeParts.flatMap((part) =>
    (ctx.document.parts[part]?.sections ?? [])
      .filter((section) => isShapeHeading(section.heading.text))
      .map((section) => readShapeSection(part, section)),
  );
}

function readShapeSection(part: ShapeSection["part"], section: Section): ShapeSection {
  const { heading } = section;
  const rest = trim(slice(heading, heading.text.indexOf(":") + 1));
  const of = /\s+of\s+/.exec(rest.text);
  const head = unquote(of ? slice(rest, 0, of.index) : rest);
  const [brackets, inside] = /\s*\(([^()]*)\)$/.exec(head.text) ?? [];
  const fence = section.body.find((block) => block.kind === "fence" && block.language === "cel");
  const body = fence?.kind === "fence" && !isNotShown(fence.content) ? fence.content : undefined;
  return {
    part,
    section,
    name: brackets === undefined ? head : slice(head, 0, head.text.length - brackets.length),
    parameters: inside?.split(",").map((name) => name.trim()),
    of: of ? unquote(slice(rest, of.index + of[0].length)) : undefined,
    body,
  };
}

/** Type of `this` in a shape of that resource. */
function shapedType(resource: string, declarations: Declarations): Type {
  return { kind: declarations.resources.get(resource)?.isValue ? "value" : "record", resource };
}
