/** Binds names, member access and indexes. */
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { phraseOf } from "../../source/phrase.ts";
import { createSource } from "../../source/source.ts";
import { nearest } from "../../support/nearest.ts";
import { functionNamed, functions } from "../functions/index.ts";
import type { FixedName, Node } from "../node.ts";
import { withParts } from "../nodes.ts";
import { parseExpression, type Syntax } from "../parse.ts";
import { describeType, fits, isOpen } from "../relations.ts";
import type { ResourceWords } from "../scope.ts";
import { isText, type Type, types } from "../type.ts";
import { coerce } from "./coerce.ts";
import { type Binding, mistake, withPosition, type Range, rangeOf } from "./context.ts";
import { macroNames } from "./macro-forms.ts";
import { bindFieldOfAny, deferDistinction, possibleResources } from "./resource-choice.ts";
import { recordMember } from "../record-members.ts";

export function bindName(binding: Binding, name: string, range: Range): Node {
  const { scope, words, locals } = binding;
  const depth = locals.findLastIndex((local) => local.name === name);
  const local = locals[depth];
  if (local) return { op: "local", name, depth, type: local.type };
  const given = own(scope.given ?? {}, name);
  if (given) return within(given, scope.locals.length, locals.length - scope.locals.length);
  const named = own(scope.named, name);
  if (named) return { op: "named", name, type: named };
  const fixed = own(scope.fixed, name);
  if (fixed)
    return deferDistinction(
      binding,
      withPosition(binding, { op: "fixed", name: name as FixedName, type: fixed } as const, range),
    );
  const resource = words.resource(name);
  if (resource?.isValue) return mistake(binding, "expressions/value-resource", range, { name });
  if (resource) return { op: "collection", resource: name, type: { kind: "collection", resource: name } };
  if (binding.isTrial) return mistake(binding, "expressions/unknown-name", range, { name });
  const near = nearest(name, namesOf(binding));
  const instead = otherMeaning(binding, name, range);
  const text = `"${name}"`;
  // A name that is spelled alike, unless only a text fits.
  const isText = near === undefined || (!bindsWith(binding, range, near) && bindsWith(binding, range, text));
  return mistake(binding, "expressions/unknown-name", range, {
    name,
    nearest: near,
    instead: instead ?? (isText ? `Put a text in quotes: \`${text}\`.` : undefined),
  });
}

/** An argument of a shape inside `more` macros of its body: its own variables lie deeper there. */
function within(node: Node, depth: number, more: number): Node {
  if (more === 0) return node;
  const inner = withParts(node, (part) => within(part, depth, more));
  const own = inner.op === "local" || inner.op === "macro" ? inner.depth : undefined;
  return own !== undefined && own >= depth ? ({ ...inner, depth: own + more } as Node) : inner;
}

/** Where the names of the engine exist that do not exist everywhere. */
const places: Readonly<Partial<Record<string, string>>> = {
  event: "in part 6: in payloads, and in shapes under its heading",
  delivery: "in part 6: in the items of webhooks and notifications",
  error: "in part 7, and in shapes under its heading",
  page: "in the responses of lists with pages, and in shapes for them",
};

/** What a name means elsewhere, if it has no meaning here. */
function otherMeaning(binding: Binding, name: string, range: Range): string | undefined {
  if (binding.scope.notYet?.includes(name))
    return `Write the expression itself: \`${name}\` has no value yet, because it reads the record or is random.`;
  const place = own(places, name);
  if (place !== undefined) return `Move it to where \`${name}\` exists: ${place}.`;
  if (binding.words.shape(name)) return `Write \`${name}(…)\` around a record: ${name} is a shape.`;
  if (functionNamed(name) && !functionNamed(name)?.internal)
    return `Write \`${name}(…)\`: ${name} is a function.`;
  const isNamed = (field: string) => Number(binding.phrase.text.includes(field));
  // A field that the expression names already would often be compared with itself.
  const fields = ownersOf(binding, name)
    .filter((field) => bindsWith(binding, range, field))
    .toSorted((a, b) => isNamed(a) - isNamed(b));
  return fields.length === 0
    ? undefined
    : `Write ${fields.map((field) => `\`${field}\``).join(" or ")} for the field.`;
}

/** The fields of that name: of variables from the innermost outwards, of `this`, and of other records. */
function ownersOf({ scope, words, locals }: Binding, name: string): readonly string[] {
  const [record, caller] = [own(scope.fixed, "this"), own(scope.fixed, "caller")];
  const subject = record && "resource" in record ? record.resource : undefined;
  const owners: (readonly [string, Type | undefined])[] = [
    ...locals.map((local) => [local.name, local.type] as const).toReversed(),
    ["this", record],
    // `this` has another name, too.
    ...Object.entries(scope.named).filter(([, type]) => !("resource" in type && type.resource === subject)),
    ["caller", caller],
  ];
  const found = owners.flatMap(([owner, type]) =>
    type &&
    "resource" in type &&
    type.kind !== "collection" &&
    words.resource(type.resource)?.fields.has(name)
      ? [`${owner}.${name}`]
      : [],
  );
  return [...new Set(found)].slice(0, ownersMax);
}

/** Maximum number of fields that a hint proposes, and that are tried for it. */
const ownersMax = 3;

/** Maximum number of hints that are tried in one expression. */
const triedMax = 6;

/** Whether the expression has no mistake at this range if `text` replaces it. */
function bindsWith(binding: Binding, { start, end }: Range, text: string): boolean {
  const tried = binding.progress.tried ?? 0;
  if (tried >= triedMax) return false;
  binding.progress.tried = tried + 1;
  const before = binding.phrase.text;
  const source = createSource(binding.phrase.source.file, before.slice(0, start) + text + before.slice(end));
  const phrase = phraseOf(source, 0, source.text.length);
  const reporter = createReporter(source);
  const root = parseExpression(phrase, reporter);
  if (!root) return false;
  const { locals } = binding.scope;
  const progress = { failed: false, ranges: new WeakMap<Node, Range>(), several: new Set<Node>() };
  const trial = { ...binding, phrase, reporter, root, locals, macros: 0, progress, isTrial: true };
  const node = binding.bind(root, trial);
  if (binding.expected) coerce(trial, node, binding.expected);
  return !reporter.diagnostics.some(
    ({ position }) => position.start.offset < start + text.length && position.end.offset > start,
  );
}

function* namesOf({ scope, words, locals }: Binding): Generator<string> {
  yield* locals.map((local) => local.name);
  yield* Object.keys(scope.given ?? {});
  yield* Object.keys(scope.named);
  yield* Object.keys(scope.fixed);
  yield* words.resourceNames;
}

/** An own member of a table. The names come from documents, so inherited ones such as `constructor` must not be found. */
function own<T>(table: Readonly<Partial<Record<string, T>>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** `of.name`; `range` is that of the name alone. */
export function bindField(binding: Binding, of: Node, name: string, range: Range): Node {
  const several = possibleResources(binding, of);
  if (several) return fieldOfAny(binding, of, several, name, range);
  const type = fieldType(binding, of, name, range);
  return type ? { op: "field", of, name, type } : mistakeNode(of);
}

/** A field of callers of several resources: its value for those that have it, null for the others. */
function fieldOfAny(
  binding: Binding,
  of: Node,
  several: readonly string[],
  name: string,
  range: Range,
): Node {
  const found = bindFieldOfAny(binding, of, (record) => {
    const words = record.type.kind === "record" ? binding.words.resource(record.type.resource) : undefined;
    const type =
      words?.fields.get(name)?.type ?? (words ? addedField(binding, record, words, name) : types.any);
    return type && { op: "field", of: record, name, type };
  });
  if (found) return found;
  const known = several.flatMap((resourceName) => [
    ...(binding.words.resource(resourceName)?.fields.keys() ?? []),
  ]);
  mistake(binding, "expressions/unknown-field", range, {
    name,
    of: several.join(" or "),
    nearest: nearest(name, known),
    known,
  });
  return mistakeNode(of);
}

function mistakeNode(of: Node): Node {
  return { op: "field", of, name: "", type: types.any };
}

function fieldType(binding: Binding, of: Node, name: string, range: Range): Type | undefined {
  const { words } = binding;
  const type = of.type;
  switch (type.kind) {
    case "any":
    case "null":
      return types.any;
    case "map":
      return type.of;
    case "object": {
      const field = own(type.fields, name);
      if (field) return field;
      // Of the inputs, only headers may have unknown names, and a header is a text.
      if (type.open) return of.op === "fixed" && of.name === "headers" ? types.string : types.any;
      return missingField(binding, of, name, range, Object.keys(type.fields));
    }
    case "record":
    case "value": {
      const resource = words.resource(type.resource);
      // The fields of the resource are not shown, so no name is known to be wrong.
      if (!resource) return types.any;
      const field = resource.fields.get(name)?.type ?? addedField(binding, of, resource, name);
      return field ?? missingField(binding, of, name, range, resource.fields.keys());
    }
    default:
      return missingField(binding, of, name, range, []);
  }
}

/** Members of a record in addition to the fields of its table. */
function addedField({ scope }: Binding, of: Node, resource: ResourceWords, name: string): Type | undefined {
  const member = recordMember(resource, name);
  if (member) return member.type;
  // Part 5: the claims of the token that identified the caller.
  if (name === "claims" && scope.hasClaims && of.op === "fixed" && of.name === "caller") return types.any;
  return undefined;
}

function missingField(
  binding: Binding,
  of: Node,
  name: string,
  range: Range,
  known: Iterable<string>,
): undefined {
  const names = [...known];
  const near = nearest(name, names);
  mistake(binding, "expressions/unknown-field", range, {
    name,
    of: ownerWords(binding, of),
    nearest: near,
    known: names,
    instead: accessAdvice(of.type, name) ?? (near === undefined ? inputAdvice(of, name, names) : undefined),
  });
  return undefined;
}

/** The row that declares an input of an endpoint. */
function inputAdvice(of: Node, name: string, known: readonly string[]): string | undefined {
  if (of.op !== "fixed" || (of.name !== "query" && of.name !== "body")) return undefined;
  const knownInputs = known.slice(0, knownMax).map((input) => `\`${input}\``);
  const first = knownInputs.length === 0 ? "Add" : `Write one of ${knownInputs.join(", ")}, or add`;
  return `${first} a row for it below the endpoint's items: \`| Input | In | Type | Rules |\`, then \`| ${name} | ${of.name} | string | |\`.`;
}

/** Known inputs that are listed. */
const knownMax = 12;

function ownerWords(binding: Binding, of: Node): string {
  if (of.type.kind === "record" || of.type.kind === "value") return of.type.resource;
  const { start, end } = rangeOf(binding, of);
  const written = binding.phrase.text.slice(start, end).trim();
  return written.length <= 40 && !written.includes("\n") ? written : describeType(of.type);
}

function accessAdvice(type: Type, name: string): string | undefined {
  if (macroNames.has(name) && (type.kind === "collection" || type.kind === "list"))
    return `Write \`.${name}(…)\`.`;
  if (type.kind === "collection") {
    return `Write \`.map(x, x.${name})\` for the value of every ${type.resource}, or \`.first().${name}\` for one.`;
  }
  if (type.kind === "list") return `Write \`.map(x, x.${name})\` for the value of every element.`;
  if (functionNamed(name)?.form === "both") return `Write \`.${name}()\`.`;
  return undefined;
}

export function bindIndex(binding: Binding, of: Node, index: Node): Node {
  const type = of.type;
  switch (type.kind) {
    case "list":
      return checkType(binding, index, types.integer) ?? { op: "index", of, index, type: type.of };
    case "map":
      return (
        checkType(binding, index, types.string) ?? {
          op: "index",
          of,
          index: headerName(of, index),
          type: type.of,
        }
      );
    case "any":
    case "null":
      return { op: "index", of, index, type: types.any };
    case "object":
    case "record":
    case "value": {
      const name = index.op === "literal" && typeof index.value === "string" ? index.value : undefined;
      if (name !== undefined) return bindField(binding, of, headerKey(of, name), rangeOf(binding, index));
      if (type.kind === "object")
        return checkType(binding, index, types.string) ?? { op: "index", of, index, type: types.any };
      return notIndexed(binding, of, "Write the field's name with a dot.");
    }
    case "collection":
      return notIndexed(binding, of, "Write `.first()`, or `.first(x, …)` with a condition.");
    case "string":
      return notIndexed(binding, of, "Write `.substring(0, 1)` for a part of a text.");
    default:
      return notIndexed(binding, of, undefined);
  }
}

function notIndexed(binding: Binding, of: Node, instead: string | undefined): Node {
  return mistake(binding, "expressions/not-indexed", rangeOf(binding, of), {
    found: describeType(of.type),
    instead,
  });
}

function checkType(binding: Binding, index: Node, type: Type): Node | undefined {
  if (isOpen(index.type) || fits(index.type, type, binding.words)) return undefined;
  return mistake(binding, "expressions/wrong-type", rangeOf(binding, index), {
    found: describeType(index.type),
    expected: describeType(type),
  });
}

/** Header names are stored in lower case, however the author writes them. */
function headerName(of: Node, index: Node): Node {
  if (index.op !== "literal" || typeof index.value !== "string" || !isText(index.type)) return index;
  return { ...index, value: headerKey(of, index.value) };
}

function headerKey(of: Node, name: string): string {
  return of.op === "fixed" && of.name === "headers" ? name.toLowerCase() : name;
}

/** `has(body.x)`. */
export function bindHas(binding: Binding, args: readonly Syntax[], range: Range): Node {
  const argument = args[0];
  if (args.length !== 1 || argument?.op !== ".") {
    for (const arg of args) binding.bind(arg, binding);
    return mistake(binding, "expressions/has-argument", argument ?? range, {});
  }
  const field = binding.bind(argument, binding);
  // `has(caller.team)` with callers of several resources: whether the current caller has one.
  if (field.op === "if") {
    const right: Node = { op: "literal", value: null, type: types.null };
    const comparison: Node = { op: "binary", operator: "!=", left: field, right, type: types.boolean };
    return withPosition(binding, comparison, range);
  }
  if (field.op !== "field") return field;
  return withPosition(
    binding,
    { op: "has", of: field.of, name: field.name, type: types.boolean } as const,
    range,
  );
}

export const functionNames: readonly string[] = functions
  .filter((definition) => !definition.internal)
  .map((definition) => definition.name);
