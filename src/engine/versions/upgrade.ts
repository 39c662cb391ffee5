/**
 * What callers of an older version have sent, as the current one has it: names, and values that are made of others. Done before anything
 * is asked of the inputs; what a change has made is read once more, by the type and rules of now.
 */
import { compileFunction } from "../../expressions/evaluate.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import type { FieldOptions, FieldSpec } from "../../fields/field-reader.ts";
import type { InputProblem, ReferenceFound } from "../../fields/findings.ts";
import { compileFieldReader } from "../../fields/reader.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, Model, VersionChange } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { concernsInput, isEndpoint, pathOf, touchedResources, valueWithin } from "./changes.ts";
import { placeOfRemoved } from "./spoken-inputs.ts";
import { bareObject } from "../../support/bare-object.ts";

type Values = { [name: string]: Value };

/** Body and query as they were read, changed in place; and what was found wrong on the way. */
export interface Upgrading {
  readonly body: Values;
  readonly query: Values;
  readonly frame: Frame;
  readonly problems: InputProblem[];
  readonly references: ReferenceFound[];
}

export type Upgrade = (upgrading: Upgrading) => void;

export interface UpgradeWords {
  readonly model: Model;
  readonly meaning: Meaning;
  readonly reading: FieldOptions;
}

/**
 * @param changes from the newest to the oldest
 * @returns undefined where the endpoint takes the same as now
 */
export function planUpgrade(
  words: UpgradeWords,
  endpoint: Endpoint,
  changes: readonly VersionChange[],
  spokenName: (name: string) => string,
): Upgrade | undefined {
  // Inputs whose values are made of others, by their names of now; with the name that was sent where it is another input's.
  const made = new Map<string, string | undefined>();
  const steps = changes
    .toReversed()
    .flatMap((change): Upgrade[] =>
      change.kind === "removed input"
        ? isEndpoint(change.endpoint, endpoint)
          ? [removedStep(words, endpoint, change, made)]
          : []
        : (["body", "query"] as const).flatMap((place) => stepOf(words, endpoint, change, place, made)),
    );
  const touched = touchedResources(words.model, changes);
  for (const input of endpoint.inputs) {
    if (input.in !== "body" && input.in !== "query") continue;
    const name = input.name.join(".");
    const one = [...made].find(([key]) => key === name || key.startsWith(`${name}.`));
    if (one) steps.push(readMade(words, input, one[1] ?? spokenName(name)));
    else if (touched.has(valueWithin(input.type) ?? "")) steps.push(embeddedStep(words, input, changes));
  }
  if (steps.length === 0) return undefined;
  return (upgrading) => {
    for (const step of steps) step(upgrading);
  };
}

/** Renames and replacements of an input, or of a part of one. */
function stepOf(
  words: UpgradeWords,
  endpoint: Endpoint,
  change: VersionChange,
  place: "body" | "query",
  made: Map<string, string | undefined>,
): Upgrade[] {
  if (!concernsInput(change, endpoint, { in: place })) return [];
  if (change.kind === "renamed") {
    const [from, to] = [pathOf(change.from), pathOf(change.to)];
    if (made.has(change.from)) {
      made.set(change.to, made.get(change.from));
      made.delete(change.from);
    }
    return [(upgrading) => moveValues(upgrading[place], from, to)];
  }
  if (change.kind !== "replaced") return [];
  const path = pathOf(change.name);
  made.set(change.name, undefined);
  const convert = conversion(words, change.new, "old");
  return [(upgrading) => changeAt(upgrading[place], path, (value) => convert(upgrading, value))];
}

/** `assignee of POST /issues, as assignees = [assignee]`: what was sent for it goes into the input that took its place. */
function removedStep(
  words: UpgradeWords,
  endpoint: Endpoint,
  change: Extract<VersionChange, { kind: "removed input" }>,
  made: Map<string, string | undefined>,
): Upgrade {
  const place = placeOfRemoved(change, endpoint, endpoint.inputs);
  const from = change.input.split(".");
  const { as } = change;
  if (as) made.set(as.input, change.input);
  const convert = as ? conversion(words, as.value, change.input) : undefined;
  return (upgrading) => {
    const values = upgrading[place];
    const sent = takeAt(values, from);
    if (sent === undefined || !as || !convert) return;
    const to = as.input.split(".");
    if (valueAt(values, to) === undefined) putAt(values, to, convert(upgrading, sent));
  };
}

/** An expression of part 9 over what was sent, which it knows by a name. */
function conversion(
  { meaning }: UpgradeWords,
  expression: Expression,
  name: string,
): (upgrading: Upgrading, sent: Value) => Value {
  const compiled = compileFunction(expression.node, meaning);
  return ({ frame, body, query }, sent) => {
    const named = Object.assign(bareObject(), frame.named, { [name]: sent });
    return compiled({ ...frame, body, query, old: sent, named, locals: [] });
  };
}

/** What a change has made must be what the current version takes; what is wrong is told of the name that was sent. */
function readMade(words: UpgradeWords, input: Input, spoken: string): Upgrade {
  const read = madeReader(words, { ...input, name: spoken });
  return (upgrading) => {
    if (input.in !== "body" && input.in !== "query") return;
    changeAt(upgrading[input.in], input.name, (value) => read(value, spoken, upgrading));
  };
}

function madeReader({ reading }: UpgradeWords, field: FieldSpec) {
  // Where in the made value it is wrong means nothing to whoever sent another: the name that was sent is blamed.
  // What an expression makes has the engine's own form of times, whatever the document's is.
  const reader = compileFieldReader(field, { ...reading, timestamps: "milliseconds" });
  return (value: Value, path: string, { problems, references }: Upgrading): Value | undefined => {
    const read = reader.json(JSON.parse(JSON.stringify(value)) as Json);
    if (read.problems) {
      for (const problem of read.problems)
        problems.push({ ...problem, ...unclear(problem, value), field: path });
      return undefined;
    }
    for (const found of read.references) references.push({ ...found, field: path });
    return read.value;
  };
}

/** Something was sent, and the expression could make nothing of it. */
function unclear({ condition }: InputProblem, made: Value): Partial<InputProblem> {
  return made === null && condition === "missing field"
    ? { condition: "invalid field", problem: "is not understood" }
    : {};
}

// ── Embedded values ─────────────────────────────────────────────────────────────────────────────

function embeddedStep(words: UpgradeWords, input: Input, changes: readonly VersionChange[]): Upgrade {
  const convert = embeddedConverter(words, changes);
  return (upgrading) => {
    if (input.in !== "body" && input.in !== "query") return;
    changeAt(upgrading[input.in], input.name, (value) =>
      convert(input.type, value, input.name.join("."), upgrading),
    );
  };
}

type Converter = (type: FieldType, value: Value, path: string, upgrading: Upgrading) => Value;

function embeddedConverter(words: UpgradeWords, changes: readonly VersionChange[]): Converter {
  const byName = new Map(words.model.resources.map((resource) => [resource.name, resource]));
  const plans = new Map<string, readonly ((value: Values, path: string, upgrading: Upgrading) => void)[]>();
  const planOf = (name: string) => {
    const known = plans.get(name);
    if (known) return known;
    const steps = changes.toReversed().flatMap((change) => valueStep(words, name, change));
    plans.set(name, steps);
    return steps;
  };
  const convert: Converter = (type, value, path, upgrading) => {
    if (type.kind === "list" && Array.isArray(value))
      return value.map((item, at) => convert(type.of, item, `${path}[${at}]`, upgrading));
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    if (type.kind === "map") {
      const values = Object.assign(bareObject(), value) as Values;
      for (const key of Object.keys(values))
        values[key] = convert(type.of, values[key] as Value, `${path}.${key}`, upgrading);
      return values;
    }
    if (type.kind !== "value") return value;
    const values = Object.assign(bareObject(), value) as Values;
    for (const step of planOf(type.resource)) step(values, path, upgrading);
    fillAdded(words, byName.get(type.resource)?.fields ?? [], values);
    for (const field of byName.get(type.resource)?.fields ?? [])
      if (values[field.name] !== undefined && valueWithin(field.type) !== undefined)
        values[field.name] = convert(
          field.type,
          values[field.name] as Value,
          `${path}.${field.name}`,
          upgrading,
        );
    return values;
  };
  return convert;
}

/** What an older version doesn't know can't have been sent; where it has a default, it takes that as ever. */
function fillAdded({ reading }: UpgradeWords, fields: readonly FieldSpec[], values: Values): void {
  for (const field of fields) {
    const byDefault = ruleOf(field.rules, "default")?.value;
    if (byDefault && reading.defaultValue && values[field.name] === undefined)
      values[field.name] = reading.defaultValue(byDefault);
  }
}

function valueStep(words: UpgradeWords, name: string, change: VersionChange) {
  if (!("subject" in change) || change.subject !== name) return [];
  if (change.kind === "renamed") {
    const [from, to] = [pathOf(change.from), pathOf(change.to)];
    return [(values: Values) => moveValues(values, from, to)];
  }
  if (change.kind !== "replaced") return [];
  const path = pathOf(change.name);
  const make = conversion(words, change.new, "old");
  const field = words.model.resources
    .find((one) => one.name === name)
    ?.fields.find((one) => one.name === change.name);
  const read = field && madeReader(words, field);
  return [
    (values: Values, at: string, upgrading: Upgrading) =>
      changeAt(values, path, (value) => {
        const made = make(upgrading, value);
        return read ? read(made, `${at}.${change.name}`, upgrading) : made;
      }),
  ];
}

// ── Values by path ──────────────────────────────────────────────────────────────────────────────

function valueAt(values: Values, path: readonly string[]): Value | undefined {
  let value: Value | undefined = values;
  for (const part of path) value = (value as Values | null | undefined)?.[part];
  return value;
}

/** Calls `use` with each object that holds the last part of the path, through lists. */
function eachHolder(
  values: Value | undefined,
  path: readonly string[],
  use: (holder: Values, last: string) => void,
): void {
  if (Array.isArray(values)) for (const item of values) eachHolder(item, path, use);
  else if (values !== null && typeof values === "object") {
    const [first, ...rest] = path as [string, ...string[]];
    if (rest.length === 0) use(values as Values, first);
    else eachHolder((values as Values)[first], rest, use);
  }
}

/** The name itself, and the bounds of a range: `weight`, `weight[gt]`. */
function keysOf(holder: Values, name: string): readonly string[] {
  return Object.keys(holder).filter((key) => key === name || key.startsWith(`${name}[`));
}

function changeAt(
  values: Values,
  path: readonly string[],
  change: (value: Value) => Value | undefined,
): void {
  eachHolder(values, path, (holder, last) => {
    for (const key of keysOf(holder, last)) {
      const next = change(holder[key] as Value);
      if (next === undefined) delete holder[key];
      else holder[key] = next;
    }
  });
}

/** Paths of a rename differ in their last part, or are names of inputs in full. */
function moveValues(values: Values, from: readonly string[], to: readonly string[]): void {
  const last = to.at(-1) as string;
  const sameParent = from.length === to.length && from.slice(0, -1).join(".") === to.slice(0, -1).join(".");
  if (!sameParent) {
    const value = takeAt(values, from);
    if (value !== undefined) putAt(values, to, value);
    return;
  }
  eachHolder(values, from, (holder, name) => {
    for (const key of keysOf(holder, name)) {
      const value = holder[key] as Value;
      delete holder[key];
      holder[last + key.slice(name.length)] = value;
    }
  });
}

function takeAt(values: Values, path: readonly string[]): Value | undefined {
  let taken: Value | undefined;
  eachHolder(values, path, (holder, last) => {
    taken = holder[last];
    delete holder[last];
  });
  return taken;
}

function putAt(values: Values, path: readonly string[], value: Value): void {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) values[first] = value;
  else {
    const inner = (values[first] ?? bareObject()) as Values;
    values[first] = inner;
    putAt(inner, rest, value);
  }
}
