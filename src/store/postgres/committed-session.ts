/** Committed session: reads of committed data in PostgreSQL. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { CommittedDeliveries } from "../deliveries.ts";
import type { Browsing } from "../rows/browsing.ts";
import { countDeliveries, DeliveryReader, listDeliveries, listReceivers } from "../rows/deliveries.ts";
import { queryLogOfRecord, eventOf, listLog, logEntry } from "../rows/log.ts";
import { QuerySession } from "../rows/session.ts";
import { allRows } from "../rows/steps.ts";
import { SystemReader, type SystemState } from "../rows/system.ts";
import type { CommittedSystem, Session, Store } from "../store.ts";
import type { ReadPool } from "./reading/read-pool.ts";
import { postgresStatements } from "./writing/transaction.ts";
import { postgresRowDialect } from "./statements/row-dialect.ts";

/** @param serves whether this instance is serving; one that isn't sends no deliveries */
export function committedSession(
  readPool: ReadPool,
  state: SystemState,
  serves: () => boolean,
): Store["session"] {
  return Object.assign(sessionOf(readPool), { system: systemOf(readPool, state, serves) });
}

/** The session through which expressions read records. */
export function sessionOf(statement: Pick<ReadPool, "queryRows" | "ofOneMoment">): Session {
  const queries = new QuerySession(
    async (query, values) => {
      const { rows } = await statement.queryRows(query, values(), query.ticks);
      return rows;
    },
    (work) =>
      statement.ofOneMoment((execute) =>
        work(async (query, values) => (await execute(query, values())).rows),
      ),
  );
  return {
    records: (query, frame: Frame): Awaitable<readonly RecordValue[]> => queries.records(query, frame),
    record: (query, frame) => queries.record(query, frame),
    count: (query, frame) => queries.count(query, frame),
    counts: (query, frame) => queries.counts(query, frame),
    shaped: (query, frame) => queries.shaped(query, frame),
    json: (query, frame) => queries.json(query, frame),
    value: (query, frame): Awaitable<Value> => queries.value(query, frame),
  };
}

function systemOf(readPool: ReadPool, state: SystemState, serves: () => boolean): CommittedSystem {
  const system = new SystemReader(readPool, state, postgresStatements);
  return {
    setting: (name) => system.setting(name),
    // Other instances set timers too, so this one can't exclude due timers.
    mayBeDue: () => true,
    dueTimers: (now, limit, resource, row) => system.dueTimers(now, limit, resource, row),
    countDue: (now, max) => system.countDue(now, max),
    nextDue: () => system.nextDue(),
    events: () => system.events(),
    eventsAfter: (sequence, limit) => system.eventsAfter(sequence, limit),
    log: (filter, limit) => browsed(readPool, listLog(filter, limit, postgresRowDialect)),
    logOfRecord: (of, stretch, limit) =>
      readPool.execute(queryLogOfRecord(postgresStatements.log, of, stretch, limit), ({ rows }) =>
        rows.map(logEntry),
      ),
    eventOf: (id) => readPool.run(eventOf(postgresStatements.log, id)),
    idempotent: (scope, key, now) => system.idempotent(scope, key, now),
    logSpan: () => system.logSpan(),
    deliveries: deliveriesOf(readPool, serves),
  };
}

function deliveriesOf(readPool: ReadPool, serves: () => boolean): CommittedDeliveries {
  const deliveries = new DeliveryReader(readPool, postgresStatements);
  return {
    dueReceivers: (now, isFailing, limit) => (serves() ? deliveries.dueReceivers(now, isFailing, limit) : []),
    due: (receiver, now, limit) => (serves() ? deliveries.due(receiver, now, limit) : []),
    nextDue: (now) => (serves() ? deliveries.nextDue(now) : null),
    list: async (filter, limit) =>
      browsed(readPool, await readPool.run(listDeliveries(filter, limit, postgresRowDialect))),
    count: async (filter, max) =>
      browsed(readPool, await readPool.run(countDeliveries(filter, max, postgresRowDialect))),
    countOpen: (max) => deliveries.countOpen(max),
    attempts: (number) => deliveries.attempts(number),
    receivers: (filter, limit) => browsed(readPool, listReceivers(filter, limit, postgresRowDialect)),
    receiver: (receiver) => deliveries.receiver(receiver),
    disabled: () => deliveries.disabled(),
  };
}

async function browsed<T>(readPool: ReadPool, { text, values, read }: Browsing<T>): Promise<T> {
  return read((await readPool.slowly(allRows({ sql: text }, values))).rows);
}
