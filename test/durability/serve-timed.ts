/**
 * Serves a document of expiring tickets in this process with a movable clock, for tests of due
 * work.
 */
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { createRequest, type StreamedBody } from "../../src/engine/http/message.ts";
import {
  type Clock,
  createMovableClock,
  type Log,
  type MovableClock,
  silentLog,
} from "../../src/engine/ports.ts";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import type { Service } from "../../src/engine/service.ts";
import type { Model } from "../../src/model/model.ts";
import type { LoggedEvent, Store } from "../../src/store/store.ts";
import { libraryModel } from "../documents/library.ts";
import { silentTerminal as terminal } from "../terminal.ts";

export const minute = 60_000;
export const start = Date.parse("2026-11-20T12:00:00Z");

/** The timestamp of this many minutes after the start. */
export const at = (minutes: number): string => new Date(start + minutes * minute).toISOString();

const tickets = libraryModel({
  authentication: "- Scheme: none",
  resources: `### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| status | state | |
| lapses_at | timestamp | nullable |
| held | boolean | default \`false\` |
| lapsed_at | timestamp | nullable |
| times | integer | default \`0\` |`,
  states: `### Ticket

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| lapse | open | lapsed | at lapses_at | \`!this.held\` | \`lapsed_at = now; times = this.times + 1\` |`,
  endpoints: `### GET /tickets

- Does: list Ticket
- Pagination: none
- Returns: 200 list of Ticket

### POST /tickets

- Does: create Ticket
- Body: lapses_at?, held?
- Returns: 201 Ticket

### GET /tickets/{id}

- Does: read Ticket
- Returns: 200 Ticket

### PATCH /tickets/{id}

- Does: update Ticket
- Body: lapses_at?, held?
- Returns: 200 Ticket`,
  events: `- Webhooks: none
- Notifications: none

| Event | When | Payload |
|---|---|---|
| ticket.lapsed | Ticket lapse | \`Ticket(this)\` |`,
});

export interface Report {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  readonly body: any;
  readonly stream?: StreamedBody;
}

export interface Timed {
  readonly clock: MovableClock;
  readonly service: Service;
  readonly store: Store;
  send(method: string, target: string, options?: SendOptions): Promise<Report>;
  /**
   * The events of expired tickets so far, oldest first: the ticket, and the minutes since the
   * start.
   */
  lapses(): Promise<readonly (readonly [id: number, minutes: number])[]>;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TimedOptions {
  readonly model?: Model;
  readonly clock?: MovableClock;
  readonly path?: string;
  /** No wake-up for due work: only requests run it. */
  readonly isAsleep?: boolean;
  /** The clock of the machine, for connections. */
  readonly machine?: Clock;
  readonly log?: Log;
  /** The functions of the author's module. */
  readonly functions?: HandlerModule["functions"];
  /** Wraps the opened store. */
  readonly through?: (store: Store) => Store;
}

export async function openTimed(options: TimedOptions = {}): Promise<Timed> {
  const model = options.model ?? tickets;
  const clock = options.clock ?? createMovableClock(start);
  const store = await openModelStore(model, options.path ?? ":memory:", terminal);
  const ports = {
    clock: options.isAsleep ? { ...clock, at: () => () => {} } : clock,
    log: options.log ?? silentLog,
    ...(options.machine ? { machine: options.machine } : {}),
  };
  const through = options.through?.(store) ?? store;
  const service = await openService(model, through, ports, {
    origin: () => "http://x",
    ...(options.functions ? { handlers: { functions: options.functions } } : {}),
  }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  return {
    clock,
    service,
    store,
    async send(method, target, { body, key, headers = {} } = {}) {
      const lines: [string, string][] = [["Content-Type", "application/json"], ...Object.entries(headers)];
      if (key !== undefined) lines.push(["Authorization", `Bearer ${key}`]);
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await service.fetch(createRequest({ method, target, headers: lines, ...sent }));
      const { status, headers: given } = answer;
      if (typeof answer.body !== "string")
        return { status, headers: given, body: null, stream: answer.body as StreamedBody };
      return { status, headers: given, body: answer.body === "" ? null : JSON.parse(answer.body) };
    },
    async lapses() {
      return (await store.session.system.events()).map(lapseOf);
    },
    async close() {
      await service.close().finally(() => store.close());
    },
  };
}

function lapseOf({ subject, time }: LoggedEvent): readonly [number, number] {
  return [Number(subject), (Date.parse(time) - start) / minute];
}
