/** Record responses of the operations API, and their schemas. */
import { type Static, Type } from "typebox";
import type { CreatedByOperator } from "../../../engine/admin/change-records.ts";
import { type ChangeJournal, operatorJournal, timedJournal } from "../../../engine/admin/operator-journal.ts";
import type { PossibleEnd, PossibleTransition } from "../../../engine/admin/possible-transitions.ts";
import type { PlanContext } from "../../../engine/records/plan-context.ts";
import type { OperatorRecord } from "../../../engine/admin/operator-record.ts";
import type { Trigger } from "../../../model/model.ts";
import { formatDuration } from "../../../support/quantity.ts";
import type { AdminSpace } from "../../context.ts";
import { fields, json, nullable, time } from "../routing/route.ts";
import { inputSchema, toInputResponse } from "./resources.ts";

export const storedRecordSchema = fields({
  id: Type.String({ description: "the identifier as one text" }),
  row: Type.Integer({ description: "the order of creation" }),
  revision: Type.Integer({ description: "the revision to send with a change" }),
  deleted: Type.Boolean(),
  fields: Type.Record(Type.String(), json),
  references: Type.Record(
    Type.String(),
    fields({ resource: Type.String(), id: Type.String(), label: nullable(Type.String()) }),
  ),
  cut: Type.Array(Type.String(), { description: "fields with a truncated value" }),
});

export type StoredRecordResponse = Static<typeof storedRecordSchema>;

export function toStoredRecordResponse(record: OperatorRecord): StoredRecordResponse {
  return {
    ...record,
    fields: { ...record.fields },
    references: { ...record.references },
    cut: [...record.cut],
  };
}

export const createdRecordSchema = fields({
  record: storedRecordSchema,
  shown: Type.Record(Type.String(), Type.String(), { description: "secrets, this once" }),
});

export function toCreatedRecordResponse({
  record,
  shown,
}: CreatedByOperator): Static<typeof createdRecordSchema> {
  return { record: toStoredRecordResponse(record), shown: { ...shown } };
}

const possibility = Type.Union([Type.Literal("yes"), Type.Literal("no"), Type.Literal("depends")]);

export const transitionSchema = fields({
  name: Type.String(),
  line: Type.Integer({ description: "of the document" }),
  possible: possibility,
  why: Type.Optional(Type.String()),
  ends: Type.Array(
    fields({
      from: Type.Union([Type.Literal("any"), Type.Array(Type.String())]),
      to: nullable(Type.String()),
      trigger: Type.String({ description: "as the document states it: `call`, `after 14 days`" }),
      line: Type.Integer(),
      fits: Type.Boolean({ description: "the record is in one of the states that it leaves from" }),
      guard: Type.Optional(
        fields({
          text: Type.String(),
          line: Type.Integer(),
          holds: possibility,
          parts: Type.Array(
            fields({
              text: Type.String(),
              holds: possibility,
              values: Type.Array(
                fields({
                  name: Type.String(),
                  value: nullable(Type.String({ description: "null of a secret" })),
                }),
                { description: "the values of the names in a condition that doesn't hold" },
              ),
            }),
          ),
        }),
      ),
    }),
  ),
  taken_by: Type.Array(
    fields({
      name: Type.String({ description: "`POST /parcels/{id}/collect`, `Shop close`" }),
      line: Type.Integer(),
      is_endpoint: Type.Boolean(),
      allowed: Type.Array(fields({ text: Type.String(), line: Type.Integer() })),
    }),
  ),
  inputs: Type.Array(fields(inputSchema)),
});

export type TransitionResponse = Static<typeof transitionSchema>;

export function toTransitionResponse(
  context: Pick<PlanContext, "resource">,
  possible: PossibleTransition,
): TransitionResponse {
  const { name, line, isPossible, why, ends, callers, inputs } = possible;
  return {
    name,
    line,
    possible: isPossible,
    ...(why === undefined ? {} : { why }),
    ends: ends.map(toEndResponse),
    taken_by: callers.map((taker) =>
      taker.kind === "endpoint"
        ? {
            name: `${taker.method} ${taker.path}`,
            line: taker.line,
            is_endpoint: true,
            allowed: [...taker.allowed],
          }
        : { name: taker.of, line: taker.line, is_endpoint: false, allowed: [] },
    ),
    inputs: inputs.map(({ name: input, required, input: declared }) =>
      toInputResponse(context, input, declared, required),
    ),
  };
}

function toEndResponse({
  from,
  to,
  trigger,
  line,
  fits,
  guard,
}: PossibleEnd): TransitionResponse["ends"][number] {
  return {
    from: from === "any" ? "any" : [...from],
    to,
    trigger: triggerText(trigger),
    line,
    fits,
    ...(guard
      ? { guard: { ...guard, parts: guard.parts.map((part) => ({ ...part, values: [...part.values] })) } }
      : {}),
  };
}

function triggerText(trigger: Trigger): string {
  switch (trigger.kind) {
    case "after":
      return `after ${formatDuration(trigger.milliseconds)}`;
    case "at":
      return `at ${trigger.field}`;
    default:
      return trigger.kind;
  }
}

export const dueSchema = fields({
  transition: nullable(Type.String({ description: "null: it is deleted then" })),
  at: time,
  failures: Type.Integer(),
});

/** A field whose value changed, with its old value. */
const changedField = fields({
  name: Type.String(),
  values: nullable(
    fields({
      before: Type.String({ description: "as JSON; a long value is cut" }),
      after: Type.String(),
    }),
  ),
});

/** A request that changed a record, while the journal retains it. */
const changingRequest = fields({
  id: Type.String(),
  time,
  method: Type.String(),
  endpoint: nullable(Type.String()),
  status: Type.Integer(),
  caller: nullable(Type.String()),
  transitions: Type.Array(Type.String()),
  fields: Type.Array(changedField),
});

/** A change that no request made, while the journal retains it. */
const journalChange = fields({
  time,
  kind: Type.Enum(["created", "updated", "deleted"]),
  transitions: Type.Array(Type.String()),
  fields: Type.Array(changedField),
});

export const historySchema = fields({
  operator: Type.Array(journalChange, { description: "changes by operators, newest first" }),
  timed: Type.Array(journalChange, { description: "changes by timers, newest first" }),
  requests: Type.Array(changingRequest, {
    description: "the stored requests that changed it, newest first",
  }),
  events: Type.Array(fields({ sequence: Type.Integer(), id: Type.String(), type: Type.String(), time })),
  before: Type.Optional(Type.Integer({ description: "the cursor of the next page" })),
});

export const deletedCountsSchema = Type.Array(
  fields({
    resource: Type.String(),
    deleted: Type.Integer(),
    cleared: Type.Integer({ description: "the number of records whose reference is cleared" }),
  }),
);

/** The changes of a record that no request made, each with its cause. */
export function toJournalChanges({ service: { internals } }: AdminSpace, resource: string, row: number) {
  return {
    operator: toJournalResponse(operatorJournal(internals), resource, row),
    timed: toJournalResponse(timedJournal(internals), resource, row),
  };
}

function toJournalResponse(
  journal: ChangeJournal,
  resource: string,
  row: number,
): Static<typeof journalChange>[] {
  return journal.of(resource, row).map(({ timeMs, kind, transitions, fields: changed }) => ({
    time: new Date(timeMs).toISOString(),
    kind,
    transitions: transitions.map(({ name }) => name),
    fields: [...changed],
  }));
}

/** The requests in the journal that changed a record. */
export function toChangingRequestsResponse(
  { requests }: AdminSpace,
  resource: string,
  row: number,
): Static<typeof changingRequest>[] {
  return requests
    .all()
    .toReversed()
    .flatMap(({ id, timeMs, method, endpoint, status, caller, changes }) => {
      const own = changes.find((change) => change.resource === resource && change.row === row);
      if (!own) return [];
      return [
        {
          id,
          time: new Date(timeMs).toISOString(),
          method,
          endpoint: endpoint ? `${endpoint.method} ${endpoint.path.text}` : null,
          status,
          caller: caller?.id ?? null,
          transitions: own.transitions.map(({ name }) => name),
          fields: [...own.fields],
        },
      ];
    });
}
