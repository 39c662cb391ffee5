/** Shared plans: what the plans of all endpoints in all versions use, created once. */
import type { EventPlan } from "../events/events.ts";
import type { WakeUps } from "../events/wake-ups.ts";
import type { SlotPools } from "../steps/concurrency.ts";
import type { CursorSeal } from "../pagination/cursor.ts";
import type { ProblemWriter } from "../problems/problem-writer.ts";
import type { RateCounters } from "../steps/limit.ts";
import type { InFlightKeys } from "../steps/replay.ts";
import type { SealedAnswers } from "../secrets/sealed-answers.ts";
import type { Streams } from "../streams/streams.ts";
import type { Waits } from "../waits/waits.ts";
import type { PlanContext } from "../records/plan-context.ts";

/** The plans that all endpoints of a service share. */
export interface SharedPlans {
  readonly mediaType: string;
  readonly events: readonly EventPlan[];
  readonly rates: RateCounters;
  readonly slots: SlotPools;
  readonly inFlightKeys: InFlightKeys;
  readonly seal: CursorSeal;
  readonly sealed: SealedAnswers;
  readonly problems: ProblemWriter;
  /** Notifies streams and deliveries of commits. */
  readonly wakeUps: WakeUps;
  readonly streams: Streams;
  readonly waits: Waits;
  /** Runs the timed transitions that are due. */
  readonly runDue: () => Promise<void>;
  /** The version of events (decision "The version of events"), which is that of `Default`. */
  readonly defaultVersion: PlanContext;
}
