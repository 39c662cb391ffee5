/** What `ninefold sandbox` can do, one word each: what it asks of the operations API, and how the answer reads. */
import type { AboutResponse } from "../../admin/api/about.ts";
import type { StoredRecordResponse } from "../../admin/api/record-responses.ts";
import { WrongUsage } from "../command.ts";
import { readDocument } from "../read-document.ts";
import type { Asked } from "../operations/client.ts";
import {
  columns,
  tellClock,
  tellRecords,
  tellSpace,
  type ToldClock,
  type ToldRecord,
  type ToldSpace,
} from "./tell.ts";

export interface Verb {
  /** As `readArguments` takes them. */
  readonly positionals: readonly string[];
  /** Names of its own options. */
  readonly options: readonly string[];
  /** @throws WrongUsage | Trouble */
  asks(given: Given): Asked | Promise<Asked>;
  // biome-ignore lint/suspicious/noExplicitAny: what the operations API answers
  tells(answer: any): string;
}

export interface Given {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

const textOf = (given: Given, name: string): string | undefined => {
  const value = given.values[name];
  return typeof value === "string" ? value : undefined;
};

const inPath = (text: string | undefined) => encodeURIComponent(text ?? "");

const filling: Readonly<Record<string, Verb>> = {
  status: {
    positionals: [],
    options: [],
    asks: () => ({ method: "GET", path: "/api" }),
    tells: (answer: ToldSpace & AboutResponse) =>
      `${answer.document} at ${answer.service}${answer.sandbox ? `, data spaces by ${answer.sandbox.space_header}` : ""}\n${tellSpace(answer)}`,
  },
  reset: {
    positionals: [],
    options: ["without-seed"],
    asks: ({ values }) => ({
      method: "POST",
      path: "/api/reset",
      body: { seed: values["without-seed"] !== true },
    }),
    tells: (answer: ToldSpace) => tellSpace(answer),
  },
  seed: {
    positionals: ["[SEED.md]"],
    options: ["scenario"],
    async asks(given) {
      const [file] = given.positionals;
      const scenario = textOf(given, "scenario");
      if (file !== undefined && scenario !== undefined)
        throw new WrongUsage("The seed is either a file or a --scenario, not both.");
      const markdown = file === undefined ? undefined : await readDocument(file);
      return { method: "POST", path: "/api/seed", body: { markdown, scenario } };
    },
    tells: (answer: { records: readonly ToldRecord[] }) =>
      `${answer.records.length} ${answer.records.length === 1 ? "record" : "records"} made\n`,
  },
  add: {
    positionals: ["RECORD"],
    options: ["events"],
    asks: ({ positionals, values }) => ({
      method: "POST",
      path: "/api/records",
      body: { given: positionals[0] as string, events: values["events"] === true },
    }),
    tells: (answer: { records: readonly ToldRecord[] }) => tellRecords(answer.records),
  },
  list: {
    positionals: ["RESOURCE"],
    options: ["limit"],
    asks: (given) => ({
      method: "GET",
      path: `/api/records/${encodeURIComponent(given.positionals[0] as string)}`,
      query: { limit: textOf(given, "limit") ?? "100" },
    }),
    tells: ({
      resource,
      records,
    }: {
      resource: { name: string };
      records: readonly StoredRecordResponse[];
    }) =>
      // The last ones that were made, in the order of making.
      tellRecords(
        records
          .map(({ id, fields }) => ({ resource: resource.name, identifier: id, record: fields }))
          .toReversed(),
      ),
  },
};

const keeping: Readonly<Record<string, Verb>> = {
  snapshot: {
    positionals: ["NAME"],
    options: [],
    asks: ({ positionals }) => ({ method: "POST", path: "/api/snapshots", body: { name: positionals[0] } }),
    tells: (answer: ToldSnapshot) => `"${answer.name}" is what was there at ${answer.now}\n`,
  },
  snapshots: {
    positionals: [],
    options: [],
    asks: () => ({ method: "GET", path: "/api/snapshots" }),
    tells: ({ snapshots }: { snapshots: readonly ToldSnapshot[] }) =>
      snapshots.length === 0
        ? "No snapshots.\n"
        : columns(snapshots.map(({ name, now, bytes }) => [name, now, `${Math.ceil(bytes / 1024)} KiB`])),
  },
  restore: {
    positionals: ["NAME"],
    options: [],
    asks: ({ positionals }) => ({ method: "POST", path: `/api/snapshots/${inPath(positionals[0])}/restore` }),
    tells: (answer: ToldSpace) => tellSpace(answer),
  },
  forget: {
    positionals: ["NAME"],
    options: [],
    asks: ({ positionals }) => ({ method: "DELETE", path: `/api/snapshots/${inPath(positionals[0])}` }),
    tells: ({ removed }: { removed: string }) => `"${removed}" is forgotten\n`,
  },
};

const clock: Verb = {
  positionals: [],
  options: ["advance", "now", "stop", "run"],
  asks(given) {
    const { stop, run } = given.values;
    if (stop && run) throw new WrongUsage("The clock either stands still (--stop) or goes on (--run).");
    const body = {
      advance: textOf(given, "advance"),
      now: textOf(given, "now"),
      stopped: stop ? true : run ? false : undefined,
    };
    const isMoved = Object.values(body).some((value) => value !== undefined);
    return isMoved ? { method: "POST", path: "/api/clock", body } : { method: "GET", path: "/api/clock" };
  },
  tells: (answer: ToldClock) => `${tellClock(answer)}\n`,
};

const looking: Readonly<Record<string, Verb>> = {
  events: {
    positionals: [],
    options: ["after", "type", "limit"],
    asks: (given) => ({
      method: "GET",
      path: "/api/events",
      query: { after: textOf(given, "after"), type: textOf(given, "type"), limit: textOf(given, "limit") },
    }),
    tells: ({ events }: { events: readonly ToldEvent[] }) =>
      events.length === 0
        ? "No events.\n"
        : columns(
            events.map((event) => [
              String(event.sequence),
              event.time,
              event.type,
              event.resource,
              event.subject,
            ]),
          ),
  },
  requests: {
    positionals: [],
    options: ["limit"],
    asks: (given) => ({ method: "GET", path: "/api/requests", query: { limit: textOf(given, "limit") } }),
    tells: ({ requests }: { requests: readonly ToldRequest[] }) =>
      requests.length === 0
        ? "No requests.\n"
        : columns(
            requests
              .toReversed()
              .map(({ time, method, path, status, id }) => [time, String(status), method, path, id ?? ""]),
          ),
  },
};

const receiver = ["resource", "receiver"] as const;
const deliveryFilter = ["id", "event", "state", ...receiver] as const;

/** The options of these names as a body or a query. */
const textsOf = (given: Given, names: readonly string[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(names.map((name) => [name, textOf(given, name)]));

const sending: Readonly<Record<string, Verb>> = {
  deliveries: {
    positionals: [],
    options: [...deliveryFilter, "limit"],
    asks: (given) => ({
      method: "GET",
      path: "/api/deliveries",
      query: textsOf(given, [...deliveryFilter, "limit"]),
    }),
    tells: (answer: { paused: boolean; deliveries: readonly ToldDelivery[] }) =>
      `${answer.deliveries.length === 0 ? "No deliveries.\n" : columns(answer.deliveries.map(deliveryRow))}${tellPaused(answer)}`,
  },
  pause: {
    positionals: [],
    options: receiver,
    asks: (given) => ({ method: "POST", path: "/api/deliveries/pause", body: textsOf(given, receiver) }),
    tells: () => "paused\n",
  },
  resume: {
    positionals: [],
    options: receiver,
    asks: (given) => ({ method: "POST", path: "/api/deliveries/resume", body: textsOf(given, receiver) }),
    tells: (answer: { paused: boolean }) => `resumed\n${tellPaused(answer)}`,
  },
  redeliver: {
    positionals: [],
    options: [...deliveryFilter, "from", "until"],
    asks: (given) => ({
      method: "POST",
      path: "/api/deliveries/redeliver",
      body: textsOf(given, [...deliveryFilter, "from", "until"]),
    }),
    tells: ({ redelivered }: { redelivered: number }) => `${redelivered} sent again\n`,
  },
  enable: {
    positionals: [],
    options: receiver,
    asks: (given) => ({ method: "POST", path: "/api/deliveries/enable", body: textsOf(given, receiver) }),
    tells: ({ enabled }: { enabled: string }) => `${enabled} gets deliveries again\n`,
  },
};

const spaces: Readonly<Record<string, Verb>> = {
  spaces: {
    positionals: [],
    options: [],
    asks: () => ({ method: "GET", path: "/api/spaces", isOfOneSpace: false }),
    tells: (answer: { spaces: readonly { space: string; clock: ToldClock }[] }) =>
      columns(answer.spaces.map((one) => [one.space, tellClock(one.clock)])),
  },
  remove: {
    positionals: ["[NAME]"],
    options: ["all"],
    asks({ positionals, values }) {
      const [name] = positionals;
      if ((name === undefined) === (values["all"] !== true))
        throw new WrongUsage("Either the NAME of a data space, or --all of them but the default one.");
      return {
        method: "DELETE",
        path: name === undefined ? "/api/spaces" : `/api/spaces/${inPath(name)}`,
        isOfOneSpace: false,
      };
    },
    tells: ({ removed }: { removed: readonly string[] }) =>
      removed.length === 0 ? "There was none.\n" : `Taken away: ${removed.join(", ")}\n`,
  },
};

export const verbs: Readonly<Record<string, Verb>> = {
  ...filling,
  ...keeping,
  clock,
  ...looking,
  ...sending,
  ...spaces,
};

interface ToldSnapshot {
  readonly name: string;
  readonly now: string;
  readonly bytes: number;
}

interface ToldEvent {
  readonly sequence: number;
  readonly time: string;
  readonly type: string;
  readonly resource: string;
  readonly subject: string;
}

function deliveryRow(delivery: ToldDelivery): readonly string[] {
  const { state, attempts, resource, receiver, event, status, error, due } = delivery;
  return [
    state,
    event.type,
    event.id,
    `${resource} ${receiver ?? "(gone)"}`,
    `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`,
    due === null ? "" : `due ${due}`,
    error ?? (status === null ? "" : String(status)),
  ];
}

function tellPaused({ paused }: { readonly paused: boolean }): string {
  return paused ? "All deliveries are paused.\n" : "";
}

interface ToldDelivery {
  readonly state: string;
  readonly attempts: number;
  readonly resource: string;
  readonly receiver: string | null;
  readonly event: { readonly id: string; readonly type: string };
  readonly due: string | null;
  readonly status: number | null;
  readonly error: string | null;
}

interface ToldRequest {
  readonly id: string | null;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}
