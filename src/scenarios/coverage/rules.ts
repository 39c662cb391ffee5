/**
 * Coverage rules: the rules of a document that scenarios can meet, each with its position and its
 * sides. A condition has two sides: it held, or it rejected something. An event or a response has
 * one. Rules that no scenario can trigger are omitted, such as timeouts, lengths of addresses and
 * headers, and retries of deliveries.
 */
import type { Expression } from "../../expressions/node.ts";
import { type FieldRule, isServiceSet } from "../../fields/rule.ts";
import { checksValues, ruleNamed } from "../../fields/rules/index.ts";
import type { Rule } from "../../engine/evaluation/coverage-observer.ts";
import type { Allowed, Endpoint, Field, Input, Model, Resource, WhereChoice } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { PartName } from "../../syntax/nodes.ts";

export type Side = "yes" | "no";

export type RuleKind =
  | "field rule"
  | "unique"
  | "fails"
  | "visible"
  | "always"
  | "transition"
  | "guard"
  | "condition"
  | "endpoint"
  | "input"
  | "allowed"
  | "where"
  | "answer"
  | "scheme"
  | "event"
  | "error"
  | "limit"
  | "version";

export interface CoverageRule {
  readonly part: PartName;
  readonly kind: RuleKind;
  /** The subject in the document's words: `Parcel.weight_grams range 1..30000`. */
  readonly subject: string;
  readonly position: Position;
  /** The sides that scenarios can meet. */
  readonly sides: readonly Side[];
  /**
   * The objects of the model by which the engine reports the rule; empty if only responses show it.
   */
  readonly pieces: readonly Rule[];
  /** Whether the condition rejects when it is true. */
  readonly refusesWhenTrue?: true;
}

const both: readonly Side[] = ["yes", "no"];
const oneSide: readonly Side[] = ["yes"];

/**
 * All rules, in the order of the document's parts. A rule that the document states once is listed
 * once.
 */
export function rulesOf(model: Model): readonly CoverageRule[] {
  return once(
    [
      ...model.resources.flatMap(rulesOfResource),
      ...model.resources.flatMap(rulesOfStates),
      ...model.endpoints.flatMap(rulesOfPaths),
      ...model.endpoints.flatMap((endpoint) => rulesOfEndpoint(model, endpoint)),
      ...rulesOfSchemes(model),
      ...rulesOfEvents(model),
      ...rulesOfErrors(model),
      ...rulesOfLimits(model),
      ...rulesOfVersions(model),
    ].filter((rule) => rule.sides.length > 0),
  );
}

/** Rules of a path or of the whole part are copied into their endpoints. */
const copied = new Set<RuleKind>(["allowed", "where", "fails"]);

function once(rules: readonly CoverageRule[]): readonly CoverageRule[] {
  const known = new Map<string, CoverageRule>();
  for (const rule of rules) {
    const key = `${rule.kind} ${rule.position.start.offset} ${copied.has(rule.kind) ? "" : rule.subject}`;
    const before = known.get(key);
    known.set(key, before ? { ...before, pieces: [...before.pieces, ...rule.pieces] } : rule);
  }
  return [...known.values()];
}

function ruleOf(
  part: PartName,
  kind: RuleKind,
  subject: string,
  condition: Expression,
  more: {
    readonly position?: Position;
    readonly sides?: readonly Side[];
    readonly refusesWhenTrue?: true;
  } = {},
): CoverageRule {
  return { part, kind, subject, position: condition.position, sides: both, pieces: [condition], ...more };
}

// ── Parts 2 and 3 ───────────────────────────────────────────────────────────────────────────────

function rulesOfResource(resource: Resource): readonly CoverageRule[] {
  const { name, fields, unique, fails, visible, always } = resource;
  const part: PartName = "resources";
  return [
    ...fields.flatMap((field) => rulesOfField(resource, field)),
    ...unique.map(
      (item): CoverageRule => ({
        part,
        kind: "unique",
        subject: `${name} unique ${item.fields.join(", ")}`,
        position: item.position,
        sides: both,
        pieces: [],
      }),
    ),
    ...failsRules(name, fails, part),
    ...(visible ? [ruleOf(part, "visible", `${name} visible ${visible.text}`, visible)] : []),
    // A violation would be a fault of the document, which no scenario expects.
    ...always.map((condition) =>
      ruleOf(part, "always", `${name} always ${condition.text}`, condition, { sides: oneSide }),
    ),
  ];
}

function rulesOfField(resource: Resource, field: Field): readonly CoverageRule[] {
  const { name, rules, position } = field;
  return rules.flatMap((rule): readonly CoverageRule[] => {
    const kind = rule.rule === "unique" ? "unique" : "field rule";
    if (kind === "field rule" && !isJudging(rule, field)) return [];
    return [
      {
        part: "resources",
        kind,
        subject: `${resource.name}.${name} ${ruleNamed(rule)}`,
        position,
        sides: both,
        pieces: rule.rule === "each" ? [rule.of] : [rule],
      },
    ];
  });
}

function isJudging(rule: FieldRule, { type, rules }: Pick<Field, "type" | "rules">): boolean {
  if (rule.rule === "each") return true;
  // Clients can't violate rules of fields that the service sets.
  return !isServiceSet(rules) && checksValues(rule, type);
}

function rulesOfStates(resource: Resource): readonly CoverageRule[] {
  const machine = resource.states;
  if (!machine) return [];
  return machine.transitions.flatMap((transition) =>
    transition.ends.flatMap((end): readonly CoverageRule[] => {
      const from = end.from === "any" ? "any" : end.from.join(", ");
      const subject = `${resource.name} ${transition.name}: ${from} to ${end.to}`;
      const called = end.trigger.kind === "call";
      // Calls from other states are rejected, which is one side for all rows of the transition.
      const isRefusing =
        called &&
        end === transition.ends.find((transitionEnd) => transitionEnd.trigger.kind === "call") &&
        !fromAny();
      return [
        {
          part: "states",
          kind: "transition",
          subject,
          position: end.position,
          sides: isRefusing ? both : oneSide,
          pieces: [end],
        },
        ...(end.guard
          ? [ruleOf("states", "guard", `${subject} when ${end.guard.condition.text}`, end.guard.condition)]
          : []),
        ...end.effects.flatMap((effect) =>
          effect.when
            ? [ruleOf("states", "condition", `${subject}: effect when ${effect.when.text}`, effect.when)]
            : [],
        ),
      ];

      function fromAny(): boolean {
        const states = new Set(
          transition.ends.flatMap((transitionEnd) =>
            transitionEnd.from === "any" ? [] : transitionEnd.from,
          ),
        );
        return (
          machine?.field === undefined ||
          transition.ends.some((transitionEnd) => transitionEnd.from === "any") ||
          machine.states.every((state) => states.has(state.name))
        );
      }
    }),
  );
}

// ── Part 4 ──────────────────────────────────────────────────────────────────────────────────────

function rulesOfPaths({ records }: Endpoint): readonly CoverageRule[] {
  return records.flatMap((record) => [
    ...record.where.map((where) =>
      ruleOf("endpoints", "where", `${record.path}: where ${where.text}`, where),
    ),
    ...record.allowed.flatMap((allowed) => allowedRule(record.path, allowed)),
    ...failsRules(record.path, record.fails),
  ]);
}

function failsRules(
  where: string,
  fails: Endpoint["fails"],
  part: PartName = "endpoints",
): readonly CoverageRule[] {
  return fails.map(({ code, when, position }) =>
    ruleOf(part, "fails", `${where}: ${code} when ${when.text}`, when, { position, refusesWhenTrue: true }),
  );
}

function allowedRule(where: string, allowed: Allowed): readonly CoverageRule[] {
  if (allowed.kind !== "condition") return [];
  return [
    ruleOf("endpoints", "allowed", `${where}: allowed ${allowed.condition.text}`, allowed.condition, {
      position: allowed.position,
    }),
  ];
}

function rulesOfEndpoint(model: Model, endpoint: Endpoint): readonly CoverageRule[] {
  const part: PartName = "endpoints";
  const subject = nameOf(endpoint);
  const conditions = [...endpoint.does, ...endpoint.then, ...endpoint.set, ...endpoint.effects].flatMap(
    ({ when }) => (when ? [ruleOf(part, "condition", `${subject}: when ${when.text}`, when)] : []),
  );
  return [
    { part, kind: "endpoint", subject, position: endpoint.position, sides: oneSide, pieces: [] },
    // A path parameter is present in every request.
    ...endpoint.inputs.flatMap((input) => (input.in === "path" ? [] : rulesOfInput(model, endpoint, input))),
    ...endpoint.where.map((where) => ruleOf(part, "where", `${subject}: where ${where.text}`, where)),
    ...(endpoint.whereChoices ?? []).map((choice) => whereChoiceRule(subject, choice)),
    ...endpoint.allowed.flatMap((allowed) => allowedRule(subject, allowed)),
    ...failsRules(subject, endpoint.fails),
    ...conditions,
    ...endpoint.returns.map(
      (response): CoverageRule => ({
        part,
        kind: "answer",
        subject: `${subject}: returns ${response.kind === "error" ? response.code : response.status}${response.when ? ` when ${response.when.text}` : ""}`,
        position: response.position,
        sides: oneSide,
        pieces: [response],
      }),
    ),
  ];
}

/** A condition that requests write: one side is a condition that was accepted, the other a rejected one. */
function whereChoiceRule(subject: string, choice: WhereChoice): CoverageRule {
  const fields = choice.of.map(({ name }) => name).join(", ");
  return {
    part: "endpoints",
    kind: "where",
    subject: `${subject}: where any of ${fields} by ${choice.condition.text}`,
    position: choice.position,
    sides: both,
    pieces: [choice],
  };
}

export function nameOf({ method, path }: Pick<Endpoint, "method" | "path">): string {
  return `${method} ${path.text}`;
}

/**
 * Rules of an input: that it is required, and the rules of its own row besides those of the field.
 */
function rulesOfInput(model: Model, endpoint: Endpoint, input: Input): readonly CoverageRule[] {
  const field = model.resources
    .find((resource) => resource.name === endpoint.resource)
    ?.fields.find((candidate) => candidate.name === input.sets);
  const subject = `${nameOf(endpoint)}: ${input.name.join(".")}`;
  const base = { part: "endpoints", kind: "input", position: input.position, sides: both } as const;
  const own = input.rules.filter(
    (rule) => !field?.rules.includes(rule) && isJudging(rule, { type: input.type, rules: [] }),
  );
  return [
    ...(input.required ? [{ ...base, subject: `${subject} required`, pieces: [input] }] : []),
    ...own.map((rule) => ({
      ...base,
      subject: `${subject} ${ruleNamed(rule)}`,
      pieces: rule.rule === "each" ? [rule.of] : [rule],
    })),
  ];
}

// ── Parts 5 to 9 ────────────────────────────────────────────────────────────────────────────────

function rulesOfSchemes({ authentication }: Model): readonly CoverageRule[] {
  return authentication.schemes.map((scheme) => ({
    part: "authentication",
    kind: "scheme",
    subject: scheme.name,
    position: scheme.position,
    sides: both,
    pieces: [],
  }));
}

function rulesOfEvents({ events }: Model): readonly CoverageRule[] {
  return events.events.flatMap((row): readonly CoverageRule[] => [
    {
      part: "events",
      kind: "event",
      subject: row.name,
      position: row.position,
      sides: oneSide,
      pieces: [row],
    },
    ...row.triggers.flatMap(({ when }) =>
      when ? [ruleOf("events", "condition", `${row.name} when ${when.text}`, when)] : [],
    ),
  ]);
}

function rulesOfErrors({ errors }: Model): readonly CoverageRule[] {
  return errors.rows.map((row) => ({
    part: "errors",
    kind: "error",
    subject: row.code ?? row.when.map((item) => item.condition).join(", "),
    position: row.position,
    sides: oneSide,
    pieces: [row],
  }));
}

function rulesOfLimits({ limits }: Model): readonly CoverageRule[] {
  const rule = (subject: string, position: Position, sides = both): CoverageRule => ({
    part: "limits",
    kind: "limit",
    subject,
    position,
    sides,
    pieces: [],
  });
  const named = (kind: string, name: string) => (name === "" ? kind : `${kind} ${name}`);
  return [
    ...limits.rates.map((rate) => rule(named("rate", rate.name), rate.position)),
    ...limits.concurrency.map((item) => rule(named("concurrency", item.name), item.position)),
    ...limits.bodyBytes.map((bodyByte) => rule(`body ${bodyByte.bytes} bytes`, bodyByte.position)),
    ...limits.stored.map((item) =>
      rule(named(`stored ${item.count} ${item.resource}`, item.name), item.position),
    ),
    ...limits.pages.map((page) =>
      rule(`page ${page.default ?? ""}..${page.maximum ?? ""}`, page.position, oneSide),
    ),
  ];
}

function rulesOfVersions({ versioning }: Model): readonly CoverageRule[] {
  return versioning.versions
    .filter((version) => version.status !== "retired")
    .map((version) => ({
      part: "versioning",
      kind: "version",
      subject: version.name,
      position: version.position,
      sides: oneSide,
      pieces: [],
    }));
}
