/** The diagnostics of part 2, resources and their fields. */
import { mistake, warning } from "../code.ts";
import {
  capital,
  didYouMean,
  duplicate,
  formCodes,
  keepOne,
  oneOf,
  tableCodes,
  type UnknownName,
  unknownErrorCode,
  unknownField,
  unknownResource,
  valueForRecord,
} from "./form-codes.ts";
import { nameForm } from "../../support/name-form.ts";

const computed = "is computed when it is read";

export const resourcesCodes = {
  ...formCodes("resources"),
  ...tableCodes("resources"),
  "resources/unknown-resource": unknownResource,
  "resources/unknown-field": unknownField,
  "resources/value-for-record": valueForRecord,

  // ── Names ─────────────────────────────────────────────────────────────────────────────────────
  "resources/unsound-name": mistake<{
    readonly name: string;
    readonly what: string;
    readonly reserved: boolean;
  }>(
    ({ name, what, reserved }) =>
      reserved
        ? `The name "${name}" is reserved, so a ${what} can't have it.`
        : `Invalid ${what} name "${name}".`,
    ({ name, what, reserved }) => {
      const [, field, type] = (what === "field" && nameAndType.exec(name)) || [];
      if (field !== undefined) return `Add the missing \`|\`: \`| ${field} | ${type} |\`.`;
      return reserved
        ? "Choose another name."
        : `${suggestedName(name, what)}Use letters, digits and \`_\`, no digit first, 64 characters at most.`;
    },
  ),
  "resources/small-resource-name": mistake<{ readonly name: string }>(
    ({ name }) =>
      `The resource name "${name}" has no capital letter: \`${name}\` is one of its records in expressions.`,
    ({ name }) => `Write \`### ${capital(name)}\`.`,
  ),
  "resources/name-clash": mistake<{ readonly name: string; readonly small: string }>(
    ({ name, small }) =>
      `The resource name "${name}" is not allowed: expressions would call its record \`${small}\`, a name that is in use.`,
    ({ name }) =>
      `Rename the resource, for example to \`${name}Record\`. \`- Called: ${name.toLowerCase()}\` keeps its name in errors.`,
  ),
  "resources/duplicate-resource": duplicate<{ readonly name: string; readonly first: string }>(
    ({ name, first }) => `resource "${name}"${otherCase(name, first)}`,
    ({ name, first }) =>
      name === first ? "Merge both sections under one heading." : "Rename one of the two.",
  ),
  "resources/duplicate-field": duplicate<{
    readonly name: string;
    readonly first: string;
    readonly resource: string;
  }>(
    ({ name, first, resource }) => `field "${name}" of ${resource}${otherCase(name, first)}`,
    ({ name, first }) => (name === first ? keepOne : "Rename one of the two."),
  ),
  "resources/field-without-name": mistake(
    "This row has no field name.",
    "Write the name in the column `Field`, or `not shown`.",
  ),
  "resources/unknown-code": unknownErrorCode,
  "resources/stray-table": warning(
    "This table belongs to no resource, so it is read as description.",
    "Add `### <Resource>` above it.",
  ),
  "resources/item-of-value": mistake<{ readonly key: string; readonly resource: string }>(
    ({ key, resource }) =>
      `Item "${key}" is not allowed here: ${resource} is a value (\`Identifier: none\`) inside other records.`,
    ({ resource }) =>
      `Move the item to the resource that contains ${resource}, or give ${resource} an identifier.`,
  ),
  "resources/sent-twice": duplicate<{ readonly name: string }>(
    ({ name }) => `name "${name}" in requests or responses`,
    "Give the two different names, with `sent as` or without it.",
  ),
  "resources/field-twice": duplicate<{ readonly name: string }>(({ name }) => `field "${name}"`),

  // ── Types ─────────────────────────────────────────────────────────────────────────────────────
  "resources/unknown-type": mistake<
    {
      readonly text: string;
      readonly instead: string | undefined;
      /** Whether it looks like the content of another column. */
      readonly isRules: boolean;
    } & Omit<UnknownName, "name">
  >(
    ({ text }) => `Unknown type or resource "${text}".`,
    ({ instead, isRules, nearest, known }) => {
      if (instead !== undefined) return `Write \`${instead}\`.`;
      if (isRules) return "Swap the cells of `Type` and `Rules`: this is a rule.";
      return didYouMean({ nearest, known });
    },
  ),
  "resources/type-too-deep": mistake<{ readonly depthMax: number }>(
    ({ depthMax }) => `Lists and maps are nested more than ${depthMax} levels deep.`,
    "Write `json`, or give the inner ones a name: a resource with `- Identifier: none`.",
  ),
  "resources/type-not-in-choice": mistake<{ readonly type: string }>(
    ({ type }) =>
      `Type "${type}" is not allowed in a choice of types: JSON does not show that a value has it.`,
    "Write strings, numbers, booleans, and lists and maps of them or of `json` (`string or list of json`), or `json` for any value.",
  ),
  "resources/type-not-in-many": mistake<{
    readonly type: string;
    readonly many: string;
    readonly why: "secret" | "state" | "value";
  }>(
    ({ type, many }) => `A ${many} of ${type} is not allowed.`,
    ({ many, why }) => manyHints[why](many),
  ),
  "resources/repeated-choice": duplicate<{ readonly text: string }>(({ text }) => `value "${text}"`),
  "resources/identifier-type": mistake<{ readonly type: string; readonly made: string | undefined }>(
    ({ type, made }) =>
      made
        ? `The identifier is created as ${article(made)}, but its type is ${article(type)}.`
        : `The identifier can't be ${article(type)}.`,
    ({ made }) =>
      made
        ? `Write \`${made}\`, or leave the cell empty.`
        : "Write `string`, `integer`, `uuid` or another type of a single text.",
  ),
  "resources/state-field-type": mistake<{ readonly field: string; readonly type: string }>(
    ({ field, type }) => `\`${field}\` is the state field, so its type can't be \`${type}\`.`,
    "Write `state`. Part 3 lists the states.",
  ),
  "resources/other-state-field": mistake<{
    readonly field: string;
    readonly resource: string;
    readonly stateField: string;
  }>(
    ({ field, resource, stateField }) =>
      `\`${field}\` can't be of type \`state\`: the state field of ${resource} is \`${stateField}\`.`,
    ({ field }) => `Write \`one of …\` with the values of \`${field}\`.`,
  ),
  "resources/no-state-machine": mistake<{ readonly field: string; readonly resource: string }>(
    ({ field, resource }) => `The state field \`${field}\` of ${resource} has no states in part 3.`,
    ({ field, resource }) =>
      `Add \`### ${resource}\` there, with \`- State field: ${field}\`, \`- Initial state: …\` and a table of transitions.`,
  ),
  "resources/secret-inside": mistake<{ readonly type: string; readonly location: string }>(
    ({ type, location }) => `A ${type} can't be ${location}: it is stored as a hash in a column of its own.`,
    "Make it a field of the resource.",
  ),

  // ── Parts of objects ──────────────────────────────────────────────────────────────────────────
  "resources/part-without-field": mistake<UnknownName & { readonly part: string }>(
    ({ name, part }) => `Unknown object "${name}" in \`${part}\`: it has no row above.`,
    ({ name, nearest }) =>
      nearest === undefined
        ? `Add a row \`| ${name} | object |\` before it.`
        : `Did you mean \`${nearest}\`?`,
  ),
  "resources/part-of-other-type": mistake<{ readonly name: string; readonly expected: string }>(
    ({ name, expected }) => `\`${name}\` has no parts, because its type is not \`${expected}\`.`,
    ({ expected }) => `Give it the type \`${expected}\`.`,
  ),
  "resources/part-brackets": mistake<{ readonly name: string; readonly isList: boolean }>(
    ({ name, isList }) =>
      isList
        ? `\`${name}\` is a list, so its rows describe the parts of each element.`
        : `\`${name}\` is one object, not a list.`,
    ({ name, isList }) => `Write \`${name}${isList ? "[]" : ""}.…\`.`,
  ),
  "resources/too-many-fields": mistake<{ readonly name: string; readonly most: number }>(
    ({ name, most }) => `${name} has more than ${most} fields, including those of the values inside it.`,
    "Nest fewer values, or refer to a resource with an identifier.",
  ),
  "resources/object-without-parts": mistake<{ readonly name: string; readonly many: boolean }>(
    ({ name }) => `The object \`${name}\` has no rows for its parts.`,
    ({ name, many }) =>
      `Add rows \`| ${name}${many ? "[]" : ""}.<part> | … |\` below it, or write \`json\` for any value.`,
  ),

  // ── Rules ─────────────────────────────────────────────────────────────────────────────────────
  "resources/unknown-rule": mistake<
    { readonly text: string; readonly instead: string | undefined } & Omit<UnknownName, "name">
  >(
    ({ text }) => `Unknown rule "${text}".`,
    ({ instead, nearest, known }) =>
      instead
        ? `Write ${instead}.`
        : nearest
          ? `Did you mean \`${nearest}\`?`
          : `Write ${oneOf(known)}, bounds (\`1..200\`, \`1 minute..1 day\`) or \`= <expression>\`.`,
  ),
  "resources/rule-misfit": mistake<{
    readonly rule: string;
    readonly subject: string;
    readonly takes?: string;
    readonly fitting: readonly string[];
  }>(
    ({ rule, subject, takes }) =>
      `Rule \`${rule}\` is not allowed for ${subject}${takes === undefined ? "" : `; it is for ${takes}`}.`,
    ({ fitting }) =>
      fitting.length === 0 ? "Remove the rule." : `Remove the rule, or write ${oneOf(fitting)}.`,
  ),
  "resources/rules-contradict": mistake<{ readonly rule: string; readonly other: string }>(
    ({ rule, other }) => `Contradiction: \`${rule}\` and \`${other}\` can't both hold.`,
    keepOne,
  ),
  "resources/repeated-rule": duplicate<{ readonly text: string }>(
    ({ text }) => `rule "${text}": another rule of its kind comes before it`,
  ),
  "resources/bounds-reversed": mistake<{ readonly min: number | string; readonly max: number | string }>(
    ({ min, max }) => `The lower bound ${min} is above the upper bound ${max}, so no value is valid.`,
    ({ min, max }) => `Write \`${max}..${min}\`.`,
  ),
  "resources/pattern-too-long": mistake<{ readonly length: number; readonly lengthMax: number }>(
    ({ length, lengthMax }) => `This pattern has ${length} characters. The limit is ${lengthMax}.`,
    "Shorten the pattern; `one of …` and `length …` can replace parts of it.",
  ),
  "resources/broken-pattern": mistake<{ readonly pattern: string; readonly why: string }>(
    ({ pattern, why }) =>
      `Cannot read the pattern \`${pattern}\`: ${why.replace(/^error parsing regexp: /, "").replaceAll("`", '"')}.`,
    "Write the pattern in RE2 syntax, which has no back references, lookahead or lookbehind.",
  ),
  "resources/bare-choice": mistake<{ readonly choice: string }>(
    ({ choice }) => `"${choice}" is a name here, because a default is an expression.`,
    ({ choice }) => `Write \`"${choice}"\`. A text has quotes.`,
  ),
  "resources/refused-default": mistake<{ readonly field: string; readonly problem: string }>(
    ({ field, problem }) => `Invalid default of \`${field}\`: it ${problem}.`,
    "Change the default or the rule.",
  ),
  "resources/refused-value": mistake<{
    readonly field: string;
    readonly value: string;
    readonly problem: string;
    readonly instead?: string;
  }>(
    ({ field, value, problem }) =>
      `Invalid value of \`${field}\`: the expression gives ${value}, but it ${problem}.`,
    ({ instead }) =>
      instead === undefined
        ? "Change the expression or the rule."
        : `Write \`${instead}\`, or change the rule.`,
  ),
  "resources/computed-unchecked": mistake<{ readonly field: string; readonly type: string }>(
    ({ field, type }) => `${field} is ${type}, but its expression may give other values.`,
    "Give the field the type of its expression, convert the value (`int(…)`, `string(…)`), or store it and set it where the record is created (`- Set:`), which validates it.",
  ),
  "resources/part-default-stored": mistake<{ readonly name: string }>(
    ({ name }) =>
      `The default of \`${name}\` reads stored records, but defaults inside a value are set before the store is read.`,
    "Set the whole field where the record is created (`- Set:`), or remove the default.",
  ),
  "resources/not-comparable": mistake<{ readonly name: string; readonly type: string }>(
    ({ name, type }) => `\`${name}\` is ${type}, so it can't be unique.`,
    "Remove `unique`, or name a field with a type of a single value.",
  ),
  "resources/not-a-stored-timestamp": mistake<{ readonly name: string; readonly type: string }>(
    ({ name, type }) => `\`${name}\` is ${type}; a time to wait for is a stored timestamp.`,
    ({ name }) =>
      `Give \`${name}\` the type \`timestamp\`, and a rule that stores it, such as \`on create now\`.`,
  ),
  "resources/computed-circle": mistake<{ readonly circle: readonly string[] }>(
    ({ circle }) => `Circular computed field: ${circle.map((name) => `\`${name}\``).join(" reads ")}.`,
    "Store one of them, with `on create` or an effect.",
  ),
  "resources/fill-circle": mistake<{ readonly circle: readonly string[]; readonly resource: string }>(
    ({ circle, resource }) =>
      `Circular values of a new ${resource}: ${circle.map((name) => `\`${name}\``).join(" needs ")}.`,
    "Remove one of the two references.",
  ),
  "resources/second-block": duplicate<{ readonly subject: string }>(
    ({ subject }) => `expression for ${subject}`,
    keepOne,
  ),

  // ── Records of ────────────────────────────────────────────────────────────────────────────────
  "resources/records-lack-field": mistake<{ readonly resource: string; readonly missing: readonly string[] }>(
    ({ resource, missing }) => `Missing required values in the records of ${resource}: ${list(missing)}.`,
    ({ missing }) => `Fill in the ${missing.length === 1 ? "column" : "columns"} ${list(missing)}.`,
  ),
  "resources/records-column": mistake<{ readonly field: string; readonly why: "computed" | "secret" }>(
    ({ field, why }) =>
      why === "computed"
        ? `Column "${field}" is not allowed here: the field ${computed}.`
        : `Column "${field}" is not allowed here: a document must not contain secrets.`,
    ({ why }) =>
      why === "secret"
        ? "Remove the column. A request can set the secret; in scenarios, a `Given` can."
        : "Remove the column.",
  ),
  "resources/record-value": mistake<{
    readonly field: string;
    readonly text: string;
    readonly problem: string;
  }>(
    ({ field, text, problem }) => `Invalid value "${text}" of \`${field}\`: it ${problem}.`,
    "Change the value, or the field's type and rules.",
  ),
  "resources/record-reference": mistake<{ readonly resource: string; readonly value: string }>(
    ({ resource, value }) => `Unknown record "${value}" of ${resource}.`,
    ({ resource }) => `Add it under \`### Records of ${resource}\`.`,
  ),
  "resources/duplicate-record": duplicate<{
    readonly resource: string;
    readonly value: string;
    /** The unique fields; absent for the identifier. */
    readonly fields?: readonly string[];
  }>(
    ({ resource, value, fields }) =>
      fields
        ? `value "${value}" of the unique ${list(fields)} of ${resource}`
        : `record "${value}" of ${resource}`,
    ({ fields }) => (fields ? "Change one of the two." : keepOne),
  ),
  "resources/deep-reference": warning<{
    readonly resource: string;
    readonly value: string;
    readonly name: string;
  }>(
    ({ resource, value, name }) =>
      `${value} contains itself, and a deletion sees \`${value}.${name}\` only in the first two levels of a ${resource}.`,
    ({ value }) => `Give ${value} an identifier, and refer to it, so that each level is a record.`,
  ),
  "resources/record-refused": mistake<{
    readonly resource: string;
    readonly kind: string;
    readonly rule: string;
  }>(
    ({ resource, kind, rule }) => `This record of ${resource} breaks \`${kind}: ${rule}\`.`,
    "Change the record, or the rule.",
  ),
};

const manyHints: Readonly<Record<"secret" | "state" | "value", (many: string) => string>> = {
  secret: () => "Create a resource that has the secret, and refer to it: each secret has a hash of its own.",
  state: () => "Create a resource that has the state, and refer to it: a state belongs to one record.",
  value: (many) => `Give the object a name: a resource with \`- Identifier: none\`, and \`${many} of\` it.`,
};

/** A name and a type in one cell. */
const nameAndType =
  /^(\w+)\s+(string|integer|number|decimal|boolean|timestamp|date|duration|uuid|email|uri|json|object|state|(?:list|map|one) of .+)$/;

/** Says that databases don't distinguish names that differ only in case or separators. */
function otherCase(name: string, first: string): string {
  return name === first ? "" : `: it differs from "${first}" only in case, which databases ignore`;
}

/** `payment intent` → "Write `PaymentIntent`. " */
function suggestedName(name: string, what: string): string {
  const words = name.split(/[^A-Za-z0-9_]+/).filter((word) => word !== "");
  const joined = what === "resource" ? words.map(capital).join("") : words.join("_");
  return nameForm.test(joined) ? `Write \`${joined}\`. ` : "";
}

function article(type: string): string {
  return `${/^[aeio]/i.test(type) ? "an" : "a"} ${type}`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(names.length === 2 ? " and " : ", ");
}
