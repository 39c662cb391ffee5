/** Findings of an exploration: what a document does that its author can hardly want. */
import type { GivenStep } from "./implementation.ts";
import type { Played } from "./lockstep.ts";

/** How sure a finding is: a story shows it, or many attempts never met the opposite. */
export type Proof = "story" | "attempts";

export const findingKinds = {
  "internal error": "a caller can provoke an internal error",
  "broken always": "an `Always` can be broken",
  "learns of another's record": "a caller learns of a record that is hidden from it",
  "background error": "a timed transition or a delivery fails",
  "webhook loop": "a delivery causes itself again and again",
  "no caller": "an endpoint that no caller may use",
  contradiction: "rules of which one rejects what another one needs",
  "guard never holds": "a guard that never holds",
  "never fires": "a transition that never fires",
  "unreached state": "a state that nothing reaches",
  "stuck state": "a state that nothing leaves",
  "unseen records": "records that no one can see or delete",
  "error never applies": "an error that can't apply",
} as const;

export type FindingKind = keyof typeof findingKinds;

export interface Finding {
  readonly kind: FindingKind;
  /** What it is about: `GET /sum`, `Parcel collect`. */
  readonly subject: string;
  readonly line: number;
  readonly message: string;
  readonly proof: Proof;
  readonly story?: FoundStory;
}

/** The shortest story that shows a finding. */
export interface FoundStory {
  readonly given: readonly GivenStep[];
  /** The last one shows it. */
  readonly steps: readonly Played[];
  /** A scenario that passes as long as the finding is there. Undefined if none can say it. */
  readonly scenario: string | undefined;
}
