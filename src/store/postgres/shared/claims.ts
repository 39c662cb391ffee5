/**
 * Delivery claims: an instance holds a claim on a delivery until its lease ends.
 *
 * Each claim has a fence number that is greater than all earlier ones. Claims and writes never wait
 * for each other. A receiver's row is locked while its deliveries are chosen, so that two instances
 * don't count its active deliveries at once. A row that another transaction is writing is skipped
 * until the next poll.
 *
 * The results of attempts are stored here too, many in one transaction. It isn't serializable, and
 * locks the receivers instead, so that results never conflict with writes.
 */
import type { Awaitable } from "../../../support/awaitable.ts";
import { deliveryColumns, type DueDeliveryColumns, dueDelivery } from "../../rows/delivery-rows.ts";
import type { AttemptNote, AttemptResult, Receiver } from "../../deliveries.ts";
import { noteAttempt } from "../../rows/deliveries.ts";
import { runLater, statement } from "../../rows/steps.ts";
import type { ClaimedDelivery, ClaimOptions, DeliveryClaims } from "../../shared.ts";
import type { PostgresAddress } from "../connection/address.ts";
import type { PostgresConnection } from "../connection/connection.ts";
import { StoreUnavailable } from "../../errors.ts";
import { isConflict } from "../connection/failures.ts";
import { generationNow } from "../writing/group-transaction.ts";
import { notServing } from "./serving-state.ts";
import { postgresStatements } from "../writing/transaction.ts";
import { announceDeliveries } from "./announcement.ts";
import { inBatches } from "./batches.ts";
import { sharedLimits } from "./limits.ts";
import { SideConnection } from "./side-connection.ts";
import { clockMs } from "./tables.ts";

const now = `${clockMs}::bigint`;
/** How often the results of attempts are stored after deadlocks. */
const triesMax = 4;

/**
 * Receivers with due deliveries. The first ones may be busy, so the limit is increased by the
 * number of active deliveries.
 */
const receivers = statement<readonly [channel: string, resource: string, row: number]>(
  `SELECT channel, resource, row FROM ninefold_receivers WHERE failing = $1::bigint AND due_at <= $2::bigint AND disabled IS NULL
    AND paused = 0 AND NOT EXISTS (SELECT 1 FROM ninefold_settings WHERE name = 'deliveries paused' AND value = 'yes')
    ORDER BY due_at LIMIT $3::bigint + (SELECT count(*) FROM ninefold_deliveries WHERE lease_until IS NOT NULL)
    FOR NO KEY UPDATE SKIP LOCKED`,
);
type ClaimedColumns = readonly [...DueDeliveryColumns, fence: number];
const claim = statement<ClaimedColumns>(
  `UPDATE ninefold_deliveries AS d SET lease_until = ${now} + $5::bigint, fence = d.fence + 1
    FROM (SELECT c.number FROM json_to_recordset($1::json) AS r (channel text, resource text, row bigint, place bigint)
      CROSS JOIN LATERAL (SELECT number FROM ninefold_deliveries q
        WHERE q.state = 'open' AND q.channel = r.channel AND q.resource = r.resource AND q.row = r.row AND q.due_at <= $2::bigint
        AND (q.lease_until IS NULL OR q.lease_until <= ${now})
        ORDER BY q.due_at, q.number LIMIT greatest(0, $3::bigint - (SELECT count(*) FROM ninefold_deliveries l
          WHERE l.state = 'open' AND l.channel = r.channel AND l.resource = r.resource AND l.row = r.row AND l.lease_until > ${now}))
        FOR NO KEY UPDATE SKIP LOCKED) AS c
      ORDER BY r.place LIMIT $4::bigint) AS chosen, ninefold_events AS e
    WHERE d.number = chosen.number AND e.sequence = d.event RETURNING ${deliveryColumns}, e.payload, d.fence`,
);
const release = {
  sql: "UPDATE ninefold_deliveries SET lease_until = NULL WHERE number = $1::bigint AND fence = $2::bigint",
};
/** Locks the receivers of attempts. Whatever else the results depend on is read after that. */
const lockReceivers = statement<readonly [1]>(
  `SELECT 1 FROM ninefold_receivers WHERE (channel, resource, row) IN (SELECT channel, resource, row
    FROM json_to_recordset($1::json) AS r (channel text, resource text, row bigint))
    ORDER BY channel, resource, row FOR NO KEY UPDATE`,
);
const nextEnd = statement<readonly [until: number | null]>(
  `SELECT min(lease_until) FROM ninefold_deliveries WHERE lease_until > ${now}`,
);

/** Claims and releases due deliveries for one instance. */
export class ClaimsTable implements DeliveryClaims {
  /**
   * A separate connection, because other statements between its BEGIN and COMMIT would join the
   * transaction.
   */
  readonly #connection: SideConnection;
  #last: Promise<unknown> = Promise.resolve();

  readonly #note: (attempt: NotedAttempt) => Promise<AttemptNote | null>;

  /** @param generation the schema's generation when this instance started */
  constructor(address: PostgresAddress, generation: string) {
    this.#connection = new SideConnection(address);
    const store = (all: readonly NotedAttempt[]) =>
      this.#inSequence(() => this.#connection.alone((connection) => noteOn(connection, generation, all)));
    this.#note = inBatches((all) => afterConflicts(() => store(all)));
  }

  claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]> {
    return this.#inSequence(() => this.#connection.alone((connection) => claimOn(connection, options)));
  }

  async release({ number, fence }: Pick<ClaimedDelivery, "number" | "fence">): Promise<void> {
    await this.#inSequence(() => this.#connection.execute(release, [number, fence])).catch(() => {});
  }

  noteAttempt(claimed: Receiver, note: AttemptNote, result: AttemptResult): Promise<AttemptNote | null> {
    return this.#note({ claimed, note, result });
  }

  nextEnd(): Awaitable<number | null> {
    return this.#inSequence(async () => {
      const { rows } = await this.#connection.execute(nextEnd, []);
      return rows[0]?.[0] ?? null;
    });
  }

  close(): Promise<void> {
    return this.#last.then(() => this.#connection.close());
  }

  #inSequence<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

async function claimOn(
  connection: PostgresConnection,
  { isFailing, nowMs, places, perReceiver, leaseMs }: ClaimOptions,
): Promise<readonly ClaimedDelivery[]> {
  // If this instance is suspended here, the server releases the receivers' rows, for which writes
  // wait.
  await connection.begin(`SET LOCAL idle_in_transaction_session_timeout TO ${sharedLimits.statementMs}`);
  await connection.go(announceDeliveries);
  const { rows: due } = await connection.queryRows(receivers, [isFailing ? 1 : 0, nowMs, places]);
  const listed = due.map(([channel, resource, row], place) => ({ channel, resource, row, place }));
  const values = [JSON.stringify(listed), nowMs, perReceiver, places, leaseMs];
  const { rows } = listed.length > 0 ? await connection.queryRows(claim, values) : { rows: [] };
  const command = await connection.end("COMMIT");
  if (command !== "COMMIT") throw new Error("the transaction was rolled back");
  return rows.map(claimed).sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || a.number - b.number);
}

/** Runs a transaction again if another one has made it fail. */
async function afterConflicts<T>(work: () => Promise<T>, tries = triesMax): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tries === 1 || !(error instanceof StoreUnavailable) || !isConflict(error.cause)) throw error;
    return afterConflicts(work, tries - 1);
  }
}

interface NotedAttempt {
  readonly claimed: Receiver;
  readonly note: AttemptNote;
  readonly result: AttemptResult;
}

async function noteOn(
  connection: PostgresConnection,
  generation: string,
  all: readonly NotedAttempt[],
): Promise<readonly (AttemptNote | null)[]> {
  const [row] = await connection.begin<readonly [generation: string]>(
    `SET LOCAL idle_in_transaction_session_timeout TO ${sharedLimits.statementMs}; LOCK TABLE ninefold_turn IN ROW SHARE MODE; ${generationNow.sql}`,
  );
  if (row?.[0] !== generation) throw notServing("superseded");
  const locked = all.map(({ claimed: { channel, resource, row } }) => ({ channel, resource, row }));
  await connection.queryRows(lockReceivers, [JSON.stringify(locked)]);
  // Their statements are sent together.
  const noted = await Promise.all(
    all.map(({ note, result }) =>
      runLater(noteAttempt(postgresStatements.deliveries, note, result), (bound) =>
        connection.execute(bound),
      ),
    ),
  );
  const command = await connection.end("COMMIT");
  if (command !== "COMMIT") throw new Error("the transaction was rolled back");
  return noted;
}

function claimed(row: ClaimedColumns): ClaimedDelivery {
  return { ...dueDelivery(row), fence: row[22] };
}
