/**
 * Subjects of a condition (3.7): what a row of part 7 is about, `of Parcel.weight and rule length`.
 */
import { scalarTypes } from "../../../fields/types/index.ts";
import { checkedRules } from "../../../fields/rules/index.ts";
import { type Phrase, positionIn, slice, unquote } from "../../../source/phrase.ts";
import { afterWord, keyText } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import { type Condition, conditions, acceptsSubject, type Subject } from "../../errors/conditions.ts";
import { typeWithin } from "../../resources/field-path.ts";
import { dotted, namedInputs } from "../../errors/input-subjects.ts";
import type { ErrorSubject } from "../../model.ts";
import { endpointNames, parseEndpointName, sameEndpoint, writtenName } from "../any-part/endpoint-names.ts";
import { fieldOfValue, fieldTypeAt } from "../any-part/field-path.ts";
import { limitNames } from "../limits/limit-names.ts";
import { reportUnknownField } from "../any-part/part-names.ts";
import { type PartReader, suggestion } from "../any-part/part-reader.ts";
import type { AllEndpoints } from "../endpoints/inputs/combined-inputs.ts";

export type SubjectReader = PartReader<"errors"> & { readonly all: AllEndpoints };

/** The values after `of type`. */
const typeNames = [
  ...Object.keys(scalarTypes),
  "list",
  "map",
  "object",
  "one of",
  "reference",
  "value",
  "state",
];

export function readSubject(
  reader: SubjectReader,
  condition: Condition,
  words: Phrase,
): ErrorSubject | undefined {
  const { resources } = reader.context.declarations;
  const type = afterWord(words, "type");
  if (type) return typeSubject(reader, condition, unquote(type));
  const rule = afterWord(words, "rule");
  if (rule) return ruleSubject(reader, condition, unquote(rule));
  const scheme = afterWord(words, "scheme");
  if (scheme) return schemeSubject(reader, condition, unquote(scheme));
  const endpoint = parseEndpointName(words.text);
  if (endpoint) {
    const known = endpointNames(reader.context.document);
    const found = known.find((candidate) => sameEndpoint(candidate, endpoint));
    return found
      ? { kind: "endpoint", ...found }
      : unknownSubject(reader, condition, words, known.map(writtenName));
  }
  if (/^(?:body|query|path|headers)\./.test(words.text)) return inputSubject(reader, condition, words);
  const resource = resources.get(words.text);
  if (resource) {
    if (acceptsSubject(condition, "resource")) return { kind: "resource", resource: resource.name };
    return neverAbout(reader, condition, words, "resource");
  }
  const parted = /^(\w+)(?:\.|\s+)([\w.[\]]+)$/.exec(words.text);
  const owner = parted && resources.get(parted[1] as string);
  if (owner)
    return memberSubject(
      reader,
      condition,
      owner,
      slice(words, words.text.length - (parted[2] as string).length),
    );
  if (acceptsSubject(condition, "transition") && transitionNames(reader).includes(words.text)) {
    return { kind: "transition", transition: words.text };
  }
  const limits = limitNames(reader.context.document);
  if (acceptsSubject(condition, "limit") && limits.includes(words.text))
    return { kind: "limit", limit: words.text };
  const known = [
    ...resources.keys(),
    ...(acceptsSubject(condition, "transition") ? transitionNames(reader) : []),
    ...(acceptsSubject(condition, "limit") ? limits : []),
  ];
  return unknownSubject(reader, condition, words, known, words.text.split(".")[0]);
}

/** @param compared the text to compare with the known ones, if not all of it */
function unknownSubject(
  { context: { reporter } }: SubjectReader,
  condition: Condition,
  name: Phrase,
  known: readonly string[],
  compared = name.text,
): undefined {
  const params = { ...suggestion(compared, known), name: name.text, condition };
  reporter.report("errors/unknown-subject", positionIn(name), params);
}

function typeSubject(reader: SubjectReader, condition: Condition, type: Phrase): ErrorSubject | undefined {
  const { reporter } = reader.context;
  if (!acceptsSubject(condition, "type")) {
    const ofTypes = conditions.filter((condition) => acceptsSubject(condition, "type"));
    reporter.report("errors/type-of-no-input", positionIn(type), {
      condition,
      type: type.text,
      conditions: ofTypes,
    });
    return undefined;
  }
  const name = keyText(type);
  // In the model, a type is named by its kind.
  if (typeNames.includes(name)) return { kind: "type", type: name === "one of" ? "enum" : name };
  reporter.report("errors/unknown-type", positionIn(type), suggestion(type.text, typeNames));
  return undefined;
}

function ruleSubject(reader: SubjectReader, condition: Condition, name: Phrase): ErrorSubject | undefined {
  const rule = checkedRules.find((rule) => rule === keyText(name));
  if (!rule) return unknownSubject(reader, condition, name, checkedRules);
  return acceptsSubject(condition, "rule")
    ? { kind: "rule", rule }
    : neverAbout(reader, condition, name, "rule");
}

function schemeSubject(reader: SubjectReader, condition: Condition, name: Phrase): ErrorSubject | undefined {
  const known = [...reader.context.declarations.schemes.keys()];
  const scheme = known.find((scheme) => scheme === name.text);
  if (scheme === undefined) return unknownSubject(reader, condition, name, known);
  return acceptsSubject(condition, "scheme")
    ? { kind: "scheme", scheme }
    : neverAbout(reader, condition, name, "scheme");
}

/** `query.cursor`: an input of some endpoint, or a part of one. */
function inputSubject(reader: SubjectReader, condition: Condition, words: Phrase): ErrorSubject | undefined {
  const { declarations } = reader.context;
  if (!acceptsSubject(condition, "input")) return neverAbout(reader, condition, words, "input");
  const input = inputText(words.text);
  const { endpoints } = reader.all;
  const inputs = endpoints.flatMap((endpoint) => namedInputs(reader.all, endpoint));
  const isKnown = inputs.some(({ name, type }) => {
    if (input === name) return true;
    if (!type || !input.startsWith(`${name}.`)) return false;
    const rest = input.slice(name.length + 1).split(".");
    return typeWithin(type, rest, fieldOfValue(declarations)) !== undefined;
  });
  // The inputs of an endpoint that is not shown are unknown.
  if (isKnown || endpoints.some(({ gap, unclear }) => gap || unclear)) return { kind: "input", input };
  return unknownSubject(reader, condition, words, [...new Set(inputs.map(({ name }) => name))]);
}

/** Headers are compared in lower case; indexes and brackets don't count. */
function inputText(text: string): string {
  const input = dotted(text);
  return input.startsWith("headers.") ? input.toLowerCase() : input;
}

/** Reports a subject that no problem of the condition can have. */
function neverAbout(
  { context: { reporter } }: SubjectReader,
  condition: Condition,
  words: Phrase,
  subject: Subject,
): undefined {
  reporter.report("errors/never-about", positionIn(words), {
    condition,
    subject,
    text: words.text,
    conditions: conditions.filter((condition) => acceptsSubject(condition, subject)),
  });
}

/** `Parcel.weight`, `Parcel deliver`: a field or a transition of the resource. */
function memberSubject(
  reader: SubjectReader,
  condition: Condition,
  owner: DeclaredResource,
  name: Phrase,
): ErrorSubject | undefined {
  const { declarations } = reader.context;
  if (owner.transitions.includes(name.text)) {
    if (!acceptsSubject(condition, "transition")) return neverAbout(reader, condition, name, "transition");
    return { kind: "transition", resource: owner.name, transition: name.text };
  }
  if (owner.gap || fieldTypeAt(declarations, owner, name.text)) {
    if (!acceptsSubject(condition, "field")) return neverAbout(reader, condition, name, "field");
    return { kind: "field", resource: owner.name, field: name.text.replaceAll("[]", "") };
  }
  reportUnknownField(reader, name, owner.name, [...owner.fields.keys(), ...owner.transitions]);
  return undefined;
}

function transitionNames(reader: SubjectReader): string[] {
  return [...reader.context.declarations.resources.values()].flatMap((resource) => resource.transitions);
}
