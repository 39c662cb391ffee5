/**
 * What callers of an older version have sent, as the current one has it: names, and values that are made of others. Done before anything
 * is asked of the inputs; what a change has made is read once more, by the type and rules of now. When it is done, `steps/older-words.ts`
 * says.
 */
import { readsStore } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldSpec } from "../../fields/field-reader.ts";
import type { InputProblem, ReferenceFound } from "../../fields/findings.ts";
import { compileFieldReader } from "../../fields/one-field.ts";
import { ruleOf, rulesOfSent } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, VersionChange } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../asking/evaluate.ts";
import { createScene, type Scene } from "../asking/scene.ts";
import { inRunTimeForm, shownByType, storedByType } from "../records/stored-form.ts";
import {
  concernsInput,
  isEndpoint,
  pathOf,
  touchedResources,
  valuesWithin,
} from "../../model/versions/changes.ts";
import { placeOfRemoved } from "../../model/versions/spoken-inputs.ts";
import { changeAt, moveValues, putAt, takeAt, valueAt, type Values } from "./values-by-path.ts";
import { dotted } from "../../support/dotted.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { VersionView } from "../asking/view.ts";

/** Something wrong with what was sent; what asks the store for a record may find none. */
export type UpgradeProblem = Omit<InputProblem, "condition"> & {
  readonly condition: InputProblem["condition"] | "unknown reference";
  readonly refersTo?: string;
};

/** `told`: what was sent for it, which its caller knows, and may know of it no more than that. */
export type MadeReference = ReferenceFound & { readonly told?: Value };

/** Body and query as they were read, changed in place; and what was found wrong on the way. */
export interface Upgrading {
  readonly body: Values;
  readonly query: Values;
  /** As they were read, and stay. */
  readonly sent: { readonly body: Values; readonly query: Values };
  readonly scene: Scene;
  readonly problems: UpgradeProblem[];
  readonly references: MadeReference[];
}

type Step = (upgrading: Upgrading) => Promise<void> | void;

export interface Upgrade {
  /** Nothing is asked that isn't known once the request is read: neither the store nor who calls. */
  readonly isAtHand: boolean;
  readonly run: (upgrading: Upgrading) => Promise<void>;
}

type UpgradeWords = PlanContext;
type SpokenNames = Pick<VersionView, "changes" | "fieldName">;
type Place = "body" | "query";

/** Undefined where the endpoint takes the same as now. */
export function planUpgrade(words: UpgradeWords, endpoint: Endpoint, view: SpokenNames): Upgrade | undefined {
  const { changes, fieldName } = view;
  const spokenName = (name: string) => fieldName(endpoint.resource, name);
  // Inputs and parts of them whose values are made of others, by their names of now, lists looked through; with the name that was sent where it is another input's.
  const made = new Map<string, string | undefined>();
  const steps = changes
    .toReversed()
    .flatMap((change): Step[] =>
      change.kind === "removed input"
        ? isEndpoint(change.endpoint, endpoint)
          ? [removedStep(words, endpoint, change, made)]
          : []
        : (["body", "query"] as const).flatMap((place) => stepOf(words, endpoint, change, place, made)),
    );
  const touched = touchedResources(words.model, changes);
  for (const input of endpoint.inputs) {
    const { in: place } = input;
    if (place !== "body" && place !== "query") continue;
    const name = input.name.join(".");
    if (!made.has(name) && valuesWithin(input.type).some((one) => touched.has(one))) {
      const at = { of: endpoint.resource, name, spoken: spokenName(name), made };
      steps.push(embeddedStep(words, input, place, at, view));
    }
    const one = [...made].find(([key]) => isWithin(key, name));
    if (one) steps.push(readMade(words, input, place, one[1] ?? spokenName(name)));
  }
  if (steps.length === 0) return undefined;
  return {
    isAtHand: expressionsOf(endpoint, changes).every((node) => isAtHand(words, node)),
    async run(upgrading) {
      for (const step of steps) await step(upgrading);
    },
  };
}

function isWithin(name: string, outer: string): boolean {
  return name === outer || name.startsWith(`${outer}.`);
}

/** What may have to be asked for the inputs of an endpoint. Embedded values hold each other, so all of theirs are meant. */
function expressionsOf(endpoint: Endpoint, changes: readonly VersionChange[]): readonly Node[] {
  return changes.flatMap((change) => {
    if (change.kind === "replaced") return [change.new.node];
    if (change.kind !== "removed input" || !isEndpoint(change.endpoint, endpoint)) return [];
    return change.as ? [change.as.value.node] : [];
  });
}

const knownLater: ReadonlySet<string> = new Set(["caller", "credential", "limits"]);

function isAtHand({ meaning }: UpgradeWords, node: Node): boolean {
  return (
    !readsStore(node, meaning) && !someNode(node, (one) => one.op === "fixed" && knownLater.has(one.name))
  );
}

/** Renames and replacements of an input, or of a part of one. */
function stepOf(
  words: UpgradeWords,
  endpoint: Endpoint,
  change: VersionChange,
  place: "body" | "query",
  made: Map<string, string | undefined>,
): Step[] {
  if (!concernsInput(change, endpoint, { in: place })) return [];
  if (change.kind === "renamed") {
    const [from, to] = [pathOf(change.from), pathOf(change.to)];
    for (const [name, sent] of [...made]) {
      if (!isWithin(name, from.join("."))) continue;
      made.delete(name);
      made.set(to.join(".") + name.slice(from.join(".").length), sent);
    }
    return [(upgrading) => moveValues(upgrading[place], from, to)];
  }
  if (change.kind !== "replaced") return [];
  const path = pathOf(change.name);
  made.set(path.join("."), undefined);
  const convert = conversion(words, change.new, "old");
  return [(upgrading) => changeAt(upgrading[place], path, (value) => convert(upgrading, value))];
}

/** `assignee of POST /issues, as assignees = [assignee]`: what was sent for it goes into the input that took its place. */
function removedStep(
  words: UpgradeWords,
  endpoint: Endpoint,
  change: Extract<VersionChange, { kind: "removed input" }>,
  made: Map<string, string | undefined>,
): Step {
  const place = placeOfRemoved(change, endpoint, endpoint.inputs);
  const from = change.input.split(".");
  const { as } = change;
  if (!as) return (upgrading) => void takeAt(upgrading[place], from);
  made.set(as.input, change.input);
  const convert = conversion(words, as.value, change.input);
  const to = as.input.split(".");
  return async (upgrading) => {
    const values = upgrading[place];
    const sent = takeAt(values, from);
    if (sent === undefined || valueAt(values, to) !== undefined) return;
    putAt(values, to, await convert(upgrading, sent));
  };
}

/** An expression of part 9 over what was sent, which it knows by a name. */
function conversion(
  words: UpgradeWords,
  expression: Expression,
  name: string,
): (upgrading: Upgrading, sent: Value) => Promise<Value> {
  const evaluate = evaluateOf(words, expression);
  return async (upgrading, sent) => {
    const { scene } = upgrading;
    const named = Object.assign(bareObject(), scene.frame.named, { [name]: sent });
    // What was sent by a name stays known by it, whatever other changes have made of it or taken from it.
    const body = Object.assign(bareObject(), upgrading.body, upgrading.sent.body);
    const query = Object.assign(bareObject(), upgrading.query, upgrading.sent.query);
    return evaluate(createScene(scene.work, { ...scene.frame, body, query, old: sent, named, locals: [] }));
  };
}

/** What a change has made must be what the current version takes; what is wrong is told of the name that was sent. */
function readMade(words: UpgradeWords, input: Input, place: Place, spoken: string): Step {
  const read = madeReader(words, { ...input, name: spoken });
  return (upgrading) =>
    changeAt(upgrading[place], input.name, (value, bound) => {
      // A filter by what isn't there finds nothing, and nothing is wrong with it (decision "Filters with impossible values").
      if (value === null && input.filter && input.type.kind === "reference") return null;
      const name = spoken + bound;
      return read(value, valueAt(upgrading.sent[place], name.split(".")) ?? value, name, upgrading);
    });
}

function madeReader(spoken: UpgradeWords, field: FieldSpec) {
  const words = spoken.ofNow ?? spoken;
  // Where in the made value it is wrong means nothing to whoever sent another: the name that was sent is blamed.
  // What an expression makes has the engine's own form of times, whatever the document's is.
  const asked = { ...field, rules: rulesOfSent(field.rules) };
  const reader = compileFieldReader(asked, { ...words.reading, timestamps: "milliseconds" });
  return (
    value: Value,
    sent: Value,
    path: string,
    { problems, references }: Upgrading,
  ): Value | undefined => {
    // What was found in the store is sent as its identifier.
    const plain = shownByType(inRunTimeForm(words), field.type, storedByType(words, field.type, value));
    const read = reader.json(JSON.parse(JSON.stringify(plain)) as Json);
    if (read.problems) {
      for (const problem of read.problems)
        problems.push({
          ...problem,
          value: sent as Json,
          ...unclear(words, field, problem, value),
          field: path,
        });
      return undefined;
    }
    for (const found of read.references) references.push({ ...found, field: path, told: sent });
    return read.value;
  };
}

/** Something was sent, and the expression could make nothing of it. */
function unclear(
  { model }: UpgradeWords,
  { type }: FieldSpec,
  { condition }: InputProblem,
  made: Value,
): Partial<UpgradeProblem> {
  if (made !== null || condition !== "missing field") return {};
  if (type.kind !== "reference") return { condition: "invalid field", problem: "is not understood" };
  const called = model.resources.find((one) => one.name === type.resource)?.called ?? type.resource;
  return {
    condition: "unknown reference",
    refersTo: type.resource,
    problem: `is no known ${called.replace(/_/g, " ")}`,
  };
}

// ── Embedded values ─────────────────────────────────────────────────────────────────────────────

function embeddedStep(words: UpgradeWords, input: Input, place: Place, at: At, view: SpokenNames): Step {
  const convert = embeddedConverter(words, view);
  return (upgrading) =>
    changeAt(upgrading[place], input.name, (value) => convert(input.type, value, at, upgrading));
}

/** Where something was sent: its name in its resource or value as that is now, and its path as it was sent. */
interface At {
  readonly of: string | undefined;
  readonly name: string;
  readonly spoken: string;
  /** What changes have made there, in the words of now. */
  readonly made: ReadonlyMap<string, unknown>;
}

const nothingMade: At["made"] = new Map();

type Converter = (type: FieldType, value: Value, at: At, upgrading: Upgrading) => Promise<Value>;
type ValueStep = (value: Values, path: string, upgrading: Upgrading) => Promise<void> | void;

/** How the values of a resource that is one become those of now. */
interface ValuePlan {
  readonly fields: readonly FieldSpec[];
  readonly steps: readonly ValueStep[];
  /** Fields of whose parts some are made of what was sent: read as a whole once they are there. */
  readonly withMadeParts: readonly { readonly name: string; readonly read: ReturnType<typeof madeReader> }[];
}

function embeddedConverter(words: UpgradeWords, view: SpokenNames): Converter {
  const byName = new Map(words.model.resources.map((resource) => [resource.name, resource]));
  const plans = new Map<string, ValuePlan>();
  const planOf = (name: string) => {
    const known = plans.get(name);
    if (known) return known;
    const fields = byName.get(name)?.fields ?? [];
    const plan = {
      fields,
      steps: view.changes.toReversed().flatMap((change) => valueStep(words, name, change, view)),
      withMadeParts: fields
        .filter((field) => hasMadeParts(view, name, field.name))
        .map((field) => ({ name: field.name, read: madeReader(words, field) })),
    };
    plans.set(name, plan);
    return plan;
  };
  const eachOf = async (fields: readonly FieldPart[], values: Values, within: At, upgrading: Upgrading) => {
    for (const { name, type } of fields) {
      const [value, at] = [values[name], partOf(within, name, view)];
      if (value !== undefined && !at.made.has(at.name))
        values[name] = await convert(type, value, at, upgrading);
    }
    return values;
  };
  const convert: Converter = async (type, value, at, upgrading) => {
    if (value === null) return null;
    if (type.kind === "list" && Array.isArray(value)) {
      const items: Value[] = [];
      for (const [index, item] of value.entries())
        items.push(await convert(type.of, item, { ...at, spoken: `${at.spoken}[${index}]` }, upgrading));
      return items;
    }
    if (type.kind !== "map" && type.kind !== "object" && type.kind !== "value") return value;
    const values = Object.assign(bareObject(), value) as Values;
    if (type.kind === "object") return eachOf(type.parts, values, at, upgrading);
    if (type.kind === "map") {
      for (const key of Object.keys(values))
        values[key] = await convert(
          type.of,
          values[key] as Value,
          { ...at, spoken: `${at.spoken}.${key}` },
          upgrading,
        );
      return values;
    }
    const { steps, fields, withMadeParts } = planOf(type.resource);
    for (const step of steps) await step(values, at.spoken, upgrading);
    fillAdded(words, fields, values);
    const within = { of: type.resource, name: "", spoken: at.spoken, made: nothingMade };
    await eachOf(fields, values, within, upgrading);
    for (const { name, read } of withMadeParts)
      await changeAt(values, [name], (made) =>
        read(made, made, partOf(within, name, view).spoken, upgrading),
      );
    return values;
  };
  return convert;
}

/** Whether a change makes parts of a field of a value. */
function hasMadeParts({ changes }: SpokenNames, resource: string, field: string): boolean {
  return changes.some((change) => {
    if (change.kind !== "replaced" || change.subject !== resource) return false;
    const path = pathOf(change.name);
    return path.length > 1 && path[0] === field;
  });
}

function partOf(within: At, part: string, { fieldName }: SpokenNames): At {
  const name = within.name === "" ? part : `${within.name}.${part}`;
  return { ...within, name, spoken: `${within.spoken}.${dotted(fieldName(within.of, name)).at(-1)}` };
}

/** What an older version doesn't know can't have been sent; where it has a default, it takes that as ever. */
function fillAdded({ reading }: UpgradeWords, fields: readonly FieldSpec[], values: Values): void {
  for (const field of fields) {
    const byDefault = ruleOf(field.rules, "default")?.value;
    if (byDefault && reading.defaultValue && values[field.name] === undefined)
      values[field.name] = reading.defaultValue(byDefault, field.type);
  }
}

function valueStep(
  words: UpgradeWords,
  name: string,
  change: VersionChange,
  { fieldName }: SpokenNames,
): readonly ValueStep[] {
  if (!("subject" in change) || change.subject !== name) return [];
  if (change.kind === "renamed") {
    const [from, to] = [pathOf(change.from), pathOf(change.to)];
    return [(values) => moveValues(values, from, to)];
  }
  if (change.kind !== "replaced") return [];
  const path = pathOf(change.name);
  const make = conversion(words, change.new, "old");
  const field = words.model.resources
    .find((one) => one.name === name)
    ?.fields.find((one) => one.name === change.name);
  const read = field && madeReader(words, field);
  const spoken = fieldName(name, change.name);
  return [
    (values, at, upgrading) =>
      changeAt(values, path, async (value) => {
        const made = await make(upgrading, value);
        return read ? read(made, value, `${at}.${spoken}`, upgrading) : made;
      }),
  ];
}
