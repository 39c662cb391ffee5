/**
 * A story: a document, a seed, and a sequence of steps. Each step has a seed of its own, so that a
 * story without some of its steps is still a story.
 */
import { createDraw, seedOf } from "./draw.ts";

export type Step =
  /** Several concurrent requests by several callers. */
  | { readonly kind: "request"; readonly seed: number; readonly count: number }
  /**
   * Moves the time. `quietly`: nothing else happens until all due work is done. `toDue`: the time
   * moves to the next due work, if there is any, and the next requests mostly concern it.
   */
  | { readonly kind: "wait"; readonly ms: number; readonly quietly: boolean; readonly toDue: boolean }
  /** Kills the process while requests are in progress. */
  | { readonly kind: "die"; readonly seed: number; readonly count: number; readonly ticks: number }
  | { readonly kind: "restart" }
  /** Disconnects the readers of streams. */
  | { readonly kind: "leave" }
  /** An operator pauses or resumes a receiver, or sends deliveries again. */
  | { readonly kind: "operate"; readonly seed: number };

export interface Story {
  readonly file: string;
  readonly seed: number;
  readonly isKeptInFile: boolean;
  readonly steps: readonly Step[];
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const waits = [1, 300, 2_000, 7_000, minute, minute, 5 * minute, 20 * minute, hour];
const longWaits = [5 * hour, day, 8 * day, 35 * day];

export function drawStory(file: string, seed: number, length: number): Story {
  const draw = createDraw(seedOf(seed, file));
  const isKeptInFile = draw.happens(60);
  const steps = Array.from({ length }, (_, at): Step => {
    const own = seedOf(seed, file, at);
    const luck = draw.below(100);
    if (luck < 58) return { kind: "request", seed: own, count: draw.happens(55) ? 1 : 2 + draw.below(4) };
    if (luck < 84)
      return {
        kind: "wait",
        ms: draw.oneOf(draw.happens(85) ? waits : longWaits),
        quietly: draw.happens(50),
        toDue: createDraw(own).happens(40),
      };
    if (luck < 90 && isKeptInFile)
      return { kind: "die", seed: own, count: 1 + draw.below(5), ticks: 1 + draw.below(60) };
    if (luck < 93) return { kind: "restart" };
    if (luck < 95) return { kind: "leave" };
    return { kind: "operate", seed: own };
  });
  return { file, seed, isKeptInFile, steps };
}

/** The step as one line of text. */
export function reportedStep(step: Step): string {
  switch (step.kind) {
    case "request":
      return `${step.count} are sent at once (${step.seed})`;
    case "wait":
      return `${step.toDue ? "what is due next comes, or " : ""}${step.ms} ms go by${step.quietly ? "" : ", and what comes next comes at once"}`;
    case "die":
      return `${step.count} are sent (${step.seed}), and the process is killed at its tick ${step.ticks}`;
    case "operate":
      return `an operator does something (${step.seed})`;
    case "restart":
      return "the service is stopped and started again";
    case "leave":
      return "all readers leave";
  }
}
