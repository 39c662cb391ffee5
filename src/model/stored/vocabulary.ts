/**
 * Scope of expressions in a stored change. They see the store before the step, so all resource
 * names are the old ones. The result of the step is an object, `this`, whose references can't be
 * followed.
 */
import type { ParamsOf } from "../../diagnostics/codes/index.ts";
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { ResourceWords, Scope, Vocabulary } from "../../expressions/scope.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { StoredChange } from "../model.ts";
import type { StoredForm, StoredFormField, StoredFormResource } from "./form.ts";

export interface StoredTimes {
  readonly before: StoredForm;
  readonly after: StoredForm;
  readonly step: Pick<StoredChange, "renamed" | "removed">;
  /** Functions of the module. They are declared so that their use can be reported. */
  readonly functions?: Pick<Vocabulary, "handlerFunctionNames" | "handlerFunction">;
}

/** The name of a resource before the step. Undefined if the step creates it. */
export function nameBefore({ before, step }: StoredTimes, after: string): string | undefined {
  const renames = step.renamed.filter((rename) => rename.kind === "resource");
  const from = renames.find((rename) => rename.to === after)?.from;
  if (from !== undefined) return before.resources.has(from) ? from : undefined;
  return before.resources.has(after) && !renames.some((rename) => rename.from === after) ? after : undefined;
}

/** A prefix for new resources, which no name in a document can have. */
const made = "new ";

/** The expected type for a field of the step's result, in the vocabulary before the step. */
export function expectedTypeBefore(times: StoredTimes, type: Type, within: readonly string[] = []): Type {
  switch (type.kind) {
    case "record":
      return { kind: "record", resource: nameBefore(times, type.resource) ?? made + type.resource };
    case "value": {
      const value = times.after.resources.get(type.resource);
      if (!value || within.includes(type.resource)) return types.any;
      return objectInWords(times, value, [...within, type.resource]);
    }
    case "list":
    case "map":
      return { ...type, of: expectedTypeBefore(times, type.of, within) };
    case "object": {
      const fields = Object.entries(type.fields).map(([name, inner]) => [
        name,
        expectedTypeBefore(times, inner, within),
      ]);
      return { ...type, fields: Object.fromEntries(fields) };
    }
    default:
      return type;
  }
}

/** The fields of a record or a value after the step. */
function objectInWords(
  times: StoredTimes,
  resource: StoredFormResource,
  within: readonly string[] = [],
): Type {
  const fields = [...resource.fields].map(([name, { type }]) => [
    name,
    type ? expectedTypeBefore(times, type, within) : types.any,
  ]);
  return { kind: "object", fields: Object.fromEntries(fields), ...(resource.isOpen ? { open: true } : {}) };
}

/** Names of requests. They are declared so that their use can be reported. */
export const namesOfRequests = [
  "caller",
  "credential",
  "body",
  "query",
  "path",
  "headers",
  "request",
  "service",
  "page",
  "event",
  "delivery",
  "error",
  "limits",
] as const;

/**
 * The scope of a step.
 * @param resource its name after the step, or before it if it is removed; then there is no `this`
 */
export function scopeOfStep(times: StoredTimes, resource: string): Scope {
  const after = isRemoved(times, resource) ? undefined : times.after.resources.get(resource);
  const nothing = Object.fromEntries(namesOfRequests.map((name) => [name, types.any]));
  const old = after ? nameBefore(times, resource) : resource;
  return {
    fixed: {
      ...nothing,
      now: types.timestamp,
      old: old === undefined ? types.any : { kind: "record", resource: old },
      ...(after ? { this: objectInWords(times, after) } : {}),
    },
    named: {},
    locals: [],
    vocabulary: vocabularyOf(times),
  };
}

function isRemoved({ step }: StoredTimes, resource: string): boolean {
  return step.removed.some((removal) => removal.field === undefined && removal.resource === resource);
}

/** The vocabulary that the effects of a step share. */
const vocabularies = new WeakMap<StoredTimes, Vocabulary>();

function vocabularyOf(times: StoredTimes): Vocabulary {
  const known = vocabularies.get(times) ?? makeVocabulary(times);
  vocabularies.set(times, known);
  return known;
}

function makeVocabulary(times: StoredTimes): Vocabulary {
  const { before, after, functions } = times;
  const known = new Map<string, ResourceWords>();
  const isLoose = before.isGuess === true;
  for (const resource of before.resources.values())
    known.set(resource.name, wordsOf(resource, resource.name, isLoose));
  for (const resource of after.resources.values())
    if (nameBefore(times, resource.name) === undefined)
      known.set(made + resource.name, {
        ...wordsOf(resource, made + resource.name, false),
        fields: new Map(),
      });
  return {
    resourceNames: [...before.resources.keys()],
    resource: (name) => known.get(name),
    shapeNames: [],
    shape: () => undefined,
    handlerFunctionNames: functions?.handlerFunctionNames ?? [],
    handlerFunction: (name) => functions?.handlerFunction(name),
  };
}

function wordsOf(resource: StoredFormResource, name: string, isLoose: boolean): ResourceWords {
  const fields = [...resource.fields].map(([at, field]) => [at, fieldWords(at, field, isLoose)] as const);
  return {
    name,
    isValue: resource.isValue === true,
    fields: resource.isOpen ? new OpenFields(fields) : new Map(fields),
    identifier: resource.identifier,
    deletedMarked: resource.deletedMarked === true,
  };
}

function fieldWords(name: string, { type, anyCase }: StoredFormField, isLoose: boolean) {
  return {
    name,
    type: isLoose ? loose(type ?? types.any) : (type ?? types.any),
    computed: false,
    hidden: false,
    anyCase: anyCase === true,
  };
}

/**
 * The values of earlier enumerations aren't all known, and a type change without a statement may
 * have occurred since.
 */
function loose(type: Type): Type {
  switch (type.kind) {
    case "enum":
      return types.any;
    case "list":
    case "map":
      return { ...type, of: loose(type.of) };
    case "object": {
      const fields = Object.entries(type.fields).map(([name, inner]) => [name, loose(inner)]);
      return { ...type, fields: Object.fromEntries(fields), open: true };
    }
    default:
      return type;
  }
}

/** Fields of a resource of which only the existence is known: any field may have existed. */
class OpenFields extends Map<string, ReturnType<typeof fieldWords>> {
  override get(name: string): ReturnType<typeof fieldWords> {
    return super.get(name) ?? fieldWords(name, {}, false);
  }
}

/** A reporter that ignores names of the form before the step, if they may have existed. */
export function reporterBeforeStep({ before }: StoredTimes, reporter: Reporter): Reporter {
  if (!before.isGuess) return reporter;
  return {
    ...reporter,
    report(code, position, params, related) {
      const field = params as ParamsOf<"expressions/unknown-field">;
      if (code === "expressions/unknown-field" && before.resources.has(field.of)) {
        const { name, of, nearest } = field;
        reporter.report("versioning/stored-not-before", position, { name, of, nearest }, related);
      } else reporter.report(code, position, params, related);
    },
  };
}
