/**
 * Drafts of state machines before any expression is bound: `read-…` creates them and `states.ts`
 * builds from them.
 */
import type { Phrase } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { EffectSyntax } from "../../../syntax/effects.ts";
import type { Gap } from "../../model.ts";
import type { TriggerDraft } from "./trigger.ts";

export interface GuardSyntax {
  readonly condition: Phrase;
  /** The code after `else`. */
  readonly otherwise?: Phrase;
}

export interface EndDraft {
  readonly name: Phrase;
  readonly from: readonly string[] | "any";
  /** Position of each state of `from`, for reports. */
  readonly fromPhrase: Phrase | undefined;
  readonly to: string | "same";
  readonly trigger: TriggerDraft;
  /** Set by a section about the transition, if the row has none. */
  guard?: GuardSyntax;
  /** Effects of the cell, then those of each section about it. All ends of a section share its list. */
  readonly effects: (readonly EffectSyntax[])[];
  readonly position: Position;
  gap?: Gap;
  /** A state couldn't be read, so the graph is unknown. */
  readonly unread: boolean;
}

export interface MachineDraft {
  readonly name: Phrase;
  /** Whether there is a state field, though its name may be a gap or unreadable. Without one, every row is `any` to `same`. */
  readonly stateful: boolean;
  readonly field?: Phrase;
  readonly fieldGap?: Gap;
  readonly initial?: Phrase;
  readonly initialGap?: Gap;
  /** In the order of their first use. States that only an initial expression names are added when it is bound. */
  readonly states: string[];
  /** The states as a set. */
  readonly known: Set<string>;
  /** All rows, in order. */
  readonly ends: EndDraft[];
  /** The rows by the name of their transition. */
  readonly transitions: Map<string, EndDraft[]>;
  /** Whether states without a state field were already reported. */
  reportedStateless: boolean;
}

/**
 * Adds a state; a known one is ignored. `states` is a list, because others refer to it while it
 * grows.
 */
export function addState({ states, known }: MachineDraft, state: string): void {
  if (known.has(state)) return;
  known.add(state);
  states.push(state);
}

/** The state machines by resource. */
export type Machines = ReadonlyMap<string, MachineDraft>;
