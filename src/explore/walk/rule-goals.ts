/**
 * Rule goals of a walk: sides of the document's rules that no request has met, such as a row of part
 * 7 that rejected nothing, with the cases that may meet them.
 */
import type { CoverageRule, Side } from "../../scenarios/coverage/rules.ts";
import { measuredOf, type MetSide } from "../../scenarios/coverage/coverage.ts";
import type { Condition } from "../../model/errors/conditions.ts";
import type { Endpoint, ErrorRow, ErrorSubject, Model } from "../../model/model.ts";
import type { Aspect, Case } from "../requests/case.ts";
import type { Draw } from "../stories/draw.ts";
import { endpointName } from "./walked-step.ts";

interface RuleGoal {
  readonly side: MetSide;
  readonly cases: readonly Case[];
  tries: number;
}

export class RuleGoals {
  readonly #goals: readonly RuleGoal[];
  readonly #met: ReadonlySet<MetSide>;
  readonly #triesMax: number;

  /**
   * @param met the sides that requests have met so far
   * @param triesMax the number of requests after which a goal is abandoned
   */
  constructor(model: Model, cases: readonly Case[], met: ReadonlySet<MetSide>, triesMax: number) {
    this.#met = met;
    this.#triesMax = triesMax;
    this.#goals = measuredOf(model).rules.flatMap((rule, at) =>
      rule.sides.flatMap((side) => {
        const own = casesOfSide(model, cases, rule, side);
        return own.length === 0 ? [] : [{ side: `${at}${side === "yes" ? "+" : "-"}`, cases: own, tries: 0 }];
      }),
    );
  }

  /** A case for a side that was tried least; undefined if none is left. */
  next(draw: Draw): Case | undefined {
    const open = this.#goals.filter(({ side, tries }) => tries < this.#triesMax && !this.#met.has(side));
    const least = Math.min(...open.map(({ tries }) => tries));
    const goal = draw.oneOf(open.filter(({ tries }) => tries <= least + 1));
    if (!goal) return undefined;
    goal.tries += 1;
    return draw.oneOf(goal.cases);
  }
}

function casesOfSide(model: Model, cases: readonly Case[], rule: CoverageRule, side: Side): readonly Case[] {
  const { kind, subject, pieces } = rule;
  const [resource = ""] = /^\w+/.exec(subject) ?? [];
  const isOfResource = ({ endpoint }: Case) =>
    endpoint.resource === resource || endpoint.records.some((record) => record.resource === resource);
  switch (kind) {
    case "error":
      return model.errors.rows
        .filter((row) => pieces.includes(row))
        .flatMap((row) => casesOfRow(model, cases, row));
    case "field rule":
    case "input":
      return side === "yes" ? [] : cases.filter((candidate) => isOfInput(candidate, rule));
    case "unique":
      return cases.filter((candidate) => isOfResource(candidate) && repeats(candidate));
    case "visible":
      return cases.filter((candidate) => isOfResource(candidate) && isByOther(candidate));
    case "allowed":
      return cases.filter(
        (candidate) => isOfSubject(candidate, subject) && (isPlain(candidate) || isByOther(candidate)),
      );
    case "transition":
    case "guard": {
      const [, transition = ""] = /^\w+ (\w+):/.exec(subject) ?? [];
      return cases.filter(
        (candidate) => isPlain(candidate) && fires(candidate.endpoint, resource, transition),
      );
    }
    case "fails":
      return cases.filter(
        (candidate) =>
          (isOfSubject(candidate, subject) || (!subject.includes("/") && isOfResource(candidate))) &&
          isVaried(candidate),
      );
    case "answer":
    case "condition":
    case "where":
      return cases.filter((candidate) => isOfSubject(candidate, subject) && isPlain(candidate));
    default:
      return [];
  }
}

function isPlain({ name }: Case): boolean {
  return name === "valid" || name === "twice";
}

function isByOther({ name }: Case): boolean {
  return name === "by another caller";
}

/** Requests that the reading of inputs accepts: a `Fails` may reject any of them. */
function isVaried(candidate: Case): boolean {
  return isPlain(candidate) || / (at|as|inside|past|future|true|false|a) /.test(`${candidate.name} `);
}

function repeats({ name }: Case): boolean {
  return name === "twice" || name.endsWith(" as a record has it") || name.endsWith(" at once");
}

/** Whether a rule of an endpoint, or of the records of a path, is about the case's endpoint. */
function isOfSubject({ endpoint }: Case, subject: string): boolean {
  return (
    subject.startsWith(`${endpointName(endpoint)}: `) ||
    endpoint.records.some(({ path }) => subject.startsWith(`${path}: `))
  );
}

function fires({ does }: Endpoint, resource: string, transition: string): boolean {
  return does.some(
    (operation) =>
      operation.kind === "transition" &&
      operation.resource === resource &&
      operation.transition === transition,
  );
}

/** Whether a case breaks a rule of an input, or of a field that an input sets. */
function isOfInput({ endpoint, name, isGeneral }: Case, { subject, kind, pieces }: CoverageRule): boolean {
  if (isGeneral || (kind === "input" && !subject.startsWith(`${endpointName(endpoint)}: `))) return false;
  const input = endpoint.inputs.find((candidate) => name.startsWith(`${candidate.name.join(".")} `));
  if (!input) return false;
  if (pieces.includes(input)) return name.endsWith(" omitted");
  const isOwn = input.rules.some(
    (rule) =>
      pieces.includes(rule) || ("of" in rule && typeof rule.of === "object" && pieces.includes(rule.of)),
  );
  if (isOwn) return !name.endsWith(" omitted") && !name.includes(" inside ");
  // A rule of an embedded value: its cases have the name of the part.
  const [, part = ""] = /^\w+\.(\w+) /.exec(subject) ?? [];
  return name.slice(input.name.join(".").length).includes(` ${part} `);
}

// ── Rows of part 7 ──────────────────────────────────────────────────────────────────────────────

function casesOfRow(model: Model, cases: readonly Case[], { code, when }: ErrorRow): readonly Case[] {
  const ofConditions = when.flatMap(({ condition, of }) =>
    cases.filter(
      (candidate) => provokes(candidate, condition) && of.every((subject) => isAbout(candidate, subject)),
    ),
  );
  const ofCode =
    code === undefined
      ? []
      : cases.filter((candidate) => isVaried(candidate) && codesOf(model, candidate.endpoint).has(code));
  return [...new Set([...ofConditions, ...ofCode])];
}

/** The codes that items of an endpoint, of its records or of its transitions name. */
function codesOf({ resources }: Model, endpoint: Endpoint): ReadonlySet<string> {
  const { fails, records, returns, does, resource } = endpoint;
  const own = resources.find(({ name }) => name === resource);
  const ends = does.flatMap((operation) =>
    operation.kind === "transition"
      ? (own?.states?.transitions.find(({ name }) => name === operation.transition)?.ends ?? [])
      : [],
  );
  return new Set([
    ...[...fails, ...records.flatMap((record) => record.fails), ...(own?.fails ?? [])].map(
      ({ code }) => code,
    ),
    ...returns.flatMap((answer) => (answer.kind === "error" ? [answer.code] : [])),
    ...ends.flatMap(({ guard }) => guard?.otherwise ?? []),
  ]);
}

/** The aspects, and the names of cases, that a condition may reject. */
const provoking: Partial<
  Readonly<Record<Condition, { readonly aspects?: readonly Aspect[]; readonly name: RegExp }>>
> = {
  "malformed body": { name: /^(malformed JSON|a list|an empty body)\b/ },
  "invalid field": { name: / (outside|none of its values|of another type|null|longer|shorter)\b/ },
  "missing field": { name: / omitted$/ },
  "unknown field": { name: /^an unknown (field|query)/ },
  "unknown reference": { name: / an unknown record$/ },
  unauthenticated: { name: /^without credentials$/ },
  "bad credential": { name: /^with a wrong / },
  forbidden: { name: /^(by another caller|valid)$/ },
  "unknown path": { name: /^an unknown path$/ },
  "method not allowed": { name: /^a method that/ },
  "not found": { aspects: ["records of the path"], name: /./ },
  "unsupported media type": { name: /^an unsupported media type$/ },
  duplicate: { name: /^twice$| as a record has it$| at once$/ },
  "illegal transition": { name: /^(valid|twice)$/ },
  "guard failed": { name: /^(valid|twice)$/ },
  "in use": { name: /^valid$/ },
  "precondition failed": { aspects: ["preconditions"], name: /./ },
  "precondition required": { name: /^valid$/ },
  "idempotency conflict": { name: /^the same key with another body$/ },
  "idempotency in progress": { name: /^the same key and request at once$/ },
  "quota exceeded": { name: /^valid$/ },
  "too large": { name: /^a body of more/ },
  "unknown version": { name: /^an unknown version$/ },
};

function provokes({ aspect, name, endpoint }: Case, condition: Condition): boolean {
  const found = provoking[condition];
  if (!found?.name.test(name) || found.aspects?.includes(aspect) === false) return false;
  if (condition === "in use") return endpoint.does.some(({ kind }) => kind === "delete");
  if (condition === "illegal transition" || condition === "guard failed")
    return endpoint.does.some(({ kind }) => kind === "transition");
  return condition !== "quota exceeded" || endpoint.does.some(({ kind }) => kind === "create");
}

/** Whether a case may provoke an error about a subject. Types, rules and schemes are left open. */
function isAbout({ endpoint, name }: Case, of: ErrorSubject): boolean {
  switch (of.kind) {
    case "endpoint":
      return endpoint.method === of.method && endpoint.path.text === of.path;
    case "resource":
      return (
        endpoint.resource === of.resource || endpoint.records.some(({ resource }) => resource === of.resource)
      );
    case "field":
      return endpoint.inputs.some(
        ({ sets, name: input }) => sets === of.field && name.startsWith(`${input.join(".")} `),
      );
    case "input":
      return name.startsWith(`${of.input.split(".").slice(1).join(".")} `);
    case "transition":
      return endpoint.does.some(
        (operation) => operation.kind === "transition" && operation.transition === of.transition,
      );
    default:
      return true;
  }
}
