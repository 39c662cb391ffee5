/**
 * Timed reads: a record with timers is read just before and just after one of them is due, because
 * a late, early or lost transition shows only then.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Admissions } from "../stories/admissions.ts";
import type { Case } from "../requests/case.ts";
import { callerOfRecord } from "../requests/draw-path.ts";
import { drawDraft } from "../requests/draw-request.ts";
import { expressionDurations } from "../stories/durations.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { Drawn } from "./walked-step.ts";

/** A read after a time. */
export interface TimedRead {
  readonly endpoint: Endpoint;
  readonly record: RecordValue;
  /** In milliseconds. */
  readonly afterMs: number;
}

/** How often the records of one resource are read in this way; others need their timers unfired. */
const readsMax = 10;

export class Timers {
  readonly #model: Model;
  readonly #durations: readonly number[];
  /** The number of reads by resource. */
  readonly #counts = new Map<string, number>();

  /** @param options `durations`: those that may pass before a request; none on a fixed clock */
  constructor(options: { readonly model: Model; readonly durations?: readonly number[] | undefined }) {
    this.#model = options.model;
    this.#durations = options.durations ?? [];
  }

  /**
   * Two reads of the newest record of an endpoint's resource. Empty if it has no timers, if no
   * endpoint reads it, or if the clock can't be moved.
   */
  reads({ resource = "" }: Endpoint, context: StoryContext): readonly TimedRead[] {
    const count = this.#counts.get(resource) ?? 0;
    const dueMs = context.draw.oneOf(dueTimes(this.#model, resource));
    if (count >= readsMax || dueMs === undefined) return [];
    const before = this.#durations.filter((length) => length < dueMs).toSorted((a, b) => b - a)[0];
    const after = this.#durations.filter((length) => length >= dueMs).toSorted((a, b) => a - b)[0];
    const endpoint = this.#model.endpoints.find(
      (candidate) => candidate.resource === resource && candidate.does.some(({ kind }) => kind === "read"),
    );
    const field = endpoint?.records.findLast(({ by }) => by)?.by?.field;
    const record = field === undefined ? undefined : context.nameable(resource, field).at(-1);
    if (!endpoint || !record || after === undefined) return [];
    this.#counts.set(resource, count + 1);
    const first = before === undefined ? [] : [{ endpoint, record, afterMs: before }];
    return [...first, { endpoint, record, afterMs: after - (before ?? 0) }];
  }
}

/** The request of a timed read. Undefined if no caller can send it. */
export function drawTimedRead(
  { endpoint, record }: TimedRead,
  valid: readonly Case[],
  admissions: Admissions,
  context: StoryContext,
): Drawn | undefined {
  const chosen = valid.find((candidate) => candidate.endpoint === endpoint);
  if (!chosen) return undefined;
  const caller = callerOfRecord(endpoint, record, context) ?? admissions.prefer(endpoint, context);
  const draft = drawDraft(endpoint, caller, context, 0, record);
  return draft && { chosen, drafts: [draft] };
}

/** The times after which timers of a resource may be due, in milliseconds. */
function dueTimes(model: Model, resource: string): readonly number[] {
  const { states } = model.resources.find(({ name }) => name === resource) ?? {};
  const triggers = (states?.transitions ?? []).flatMap(({ ends }) => ends.map(({ trigger }) => trigger));
  return [
    ...triggers.flatMap((trigger) => (trigger.kind === "after" ? [trigger.milliseconds] : [])),
    ...(triggers.some(({ kind }) => kind === "at") ? expressionDurations(model) : []),
  ];
}
