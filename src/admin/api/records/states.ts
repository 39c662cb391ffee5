/**
 * State routes: the diagram of a resource, the number of records in each state, recent transitions,
 * and their callers.
 */
import { type Static, Type } from "typebox";
import type { Resource } from "../../../model/model.ts";
import { stateGraph } from "../../../outputs/diagrams/state-graph.ts";
import type { StateLayout } from "../../../outputs/diagrams/state-layout.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import type { AdminContext } from "../../context.ts";
import { createLayoutInWorker, type LayoutInWorker } from "../../states/layout-in-worker.ts";
import { hasStates, serializeTransitions } from "../../states/serialize-transitions.ts";
import type { Counts } from "../../states/tally.ts";
import { requestRow, toRequestRow } from "../../requests/serialize-request.ts";
import { statesOf, type WatchedStates } from "../../states/watched-states.ts";
import { OperationRefusal } from "../routing/refusal.ts";
import { resourceNamed } from "../routing/find-resource.ts";
import { fields, nullable, route, serviceOf, time } from "../routing/route.ts";
import { topic } from "../stream/topic.ts";
import { every } from "../../../support/machine.ts";
import type { JournalEntry } from "../../../engine/observability/journal-entry.ts";

export type StatesResponse = Static<typeof statesSchema>;
export type ResourceStates = NonNullable<StatesResponse["shown"]>;
export type TransitionResponse = Static<typeof transitionSchema>;
export type StateCounts = Static<typeof countsSchema>;
export type StepFlowResponse = Static<typeof flowSchema>;
/** Rows of the topic `states`: the known counts and the recent transitions of each resource. */
export type StatesUpdate = Record<string, { counts: StateCounts | null; flow: StepFlowResponse[] }>;

const line = Type.Integer({ description: "of the document" });
const written = fields({ text: Type.String(), line });

const endSchema = fields({
  from: nullable(Type.Array(Type.String(), { description: "null: from any state" })),
  to: nullable(Type.String({ description: "null: the state stays as it is" })),
  trigger: Type.Enum(["call", "immediately", "after", "at", "not shown"]),
  when: Type.String({ description: "`after 14 days`" }),
  guard: nullable(fields({ ...written.properties, otherwise: nullable(Type.String()) })),
  effects: Type.Array(written),
  line,
  gap: nullable(Type.String({ description: "what the document doesn't show" })),
});

const transitionSchema = fields({
  name: Type.String(),
  line,
  ends: Type.Array(endSchema),
  taken_by: Type.Array(
    fields({
      method: Type.String(),
      path: Type.String(),
      line,
      allowed: Type.Array(fields({ text: nullable(Type.String()), line })),
      schemes: Type.Array(Type.String()),
    }),
  ),
  done_by: Type.Array(fields({ place: Type.String(), line })),
});

const countsSchema = fields({
  states: Type.Record(Type.String(), Type.Integer()),
  none: Type.Integer({ description: "records without a state" }),
});

const flowSchema = fields({
  transition: Type.String(),
  from: nullable(Type.String()),
  to: nullable(Type.String()),
  minute: Type.Integer({ description: "how often it fired in the last minute" }),
  hour: Type.Integer(),
});

const statesSchema = fields({
  resources: Type.Array(fields({ name: Type.String(), states: Type.Integer(), transitions: Type.Integer() })),
  shown: nullable(
    fields({
      name: Type.String(),
      line,
      field: nullable(Type.String({ description: "the state field" })),
      begins: nullable(fields({ text: Type.String(), is_gap: Type.Boolean() })),
      states: Type.Array(fields({ name: Type.String(), initial: Type.Boolean(), final: Type.Boolean() })),
      transitions: Type.Array(transitionSchema),
      layout: nullable(
        Type.Unsafe<StateLayout>({
          type: "object",
          description: "places of boxes, arrows and labels; null where there would be too many",
        }),
      ),
      counts: nullable(
        Type.Unsafe<StateCounts>({ ...countsSchema, description: "null while they are counted" }),
      ),
      flow: Type.Array(flowSchema),
      since: Type.Unsafe<string>({ ...time, description: "the start of the count of transitions" }),
    }),
  ),
});

export const stateRoutes = [
  route({
    method: "GET",
    path: "/api/states",
    does: "the states of a `resource`: records in each state, and its transitions with their callers",
    query: fields({ resource: Type.Optional(Type.String()) }),
    answer: statesSchema,
    async run(call) {
      const { admin, query } = call;
      const service = await serviceOf(call);
      const all = admin.model.resources.filter(hasStates);
      const chosen = chosenResource(admin, all, query.resource);
      return {
        resources: all.map(({ name, states }) => ({
          name,
          states: states?.states.length ?? 0,
          transitions: states?.transitions.length ?? 0,
        })),
        shown: chosen ? await toStatesResponse(admin, statesOf(service), chosen) : null,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/states/refusals",
    does: "the last requests that were refused a `transition` of a `resource`, by its state or its guard; newest first",
    query: fields({ resource: Type.String(), transition: Type.String() }),
    answer: fields({ requests: Type.Array(requestRow) }),
    async run(call) {
      const space = await call.space();
      const found = space.requests
        .all()
        .filter((request) => isRefusalOf(request, call.query))
        .slice(-refusalsMax)
        .toReversed();
      return { requests: found.map((request) => toRequestRow(space, request)) };
    },
  }),
];

const refusalsMax = 20;

/**
 * Whether the state or a guard rejected the transition. An error code of the guard names neither,
 * but the reasons name the transition.
 */
function isRefusalOf(
  { reasons }: JournalEntry,
  { resource, transition }: { readonly resource: string; readonly transition: string },
): boolean {
  return reasons.some((reason) => reason.resource === resource && reason.transition === transition);
}

/** @throws OperationRefusal */
function chosenResource(
  { model }: AdminContext,
  all: readonly Resource[],
  name: string | undefined,
): Resource | undefined {
  if (name === undefined) return all[0];
  const known = resourceNamed(model, name);
  const found = all.find((resource) => resource.name === known);
  if (found) return found;
  throw new OperationRefusal(404, "No states", `The document has no states of ${name}.`);
}

async function toStatesResponse(
  admin: AdminContext,
  watched: WatchedStates,
  resource: Resource,
): Promise<ResourceStates> {
  const graph = stateGraph(resource);
  const [layout, counts] = await Promise.all([
    graph ? layoutInWorkerOf(admin)(graph) : null,
    watched.counts(resource.name),
  ]);
  return {
    name: resource.name,
    line: resource.position.start.line,
    field: resource.states?.field ?? null,
    begins: graph?.initial ? { text: graph.initial.text, is_gap: graph.initial.gap } : null,
    states: graph?.states.map(({ name, initial, final }) => ({ name, initial, final })) ?? [],
    transitions: serializeTransitions(admin.model, resource, admin.document.text) as TransitionResponse[],
    layout,
    counts: toCountsResponse(counts),
    flow: [...watched.flow(resource.name)],
    since: new Date(watched.sinceMs).toISOString(),
  };
}

/** A diagram is laid out once for each served document. */
const layoutInWorkerOf = memoizeBy(
  ({ log }: AdminContext): LayoutInWorker =>
    createLayoutInWorker((resource, error) =>
      log.warn({ resource, error: String(error) }, "a diagram could not be laid out"),
    ),
);

function toCountsResponse(counts: Counts | null): StateCounts | null {
  return counts && { states: { ...counts.states }, none: counts.none };
}

export const statesTopic = topic<WatchedStates>({
  name: "states",
  delivers: "latest",
  start({ service }, push) {
    const watched = statesOf(service);
    const notify = () => push(watched);
    const stop = watched.watch(notify);
    // Recent transitions are those of the last minute, so they also change without new ones.
    const stopTimer = every(forgettingMs, notify);
    return () => {
      stopTimer();
      stop();
    };
  },
  serialize(watched): StatesUpdate {
    const update: StatesUpdate = Object.create(null);
    for (const [name, counts] of watched.known())
      update[name] = { counts: toCountsResponse(counts), flow: [...watched.flow(name)] };
    return update;
  },
});

/** The interval at which an unchanged value is sent again, in milliseconds. */
const forgettingMs = 5_000;
