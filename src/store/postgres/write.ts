/**
 * One write of a PostgreSQL store as its connection runs it. Which writes run when is `../group-commit.ts`'s.
 *
 * In a speculative group, a write buffers its changes until it has the lock and reads something,
 * or is finished; then they are sent without waiting (`speculative-batch.ts`). In another group,
 * and in parts with a savepoint, each statement is awaited.
 */
import { type Awaitable, after } from "../../support/awaitable.ts";
import type { Hold } from "../hold.ts";
import type { OwnQuery } from "../rows/session.ts";
import {
  type About,
  type Answer,
  type BoundStatement,
  isChange,
  type Row,
  runLater,
  type Steps,
} from "../rows/steps.ts";
import type { RunningWrite } from "../rows/transaction.ts";
import type { SqlValue } from "../sql/fragment.ts";
import type { NewEvent } from "../store.ts";
import { asReadFailure, isBehindFailure } from "./failures.ts";
import type { PostgresGroupTransaction } from "./group-transaction.ts";
import type { SpeculativeBatch, Sight } from "./speculative-batch.ts";
import type { PostgresGround } from "./transaction.ts";

export interface WriteParts {
  readonly group: PostgresGroupTransaction;
  readonly hold: Hold;
  readonly ground: PostgresGround;
  readonly statementMs: number;
  /** What the write does may fail and the write go on: a handler catches what it likes. */
  readonly isCautious: boolean;
}

export class PostgresWrite implements RunningWrite {
  readonly #group: PostgresGroupTransaction;
  readonly #hold: Hold;
  readonly #ground: PostgresGround;
  readonly #statementMs: number;
  readonly #isCautious: boolean;
  /** What is sent when the write has the lock: changes, and events that get their numbers then. */
  #kept: (() => void)[] = [];
  /** In parts each statement is awaited, and the database assigns numbers. */
  #parts = 0;
  /** Why nothing after it was done. */
  #failure: unknown;

  constructor({ group, hold, ground, statementMs, isCautious }: WriteParts) {
    this.#group = group;
    this.#hold = hold;
    this.#ground = ground;
    this.#statementMs = statementMs;
    this.#isCautious = isCautious;
    if (hold.hopes) hold.atEnd(() => this.#send());
  }

  /** Announces that the write may wait for something besides the database. */
  async mayWait(): Promise<void> {
    await this.#hold.beforeRead();
    await this.#trying(() => this.#group.mayWait());
  }

  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: Answer<R>) => T): Awaitable<T> {
    return after(this.#answer(bound), read);
  }

  run<T>(steps: Steps<T>): Awaitable<T> {
    const work = () => runLater(steps, (bound) => this.#answer(bound));
    return this.#isCautious ? this.#apart("steps", work) : work();
  }

  saw(isSoStill: () => boolean): void {
    this.#hold.saw(isSoStill);
  }

  append(events: readonly NewEvent[], isNumbered: boolean): Awaitable<readonly number[]> | undefined {
    if (!this.#hopes) return undefined;
    this.#hold.check();
    const numbers: number[] = [];
    this.#kept.push(() => {
      this.#hold.hasChanged = true;
      this.#speculative.append(events, numbers);
    });
    return isNumbered ? after(this.#inTurn(), () => numbers) : numbers;
  }

  lastAppended(): Awaitable<number> | undefined {
    if (!this.#hopes) return undefined;
    return after(this.#inTurn(), () => this.#speculative.lastEvent);
  }

  queryRows(query: OwnQuery<unknown>, values: () => SqlValue[]): Awaitable<readonly Row[]> {
    const send = () => this.#trying(() => this.#group.connection.queryRows(query, values()));
    if (!this.#hopes) return after(after(this.#hold.beforeRead(), send), rowsOf);
    this.#hold.check();
    if (this.#kept.length > 0) return after(after(this.#inTurn(), send), rowsOf);
    if (this.#hold.isInFront) return send().then(rowsOf);
    const finds = this.#ground.foundBy(query);
    const sight = this.#seeing(this.#ground.resourcesOf(query), finds);
    return send().then(({ rows }) => {
      if (finds !== undefined && rows.length === 1) sight.row = rows[0]?.[0] as number;
      return rows;
    });
  }

  async part<T>(depth: number, work: () => Awaitable<T>): Promise<T> {
    if (this.#hopes) await this.#careful();
    this.#parts += 1;
    try {
      return await this.#apart(`part_${depth}`, work);
    } finally {
      this.#parts -= 1;
      if (this.#hopes && this.#hold.isGood) await this.#speculative.relearn();
    }
  }

  get #hopes(): boolean {
    return this.#hold.hopes && this.#parts === 0;
  }

  get #speculative(): SpeculativeBatch {
    return this.#group.speculative;
  }

  async #apart<T>(name: string, work: () => Awaitable<T>): Promise<T> {
    await this.#hold.beforeChange();
    await this.#group.connection.command(`SAVEPOINT ${name}`);
    try {
      const result = await work();
      this.#hold.check();
      return result;
    } catch (error) {
      // For a finished write, or a failed group, everything is rolled back already.
      this.#hold.check();
      await this.#group.connection.command(`ROLLBACK TO ${name}`);
      this.#failure = undefined;
      throw error;
    } finally {
      if (this.#hold.isGood) await this.#group.connection.command(`RELEASE ${name}`);
    }
  }

  #answer<R extends Row>(bound: BoundStatement<R>): Awaitable<Answer<R>> {
    if (!this.#hopes) return this.#awaited(bound);
    this.#hold.check();
    if (bound.expected) return this.#expected(bound);
    const { about } = bound;
    if (about && !isChange(bound) && this.#kept.length === 0 && !this.#hold.isInFront) {
      this.#seeing([about.row === undefined ? about.of : `${about.of} ${about.row}`]);
      return this.#trying(() => this.#group.connection.execute(bound));
    }
    return after(this.#inTurn(), () => {
      this.#speculative.flush();
      if (isChange(bound)) this.#changes(bound.statement.isOwn ? ownRows : about);
      return this.#trying(() => this.#group.connection.execute(bound));
    });
  }

  async #awaited<R extends Row>(bound: BoundStatement<R>): Promise<Answer<R>> {
    await (isChange(bound) ? this.#hold.beforeChange() : this.#hold.beforeRead());
    if (this.#parts > 0 && isChange(bound))
      this.#speculative?.note(bound.statement.isOwn ? (bound.about ?? ownRows) : bound.about);
    return this.#trying(() => this.#group.connection.execute(bound));
  }

  /** Buffers a change, and continues as if it were done. */
  #expected<R extends Row>(bound: BoundStatement<R>): Awaitable<Answer<R>> {
    const { expected, about, values } = bound;
    const { numbered } = expected ?? {};
    if (!numbered || !about) return this.#keep(bound, 0);
    const { numbers } = this.#speculative;
    if (numbers instanceof Promise) return numbers.then(() => this.#expected(bound));
    const row = this.#speculative.takeRow(about.of);
    if (row === undefined) {
      return after(this.#inTurn(), async () => {
        await this.#trying(() => this.#speculative.learnRow(about.of));
        if (this.#speculative.givesRows(about.of)) return this.#expected(bound);
        this.#changes(about);
        return this.#trying(() => this.#group.connection.execute(bound));
      });
    }
    const { relearnt } = this.#speculative;
    this.#hold.saw(() => this.#speculative.relearnt === relearnt);
    return this.#keep(
      { ...bound, statement: numbered, values: [...values, row], about: { of: about.of, row } },
      row,
    );
  }

  #keep(bound: BoundStatement, lastRow: number): Answer<never> {
    this.#hold.hasExpected = true;
    this.#kept.push(() => {
      this.#hold.hasChanged = true;
      this.#speculative.send(bound);
    });
    return { rows: [], changes: bound.expected?.changes ?? 0, lastRow };
  }

  #changes(about: About | undefined): void {
    this.#hold.hasChanged = true;
    this.#speculative.note(about);
  }

  /** All writes before it are finished, and its own changes have been sent. */
  #inTurn(): Awaitable<void> {
    return after(this.#hold.inFront(), () => {
      this.#hold.check();
      this.#send();
    });
  }

  /** From here on the result of each statement is awaited. */
  async #careful(): Promise<void> {
    await this.#inTurn();
    if (await this.#group.settle()) return;
    this.#hold.failed(new Error("a result differed from its prediction"));
    this.#hold.check();
    throw new Error("the group is done again");
  }

  #send(): void {
    const kept = this.#kept;
    if (kept.length === 0) return;
    this.#kept = [];
    for (const send of kept) send();
  }

  #seeing(resources: readonly string[], finds?: string): Sight {
    const speculative = this.#speculative;
    const sight: Sight = { resources, at: speculative.now, ...(finds !== undefined && { finds }) };
    this.#hold.saw(() => speculative.isSoStill(sight));
    return sight;
  }

  /** After a failed statement all others fail, without a reason. */
  async #trying<T>(execute: () => Promise<T>): Promise<T> {
    try {
      return await execute();
    } catch (error) {
      if (isBehindFailure(error) && this.#failure !== undefined) throw this.#failure;
      if (isBehindFailure(error)) this.#hold.failedUnseen();
      this.#failure ??= error;
      this.#hold.failed(error, this.#parts > 0);
      throw asReadFailure(error, this.#statementMs);
    }
  }
}

/** Rows of the engine's own tables: no query before the write lock reads them. */
const ownRows: About = { of: "ninefold" };

function rowsOf({ rows }: Answer): readonly Row[] {
  return rows;
}
