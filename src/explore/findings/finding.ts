/** Findings of an exploration: unintended behaviour of a document. */
import type { GivenStep } from "../comparison/implementation.ts";
import type { PlayedStep } from "../stories/played-step.ts";

/** The evidence of a finding: a story shows it, or many attempts never met the opposite. */
export type Proof = "story" | "attempts";

export const findingKinds = {
  "internal error": "a caller can provoke an internal error",
  "broken always": "an `Always` can be broken",
  "learns of another's record": "a caller learns of a record that is hidden from it",
  "background error": "a timed transition or a delivery fails",
  "webhook loop": "webhooks that lead to further webhooks without end",
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
  /** The subject of the finding: `GET /sum`, `Parcel collect`. */
  readonly subject: string;
  readonly line: number;
  readonly message: string;
  readonly proof: Proof;
  readonly story?: FoundStory;
}

/** The shortest story that shows a finding. */
export interface FoundStory {
  readonly given: readonly GivenStep[];
  /** The steps, of which the last one shows the finding. */
  readonly steps: readonly PlayedStep[];
  /**
   * A scenario that passes while the finding is present. Undefined if no scenario can express it.
   */
  readonly scenario: string | undefined;
}
