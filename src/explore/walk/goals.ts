/**
 * Goals of a walk: transitions to fire, and endpoints that should succeed, the least tried first.
 * If no record is in the state that a transition needs, the walk first fires transitions that lead
 * there.
 */
import type { RecordValue } from "../../expressions/value.ts";
import { mayCreate } from "../../model/endpoints/does.ts";
import type { Endpoint, Model, Resource } from "../../model/model.ts";
import type { StoryContext } from "../stories/story-context.ts";
import { stateOf } from "../requests/draw-path.ts";

/** The next request on the way to a goal. */
export interface GoalStep {
  readonly endpoint: Endpoint;
  /** The record in its path. */
  readonly record?: RecordValue;
  /** Whether the request is the goal itself. */
  readonly isLast: boolean;
}

/** A called transition from one state to another. */
interface Move {
  readonly transition: string;
  readonly from: readonly string[] | "any";
  readonly to: string;
}

interface Goal {
  /** Identifies the goal in counts. */
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly resource?: Resource;
  readonly transition?: string;
}

export class Goals {
  readonly #goals: readonly Goal[];
  readonly #tries = new Map<string, number>();
  readonly #succeeded = new Set<Endpoint>();
  readonly #model: Model;
  readonly #triesMax: number;

  /** @param triesMax the number of requests after which a goal is abandoned */
  constructor(model: Model, endpoints: readonly Endpoint[], triesMax: number) {
    this.#model = model;
    this.#triesMax = triesMax;
    this.#goals = endpoints.flatMap((endpoint) => [
      { key: `${endpoint.method} ${endpoint.path.text}`, endpoint },
      ...endpoint.does.flatMap((does): Goal[] => {
        if (does.kind !== "transition") return [];
        const resource = model.resources.find(({ name }) => name === does.resource);
        const key = `${does.resource} ${does.transition}`;
        return resource ? [{ key, endpoint, resource, transition: does.transition }] : [];
      }),
    ]);
  }

  noteSuccess(endpoint: Endpoint): void {
    this.#succeeded.add(endpoint);
  }

  /** Undefined if no request leads to a goal now. */
  next(context: StoryContext): GoalStep | undefined {
    const open = this.#goals.filter(
      ({ endpoint, key, transition }) =>
        this.#triesOf(key) < this.#triesMax && (transition !== undefined || !this.#succeeded.has(endpoint)),
    );
    const least = Math.min(...open.map(({ key }) => this.#triesOf(key)));
    const goal = context.draw.oneOf(open.filter(({ key }) => this.#triesOf(key) <= least + 1));
    if (!goal) return undefined;
    const step = this.#nextStep(goal, context);
    // Counts a goal without a request, so that it doesn't block the others.
    if (!step || step.isLast) this.#tries.set(goal.key, this.#triesOf(goal.key) + 1);
    return step;
  }

  #triesOf(key: string): number {
    return this.#tries.get(key) ?? 0;
  }

  #nextStep({ endpoint, resource, transition }: Goal, context: StoryContext): GoalStep | undefined {
    const target = endpoint.records.findLast(({ by }) => by);
    if (!resource || transition === undefined) {
      const isMissing = target?.by && context.nameable(target.resource, target.by.field).length === 0;
      return isMissing ? this.#creating(target.resource) : { endpoint, isLast: true };
    }
    if (!target?.by || target.resource !== resource.name) return { endpoint, isLast: true };
    const records = context.nameable(resource.name, target.by.field);
    const routes = records
      .map((record) => ({
        record,
        way: wayTo(resource, transition, stateOf(this.#model, resource.name, record)),
      }))
      .filter(({ way }) => way !== undefined);
    const shortest = Math.min(...routes.map(({ way }) => way?.length ?? 0));
    const found = context.draw.oneOf(routes.filter(({ way }) => way?.length === shortest));
    if (!found) return this.#creating(resource.name);
    const [first] = found.way ?? [];
    if (first === undefined) return { endpoint, record: found.record, isLast: true };
    const leading = this.#goals.find(
      (goal) => goal.resource === resource && goal.transition === first,
    )?.endpoint;
    return leading && { endpoint: leading, record: found.record, isLast: false };
  }

  #creating(resource: string): GoalStep | undefined {
    const endpoint = this.#goals.find(({ endpoint: { does } }) =>
      does.some(
        (operation) => mayCreate(operation) && "resource" in operation && operation.resource === resource,
      ),
    )?.endpoint;
    return endpoint && { endpoint, isLast: false };
  }
}

/** The transitions to fire before `transition`; undefined if calls don't lead there. */
function wayTo(
  { states }: Resource,
  transition: string,
  state: string | undefined,
): readonly string[] | undefined {
  const moves = (states?.transitions ?? []).flatMap(({ name, ends }) =>
    ends
      .filter(({ trigger }) => trigger.kind === "call")
      .map(({ from, to, same }): Move => ({ transition: name, from, to: same ? "" : to })),
  );
  const startsFrom = (move: Move, at: string | undefined): boolean =>
    move.from === "any" || (at !== undefined && move.from.includes(at));
  const seen = new Set([state]);
  let routes: readonly { readonly at: string | undefined; readonly way: readonly string[] }[] = [
    { at: state, way: [] },
  ];
  while (routes.length > 0) {
    const arrived = routes.find(({ at }) =>
      moves.some((move) => move.transition === transition && startsFrom(move, at)),
    );
    if (arrived) return arrived.way;
    routes = routes.flatMap(({ at, way }) =>
      moves
        .filter((move) => move.to !== "" && startsFrom(move, at) && !seen.has(move.to))
        .map((move) => {
          seen.add(move.to);
          return { at: move.to, way: [...way, move.transition] };
        }),
    );
  }
  return undefined;
}
