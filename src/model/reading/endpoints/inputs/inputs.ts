/**
 * Inputs of an endpoint: `- Body`, `- Query` and the rows of its tables, resolved against the
 * fields of the endpoint's resource. `path-inputs.ts` adds path parameters without a row when its
 * records are known.
 */
import { hasRule } from "../../../../fields/rule.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../../source/phrase.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { isNotShown } from "../../../../syntax/read.ts";
import type { DeclaredField, DeclaredResource } from "../../declarations.ts";
import type { Gap, Input } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { doesAny, signsInAny } from "../does.ts";
import {
  fieldNamed,
  inputFieldGap,
  type InputSyntax,
  type InputsOf,
  isComparable,
  mayFilter,
  maySet,
  rulesOfComparison,
  rulesOfInput,
} from "./input-fields.ts";
import type { InputRow } from "./input-rows.ts";
import { readRowInput } from "./row-inputs.ts";

export interface ReadInputs {
  readonly inputs: readonly InputSyntax[];
  /** The gap `Body: not shown` or `Query: not shown`, or a part of it. */
  readonly open: { readonly subject: string; readonly position: Input["position"] } | undefined;
  /** A part couldn't be read, and was reported. */
  readonly faulty: boolean;
}

/** Sources of an endpoint's inputs. */
export interface InputSources {
  readonly body: readonly ItemNode[];
  readonly query: readonly ItemNode[];
  readonly rows: readonly InputRow[];
}

/** Reads the inputs. Those of `copied` (the endpoint in `Like`) are replaced by its own. */
export function readInputs(
  endpoint: InputsOf,
  own: InputSources,
  copied: InputSources,
  ctx: BuildContext,
): ReadInputs {
  const inputs: InputSyntax[] = [];
  const mine = readSources(endpoint, own, (input) => pushNew(inputs, input, ctx), ctx);
  const theirs = readSources(
    endpoint,
    copied,
    (input) => {
      if (!inputs.some((earlier) => clashes(earlier, input))) inputs.push(input);
    },
    ctx,
  );
  return { inputs, open: mine.open ?? theirs.open, faulty: mine.faulty || theirs.faulty };
}

function readSources(
  endpoint: InputsOf,
  { body, query, rows }: InputSources,
  push: (input: InputSyntax) => void,
  ctx: BuildContext,
): Pick<ReadInputs, "open" | "faulty"> {
  let open: ReadInputs["open"];
  let faulty = false;
  const add = (input: InputSyntax | undefined): void => {
    if (input) push(input);
    else faulty = true;
  };
  /** Reports a name that is no field, and has a row of its own. */
  const repeated = (piece: Phrase, place: "body" | "query"): boolean => {
    const { name } = readOptionalName(piece);
    const row = rows.find((candidate) => candidate.in === place && candidate.name.join(".") === name.text);
    if (!row || endpoint.deeds.resource?.fields.has(name.text)) return false;
    const related = [{ position: row.position, message: "It has a row of its own here." }];
    ctx.reporter.report("endpoints/input-twice", positionIn(name), { name: name.text }, related);
    return true;
  };
  for (const item of body) {
    const pieces = splitOutside(unquote(item.value), ",");
    const hidden = pieces.find(isNotShown);
    if (hidden) open ??= { subject: `the body of ${endpoint.name}`, position: positionIn(hidden) };
    if (!takesBody(endpoint, item.key, ctx)) continue;
    for (const piece of pieces)
      if (!isNotShown(piece)) add(repeated(piece, "body") ? undefined : readBodyField(piece, endpoint, ctx));
  }
  for (const item of query) {
    for (const piece of splitOutside(unquote(item.value), ",")) {
      if (isNotShown(piece))
        open ??= { subject: `the query of ${endpoint.name}`, position: positionIn(piece) };
      else add(repeated(piece, "query") ? undefined : readQueryField(piece, endpoint, ctx));
    }
  }
  for (const row of rows) {
    if (row.in === "body" && !takesBody(endpoint, row.phrase, ctx)) continue;
    add(readRowInput(row, endpoint, ctx));
  }
  return { open, faulty };
}

/** Adds an input, and reports a second one of the same name or inside of another, because it would be unclear which is meant. */
function pushNew(inputs: InputSyntax[], input: InputSyntax, { reporter }: BuildContext): void {
  const first = inputs.find((earlier) => clashes(earlier, input));
  if (first) {
    const related = [{ position: first.input.position, message: "First defined here." }];
    reporter.report(
      "endpoints/input-twice",
      positionIn(input.phrase),
      { name: input.input.name.join(".") },
      related,
    );
  } else inputs.push(input);
}

function clashes({ input: a }: InputSyntax, { input: b }: InputSyntax): boolean {
  if (a.in !== b.in) return false;
  // Names of headers are compared without case.
  return a.in === "header" ? keyOf(a.name) === keyOf(b.name) : overlap(a.name, b.name);
}

function keyOf(name: readonly string[]): string {
  return name.join(".").toLowerCase();
}

function overlap(a: readonly string[], b: readonly string[]): boolean {
  return a.slice(0, b.length).every((part, at) => part === b[at]);
}

function takesBody({ method }: InputsOf, at: Phrase, { reporter }: BuildContext): boolean {
  if (method !== "GET") return true;
  reporter.report("endpoints/body-on-get", positionIn(at), { method });
  return false;
}

/** Reads `reference?`: the name, and whether it is optional. */
function readOptionalName(piece: Phrase): { readonly name: Phrase; readonly optional: boolean } {
  const whole = unquote(piece);
  const optional = whole.text.endsWith("?");
  return { name: unquote(optional ? trim(slice(whole, 0, whole.text.length - 1)) : whole), optional };
}

function readBodyField(piece: Phrase, endpoint: InputsOf, ctx: BuildContext): InputSyntax | undefined {
  const { name, optional } = readOptionalName(piece);
  if (!/^[A-Za-z_][\w.-]*$/.test(name.text)) {
    const expected =
      "names of fields, separated by commas, with a `?` after each optional one; list other inputs in a table";
    ctx.reporter.report("endpoints/unreadable", positionIn(piece), { text: piece.text, expected });
    return undefined;
  }
  const unknown = inputFieldGap(endpoint);
  if (unknown) return { input: inputOfUnknown(name, "body", optional, unknown), phrase: name };
  const field = fieldNamed(name, endpoint, "Body", ctx);
  if (!field || !maySet(field, name, endpoint, ctx)) return undefined;
  const { deeds } = endpoint;
  if (
    optional &&
    isNeeded(field) &&
    doesAny(deeds.does, "create", "replace") &&
    !doesAny(deeds.does, "update", "transition")
  ) {
    const params = { field: field.name, resource: (deeds.resource as DeclaredResource).name };
    ctx.reporter.report("endpoints/optional-required", positionIn(name), params);
  }
  return { input: bodyInput(field, name, optional, endpoint), phrase: name };
}

/** An input with a stated name whose field's resource is not shown. */
function inputOfUnknown(
  name: Phrase,
  location: "body" | "query",
  optional: boolean,
  gap: Gap,
): InputSyntax["input"] {
  return {
    name: [name.text],
    in: location,
    type: { kind: "not shown" },
    rules: [],
    required: !optional,
    position: positionIn(name),
    gap,
  };
}

function isNeeded(field: DeclaredField): boolean {
  return hasRule(field.rules, "required") && !hasRule(field.rules, "default");
}

function bodyInput(
  field: DeclaredField,
  name: Phrase,
  optional: boolean,
  { deeds }: InputsOf,
): InputSyntax["input"] {
  return {
    name: [field.name],
    in: "body",
    type: field.type,
    rules: signsInAny(deeds.does) ? rulesOfComparison(field.rules) : rulesOfInput(field.rules),
    required: !optional,
    ...(field.role === "state" ? {} : { sets: field.name }),
    position: positionIn(name),
    ...(field.gap ? { gap: field.gap } : {}),
  };
}

function readQueryField(piece: Phrase, endpoint: InputsOf, ctx: BuildContext): InputSyntax | undefined {
  const whole = unquote(piece);
  const range = /\s+range$/i.exec(whole.text);
  const { name, optional } = readOptionalName(range ? trim(slice(whole, 0, range.index)) : whole);
  if (!/^[A-Za-z_][\w-]*$/.test(name.text)) {
    const expected =
      "names of fields, separated by commas: `status?, created_at? range`; list other inputs in a table";
    ctx.reporter.report("endpoints/unreadable", positionIn(piece), { text: piece.text, expected });
    return undefined;
  }
  const unknown = inputFieldGap(endpoint);
  if (unknown) return { input: inputOfUnknown(name, "query", optional, unknown), phrase: name };
  const field = fieldNamed(name, endpoint, "Query", ctx);
  if (!field || !mayFilter(name, endpoint, ctx) || !isComparable(field, name, range !== null, ctx))
    return undefined;
  return {
    input: {
      name: [field.name],
      in: "query",
      type: field.type,
      rules: rulesOfComparison(field.rules),
      required: !optional,
      position: positionIn(name),
      ...(field.gap ? { gap: field.gap } : {}),
    },
    phrase: name,
    filter: { kind: range ? "range" : "equals", field: field.name },
  };
}
