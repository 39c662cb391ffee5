/** Reads of committed data in PostgreSQL. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { CommittedDeliveries } from "../deliveries.ts";
import type { Browsing } from "../rows/browsing.ts";
import { countDeliveries, DeliveryReader, listDeliveries, listReceivers } from "../rows/deliveries.ts";
import { queryLogOfRecord, eventOf, listLog, logEntry } from "../rows/log.ts";
import { QuerySession } from "../rows/session.ts";
import { all } from "../rows/steps.ts";
import { SystemReader, type SystemState } from "../rows/system.ts";
import type { CommittedSystem, Session, Store } from "../store.ts";
import type { Lanes } from "./lanes.ts";
import { postgresStatements } from "./transaction.ts";
import { postgresWords } from "./words.ts";

/** @param serves whether this instance is one of those that serve now: another sends nothing */
export function committedSession(lanes: Lanes, state: SystemState, serves: () => boolean): Store["session"] {
  return Object.assign(sessionOf(lanes), { system: systemOf(lanes, state, serves) });
}

/** The connection for reads of records. */
export function sessionOf(statement: Pick<Lanes, "queryRows" | "ofOneMoment">): Session {
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

function systemOf(lanes: Lanes, state: SystemState, serves: () => boolean): CommittedSystem {
  const system = new SystemReader(lanes, state, postgresStatements);
  return {
    setting: (name) => system.setting(name),
    // Other instances set timers too.
    mayBeDue: () => true,
    dueTimers: (now, limit, resource, row) => system.dueTimers(now, limit, resource, row),
    countDue: (now, most) => system.countDue(now, most),
    nextDue: () => system.nextDue(),
    events: () => system.events(),
    eventsAfter: (sequence, limit) => system.eventsAfter(sequence, limit),
    log: (filter, limit) => browsed(lanes, listLog(filter, limit, postgresWords)),
    logOfRecord: (of, stretch, limit) =>
      lanes.execute(queryLogOfRecord(postgresStatements.log, of, stretch, limit), ({ rows }) =>
        rows.map(logEntry),
      ),
    eventOf: (id) => lanes.run(eventOf(postgresStatements.log, id)),
    idempotent: (scope, key, now) => system.idempotent(scope, key, now),
    logSpan: () => system.logSpan(),
    deliveries: deliveriesOf(lanes, serves),
  };
}

function deliveriesOf(lanes: Lanes, serves: () => boolean): CommittedDeliveries {
  const deliveries = new DeliveryReader(lanes, postgresStatements);
  return {
    dueReceivers: (now, isFailing, limit) => (serves() ? deliveries.dueReceivers(now, isFailing, limit) : []),
    due: (receiver, now, limit) => (serves() ? deliveries.due(receiver, now, limit) : []),
    nextDue: (now) => (serves() ? deliveries.nextDue(now) : null),
    list: async (filter, limit) =>
      browsed(lanes, await lanes.run(listDeliveries(filter, limit, postgresWords))),
    count: async (filter, most) =>
      browsed(lanes, await lanes.run(countDeliveries(filter, most, postgresWords))),
    countOpen: (most) => deliveries.countOpen(most),
    attempts: (number) => deliveries.attempts(number),
    receivers: (filter, limit) => browsed(lanes, listReceivers(filter, limit, postgresWords)),
    receiver: (receiver) => deliveries.receiver(receiver),
    disabled: () => deliveries.disabled(),
  };
}

async function browsed<T>(lanes: Lanes, { text, values, read }: Browsing<T>): Promise<T> {
  return read((await lanes.slowly(all({ sql: text }, values))).rows);
}
