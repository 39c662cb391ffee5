/**
 * Compiles a field (a type and its rules) into functions that read its value from JSON or from a
 * form. Compilation runs once for each endpoint; compiled code does no lookup by name. `reader.ts`
 * reads complete requests.
 */
import type { Expression } from "../expressions/node.ts";
import type { Value } from "../expressions/value.ts";
import type { Json } from "../support/json.ts";
import type { Findings, GapSpec, UnknownKeys } from "./findings.ts";
import { type FormNode, onlyJson, onlyText } from "./form.ts";
import { type FieldRule, hasRule } from "./rule.ts";
import { keyFormsOf } from "./key.ts";
import { compileChecks, compileNormalise, type RuleCheck } from "./rules/index.ts";
import type { FieldType } from "./type.ts";
import { compileEither } from "./types/either.ts";
import { compileEnum } from "./types/enum.ts";
import { compileFile } from "./types/file.ts";
import { type ReadForm, scalarTypes } from "./types/index.ts";
import { compileList } from "./types/list.ts";
import { compileMap } from "./types/map.ts";
import { compileParts, compileValue } from "./types/object.ts";
import { compileReference } from "./types/reference.ts";
import { compileScalar } from "./types/scalar.ts";

/** A field or a part of one, as the model has it. */
export interface FieldSpec {
  readonly name: string;
  readonly type: FieldType;
  readonly rules: readonly FieldRule[];
  readonly gap?: GapSpec;
  /** What the document doesn't show of the field. With `made`, a value without the field can't be completed. */
  readonly open?: { readonly made?: GapSpec };
}

/** A resource of the model, as far as reading needs it. */
export interface ResourceSpec {
  readonly name: string;
  readonly identifier: {
    readonly kind: string;
    readonly field?: string;
    /** Several fields together. */
    readonly fields?: readonly string[];
  };
  readonly fields: readonly FieldSpec[];
}

/** The document's settings for reading. */
export interface FieldOptions extends ReadForm {
  readonly unknownFields: UnknownKeys;
  /** `Empty inputs: null`. */
  readonly emptyInputs?: "null" | undefined;
  resource(name: string): ResourceSpec | undefined;
  /**
   * Evaluates the default of a part of an embedded value, including those of its own parts. The engine evaluates the
   * defaults of fields and inputs.
   */
  readonly defaultValue?: (expression: Expression, type: FieldType) => Value;
}

/**
 * Reads a value from its node. Returns undefined if it is invalid, after reporting why to the
 * findings. `path` is the name of the value in problems.
 */
export interface FieldReader {
  json(json: Json, path: string, findings: Findings): Value | undefined;
  form(node: FormNode, path: string, findings: Findings): Value | undefined;
}

/** Context in which the readers of types are compiled. */
export interface FieldContext {
  readonly options: FieldOptions;
  /** Readers of embedded values by resource. A value may contain itself. */
  readonly values: Map<string, FieldReader>;
  compile(type: FieldType, rules: readonly FieldRule[], gap?: GapSpec): FieldReader;
  /** The context for elements of lists, which a merge patch replaces completely. */
  readonly whole: FieldContext;
  /**
   * Whether JSON is read as a merge patch (RFC 7396): parts may be missing, and null removes a part. The merged value
   * is validated later.
   */
  readonly patches: boolean;
}

export function createFieldContext(options: FieldOptions): FieldContext {
  const context: FieldContext = {
    options,
    values: new Map(),
    compile: (type, rules, gap) => compileField(type, rules, gap, context),
    get whole() {
      return context;
    },
    patches: false,
  };
  return context;
}

export function createPatchContext(whole: FieldContext): FieldContext {
  const context: FieldContext = {
    options: whole.options,
    values: new Map(),
    compile: (type, rules, gap) => compileField(type, rules, gap, context),
    whole,
    patches: true,
  };
  return context;
}

function compileField(
  type: FieldType,
  rules: readonly FieldRule[],
  gap: GapSpec | undefined,
  context: FieldContext,
): FieldReader {
  if (gap) return gapReader(gap, type, rules, context);
  const inner = compileType(type, rules, context);
  const isPart = context.patches && type.kind === "map";
  const checked = isPart ? rules.filter(({ rule }) => rule !== "items") : rules;
  const checks = compileChecks(checked, type, (name) => keyFormsOf(name, context.options.resource));
  const normalise = compileNormalise(rules);
  const emptyIsNull = context.options.emptyInputs === "null" || hasRule(rules, "empty is null");
  const nullable = hasRule(rules, "nullable") || hasRule(rules, "merged");
  const readsParts = !takesFile(type);

  return {
    json: fromJson,
    form(node, path, findings) {
      const part = readsParts ? onlyJson(node) : undefined;
      if (part !== undefined && (type.kind !== "list" || Array.isArray(part)))
        return fromJson(part, path, findings);
      const sent = onlyText(node);
      let given = node;
      if (sent !== undefined) {
        const text = normalise ? normalise(sent) : sent;
        if (text === "" && emptyIsNull) return nullable ? null : refuseNull(path, sent, findings);
        if (text !== sent) given = { texts: [text] };
      }
      const value = inner.form(given, path, findings);
      return value === undefined || passes(checks, value, path, sent, findings) ? value : undefined;
    },
  };

  function fromJson(json: Json, path: string, findings: Findings): Value | undefined {
    let given = json;
    if (typeof given === "string") {
      if (normalise) given = normalise(given);
      if (given === "" && emptyIsNull) given = null;
    }
    if (given === null) return nullable ? null : refuseNull(path, json, findings);
    const value = inner.json(given, path, findings);
    return value === undefined || passes(checks, value, path, json, findings) ? value : undefined;
  }
}

/** Whether the type accepts a file. A file with JSON is read as a file where one is accepted. */
function takesFile(type: FieldType): boolean {
  return type.kind === "file" || (type.kind === "json" && (type.either ?? []).some(takesFile));
}

function compileType(type: FieldType, rules: readonly FieldRule[], context: FieldContext): FieldReader {
  switch (type.kind) {
    case "enum":
      return compileEnum(type.values);
    case "state":
      return compileEnum(type.states);
    case "list":
      return compileList(type.of, rules, context);
    case "map":
      return compileMap(type.of, rules, context);
    case "object":
      return compileParts(type.parts, context);
    case "value":
      return compileValue(type.resource, context);
    case "file":
      return compileFile(type.types);
    case "reference":
      return compileReference(type.resource, context);
    case "not shown":
      // Its field is a gap. A reader without endpoint accepts any JSON.
      return compileScalar(scalarTypes.json, context.options);
    default:
      if (type.either) return compileEither(type.either, rules, context);
      return compileScalar(scalarTypes[type.kind], context.options);
  }
}

/** Part 2, `nullable`: for any other field null is a missing field. */
function refuseNull(path: string, sent: Json, findings: Findings): undefined {
  return findings.refuse(
    "missing field",
    path,
    sent === null ? "must not be null" : "must not be empty",
    sent,
  );
}

/** Length in UTF-16 units from which only the first broken rule of a text is reported. */
const longFrom = 4096;

function passes(
  checks: readonly RuleCheck[],
  value: Value,
  path: string,
  sent: Json | undefined,
  findings: Findings,
): boolean {
  let passed = true;
  for (const check of checks) {
    const words = check(value);
    if (words === undefined) continue;
    findings.refuse("invalid field", path, words, sent, { rule: check.rule });
    passed = false;
    // A text that is far too long is reported as such and not checked further.
    if (typeof value === "string" && value.length > longFrom) break;
  }
  return passed;
}

/**
 * Reads a value of which something is not shown. What is stated of it is checked; a value that passes
 * is a gap. Null is never refused, because a rule that is not shown may allow it.
 */
function gapReader(
  gap: GapSpec,
  type: FieldType,
  rules: readonly FieldRule[],
  context: FieldContext,
): FieldReader {
  const stated =
    type.kind === "not shown" ? undefined : context.compile(type, [...rules, { rule: "nullable" }]);
  const note = (value: Value | undefined, path: string, findings: Findings): undefined => {
    if (!stated || value !== undefined) findings.gaps.push({ field: path, gap });
    return undefined;
  };
  return {
    json: (json, path, findings) => note(stated?.json(json, path, findings), path, findings),
    form: (node, path, findings) => note(stated?.form(node, path, findings), path, findings),
  };
}
