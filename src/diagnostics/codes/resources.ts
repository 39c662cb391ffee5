/** The diagnostics of part 2, resources and their fields: each code once, with its words. */
import { code } from "../code.ts";
import {
  didYouMean,
  formCodes,
  tableCodes,
  type UnknownName,
  unknownField,
  unknownErrorCode,
  unknownResource,
  valueForRecord,
} from "./form-codes.ts";
import { nameForm } from "../../support/name-form.ts";

export const resourcesCodes = {
  ...formCodes("resources"),
  ...tableCodes("resources"),
  "resources/unknown-resource": unknownResource,
  "resources/unknown-field": unknownField,
  "resources/value-for-record": valueForRecord,

  // ── Names ─────────────────────────────────────────────────────────────────────────────────────
  "resources/unsound-name": code<{
    readonly name: string;
    readonly what: string;
    readonly reserved: boolean;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, what, reserved }) =>
      reserved
        ? `No ${what} can be called "${name}", for programs give that name a meaning of its own.`
        : `"${name}" can't be the name of a ${what}.`,
    hint: ({ name, what, reserved }) =>
      reserved
        ? undefined
        : `A name has letters, digits and \`_\`, no digit first, 64 characters at most${suggestedName(name, what)}.`,
  }),
  "resources/small-resource-name": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) =>
      `A resource begins with a capital letter: \`${name}\` is one record of it in expressions.`,
    hint: ({ name }) => `Write \`### ${capital(name)}\`.`,
  }),
  "resources/name-clash": code<{ readonly name: string; readonly small: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, small }) =>
      `A record of ${name} would be called \`${small}\` in expressions, and that name means something else there.`,
    hint: ({ name }) =>
      `Call the resource otherwise, perhaps \`${name}Record\`; \`- Called: ${name.toLowerCase()}\` keeps its name in errors.`,
  }),
  "resources/duplicate-resource": code<{ readonly name: string; readonly first: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, first }) =>
      name === first
        ? `The resource ${name} stands here a second time.`
        : `${name} and ${first} differ only by the case of letters, which databases don't tell apart.`,
    hint: ({ name, first }) =>
      name === first
        ? "Bring what stands under both headings together under one."
        : "Call one of them otherwise.",
  }),
  "resources/duplicate-field": code<{
    readonly name: string;
    readonly first: string;
    readonly resource: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, first, resource }) =>
      name === first
        ? `${resource} has two rows for \`${name}\`.`
        : `\`${name}\` and \`${first}\` of ${resource} differ only by the case of letters, which databases don't tell apart.`,
    hint: () => "Keep one of the two rows.",
  }),
  "resources/field-without-name": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This row names no field.",
    hint: () => "Write the name in the column `Field`, or `not shown`.",
  }),
  "resources/unknown-code": unknownErrorCode,
  "resources/stray-table": code<Record<string, never>>({
    kind: "mistake",
    severity: "warning",
    message: () => "This table belongs to no resource, so it is read as description.",
    hint: () => "Put `### <Resource>` above it.",
  }),
  "resources/item-of-value": code<{ readonly key: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key, resource }) =>
      `${resource} is a value inside other records, so "${key}" says nothing of it.`,
    hint: ({ resource }) =>
      `Say it of the resource that has a ${resource}, or give ${resource} an identifier.`,
  }),
  "resources/field-twice": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` is named twice.`,
    hint: () => "Name each field once.",
  }),

  // ── Types ─────────────────────────────────────────────────────────────────────────────────────
  "resources/unknown-type": code<
    {
      readonly text: string;
      readonly instead: string | undefined;
      /** It reads like what belongs into another column. */
      readonly isRules: boolean;
    } & Omit<UnknownName, "name">
  >({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `There is no type and no resource \`${text}\`.`,
    hint: ({ text, instead, isRules, nearest, known }) => {
      if (instead !== undefined) return `Write \`${instead}\`.`;
      if (isRules) return "These are rules: are the cells of `Type` and `Rules` swapped?";
      return didYouMean({ name: text, nearest, known });
    },
  }),
  "resources/type-too-deep": code<{ readonly depthMax: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ depthMax }) => `Lists and maps stand more than ${depthMax} deep in one another here.`,
    hint: () => "Give the inner ones a name: a resource with `- Identifier: none`, or `json`.",
  }),
  "resources/type-not-in-choice": code<{ readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ type }) =>
      `"${type}" can't be one of several types: JSON doesn't tell it from a text or an object.`,
    hint: () =>
      "Name texts, numbers, booleans, and lists and maps of them (`string or list of string`), or write `json`, which takes anything.",
  }),
  "resources/type-not-in-many": code<{
    readonly type: string;
    readonly many: string;
    readonly why: "secret" | "state" | "value";
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ type, many }) => `There is no ${many} of ${type}.`,
    hint: ({ many, why }) => manyHints[why](many),
  }),
  "resources/repeated-choice": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" stands twice among the values.`,
    hint: () => "Name each value once.",
  }),
  "resources/identifier-type": code<{ readonly type: string; readonly made: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ type, made }) =>
      made
        ? `The identifier is made as ${article(made)}, not as ${article(type)}.`
        : `${capital(article(type))} can't tell records apart.`,
    hint: ({ made }) =>
      made
        ? `Write \`${made}\`, or leave the cell empty.`
        : "An identifier is a string, an integer, a uuid or another single text.",
  }),
  "resources/state-field-type": code<{ readonly field: string; readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field }) => `\`${field}\` is the state field, so its type is \`state\`.`,
    hint: () => "Write `state`; part 3 says which states there are.",
  }),
  "resources/other-state-field": code<{
    readonly field: string;
    readonly resource: string;
    readonly stateField: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, resource, stateField }) =>
      `The state field of ${resource} is \`${stateField}\`, so \`${field}\` can't be of type \`state\`.`,
    hint: ({ field }) => `Write \`one of …\` with the values of \`${field}\`.`,
  }),
  "resources/no-state-machine": code<{ readonly field: string; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, resource }) => `Part 3 doesn't say which states \`${field}\` of ${resource} has.`,
    hint: ({ field, resource }) =>
      `Add \`### ${resource}\` there, with \`- State field: ${field}\`, \`- Initial state: …\` and a table of transitions.`,
  }),
  "resources/secret-inside": code<{ readonly type: string; readonly place: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ type, place }) => `A ${type} can't be ${place}: it is kept as a hash in a column of its own.`,
    hint: () => "Make it a field of the resource.",
  }),

  // ── Parts of objects ──────────────────────────────────────────────────────────────────────────
  "resources/part-without-field": code<UnknownName & { readonly part: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, part }) => `\`${part}\` is a part of \`${name}\`, which has no row above.`,
    hint: ({ name, nearest }) =>
      nearest === undefined
        ? `Add a row \`| ${name} | object |\` before it.`
        : `Did you mean \`${nearest}\`?`,
  }),
  "resources/part-of-other-type": code<{ readonly name: string; readonly wanted: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, wanted }) => `\`${name}\` has no parts, for its type is not \`${wanted}\`.`,
    hint: ({ wanted }) => `Give it the type \`${wanted}\`.`,
  }),
  "resources/part-brackets": code<{ readonly name: string; readonly isList: boolean }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, isList }) =>
      isList
        ? `\`${name}\` is a list, so its parts are parts of each element.`
        : `\`${name}\` is one object, no list.`,
    hint: ({ name, isList }) => `Write \`${name}${isList ? "[]" : ""}.…\`.`,
  }),
  "resources/too-many-fields": code<{ readonly name: string; readonly most: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, most }) => `${name} has more than ${most} fields, with those of the values in it.`,
    hint: () => "Nest fewer values, or refer to a resource where records can stand by themselves.",
  }),
  "resources/object-without-parts": code<{ readonly name: string; readonly many: boolean }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `\`${name}\` is an object, but no row says what its parts are.`,
    hint: ({ name, many }) =>
      `Add rows \`| ${name}${many ? "[]" : ""}.<part> | … |\` below it, or write \`json\` for anything at all.`,
  }),

  // ── Rules ─────────────────────────────────────────────────────────────────────────────────────
  "resources/unknown-rule": code<
    { readonly text: string; readonly instead: string | undefined } & Omit<UnknownName, "name">
  >({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `There is no rule "${text}".`,
    hint: ({ instead, nearest, known }) =>
      instead
        ? `Write ${instead}.`
        : nearest
          ? `Did you mean \`${nearest}\`?`
          : `Rules are ${known.map((name) => `\`${name}\``).join(", ")}, bounds (\`1..200\`, \`1 minute..1 day\`) and \`= <expression>\`.`,
  }),
  "resources/rule-misfit": code<{
    readonly rule: string;
    readonly subject: string;
    readonly takes?: string;
    readonly fitting: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ rule, subject, takes }) =>
      `\`${rule}\` doesn't fit ${subject}${takes === undefined ? "" : `; it is for ${takes}`}.`,
    hint: ({ fitting }) =>
      fitting.length === 0 ? undefined : `Here would fit ${fitting.map((one) => `\`${one}\``).join(", ")}.`,
  }),
  "resources/rules-contradict": code<{ readonly rule: string; readonly other: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ rule, other }) => `\`${rule}\` and \`${other}\` don't go together.`,
    hint: () => "Keep one of the two.",
  }),
  "resources/repeated-rule": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `\`${text}\` says a second time what a rule of its kind has said.`,
    hint: () => "Keep one of the two.",
  }),
  "resources/bounds-reversed": code<{ readonly min: number | string; readonly max: number | string }>({
    kind: "mistake",
    severity: "error",
    message: ({ min, max }) => `The lower bound ${min} is above the upper bound ${max}, so no value fits.`,
    hint: ({ min, max }) => `Write \`${max}..${min}\`.`,
  }),
  "resources/pattern-too-long": code<{ readonly length: number; readonly lengthMax: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ length, lengthMax }) =>
      `This pattern has ${length} characters; at most ${lengthMax} are read.`,
    hint: () => "Check less by pattern; `one of …` and `length …` say much.",
  }),
  "resources/broken-pattern": code<{ readonly pattern: string; readonly why: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ pattern, why }) =>
      `The pattern \`${pattern}\` can't be read: ${why.replace(/^error parsing regexp: /, "").replaceAll("`", '"')}.`,
    hint: () => "Patterns are written as for RE2: no back references, no looking ahead or behind.",
  }),
  "resources/bare-choice": code<{ readonly choice: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ choice }) =>
      `A default is an expression, in which \`${choice}\` is a name; the value is a text.`,
    hint: ({ choice }) => `Write \`"${choice}"\`, in quotes.`,
  }),
  "resources/refused-default": code<{ readonly field: string; readonly problem: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, problem }) => `The default of \`${field}\` breaks its own rules: it ${problem}.`,
  }),
  "resources/part-default-stored": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) =>
      `The default of \`${name}\` reads stored records, and a part of a value is filled in before the store is asked.`,
    hint: () => "Set the whole field where the record is made (`- Set:`), or leave the part open.",
  }),
  "resources/not-comparable": code<{ readonly name: string; readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, type }) => `\`${name}\` is ${type}, so it can't be kept unique.`,
  }),
  "resources/not-a-stored-timestamp": code<{ readonly name: string; readonly type: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, type }) => `\`${name}\` is ${type}; a time to wait for is a stored timestamp.`,
    hint: ({ name }) =>
      `Make \`${name}\` a \`timestamp\`, perhaps with \`on create\` or \`on update\` and an expression.`,
  }),
  "resources/computed-circle": code<{ readonly circle: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ circle }) =>
      `This is worked out from itself: ${circle.map((name) => `\`${name}\``).join(" reads ")}.`,
    hint: () => "Store one of them, with `on create` or an effect.",
  }),
  "resources/fill-circle": code<{ readonly circle: readonly string[]; readonly resource: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ circle, resource }) =>
      `A new ${resource} can't be filled in: ${circle.map((name) => `\`${name}\``).join(" needs ")} first.`,
    hint: () => "Let one of them not name the other.",
  }),
  "resources/second-block": code<{ readonly subject: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ subject }) => `This is a second expression for ${subject}.`,
    hint: () => "Keep one of the two blocks.",
  }),

  // ── Records of ────────────────────────────────────────────────────────────────────────────────
  "resources/records-lack-field": code<{ readonly resource: string; readonly missing: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, missing }) =>
      `Every record of ${resource} has ${list(missing)}, which ${missing.length === 1 ? "is" : "are"} missing here.`,
    hint: ({ missing }) => `Fill in ${missing.length === 1 ? "a column" : "columns"} ${list(missing)}.`,
  }),
  "resources/records-column": code<{ readonly field: string; readonly why: "computed" | "secret" }>({
    kind: "mistake",
    severity: "error",
    message: ({ field, why }) =>
      why === "computed"
        ? `\`${field}\` is worked out when it is read, so it can't be given.`
        : `\`${field}\` is a secret, and a document is no place for one.`,
    hint: ({ why }) =>
      why === "secret"
        ? "Let it be set by a request; scenarios have `Given` for it."
        : "Leave the column out.",
  }),
  "resources/record-value": code<{ readonly field: string; readonly text: string; readonly problem: string }>(
    {
      kind: "mistake",
      severity: "error",
      message: ({ field, text, problem }) => `"${text}" is no value for \`${field}\`: it ${problem}.`,
    },
  ),
  "resources/record-reference": code<{ readonly resource: string; readonly value: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, value }) => `There is no ${resource} "${value}" from the start.`,
    hint: ({ resource }) => `Add it under \`### Records of ${resource}\`.`,
  }),
  "resources/duplicate-record": code<{ readonly resource: string; readonly identifier: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, identifier }) =>
      `There are two records of ${resource} with the identifier "${identifier}".`,
    hint: () => "Keep one of the two rows.",
  }),
};

const manyHints: Readonly<Record<"secret" | "state" | "value", (many: string) => string>> = {
  secret: () => "Each secret is kept as a hash of its own: make a resource with one, and refer to it.",
  state: () => "A state belongs to one record: make a resource with it, and refer to that.",
  value: (many) => `Give the object a name: a resource with \`- Identifier: none\`, and \`${many} of\` it.`,
};

/** `payment intent` → `, like PaymentIntent`. */
function suggestedName(name: string, what: string): string {
  const words = name.split(/[^A-Za-z0-9_]+/).filter((word) => word !== "");
  const joined = what === "resource" ? words.map(capital).join("") : words.join("_");
  return nameForm.test(joined) ? `: \`${joined}\`` : "";
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function article(type: string): string {
  return `${/^[aeio]/i.test(type) ? "an" : "a"} ${type}`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(names.length === 2 ? " and " : ", ");
}
