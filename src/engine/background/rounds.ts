/**
 * Timed transitions that bring about each other without any time passing between them (`at` a time that has passed already, and back `at`
 * another one) would have no end, and no request could see the end of them. What has come out of itself so often at one moment fails, as
 * any timed transition may, and is tried again later (decision "Timed transitions that fail").
 */
import type { DueTimer } from "../../store/store.ts";
import { recursionBounds } from "../defaults.ts";
import type { Taken } from "./take-due.ts";

/** What is remembered of so many records; more than that are never under way at one moment. */
const recordsMax = 100_000;

class EndlessRounds extends Error {
  override name = "EndlessRounds";
  constructor() {
    super(
      `timed transitions have brought about each other ${recursionBounds.atOneMomentMax} times without any time passing`,
    );
  }
}

export class Rounds {
  /** By record: how many, one out of another, have led to what is due for it at that moment. */
  readonly #led = new Map<string, { readonly atMs: number; readonly rounds: number }>();

  /** @throws EndlessRounds */
  check(timer: DueTimer): void {
    if (this.#before(timer) >= recursionBounds.atOneMomentMax) throw new EndlessRounds();
  }

  /** To be called when one was taken: what it has made due at once is one round further. */
  note(timer: DueTimer, { journal, soonestDue }: Taken): void {
    if (!journal || soonestDue === null || soonestDue > timer.dueAt) return;
    const rounds = this.#before(timer) + 1;
    if (this.#led.size > recordsMax) this.#led.clear();
    for (const { resource, row } of journal.touched)
      this.#led.set(keyOf(resource, row), { atMs: timer.dueAt, rounds });
  }

  #before({ resource, row, dueAt }: DueTimer): number {
    const known = this.#led.get(keyOf(resource, row));
    return known?.atMs === dueAt ? known.rounds : 0;
  }
}

function keyOf(resource: string, row: number): string {
  return `${resource}#${row}`;
}
