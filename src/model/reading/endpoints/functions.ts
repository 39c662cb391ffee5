/**
 * `- Functions: route(Address): string, fee(integer): decimal`: functions of the handlers' module
 * for expressions (notation, "Handlers"). The document gives their types, so that it is checked
 * without running anything; the module implements them.
 */
import { functionNamed } from "../../../expressions/functions/index.ts";
import { macroNames } from "../../../expressions/binding/macro-forms.ts";
import type { FieldType } from "../../../fields/type.ts";
import { wordsOfFunction } from "../../function-words.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { isNone, keyText } from "../../../syntax/read.ts";
import type { HandlerFunctionWords } from "../../../expressions/scope.ts";
import type { HandlerFunction } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { fieldContext, parseFieldType } from "../resources/field-type.ts";
import { nullLedger } from "../any-part/null-ledger.ts";
import { partItemsOf } from "./items.ts";
import type { PartItems } from "./part-items.ts";

export type DeclaredFunction = HandlerFunctionWords;

/**
 * The signatures by name, for expressions that call them. Mistakes are reported when the part is
 * built.
 */
export function declareFunctions(ctx: BuildContext): ReadonlyMap<string, DeclaredFunction> {
  const silent = { ...ctx, ledger: nullLedger };
  const functions = ctx.reporter.silently(() => readFunctions(partItemsOf(silent), silent)).value;
  return new Map(functions.map((declared) => [declared.name, wordsOfFunction(declared)]));
}

/** Maximum number of functions in a document, and of their arguments. */
const ceilings = { functions: 100, arguments: 8 } as const;

export function readFunctions(items: PartItems, ctx: BuildContext): readonly HandlerFunction[] {
  const found = new Map<string, HandlerFunction>();
  for (const item of items.get("functions") ?? []) {
    if (isNone(item.value)) continue;
    for (const phrase of signatures(unquote(item.value))) {
      const signature = readSignature(unquote(phrase), ctx);
      if (!signature) continue;
      if (found.has(signature.name) || isInUse(signature.name, ctx))
        ctx.reporter.report("endpoints/name-taken", signature.position, { name: signature.name });
      else if (found.size >= ceilings.functions)
        ctx.reporter.report("endpoints/too-many", signature.position, {
          what: "functions of the module",
          most: ceilings.functions,
        });
      else found.set(signature.name, signature);
    }
  }
  return [...found.values()];
}

/**
 * Splits a list of signatures. A comma only separates them before a name and a bracket, because `one of small, large`
 * contains one.
 */
function signatures(whole: Phrase): readonly Phrase[] {
  const starts: number[] = [];
  let from = 0;
  for (const piece of splitOutside(whole, ",")) {
    const at = whole.text.indexOf(piece.text, from);
    if (starts.length === 0 || /^`?\w+\s*\(/.test(piece.text)) starts.push(at);
    from = at + piece.text.length;
  }
  return starts.map((start, index) =>
    withoutComma(trim(slice(whole, start, starts[index + 1] ?? whole.text.length))),
  );
}

function withoutComma(phrase: Phrase): Phrase {
  return phrase.text.endsWith(",") ? trim(slice(phrase, 0, phrase.text.length - 1)) : phrase;
}

function readSignature(phrase: Phrase, ctx: BuildContext): HandlerFunction | undefined {
  const form = /^([A-Za-z_]\w{0,63})\s*\(([^()]*)\)\s*:\s*(?=\S)/.exec(phrase.text);
  if (!form) {
    ctx.reporter.report("endpoints/unreadable", positionIn(phrase), {
      text: phrase.text,
      expected:
        "a name, the types of its arguments and the type of its result, such as `route(Address): string`",
    });
    return undefined;
  }
  const [all, name = "", inner = ""] = form;
  const open = phrase.text.indexOf("(") + 1;
  const parameters = splitOutside(slice(phrase, open, open + inner.length), ",");
  if (parameters.length > ceilings.arguments) {
    ctx.reporter.report("endpoints/too-many", positionIn(phrase), {
      what: "arguments of one function",
      most: ceilings.arguments,
    });
    return undefined;
  }
  const types = parameters.map((argument, at) => readArgument(argument, name, at, ctx));
  const result = slice(phrase, all.length);
  const returns =
    keyText(result) === "condition"
      ? ({ kind: "condition" } as const)
      : readType(result, `the result of ${name}`, ctx);
  if (!returns || types.some((type) => !type)) return undefined;
  return {
    name,
    arguments: types as HandlerFunction["arguments"],
    returns,
    position: positionIn(phrase, 0, name.length),
  };
}

/** Reads `Address`, or `address: Address`. The name is for readers and for the module's types. */
function readArgument(
  phrase: Phrase,
  name: string,
  at: number,
  ctx: BuildContext,
): HandlerFunction["arguments"][number] | undefined {
  const named = /^([A-Za-z_]\w*)\s*:\s*(?=\S)/.exec(phrase.text);
  const type = readType(slice(phrase, named?.[0].length ?? 0), `an argument of ${name}`, ctx);
  return type && { name: named?.[1] ?? `argument${at + 1}`, type };
}

function readType(phrase: Phrase, subject: string, ctx: BuildContext): FieldType | undefined {
  const { type, gap } = parseFieldType(
    phrase,
    subject,
    positionIn(phrase),
    fieldContext(ctx, "endpoints", "payload shapes"),
  );
  if (gap || type.kind === "not shown") return undefined;
  if (isPlain(type)) return type;
  ctx.reporter.report("endpoints/unreadable", positionIn(phrase), {
    text: phrase.text,
    expected:
      "a type of plain values, such as `string` or a value resource: functions read no stored records",
  });
  return undefined;
}

/** Whether a function may receive or return the type. Secrets, states and records stay in the service. */
function isPlain(type: FieldType): boolean {
  switch (type.kind) {
    case "list":
    case "map":
      return isPlain(type.of);
    case "reference":
    case "object":
    case "password":
    case "credential":
    case "state":
      return false;
    default:
      return true;
  }
}

function isInUse(name: string, { declarations: { resources, shapes } }: BuildContext): boolean {
  const own = functionNamed(name) !== undefined || macroNames.has(name) || name === "has" || name === "shape";
  return own || resources.has(name) || shapes.has(name);
}
