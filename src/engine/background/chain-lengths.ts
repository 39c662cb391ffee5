/**
 * Endless rounds: detects timed transitions that cause each other without time passing between them
 * (`at` a time that has passed, and back `at` another one). No request could wait for the end of
 * such a loop. A transition that follows from itself too often at one moment fails, as any timed
 * transition may, and is retried later (decision "Timed transitions that fail").
 */
import type { DueTimer } from "../../store/store.ts";
import { recursionBounds } from "../defaults.ts";
import type { FiredDueTransition } from "./due-transition.ts";

/** Maximum number of remembered records; fewer are ever in progress at one moment. */
const recordsMax = 100_000;

class EndlessRounds extends Error {
  override name = "EndlessRounds";
  constructor() {
    super(`timed transitions caused each other ${recursionBounds.atOneMomentMax} times at the same moment`);
  }
}

export class ChainLengths {
  /** By record: the length of the chain that led to its due work at that moment. */
  readonly #lengths = new Map<string, { readonly atMs: number; readonly rounds: number }>();

  /** @throws EndlessRounds */
  check(timer: DueTimer): void {
    if (this.#before(timer) >= recursionBounds.atOneMomentMax) throw new EndlessRounds();
  }

  /**
   * Called after a transition fired: transitions that it made due at once are one round further.
   */
  note(timer: DueTimer, { journal, soonestDue }: FiredDueTransition): void {
    if (!journal || soonestDue === null || soonestDue > timer.dueAt) return;
    const rounds = this.#before(timer) + 1;
    if (this.#lengths.size > recordsMax) this.#lengths.clear();
    for (const { resource, row } of journal.touched)
      this.#lengths.set(keyOf(resource, row), { atMs: timer.dueAt, rounds });
  }

  #before({ resource, row, dueAt }: DueTimer): number {
    const known = this.#lengths.get(keyOf(resource, row));
    return known?.atMs === dueAt ? known.rounds : 0;
  }
}

function keyOf(resource: string, row: number): string {
  return `${resource}#${row}`;
}
