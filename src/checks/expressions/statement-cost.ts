/**
 * Query cost of a request: an expression that scans all records of a resource for each record of
 * another one takes quadratic time, which is a warning. Cubic time is a mistake. A write blocks all
 * others, so quadratic time is a mistake there. Statements also have a timeout (`engine defaults`),
 * but that is late for a waiting client.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import type { IsCandidate } from "../../expressions/analysis/equalities.ts";
import { ScanFinder, type Scan } from "../../expressions/analysis/scans.ts";
import { ruleOf } from "../../fields/rule.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Effect, Endpoint, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { isOnlyReading } from "../../model/endpoints/does.ts";

/** What `this` is in an expression. */
interface Around {
  /** The resources whose records are all scanned. `this` is a record of the last one. */
  readonly through: readonly string[];
  /** `this` is each record of a page. */
  readonly page: boolean;
}

const oneRecord: Around = { through: [], page: false };

export const expensiveStatement: Check = (model, reporter) => {
  const reported = new Set<string>();
  for (const judged of judgedExpressions(model, reported)) {
    const { expression, worst, key } = judged;
    const verdict = worst && verdictOf(judged.inWrite, worst);
    if (!worst || !verdict) continue;
    if (key !== undefined) reported.add(key);
    const { through, page } = worst;
    reporter.report(`expressions/${verdict}`, expression.position, {
      through,
      page,
      inWrite: judged.inWrite,
    });
  }
};

export interface Judged {
  readonly expression: Expression;
  readonly worst: Around | undefined;
  readonly inWrite: boolean;
  /** The name of the computed field or shape, if the expression is the body of one. */
  readonly key?: string;
}

/**
 * Every expression that may become a statement, with the largest scan that it may need. `reported`
 * leaves out bodies that were reported themselves.
 */
export function* judgedExpressions(model: Model, reported: ReadonlySet<string>): Generator<Judged> {
  const meaning = meaningOf(model);
  const bodies = bodiesOf(model);
  // Bodies come first, so that a body is reported where it is declared and not at each use.
  const alone = new ScanFinder(meaning, () => true);
  for (const [expression, key] of bodies)
    yield { expression, key, inWrite: false, worst: worstOf(alone.of(expression.node), oneRecord) };
  const finder = new ScanFinder(meaning, (key) => reported.has(key));
  const places = placesOf(model, finder);
  const writing = new Set(
    model.endpoints
      .filter(isWriting)
      .flatMap((endpoint) => expressionsIn(endpoint).map((found) => found.expression)),
  );
  const visited = new Set<Expression>();
  for (const { expression, path } of expressionsIn(model)) {
    if (visited.has(expression) || path.startsWith("scenarios")) continue;
    visited.add(expression);
    const key = bodies.get(expression);
    if (key !== undefined && reported.has(key)) continue;
    const inWrite = writing.has(expression) || inEveryWrite.test(path);
    yield {
      expression,
      inWrite,
      worst: worstOf(finder.of(expression.node), places.get(expression) ?? oneRecord),
    };
  }
}

/** The expressions that are evaluated during a change, whatever causes it. */
const inEveryWrite = /^(?:resources\.(?!visible|fields\.rules\.computed)|events\.)/;

function isWriting({ does, effects, set }: Endpoint): boolean {
  return effects.length + set.length > 0 || does.some((action) => !isOnlyReading(action));
}

/** The costs to report; acceptable ones are left out. */
function verdictOf(inWrite: boolean, { through, page }: Around): "too-much-work" | "much-work" | undefined {
  const powers = through.length + (page ? 1 : 0);
  if (powers < 2) return undefined;
  return powers > 2 || (inWrite && !page) ? "too-much-work" : "much-work";
}

function worstOf(scans: readonly Scan[], around: Around): Around | undefined {
  const nestings = scans.map(({ through, reads }): Around => {
    if (!reads.has("this")) return { through, page: false };
    return { through: [...around.through, ...through], page: around.page };
  });
  const weight = (nesting: Around) => nesting.through.length + (nesting.page ? 0.5 : 0);
  return nestings.reduce<Around | undefined>(
    (worst, nesting) => (worst && weight(worst) >= weight(nesting) ? worst : nesting),
    undefined,
  );
}

function bodiesOf(model: Model): ReadonlyMap<Expression, string> {
  const bodies = new Map<Expression, string>();
  for (const shape of model.shapes) bodies.set(shape.body, `shape ${shape.name}`);
  for (const resource of model.resources) {
    for (const field of resource.fields) {
      const rule = ruleOf(field.rules, "computed");
      if (rule) bodies.set(rule.value, `field ${resource.name}.${field.name}`);
    }
  }
  return bodies;
}

// ── Work on many records ────────────────────────────────────────────────────────────────────────

type Places = Map<Expression, Around>;

const isThis: IsCandidate = (node) => node.op === "fixed" && node.name === "this";

/** The expressions whose `this` is more than one record. */
function placesOf(model: Model, finder: ScanFinder): Places {
  const places: Places = new Map();
  const nodesOf = (expressions: readonly Expression[]): readonly Node[] =>
    expressions.map((expression) => expression.node);
  const visibleOf = (resource: string) => {
    const visible = model.resources.find((candidate) => candidate.name === resource)?.visible;
    return visible ? [visible] : [];
  };
  /** All of these are evaluated for each record that an index doesn't exclude. */
  const pick = (
    resource: string,
    conditions: readonly Expression[],
    otherExpressions: readonly Expression[],
    few: boolean,
  ) => {
    const isFew = few || finder.isNarrowed(resource, nodesOf(conditions), isThis);
    for (const condition of [...conditions, ...otherExpressions]) {
      if (!isFew || !places.has(condition))
        places.set(condition, { through: isFew ? [] : [resource], page: false });
    }
  };
  for (const endpoint of model.endpoints) {
    for (const record of endpoint.records) pick(record.resource, record.where, [], record.by !== undefined);
    const { resource } = endpoint;
    const isOfMany = endpoint.does.some((does) => does.kind === "list" || ("every" in does && does.every));
    if (resource === undefined || !isOfMany) continue;
    const conditions = [...endpoint.where, ...visibleOf(resource)];
    const chosen = (endpoint.whereChoices ?? []).flatMap(({ of }) => of.map(({ by }) => by));
    const others = [...filtersOf(endpoint), ...chosen, ...ordersOf(endpoint)];
    pick(resource, conditions, others, endpoint.scope !== undefined);
    for (const answer of endpoint.returns)
      if (answer.kind === "list" || answer.kind === "page")
        places.set(answer.item, { through: [], page: true });
  }
  for (const effect of effectsOf(model)) {
    if (effect.kind === "update")
      pick(
        effect.resource,
        [effect.where],
        effect.set.map((assignment) => assignment.value),
        false,
      );
    else if (effect.kind === "delete") pick(effect.resource, [effect.where], [], false);
    else if (effect.kind === "do")
      pick(
        effect.resource,
        [effect.where],
        effect.by.map((orderKey) => orderKey.by),
        false,
      );
  }
  return places;
}

function filtersOf({ inputs }: Endpoint): readonly Expression[] {
  return inputs.flatMap(({ filter }) => (filter?.kind === "condition" ? [filter.condition] : []));
}

function ordersOf({ order }: Endpoint): readonly Expression[] {
  return order.flatMap(({ keys, choice }) => [...keys, ...(choice?.of ?? [])].map(({ by }) => by));
}

function effectsOf(model: Model): readonly Effect[] {
  const ofEndpoints = model.endpoints.flatMap((endpoint) => [...endpoint.set, ...endpoint.effects]);
  const ends = model.resources.flatMap(
    (resource) => resource.states?.transitions.flatMap((transition) => transition.ends) ?? [],
  );
  return [...ofEndpoints, ...ends.flatMap((end) => end.effects)];
}
