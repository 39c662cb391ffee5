/**
 * Request reader: reads path parameters, query, headers and body to run-time values, by the inputs
 * of one endpoint. It is compiled once for each endpoint and reports all problems at once. The
 * engine applies defaults and other computed fields, looks up references and answers with the
 * problems.
 *
 * An input that wasn't sent is absent, so that `has(body.x)` is false; a cleared field is null. The
 * bounds of a range filter are keys of their own: `query["created[gt]"]`.
 */
import { nonNull } from "../support/non-null.ts";
import type { Value } from "../expressions/value.ts";
import { readJsonText } from "../support/formats/json-reader.ts";
import type { Json } from "../support/json.ts";
import {
  createFieldContext,
  createPatchContext,
  type FieldContext,
  type FieldOptions,
  type FieldReader,
} from "./field-reader.ts";
import {
  Findings,
  type GapFound,
  type GapSpec,
  type InputProblem,
  type ReferenceFound,
  type UnknownKeys,
} from "./findings.ts";
import { type FormNode, onlyJson, onlyText } from "./form.ts";
import { type FieldRule, hasRule, rulesOfSent } from "./rule.ts";
import { rulesOfForm } from "./rules/index.ts";
import type { FieldType } from "./type.ts";
import {
  bracketedNames,
  type DottedName,
  dottedNames,
  foldBrackets,
  knownParts,
  reportOtherKeys,
  reportOtherParts,
  unfoldDots,
  withoutEngineParameters,
} from "./nested-names.ts";
import { nestedKeys } from "./parameter-keys.ts";
import { compileObject, type Member, type ObjectReader } from "./types/object.ts";
import { compileElements, isObject, refuseBody } from "./body-json.ts";
import { bareObject } from "../support/bare-object.ts";

/** The model's `Input`, as far as reading needs it. */
export interface InputSpec {
  readonly name: readonly string[];
  readonly in: "path" | "query" | "header" | "body";
  readonly type: FieldType;
  readonly rules: readonly FieldRule[];
  readonly required: boolean;
  /** The field that the input sets. */
  readonly sets?: string;
  readonly filter?: { readonly kind: "equals" | "range" | "condition" };
  readonly default?: unknown;
  readonly separator?: string;
  /** `as JSON`. */
  readonly asJson?: boolean;
  readonly gap?: GapSpec;
}

export interface ReaderOptions extends FieldOptions {
  /** Unknown keys of the query. `unknownFields` are those of the body. */
  readonly unknownParameters: UnknownKeys;
  /** `Body in: user`. */
  readonly bodyIn?: string | undefined;
  /** `Body is: patches`. */
  readonly bodyIs?: string | undefined;
  /** The body may also be a list of such objects, within these bounds. */
  readonly listBody?: { readonly items?: FieldRule } | undefined;
  /** Parameters that the engine reads itself (pages, versions, keys), so that they aren't unknown. */
  readonly engineParameters?: readonly string[];
  /** Whether a body may be a merge patch. */
  readonly merges?: boolean;
}

/** The request. A body of length 0 counts as absent. */
export interface Sent {
  readonly query?: FormNode | undefined;
  /** Headers by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?:
    | { readonly json: Json /** Whether the body is a merge patch. */; readonly merges?: boolean }
    | { readonly form: FormNode }
    | undefined;
}

export type Values = { readonly [name: string]: Value };

export interface InputsRead {
  /** Values without a prototype. They are incomplete if there are problems. */
  readonly query: Values;
  /** By lower-case names. */
  readonly headers: Values;
  readonly body: Values;
  /** The elements of a body that is a list; `body` is then empty. */
  readonly elements?: readonly Values[];
  readonly problems: readonly InputProblem[];
  readonly references: readonly ReferenceFound[];
  readonly gaps: readonly GapFound[];
}

/**
 * An invalid parameter that sets a field of a new record is reported like any other invalid input.
 */
export interface PathRead extends Pick<InputsRead, "problems" | "references" | "gaps"> {
  readonly values: Values;
  /** The parameters whose values are invalid, so that no record can be found by them. They are null. */
  readonly invalid: readonly string[];
}

export interface RequestReader {
  /** The parameters of the path; those without an input stay texts. */
  path(parameters: Readonly<Record<string, string>>): PathRead;
  read(sent: Sent): InputsRead;
}

export function compileReader(inputs: readonly InputSpec[], options: ReaderOptions): RequestReader {
  const context = createFieldContext(options);
  const ofQuery = createFieldContext({ ...options, unknownFields: options.unknownParameters });
  const placed = inputs.map((input, order) => ({ input, order, rest: input.name }));
  const of = (location: InputSpec["in"]) => placed.filter(({ input }) => input.in === location);
  const engineQuery = options.engineParameters ?? [];
  // Of `page[limit]` the reader of inputs sees `page`; `page.limit` may be written either way.
  const query = compileObject(
    compileMembers(of("query"), ofQuery),
    options.unknownParameters,
    engineQuery.flatMap((name) => [name, nestedKeys(name)[0]]),
  );
  const reportsUnknown = options.unknownParameters !== "ignored";
  const knownWithin = reportsUnknown ? knownParts(engineQuery, of("query")) : [];
  const body = compileBody(of("body"), context, options);
  const patch = options.merges ? compileBody(of("body"), createPatchContext(context), options) : body;
  const elementsOf = options.listBody && compileElements(body, options.listBody);
  const headers = of("header").map((header) => ({ ...header, reader: compileInput(header.input, context) }));
  const path = of("path").map((entry) => compileParameter(entry, context));
  const dottedQuery = dottedNames(of("query"), options);
  const bracketed = bracketedNames(of("query"));
  const emptiable = options.emptyInputs === "null" ? clearsNothing(of("query")) : [];

  return {
    path: (parameters) => readPath(path, parameters),
    read(sent) {
      const findings = new Findings();
      const ownQuery =
        sent.query && reportsUnknown
          ? withoutEngineParameters(sent.query, engineQuery, of("query"))
          : sent.query;
      const folded = ownQuery && bracketed.length > 0 ? foldBrackets(ownQuery, bracketed) : ownQuery;
      const queryRead = readQuery(query, dottedQuery, emptiable, folded, findings);
      reportOtherParts(sent.query, knownWithin, options.unknownParameters, findings);
      const headersRead = readHeaders(headers, sent.headers, findings);
      const merges = sent.body !== undefined && "json" in sent.body && sent.body.merges === true;
      findings.readsBody = true;
      const elements = elementsOf?.(sent.body, findings);
      const bodyRead = elements ? nothing : (merges ? patch : body)(sent.body, findings);
      return {
        query: queryRead,
        headers: headersRead,
        body: bodyRead,
        ...(elements ? { elements } : {}),
        problems: findings.problems(),
        references: findings.references,
        gaps: findings.gaps,
      };
    },
  };
}

const nothing: Values = Object.freeze(Object.create(null));

function compileInput(input: InputSpec, context: FieldContext): FieldReader {
  const reader = context.compile(input.type, rulesOfSent(input.rules), input.gap);
  const { separator } = input;
  if (input.asJson) {
    const emptyIsNull = context.options.emptyInputs === "null" || hasRule(input.rules, "empty is null");
    return jsonInText(reader, emptyIsNull);
  }
  if (separator === undefined) return reader;
  // `tags=a,b` is a list in one parameter; repeating it adds to the list.
  const split = (texts: readonly string[]) =>
    texts.flatMap((text) => (text === "" ? [] : text.split(separator)));
  return {
    json: (json, path, findings) =>
      reader.json(typeof json === "string" ? split([json]) : json, path, findings),
    form: (node, path, findings) => reader.form({ ...node, texts: split(node.texts) }, path, findings),
  };
}

/** `as JSON`: the input is a text that contains JSON, which is read like a JSON body. */
function jsonInText(reader: FieldReader, emptyIsNull: boolean): FieldReader {
  return {
    json: reader.json,
    form(node, path, findings) {
      const text = onlyText(node);
      if (text === undefined || (text === "" && emptyIsNull)) return reader.form(node, path, findings);
      const read = readJsonText(text);
      return read.problem === undefined
        ? reader.json(read.json, path, findings)
        : findings.refuse("invalid field", path, notJson(text, read.problem), text);
    },
  };
}

/** The problem of a text that is almost JSON: a duplicate name, or too deep. */
function notJson(text: string, problem: string): string {
  return /^\s*[[{].*[\]}]\s*$/s.test(text) ? `must be JSON, but ${problem}` : "must be JSON";
}

// ── Path, query, headers ────────────────────────────────────────────────────────────────────────

interface Parameter {
  readonly name: string;
  readonly order: number;
  readonly reader: FieldReader;
  /**
   * For an input that gives a new record its field: a reader of the type without rules. A value of the type is enough
   * to find or create what it names.
   */
  readonly typeReader?: FieldReader;
}

function compileParameter({ input, order }: Placed, context: FieldContext): Parameter {
  const reader = compileInput(input, context);
  const parameter = { name: input.name.join("."), order, reader };
  if (input.sets === undefined) return parameter;
  return { ...parameter, typeReader: compileInput({ ...input, rules: rulesOfForm(input.rules) }, context) };
}

function readPath(inputs: readonly Parameter[], parameters: Readonly<Record<string, string>>): PathRead {
  if (inputs.length === 0) return { values: parameters, invalid: [], problems: [], references: [], gaps: [] };
  const values: Record<string, Value> = Object.assign(bareObject(), parameters);
  const findings = new Findings();
  const invalid: string[] = [];
  for (const { name, order, reader, typeReader } of inputs) {
    const text = parameters[name];
    if (text === undefined) continue;
    const node = { texts: [text] };
    findings.order = order;
    const own = new Findings();
    const value = typeReader
      ? (reader.form(node, name, findings) ?? typeReader.form(node, name, own))
      : reader.form(node, name, own);
    if (!typeReader) findings.gaps.push(...own.gaps);
    const isInvalid = value === undefined && own.gaps.length === 0;
    if (isInvalid) invalid.push(name);
    values[name] = isInvalid ? null : (value ?? text);
  }
  const { references, gaps } = findings;
  return { values, invalid, problems: findings.problems(), references, gaps };
}

function readQuery(
  reader: ObjectReader,
  dotted: readonly DottedName[],
  emptiable: readonly (readonly string[])[],
  sent: FormNode | undefined,
  findings: Findings,
): Values {
  if (!sent?.parts) return reader.absent("", findings);
  const unfolded = dotted.length === 0 ? sent : unfoldDots(sent, dotted);
  const node = emptiable.reduce(withoutEmpty, unfolded);
  return (reader.form(node, "", findings) ?? nothing) as Values;
}

/**
 * `Empty inputs: null` in a query: `?status=` is ignored if there is nothing to clear. These are
 * the names of the inputs that filter, or that set a field that can't be cleared.
 */
function clearsNothing(inputs: readonly Placed[]): readonly (readonly string[])[] {
  return inputs
    .filter(({ input }) => input.filter !== undefined || !hasRule(input.rules, "nullable"))
    .map(({ input }) => input.name);
}

function withoutEmpty(node: FormNode, [first, ...rest]: readonly string[]): FormNode {
  const found = first === undefined ? undefined : node.parts?.get(first);
  if (first === undefined || !found) return node;
  const left = rest.length > 0 ? withoutEmpty(found, rest) : withoutEmptyTexts(found);
  if (left === found) return node;
  const parts = new Map(node.parts);
  if (left) parts.set(first, left);
  else parts.delete(first);
  return { ...node, parts };
}

/** The node without empty texts, or undefined if nothing else was sent. The bounds of a range are tested separately. */
function withoutEmptyTexts(node: FormNode): FormNode | undefined {
  const isEmpty = (form: FormNode) => !form.items && !form.parts && form.texts.every((text) => text === "");
  const bounds = [...(node.parts ?? [])];
  const nonEmpty = bounds.filter(([, bound]) => !isEmpty(bound));
  if (!node.items && nonEmpty.length === 0 && node.texts.every((text) => text === "")) return undefined;
  return nonEmpty.length === bounds.length ? node : { ...node, parts: new Map(nonEmpty) };
}

function readHeaders(
  headers: readonly { readonly input: InputSpec; readonly order: number; readonly reader: FieldReader }[],
  sent: Readonly<Record<string, string>> | undefined,
  findings: Findings,
): Values {
  if (headers.length === 0) return nothing;
  const values = bareObject<Record<string, Value>>();
  for (const { input, order, reader } of headers) {
    const written = input.name.join(".");
    const name = written.toLowerCase();
    const text = sent?.[name];
    findings.order = order;
    if (text === undefined) {
      if (input.required && input.default === undefined)
        findings.refuse("missing field", written, "is required");
      continue;
    }
    const value = reader.form({ texts: [text] }, written, findings);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

// ── The body ────────────────────────────────────────────────────────────────────────────────────

type BodyReader = (body: Sent["body"], findings: Findings) => Values;

function compileBody(inputs: readonly Placed[], context: FieldContext, options: ReaderOptions): BodyReader {
  const { unknownFields } = options;
  const reader = compileObject(compileMembers(inputs, context), unknownFields);
  const dotted = dottedNames(inputs, options);
  const bracketed = bracketedNames(inputs);
  const first = inputs[0]?.order ?? 0;
  const readForm = (form: FormNode, findings: Findings) =>
    (reader.form(foldBrackets(unfoldDots(form, dotted), bracketed), "", findings) ?? nothing) as Values;

  const { bodyIn, bodyIs } = options;
  if (bodyIs !== undefined) return compileWholeBody(bodyIs, reader);
  if (bodyIn !== undefined) return compileWrappedBody(bodyIn, reader, readForm, { first, unknownFields });
  return (body, findings) => {
    if (!body) return reader.absent("", findings);
    if ("form" in body) return readForm(body.form, findings);
    if (isObject(body.json)) return (reader.json(body.json, "", findings) ?? nothing) as Values;
    return refuseBody(body.json, first, findings, options.listBody && " or a list of them");
  };
}

/** Part 4, `Body is`: as if the body had come under the name of its one input. */
function compileWholeBody(name: string, reader: ObjectReader): BodyReader {
  return (body, findings) => {
    if (!body) return reader.absent("", findings);
    const read =
      "form" in body
        ? reader.form({ texts: [], parts: new Map([[name, body.form]]) }, "", findings)
        : reader.json({ [name]: body.json }, "", findings);
    return (read ?? nothing) as Values;
  };
}

/**
 * Part 4, `Body in`: the wrapper is not part of a field's name. If the wrapper is missing, its
 * fields are missing.
 */
function compileWrappedBody(
  wrapper: string,
  reader: ObjectReader,
  readForm: (form: FormNode, findings: Findings) => Values,
  { first, unknownFields }: { readonly first: number; readonly unknownFields: UnknownKeys },
): BodyReader {
  const refuse = (findings: Findings): Values => {
    findings.order = first;
    findings.refuse("invalid field", wrapper, "must be an object");
    return nothing;
  };
  const readInnerJson = (inner: Json | undefined, findings: Findings): Values => {
    if (inner === undefined || inner === null) return reader.absent("", findings);
    return isObject(inner) ? ((reader.json(inner, "", findings) ?? nothing) as Values) : refuse(findings);
  };
  const readInnerForm = (form: FormNode, findings: Findings): Values => {
    reportOtherKeys(form.parts?.keys() ?? [], wrapper, unknownFields, findings);
    const inner = form.parts?.get(wrapper);
    if (!inner) return reader.absent("", findings);
    const json = onlyJson(inner);
    if (json !== undefined) return readInnerJson(json, findings);
    return inner.parts ? readForm(inner, findings) : refuse(findings);
  };
  return (body, findings) => {
    if (!body) return reader.absent("", findings);
    if ("form" in body) return readInnerForm(body.form, findings);
    if (!isObject(body.json)) return refuseBody(body.json, first, findings);
    reportOtherKeys(Object.keys(body.json), wrapper, unknownFields, findings);
    return readInnerJson(Object.hasOwn(body.json, wrapper) ? body.json[wrapper] : undefined, findings);
  };
}

// ── Dotted names ────────────────────────────────────────────────────────────────────────────────

/** An input, and the rest of its name below the current object. */
interface Placed {
  readonly input: InputSpec;
  readonly order: number;
  readonly rest: readonly string[];
}

/** Inputs as members of an object. Inputs whose dotted names start alike share an object. */
function compileMembers(inputs: readonly Placed[], context: FieldContext): readonly Member[] {
  const groups = new Map<string, Placed[]>();
  for (const placed of inputs) {
    const name = nonNull(placed.rest[0]);
    const group = groups.get(name);
    if (group) group.push(placed);
    else groups.set(name, [placed]);
  }
  return [...groups].map(([name, group]) => compileMember(name, group, context));
}

function compileMember(name: string, group: readonly Placed[], context: FieldContext): Member {
  const whole = group.find((placed) => placed.rest.length === 1);
  if (whole) {
    const { input, order } = whole;
    const required = input.required && input.default === undefined;
    const range = input.filter?.kind === "range";
    return { name, order, required, range, reader: compileInput(input, context) };
  }
  const parts = group.map((placed) => ({ ...placed, rest: placed.rest.slice(1) }));
  const reader = compileObject(compileMembers(parts, context), context.options.unknownFields);
  const absent = (path: string, findings: Findings) => {
    const values = reader.absent(path, findings);
    return Object.keys(values).length > 0 ? values : undefined;
  };
  return { name, order: group[0]?.order ?? 0, required: false, reader: nullAsMissing(reader), absent };
}

/** A null for a group of inputs is reported like a null for a field that can't be cleared. */
function nullAsMissing(reader: ObjectReader): FieldReader {
  return {
    json: fromJson,
    form: (node, path, findings) => {
      const json = onlyJson(node);
      return json === undefined ? reader.form(node, path, findings) : fromJson(json, path, findings);
    },
  };
  function fromJson(json: Json, path: string, findings: Findings): Value | undefined {
    return json === null
      ? findings.refuse("missing field", path, "must not be null", null)
      : reader.json(json, path, findings);
  }
}
