/** Variants of input values: at each bound, just inside and just outside. */
import { type FieldRule, hasRule, sentName } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { fieldsOfValue, fitsKind } from "./example-types.ts";
import type { Literals } from "../stories/literals.ts";
import { patternText } from "./pattern-text.ts";
import type { Template } from "../stories/story.ts";
import {
  dayMs,
  eachOf,
  runLength,
  sampleRun,
  timeSlot,
  timestampForm,
  validParts,
  type ValueSource,
  validValue,
} from "./values.ts";

/** One variant of an input's value. */
export interface Variant {
  /** A description: `one above the maximum length`. */
  readonly label: string;
  /** Whether a rule of the document distinguishes it; the others are sent less often. */
  readonly isOfRule: boolean;
  /** The value; undefined if the input is omitted. */
  make(source: ValueSource): Template | undefined;
}

/** The depth to which parts of embedded values have variants of their own. */
const depthMax = 2;

/** All variants of an input that a rule distinguishes. All other inputs are valid. */
export function variantsOf(
  name: string,
  type: FieldType,
  rules: readonly FieldRule[],
  model: Model,
  literals: Literals,
  depth = 0,
): readonly Variant[] {
  return [
    { label: "omitted", isOfRule: hasRule(rules, "required"), make: () => undefined },
    fixed("null", null),
    fixed("of another type", typeof sampleOf(type) === "string" ? 12 : "nonsense"),
    ...kindVariants(name, type, rules, model, literals, depth),
    ...ruleVariants(type, rules),
  ];
}

function fixed(label: string, value: Template): Variant {
  return { label, isOfRule: false, make: () => value };
}

function ofRule(label: string, make: Variant["make"]): Variant {
  return { label, isOfRule: true, make };
}

function sampleOf(type: FieldType): Json {
  return fitsKind(type, "text") ? "text" : 0;
}

function kindVariants(
  name: string,
  type: FieldType,
  rules: readonly FieldRule[],
  model: Model,
  literals: Literals,
  depth: number,
): readonly Variant[] {
  switch (type.kind) {
    case "integer":
    case "number":
      return [
        fixed("a fraction", 1.5),
        fixed("negative", -1),
        fixed("zero", 0),
        ...literals.numbers
          .slice(0, 12)
          .map((number) => fixed(`${number}, a number of the document`, number)),
      ];
    case "decimal":
      return ["-1.00", "0", "12.345", "1e3"].map((text) => fixed(text, text));
    case "boolean":
      return [fixed("true", true), fixed("false", false)];
    case "enum":
      return [
        ...type.values.map((value) => fixed(value, value)),
        ofRule("none of its values", () => "nonsense"),
      ];
    case "state":
      return type.states.map((state) => fixed(state, state));
    case "reference":
      return [
        { label: "a record", isOfRule: false, make: (source) => source.reference(type.resource) },
        ofRule("an unknown record", () => unknownIdentifier(model, type.resource)),
      ];
    case "timestamp":
    case "date":
      return [-400 * dayMs, -60_000, 60_000, 400 * dayMs].map((offsetMs) => ({
        label: `${offsetMs < 0 ? "past" : "future"} by ${Math.abs(offsetMs) / 60_000} minutes`,
        isOfRule: false,
        make: () => timeSlot(offsetMs, type.kind === "date" ? "date" : timestampForm(model)),
      }));
    case "list":
      return [
        fixed("an empty list", []),
        ...within(name, type.of, eachOf(rules), model, literals, depth, (element) => [element]),
      ];
    case "value":
      return partVariants(fieldsOfValue(model, type.resource), model, literals, depth);
    case "object":
      return partVariants(type.parts, model, literals, depth);
    case "map":
      return [
        ...within(name, type.of, eachOf(rules), model, literals, depth, (element) => ({ key: element })),
        ...keyVariants(name, type.of, rules),
      ];
    default:
      return [
        fixed("an empty text", ""),
        fixed("spaces around", " {{run}} "),
        fixed("UPPER CASE", "UPPER{{run}}"),
        ...literals.texts.slice(0, 8).map((text) => fixed(`"${text}", a text of the document`, text)),
      ];
  }
}

function within(
  name: string,
  of: FieldType,
  rules: readonly FieldRule[],
  model: Model,
  literals: Literals,
  depth: number,
  wrap: (element: Template) => Template,
): readonly Variant[] {
  if (depth >= depthMax) return [];
  return variantsOf(name, of, rules, model, literals, depth + 1).map(({ label, isOfRule, make }) => ({
    label: `an element ${label}`,
    isOfRule,
    make: (source) => {
      const element = make(source);
      return element === undefined ? undefined : wrap(element);
    },
  }));
}

/** A map with one key, at and around the bounds of its keys. */
function keyVariants(name: string, of: FieldType, rules: readonly FieldRule[]): readonly Variant[] {
  const ofKeys = rules.flatMap((rule) => (rule.rule === "keys" ? [rule.of] : []));
  return ruleVariants({ kind: "string" }, ofKeys).map(({ label, isOfRule, make }) => ({
    label: `a key ${label}`,
    isOfRule,
    make(source) {
      const key = make(source);
      if (typeof key !== "string") return undefined;
      return { [key.replaceAll("{{run}}", sampleRun)]: validValue(name, of, eachOf(rules), source) ?? null };
    },
  }));
}

function partVariants(
  parts: readonly FieldPart[],
  model: Model,
  literals: Literals,
  depth: number,
): readonly Variant[] {
  if (depth >= depthMax) return [];
  const ofParts = parts.flatMap((part) =>
    variantsOf(part.name, part.type, part.rules, model, literals, depth + 1).map(
      ({ label, isOfRule, make }) => ({
        label: `${part.name} ${label}`,
        isOfRule,
        make(source: ValueSource): Template {
          const whole = validParts(parts, source);
          const sent = sentName(part.rules) ?? part.name;
          const value = make(source);
          const otherEntries = Object.entries(
            typeof whole === "object" && whole !== null ? whole : {},
          ).filter(([key]) => key !== sent);
          return Object.fromEntries(value === undefined ? otherEntries : [...otherEntries, [sent, value]]);
        },
      }),
    ),
  );
  return [...ofParts, fixed("with an unknown key", { unknown_key: 1 })];
}

function ruleVariants(type: FieldType, rules: readonly FieldRule[]): readonly Variant[] {
  return rules.flatMap((rule): readonly Variant[] => {
    if (rule.rule === "range" && !rule.times) return around(rule, (bound) => ofNumber(type, bound));
    if (rule.rule === "length") return around(rule, textOfLength);
    if (rule.rule === "items" && type.kind === "list")
      return around(
        rule,
        (length) => (source) =>
          Array.from({ length }, (_, at) => {
            const element = validValue("", type.of, eachOf(rules), source) ?? null;
            const isText = typeof element === "string" && type.of.kind === "string";
            return isText && hasRule(rules, "distinct") ? `${element}${at}` : element;
          }),
      );
    if (rule.rule === "pattern")
      return [ofRule("outside its pattern", () => "!§ {{run}}"), ...nearPattern(rule.pattern)];
    if (rule.rule === "distinct" && type.kind === "list")
      return [
        ofRule("one element twice", (source) => {
          const element = validValue("", type.of, eachOf(rules), source) ?? null;
          return [element, element];
        }),
      ];
    return [];
  });
}

/** Texts that almost match a pattern. */
function nearPattern(pattern: string): readonly Variant[] {
  const near = (label: string, change: (text: string) => string): Variant =>
    ofRule(`its pattern, ${label}`, ({ draw }) => change(patternText(pattern, draw) ?? ""));
  return [
    near("in lower case", (text) => text.toLowerCase()),
    near("in upper case", (text) => text.toUpperCase()),
    near("one character longer", (text) => `${text}${text.slice(-1)}`),
    near("one character shorter", (text) => text.slice(0, -1)),
  ];
}

function around(
  { min, max }: { readonly min?: number; readonly max?: number },
  make: (bound: number) => Variant["make"],
): readonly Variant[] {
  const ends = [
    ["the minimum", min, -1],
    ["the maximum", max, 1],
  ] as const;
  return ends.flatMap(([label, bound, outwards]) =>
    bound === undefined || Math.abs(bound) > 20_000_000
      ? []
      : [
          { label: `one inside ${label}`, isOfRule: false, make: make(bound - outwards) },
          ofRule(`at ${label}`, make(bound)),
          ofRule(`one outside ${label}`, make(bound + outwards)),
        ],
  );
}

function ofNumber(type: FieldType, bound: number): Variant["make"] {
  return () => (type.kind === "decimal" ? String(bound) : bound);
}

/** The maximum length of a sent text. */
const lengthMax = 70_000;

function textOfLength(length: number): Variant["make"] {
  if (length < 0 || length > lengthMax) return () => undefined;
  return () => (length > runLength ? `{{run}}${"x".repeat(length - runLength)}` : "x".repeat(length));
}

/** An identifier of the right form that no record has. */
export function unknownIdentifier(model: Model, resource: string): Template {
  const found = model.resources.find(({ name }) => name === resource);
  if (found && found.identifier.kind === "joint") return { unknown: "unknown" };
  const field = found && "field" in found.identifier ? found.identifier.field : undefined;
  const type = found?.fields.find(({ name }) => name === field)?.type.kind;
  if (type === "integer" || type === "number") return 987_654_321;
  return type === "uuid" ? "7d444840-9dc0-41d1-b245-5ffdce74fad3" : "unknown{{run}}";
}
