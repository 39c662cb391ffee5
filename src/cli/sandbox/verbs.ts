/**
 * The verbs of `ninefold sandbox`: the operations API request of each, and the text of its
 * response.
 */
import type { AboutResponse } from "../../admin/api/about.ts";
import type { StoredRecordResponse } from "../../admin/api/records/record-responses.ts";
import { wholeNumber } from "../arguments.ts";
import { WrongUsage } from "../command.ts";
import { readDocument } from "../read-document.ts";
import type { ClientRequest } from "../operations/client.ts";
import {
  columns,
  describeClock,
  describeRecords,
  describeSpace,
  type ClockResponse,
  type RecordResponse,
  type SpaceResponse,
} from "./describe.ts";

export interface Verb {
  /** The positional arguments, for `readArguments`. */
  readonly positionals: readonly string[];
  /** The names of the verb's own options. */
  readonly options: readonly string[];
  /** @throws WrongUsage | CliError */
  request(given: VerbArguments): ClientRequest | Promise<ClientRequest>;
  // biome-ignore lint/suspicious/noExplicitAny: what the operations API answers
  describe(answer: any): string;
}

export interface VerbArguments {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

const textOf = (given: VerbArguments, name: string): string | undefined => {
  const value = given.values[name];
  return typeof value === "string" ? value : undefined;
};

const inPath = (text: string | undefined) => encodeURIComponent(text ?? "");

const filling: Readonly<Record<string, Verb>> = {
  status: {
    positionals: [],
    options: [],
    request: () => ({ method: "GET", path: "/api" }),
    describe: (answer: SpaceResponse & AboutResponse) =>
      `${answer.document} at ${answer.service}${answer.sandbox ? `, data spaces by ${answer.sandbox.space_header}` : ""}\n${describeSpace(answer)}`,
  },
  reset: {
    positionals: [],
    options: ["without-seed"],
    request: ({ values }) => ({
      method: "POST",
      path: "/api/reset",
      body: { seed: values["without-seed"] !== true },
    }),
    describe: (answer: SpaceResponse) => describeSpace(answer),
  },
  seed: {
    positionals: ["[SEED.md]"],
    options: ["scenario"],
    async request(given) {
      const [file] = given.positionals;
      const scenario = textOf(given, "scenario");
      if (file !== undefined && scenario !== undefined)
        throw new WrongUsage("A seed file and --scenario can't be combined.");
      const markdown = file === undefined ? undefined : await readDocument(file);
      return { method: "POST", path: "/api/seed", body: { markdown, scenario } };
    },
    describe: (answer: { records: readonly RecordResponse[] }) =>
      `${answer.records.length} ${answer.records.length === 1 ? "record" : "records"} created\n`,
  },
  add: {
    positionals: ["RECORD"],
    options: ["events"],
    request: ({ positionals, values }) => ({
      method: "POST",
      path: "/api/records",
      body: { given: positionals[0] as string, events: values["events"] === true },
    }),
    describe: (answer: { records: readonly RecordResponse[] }) => describeRecords(answer.records),
  },
  list: {
    positionals: ["RESOURCE"],
    options: ["limit"],
    request: (given) => ({
      method: "GET",
      path: `/api/records/${encodeURIComponent(given.positionals[0] as string)}`,
      query: { limit: textOf(given, "limit") ?? "100" },
    }),
    describe: ({
      resource,
      records,
    }: {
      resource: { name: string };
      records: readonly StoredRecordResponse[];
    }) =>
      // The newest records, in order of creation.
      describeRecords(
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
    request: ({ positionals }) => ({
      method: "POST",
      path: "/api/snapshots",
      body: { name: positionals[0] },
    }),
    describe: (answer: SnapshotResponse) => `"${answer.name}" has the records of ${answer.now}\n`,
  },
  snapshots: {
    positionals: [],
    options: [],
    request: () => ({ method: "GET", path: "/api/snapshots" }),
    describe: ({ snapshots }: { snapshots: readonly SnapshotResponse[] }) =>
      snapshots.length === 0
        ? "No snapshots.\n"
        : columns(snapshots.map(({ name, now, bytes }) => [name, now, `${Math.ceil(bytes / 1024)} KiB`])),
  },
  restore: {
    positionals: ["NAME"],
    options: [],
    request: ({ positionals }) => ({
      method: "POST",
      path: `/api/snapshots/${inPath(positionals[0])}/restore`,
    }),
    describe: (answer: SpaceResponse) => describeSpace(answer),
  },
  forget: {
    positionals: ["NAME"],
    options: [],
    request: ({ positionals }) => ({ method: "DELETE", path: `/api/snapshots/${inPath(positionals[0])}` }),
    describe: ({ removed }: { removed: string }) => `Deleted the snapshot "${removed}"\n`,
  },
};

const clock: Verb = {
  positionals: [],
  options: ["advance", "now", "stop", "run"],
  request(given) {
    const { stop, run } = given.values;
    if (stop && run) throw new WrongUsage("--stop and --run can't be combined.");
    const body = {
      advance: textOf(given, "advance"),
      now: textOf(given, "now"),
      stopped: stop ? true : run ? false : undefined,
    };
    const isMoved = Object.values(body).some((value) => value !== undefined);
    return isMoved ? { method: "POST", path: "/api/clock", body } : { method: "GET", path: "/api/clock" };
  },
  describe: (answer: ClockResponse) => `${describeClock(answer)}\n`,
};

const looking: Readonly<Record<string, Verb>> = {
  events: {
    positionals: [],
    options: ["after", "type", "limit"],
    request: (given) => ({
      method: "GET",
      path: "/api/events",
      query: { after: textOf(given, "after"), type: textOf(given, "type"), limit: textOf(given, "limit") },
    }),
    describe: ({ events }: { events: readonly EventResponse[] }) =>
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
    request: (given) => ({ method: "GET", path: "/api/requests", query: { limit: textOf(given, "limit") } }),
    describe: ({ requests }: { requests: readonly RequestResponse[] }) =>
      requests.length === 0
        ? "No requests.\n"
        : columns(
            requests
              .toReversed()
              .map(({ time, method, path, status, id, why }) => [
                time,
                String(status),
                method,
                path,
                id ?? "",
                why ?? "",
              ]),
          ),
  },
};

const receiver = ["resource", "receiver"] as const;
const deliveryFilter = ["id", "event", "state", ...receiver] as const;

/** The named options as a body or a query. */
const textsOf = (
  given: VerbArguments,
  names: readonly string[],
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(names.map((name) => [name, textOf(given, name)]));

const sending: Readonly<Record<string, Verb>> = {
  deliveries: {
    positionals: [],
    options: [...deliveryFilter, "limit"],
    request: (given) => ({
      method: "GET",
      path: "/api/deliveries",
      query: textsOf(given, [...deliveryFilter, "limit"]),
    }),
    describe: (answer: { paused: boolean; deliveries: readonly DeliveryResponse[] }) =>
      `${answer.deliveries.length === 0 ? "No deliveries.\n" : columns(answer.deliveries.map(deliveryRow))}${describePaused(answer)}`,
  },
  pause: {
    positionals: [],
    options: receiver,
    request: (given) => ({ method: "POST", path: "/api/deliveries/pause", body: textsOf(given, receiver) }),
    describe: () => "paused\n",
  },
  resume: {
    positionals: [],
    options: receiver,
    request: (given) => ({ method: "POST", path: "/api/deliveries/resume", body: textsOf(given, receiver) }),
    describe: (answer: { paused: boolean }) => `resumed\n${describePaused(answer)}`,
  },
  redeliver: {
    positionals: [],
    options: [...deliveryFilter, "from", "until"],
    request: (given) => ({
      method: "POST",
      path: "/api/deliveries/redeliver",
      body: textsOf(given, [...deliveryFilter, "from", "until"]),
    }),
    describe: ({ redelivered }: { redelivered: number }) => `${redelivered} sent again\n`,
  },
  enable: {
    positionals: [],
    options: receiver,
    request: (given) => ({ method: "POST", path: "/api/deliveries/enable", body: textsOf(given, receiver) }),
    describe: ({ enabled }: { enabled: string }) => `${enabled} gets deliveries again\n`,
  },
};

const faultEffects = [
  "endpoint",
  "caller",
  "webhook",
  "delay",
  "error",
  "connection",
  "deliver",
  "body",
] as const;

const failing: Readonly<Record<string, Verb>> = {
  fault: {
    positionals: [],
    options: [...faultEffects, "status", "times", "skip", "always", "after-work"],
    request(given) {
      const { always, "after-work": isLate } = given.values;
      const times = numberOf(given, "times");
      if (always && times !== undefined) throw new WrongUsage("--always and --times can't be combined.");
      const body = {
        ...textsOf(given, faultEffects),
        status: numberOf(given, "status"),
        skip: numberOf(given, "skip"),
        times: always ? null : times,
        after_work: isLate ? true : undefined,
      };
      return { method: "POST", path: "/api/faults", body };
    },
    describe: (answer: FaultResponse) => columns([faultRow(answer)]),
  },
  faults: {
    positionals: [],
    options: [],
    request: () => ({ method: "GET", path: "/api/faults" }),
    describe: ({ faults }: { faults: readonly FaultResponse[] }) =>
      faults.length === 0 ? "No faults.\n" : columns(faults.map(faultRow)),
  },
  heal: {
    positionals: ["[NUMBER]"],
    options: [],
    request: ({ positionals: [number] }) => ({
      method: "DELETE",
      path: number === undefined ? "/api/faults" : `/api/faults/${inPath(number)}`,
    }),
    describe: () => "healed\n",
  },
};

/** @throws WrongUsage */
function numberOf(given: VerbArguments, name: string): number | undefined {
  const text = textOf(given, name);
  return text === undefined ? undefined : wholeNumber(`--${name}`, text);
}

interface FaultResponse {
  readonly number: number;
  readonly hits: number;
  readonly left: number | null;
  readonly fault: Readonly<Record<string, unknown>>;
}

function faultRow({ number, hits, left, fault }: FaultResponse): readonly string[] {
  const { times: _, skip: __, ...effect } = fault;
  const words = Object.entries(effect).map(([name, value]) =>
    typeof value === "string" ? `${name} ${value}` : `${name} ${JSON.stringify(value)}`,
  );
  return [
    String(number),
    words.join(", "),
    `${hits} hit`,
    left === null ? "until it is healed" : `${left} left`,
  ];
}

const spaces: Readonly<Record<string, Verb>> = {
  spaces: {
    positionals: [],
    options: [],
    request: () => ({ method: "GET", path: "/api/spaces", isOfOneSpace: false }),
    describe: (answer: { spaces: readonly { space: string; clock: ClockResponse }[] }) =>
      columns(answer.spaces.map((space) => [space.space, describeClock(space.clock)])),
  },
  remove: {
    positionals: ["[NAME]"],
    options: ["all"],
    request({ positionals, values }) {
      const [name] = positionals;
      if ((name === undefined) === (values["all"] !== true))
        throw new WrongUsage(
          "Write the NAME of a data space, or --all for every data space except the default.",
        );
      return {
        method: "DELETE",
        path: name === undefined ? "/api/spaces" : `/api/spaces/${inPath(name)}`,
        isOfOneSpace: false,
      };
    },
    describe: ({ removed }: { removed: readonly string[] }) =>
      removed.length === 0 ? "There were no data spaces to remove.\n" : `Removed: ${removed.join(", ")}\n`,
  },
};

export const verbs: Readonly<Record<string, Verb>> = {
  ...filling,
  ...keeping,
  clock,
  ...looking,
  ...sending,
  ...failing,
  ...spaces,
};

interface SnapshotResponse {
  readonly name: string;
  readonly now: string;
  readonly bytes: number;
}

interface EventResponse {
  readonly sequence: number;
  readonly time: string;
  readonly type: string;
  readonly resource: string;
  readonly subject: string;
}

function deliveryRow(delivery: DeliveryResponse): readonly string[] {
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

function describePaused({ paused }: { readonly paused: boolean }): string {
  return paused ? "All deliveries are paused.\n" : "";
}

interface DeliveryResponse {
  readonly state: string;
  readonly attempts: number;
  readonly resource: string;
  readonly receiver: string | null;
  readonly event: { readonly id: string; readonly type: string };
  readonly due: string | null;
  readonly status: number | null;
  readonly error: string | null;
}

interface RequestResponse {
  readonly id: string | null;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly why: string | null;
}
