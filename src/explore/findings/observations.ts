/**
 * Observations of an exploration: a document's rules, endpoints and states, over all its stories.
 */
import { Problem } from "../../engine/problem.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Model, Resource, ErrorRow } from "../../model/model.ts";
import { createMeter, measuredOf, type Meter } from "../../scenarios/coverage/coverage.ts";
import type { CoverageRule } from "../../scenarios/coverage/rules.ts";
import { createRowChooser } from "../../model/errors/error-rows.ts";
import { anonymous } from "../stories/callers.ts";
import type { WalkedStep } from "../walk/walked-step.ts";

/** In how many steps each side of a rule was met. */
export interface SideCounts {
  readonly rule: CoverageRule;
  yes: number;
  no: number;
}

export interface EndpointTally {
  readonly endpoint: Endpoint;
  /**
   * Requests that the generator considers valid, from callers with credentials or to endpoints open
   * to anyone.
   */
  valid: number;
  succeeded: number;
  gaps: number;
  /**
   * Rejections by deciding line, with their condition. `isAccess`: only the caller's identity
   * decided.
   */
  readonly rejections: Map<number, { count: number; readonly condition: string; readonly isAccess: boolean }>;
}

export interface StateTally {
  /** How many records reached the state. */
  entered: number;
  /** How many records left the state. */
  left: number;
}

export class Observations {
  readonly model: Model;
  readonly meter: Meter;
  readonly sides: readonly SideCounts[];
  readonly endpoints: ReadonlyMap<Endpoint, EndpointTally>;
  readonly states = new Map<string, Map<string, StateTally>>();
  /** The maximum number of records at one time, by resource. */
  readonly recordsMax = new Map<string, number>();
  readonly errorRows = new Set<ErrorRow>();
  /** Names of callers whose credentials some endpoint accepted. */
  readonly callers = new Set<string>();
  readonly #rowOf: ReturnType<typeof createRowChooser>;
  /** The lines of `Visible`. */
  readonly #visible: ReadonlySet<number>;
  #stateOf = new Map<string, string>();

  constructor(model: Model) {
    this.model = model;
    this.meter = createMeter(model);
    this.sides = measuredOf(model).rules.map((rule) => ({ rule, yes: 0, no: 0 }));
    this.#rowOf = createRowChooser(model);
    this.#visible = new Set(
      this.sides.filter(({ rule }) => rule.kind === "visible").map(({ rule }) => rule.position.start.line),
    );
    this.endpoints = new Map(
      model.endpoints.map((endpoint) => [
        endpoint,
        { endpoint, valid: 0, succeeded: 0, gaps: 0, rejections: new Map() },
      ]),
    );
  }

  /** Each story has its own records. */
  startStory(): void {
    this.meter.take();
    this.#stateOf = new Map();
  }

  /** What deliveries after the last step did has no step of its own. */
  endStory(): void {
    this.#noteSides();
  }

  note(walked: WalkedStep): void {
    this.#noteSides();
    this.#noteEndpoint(walked);
    for (const resource of this.model.resources)
      this.#noteStates(resource, walked.records.get(resource.name) ?? []);
    if (walked.stopped instanceof Problem)
      for (const detail of walked.stopped.details) {
        const { row } = this.#rowOf(detail);
        if (row) this.errorRows.add(row);
      }
  }

  #noteSides(): void {
    for (const side of this.meter.take()) {
      const tally = this.sides[Number(side.slice(0, -1))];
      if (!tally) continue;
      if (side.endsWith("+")) tally.yes += 1;
      else tally.no += 1;
    }
  }

  #noteEndpoint({ endpoint, caseName, step, expected, stopped, gap, position }: WalkedStep): void {
    const tally = this.endpoints.get(endpoint);
    if (!tally) return;
    if (gap !== undefined) tally.gaps += 1;
    if (expected.status < 400) {
      tally.succeeded += 1;
      if (step.caller !== anonymous.name) this.callers.add(step.caller);
    }
    if (caseName !== "valid" || step.caller === "a wrong credential") return;
    tally.valid += 1;
    if (!(stopped instanceof Problem)) return;
    const { condition } = stopped.details[0];
    const line = (stopped.hiddenBecause ?? position ?? endpoint.position).start.line;
    const isAccess = condition === "forbidden" || this.#visible.has(line);
    const known = tally.rejections.get(line) ?? { count: 0, condition, isAccess };
    known.count += 1;
    tally.rejections.set(line, known);
  }

  #noteStates({ name, states }: Resource, records: readonly RecordValue[]): void {
    this.recordsMax.set(name, Math.max(this.recordsMax.get(name) ?? 0, records.length));
    if (states?.field === undefined) return;
    const tallies = this.states.get(name) ?? new Map<string, StateTally>();
    this.states.set(name, tallies);
    for (const record of records) {
      const state = record[states.field];
      if (typeof state !== "string") continue;
      const key = `${name} ${record["#row"]}`;
      const before = this.#stateOf.get(key);
      if (before === state) continue;
      this.#stateOf.set(key, state);
      this.#tallyOf(tallies, state).entered += 1;
      if (before !== undefined) this.#tallyOf(tallies, before).left += 1;
    }
  }

  #tallyOf(tallies: Map<string, StateTally>, state: string): StateTally {
    const tally = tallies.get(state) ?? { entered: 0, left: 0 };
    tallies.set(state, tally);
    return tally;
  }
}
