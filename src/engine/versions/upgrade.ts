/**
 * Input upgrade: converts inputs of an older version to the current version, by renaming and by
 * expressions over other inputs. It runs before the inputs are validated. A converted value is
 * parsed again by the current type and rules. `steps/upgrade-inputs.ts` decides when it runs.
 */
import { readsStore } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldSpec } from "../../fields/field-reader.ts";
import type { InputProblem } from "../../fields/findings.ts";
import { compileFieldReader } from "../../fields/read-field.ts";
import { hasRule, ruleOf, rulesOfSent } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, Model, VersionChange } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { PlanContext as UpgradeWords } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createEvaluationContext } from "../evaluation/context.ts";
import { withRunTimeReferences, toWireForm, toStoredForm } from "../records/stored-form.ts";
import {
  concernsInput,
  isEndpoint,
  pathOf,
  touchedResources,
  valuesWithin,
} from "../../model/versions/changes.ts";
import { locationOfRemoved } from "../../model/versions/versioned-inputs.ts";
import { planMissingInputs, oldestName } from "./missing-inputs.ts";
import { namingSteps } from "./names-on-wire.ts";
import { changeAt, moveValues, setAt, sentAt, removeAt, valueAt, type Values } from "./values-by-path.ts";
import { dotted } from "../../support/dotted.ts";
import { nonNull } from "../../support/non-null.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { VersionView } from "../evaluation/view.ts";
import type { Step, UpgradeState, UpgradeProblem } from "./step.ts";

export interface Upgrade {
  /** Whether no conversion reads the store or the caller. */
  readonly isAtHand: boolean;
  readonly run: (state: UpgradeState) => Promise<void>;
}

type VersionNames = Pick<VersionView, "changes" | "fieldName" | "unknownDefault">;
type InputLocation = "body" | "query";
type RemovedInput = Extract<VersionChange, { kind: "removed input" }>;

/**
 * The inputs from which a change produces a value: the value that was sent under its own name, or
 * other inputs by their older names.
 */
interface MadeOf {
  readonly isOwn: boolean;
  readonly others: readonly string[];
}

/** Inputs, fields and list elements that are computed from others, by their current names. */
type Made = Map<string, MadeOf>;

/** Plans the upgrade of an endpoint's inputs; undefined if they are the current inputs. */
export function planUpgrade(words: UpgradeWords, endpoint: Endpoint, view: VersionView): Upgrade | undefined {
  const { changes, fieldName } = view;
  const { resource: of } = endpoint;
  const made: Made = new Map();
  const steps = changes
    .toReversed()
    .flatMap((change): Step[] =>
      change.kind === "removed input"
        ? isEndpoint(change.endpoint, endpoint)
          ? [removedStep(words, endpoint, change, view, made)]
          : []
        : (["body", "query"] as const).flatMap((location) => stepOf(words, endpoint, change, location, made)),
    );
  steps.unshift(...namingSteps(words.model, endpoint, changes));
  const touched = touchedResources(words.model, changes);
  for (const input of endpoint.inputs) {
    const { in: location } = input;
    if (location !== "body" && location !== "query") continue;
    const name = input.name.join(".");
    if (valuesWithin(input.type).some((name) => touched.has(name)) || mayLack(input, endpoint, changes)) {
      const isConverted: At["isConverted"] = (part, { sent }) => {
        const how = made.get(part);
        return how !== undefined && (how.isOwn || sentAt(sent[location], fieldName(of, part)) === undefined);
      };
      steps.push(
        embeddedStep(words, input, location, { of, name, sentAs: fieldName(of, name), isConverted }, view),
      );
    }
    for (const read of readersOf(words, view, of, { ...input, name }, made))
      steps.push((state) => read(state[location], state.sent[location], "", state));
  }
  steps.push(...planMissingInputs(endpoint, view));
  if (steps.length === 0) return undefined;
  return {
    isAtHand: expressionsOf(endpoint, changes).every((node) => isAtHand(words, node)),
    async run(state) {
      for (const step of steps) await step(state);
    },
  };
}

/** Whether an input contains an object with an added part, which the older version lacks. */
function mayLack(
  { in: location, type }: Input,
  endpoint: Endpoint,
  changes: readonly VersionChange[],
): boolean {
  return (
    hasParts(type) &&
    changes.some((change) => change.kind === "added" && concernsInput(change, endpoint, { in: location }))
  );
}

function hasParts(type: FieldType): boolean {
  return type.kind === "object" || ((type.kind === "list" || type.kind === "map") && hasParts(type.of));
}

function isWithin(name: string, outer: string): boolean {
  return name === outer || name.startsWith(`${outer}.`);
}

/**
 * Returns the expressions that an endpoint's inputs may need. Embedded values can contain one
 * another, so the expressions of all values are included.
 */
function expressionsOf(endpoint: Endpoint, changes: readonly VersionChange[]): readonly Node[] {
  return changes.flatMap((change) => {
    if (change.kind === "replaced") return [change.new.node];
    if (change.kind !== "removed input" || !isEndpoint(change.endpoint, endpoint)) return [];
    return change.as ? [change.as.value.node] : [];
  });
}

const authenticatedNames: ReadonlySet<string> = new Set(["caller", "credential", "limits"]);

function isAtHand({ meaning }: UpgradeWords, node: Node): boolean {
  return (
    !readsStore(node, meaning) &&
    !someNode(node, (part) => part.op === "fixed" && authenticatedNames.has(part.name))
  );
}

/** Creates the step that renames or replaces an input, or a part of it. */
function stepOf(
  words: UpgradeWords,
  endpoint: Endpoint,
  change: VersionChange,
  location: InputLocation,
  made: Made,
): readonly Step[] {
  if (!concernsInput(change, endpoint, { in: location })) return [];
  return changing(words, change, made).map((step) => (state) => step(state[location], state));
}

/** Applies a change to the values of that name, and records the computed values. */
function changing(words: UpgradeWords, change: VersionChange, made: Made): readonly ValueStep[] {
  if (change.kind === "renamed") {
    const [from, to] = [pathOf(change.from), pathOf(change.to)];
    for (const [name, source] of [...made]) {
      if (!isWithin(name, from.join("."))) continue;
      made.delete(name);
      made.set(to.join(".") + name.slice(from.join(".").length), source);
    }
    return [(values) => moveValues(values, from, to)];
  }
  if (change.kind !== "replaced") return [];
  const path = pathOf(change.name);
  const name = path.join(".");
  made.set(name, { isOwn: true, others: made.get(name)?.others ?? [] });
  const convert = conversion(words, change.new, "old");
  return [(values, state) => changeAt(values, path, (value) => convert(state, value))];
}

/**
 * Converts a removed input into its replacement:
 * `assignee of POST /issues, as assignees = [assignee]`.
 */
function removedStep(
  words: UpgradeWords,
  endpoint: Endpoint,
  change: RemovedInput,
  { changes }: VersionNames,
  made: Made,
): Step {
  const location = locationOfRemoved(change, endpoint, endpoint.inputs);
  const from = change.input.split(".");
  const { as } = change;
  // An input with several replacements is kept until the last of them is computed.
  const readAt = isReintroduced(words.model, change) ? valueAt : removeAt;
  if (!as) return (state) => void readAt(state[location], from);
  const sentAs = oldestName(changes.slice(changes.indexOf(change)), endpoint, change.input);
  const { isOwn = false, others = [] } = made.get(as.input) ?? {};
  made.set(as.input, { isOwn, others: [...others, sentAs] });
  const convert = conversion(words, as.value, change.input);
  const to = as.input.split(".");
  return async (state) => {
    const values = state[location];
    const sent = readAt(values, from);
    if (sent === undefined || valueAt(values, to) !== undefined) return;
    setAt(values, to, await convert(state, sent));
  };
}

/** The changes of a version are undone in reverse order. */
function isReintroduced({ versioning }: Model, change: RemovedInput): boolean {
  const changes = nonNull(versioning.versions.find((version) => version.changes.includes(change))).changes;
  return changes
    .slice(0, changes.indexOf(change))
    .some(
      (other) =>
        other.kind === "removed input" && other.endpoint === change.endpoint && other.input === change.input,
    );
}

/** Compiles an expression of part 9 over the sent value, which has a name in it. */
function conversion(
  words: UpgradeWords,
  expression: Expression,
  name: string,
): (state: UpgradeState, sent: Value) => Promise<Value> {
  const evaluate = evaluateOf(words, expression);
  return async (state, sent) => {
    const { frame, work } = state.evaluation;
    const named = Object.assign(bareObject(), frame.named, { [name]: sent });
    // Expressions read the sent value under its name, even after other changes.
    const body = Object.assign(bareObject(), state.body, state.sent.body);
    const query = Object.assign(bareObject(), state.query, state.sent.query);
    return evaluate(createEvaluationContext(work, { ...frame, body, query, old: sent, named, locals: [] }));
  };
}

/**
 * Parses converted values.
 * @param under the path prefix of these values: `lines[1].`
 * @param sent the values as the client sent them
 */
type ReadMade = (values: Values, sent: Values, under: string, state: UpgradeState) => Promise<void>;

/**
 * Creates readers that parse converted values by the current version. They report problems with the
 * sent name and value.
 */
function readersOf(
  words: UpgradeWords,
  { fieldName }: VersionNames,
  of: string | undefined,
  field: FieldSpec & Pick<Input, "filter">,
  made: Made,
): readonly ReadMade[] {
  const isFilterOfRecords = field.filter !== undefined && field.type.kind === "reference";
  return [...made].flatMap(([key, { isOwn, others }]) => {
    if (!isWithin(key, field.name)) return [];
    const part = partAt(field, key.slice(field.name.length).split(".").slice(1));
    if (!part) return [];
    const read = madeReader(words, part);
    return (values, sent, under, state) =>
      changeAt(values, dotted(key), (value, location) => {
        // A filter by a missing record finds nothing and is not an error (decision "Filters with
        // impossible values").
        if (value === null && isFilterOfRecords) return null;
        const own = fieldName(of, location);
        const isSent = (name: string) => sentAt(sent, name) !== undefined;
        const asOwn = isOwn ? own : undefined;
        const sentAs = isSent(own) ? asOwn : others.find(isSent);
        // An unchanged value was parsed already, and the client did not send a default.
        if (sentAs === undefined) return value;
        return read(value, nonNull(sentAt(sent, sentAs)), under + sentAs, state);
      });
  });
}

/** Returns the part at a path, through lists. */
function partAt(part: Pick<FieldPart, "type" | "rules">, path: readonly string[]): typeof part | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return part;
  let { type } = part;
  while (type.kind === "list") type = type.of;
  const inner = type.kind === "object" ? type.parts.find(({ name }) => name === first) : undefined;
  return inner && partAt(inner, rest);
}

function madeReader({ current, model }: UpgradeWords, { type, rules }: Pick<FieldPart, "type" | "rules">) {
  const words = nonNull(current);
  // A position within a converted value means nothing to the client, so the problem has the sent
  // name. Converted values have timestamps in the engine's form, whatever format the document
  // states.
  const reader = compileFieldReader(
    { name: "", type, rules: rulesOfSent(rules) },
    { ...words.reading, timestamps: "milliseconds" },
  );
  return (
    value: Value,
    sent: Value,
    path: string,
    { problems, references }: UpgradeState,
  ): Value | undefined => {
    // A record from the store is represented by its identifier.
    const plain = toWireForm(withRunTimeReferences(words), type, toStoredForm(words, type, value));
    const read = reader.json(JSON.parse(JSON.stringify(plain)) as Json);
    if (read.problems) {
      for (const problem of read.problems)
        report(problems, { ...problem, value: sent as Json, ...unclear(model, type, problem), field: path });
      return undefined;
    }
    for (const found of read.references) references.push({ ...found, field: path, sentAs: sent });
    return read.value;
  };
}

/** Reports a problem once, even if several inputs are computed from the same sent value. */
function report(problems: UpgradeProblem[], sentAs: UpgradeProblem): void {
  if (!problems.some(({ field, problem }) => field === sentAs.field && problem === sentAs.problem))
    problems.push(sentAs);
}

/** Returns the problem of a sent value that could not be converted, or only in part. */
function unclear(model: Model, type: FieldType, { condition }: InputProblem): Partial<UpgradeProblem> {
  if (condition !== "missing field") return {};
  if (type.kind !== "reference") return { condition: "invalid field", problem: "is invalid" };
  const { called } = nonNull(model.resources.find((resource) => resource.name === type.resource));
  return {
    condition: "unknown reference",
    refersTo: type.resource,
    problem: `is not a known ${called.replace(/_/g, " ")}`,
  };
}

// ── Embedded values ─────────────────────────────────────────────────────────────────────────────

function embeddedStep(
  words: UpgradeWords,
  input: Input,
  location: InputLocation,
  at: At,
  view: VersionNames,
): Step {
  const convert = embeddedConverter(words, view);
  return (state) => changeAt(state[location], input.name, (value) => convert(input.type, value, at, state));
}

/**
 * The location of a sent value: its current name in its resource or value, and its path in the
 * request.
 */
interface At {
  readonly of: string | undefined;
  readonly name: string;
  readonly sentAs: string;
  /** Whether a change has produced the value with that current name. */
  readonly isConverted: (name: string, state: UpgradeState) => boolean;
}

type Converter = (type: FieldType, value: Value, at: At, state: UpgradeState) => Promise<Value>;
type ValueStep = (values: Values, state: UpgradeState) => Promise<void> | void;

/** The plan for state the embedded values of a resource. */
interface ValuePlan {
  readonly fields: readonly FieldSpec[];
  readonly steps: readonly ValueStep[];
  readonly made: Made;
  readonly readers: readonly ReadMade[];
}

function embeddedConverter(words: UpgradeWords, view: VersionNames): Converter {
  const plans = new Map<string, ValuePlan>();
  const planOf = (name: string) => {
    const known = plans.get(name);
    if (known) return known;
    const { fields } = nonNull(words.model.resources.find((resource) => resource.name === name));
    const made: Made = new Map();
    const own = view.changes.filter((change) => "subject" in change && change.subject === name);
    const steps = own.toReversed().flatMap((change) => changing(words, change, made));
    const readers = fields.flatMap((field) => readersOf(words, view, name, field, made));
    const plan = { fields, steps, made, readers };
    plans.set(name, plan);
    return plan;
  };
  const eachOf = async (fields: readonly FieldPart[], values: Values, within: At, state: UpgradeState) => {
    for (const { name, type } of fields) {
      const value = values[name];
      if (value !== undefined) values[name] = await convert(type, value, partOf(within, name, view), state);
    }
    return values;
  };
  const fill = fillUnknown(words, view);
  const convert: Converter = async (type, value, at, state) => {
    if (value === null || at.isConverted(at.name, state)) return value;
    if (type.kind === "list" && Array.isArray(value)) {
      const items: Value[] = [];
      for (const [index, item] of value.entries())
        items.push(await convert(type.of, item, { ...at, sentAs: `${at.sentAs}[${index}]` }, state));
      return items;
    }
    if (type.kind !== "map" && type.kind !== "object" && type.kind !== "value") return value;
    const values = Object.assign(bareObject(), value) as Values;
    if (type.kind === "object") {
      await eachOf(type.parts, values, at, state);
      fill(type.parts, values, at, state);
      return values;
    }
    if (type.kind === "map") {
      for (const key of Object.keys(values))
        values[key] = await convert(
          type.of,
          values[key] as Value,
          { ...at, sentAs: `${at.sentAs}.${key}` },
          state,
        );
      return values;
    }
    const { fields, steps, made, readers } = planOf(type.resource);
    for (const step of steps) await step(values, state);
    const isConverted = (name: string) => made.has(name);
    await eachOf(fields, values, { of: type.resource, name: "", sentAs: at.sentAs, isConverted }, state);
    fill(fields, values, { ...at, of: type.resource, name: "" }, state);
    for (const read of readers) await read(values, value as Values, `${at.sentAs}.`, state);
    return values;
  };
  return convert;
}

function partOf(within: At, part: string, { fieldName }: VersionNames): At {
  const name = within.name === "" ? part : `${within.name}.${part}`;
  return { ...within, name, sentAs: `${within.sentAs}.${dotted(fieldName(within.of, name)).at(-1)}` };
}

/**
 * Supplies a field that the older version lacks, so that its clients cannot send it. The field
 * takes the default of that version, otherwise the current default, otherwise it is missing.
 */
function fillUnknown({ reading }: UpgradeWords, view: VersionNames) {
  return (parts: readonly FieldPart[], values: Values, within: At, { problems }: UpgradeState): void => {
    for (const { name, type, rules } of parts) {
      if (values[name] !== undefined) continue;
      const path = within.name === "" ? [name] : [...dotted(within.name), name];
      const byDefault = view.unknownDefault(within.of, path) ?? ruleOf(rules, "default")?.value;
      if (byDefault && reading.defaultValue) values[name] = reading.defaultValue(byDefault, type);
      else if (hasRule(rules, "required"))
        problems.push({
          condition: "missing field",
          field: `${within.sentAs}.${name}`,
          problem: "is required",
        });
    }
  };
}
