/** Compares what applies to the whole service: authentication, events, errors and limits. */
import type {
  Applies,
  Authentication,
  ErrorRow,
  ErrorsPart,
  EventRow,
  EventsPart,
  LimitsPart,
  Model,
  RateLimit,
  Scheme,
} from "../model/model.ts";
import type { Position } from "../source/source.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import type { Differences } from "./difference.ts";
import { sameMeaning } from "./meaning.ts";

const start: Position = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: 0 } };

// ── Authentication ──────────────────────────────────────────────────────────────────────────────

const scheme = (what: string) => ({ rule: "scheme-changed", what }) as const;

const schemeAspects: Aspects<Scheme> = {
  name: "same",
  position: "same",
  callerType: "same",
  placement: { rule: "credential-moved", what: "is sent in another place or form" },
  credentials: scheme("looks up credentials differently"),
  caller: scheme("identifies another caller"),
  realm: scheme("names another realm"),
  signature: { rule: "credential-moved", what: "is signed differently" },
  signedWith: { rule: "credential-moved", what: "accepts tokens with another signature" },
  signedAt: "same",
  issuer: { rule: "credential-moved", what: "accepts tokens of another issuer" },
  audience: { rule: "credential-moved", what: "accepts tokens for another audience" },
  lifetimeMs: scheme("accepts credentials for another time"),
  endsWith: scheme("revokes tokens with other fields"),
  gap: scheme("states more, or less"),
};

const authentication: Aspects<Authentication> = {
  none: { rule: "access-changed", what: "has callers now, or no longer" },
  schemes: "elsewhere",
  gap: { rule: "access-changed", what: "states more, or less, about authentication" },
  caller: "same",
};

export function compareAuthentication(before: Model, after: Model, differences: Differences): void {
  const [was, now] = [before.authentication, after.authentication];
  const piece: Piece = { subject: "part 5", position: now.schemes[0]?.position ?? start };
  compareAspects(was, now, authentication, piece, differences);
  compareNamed(was.schemes, now.schemes, {
    both: (old, current) =>
      compareAspects(
        old,
        current,
        schemeAspects,
        { subject: `scheme ${current.name}`, position: current.position },
        differences,
      ),
    gone: ({ name, position }) =>
      report(
        differences,
        { subject: `scheme ${name}`, position },
        "scheme-removed",
        "no longer exists",
        undefined,
        {
          place: { in: "old", position },
        },
      ),
    added: ({ name, position }) =>
      report(differences, { subject: `scheme ${name}`, position }, "scheme-added", "is new"),
  });
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────

const eventAspects: Aspects<EventRow> = {
  name: "same",
  position: "same",
  triggers: { rule: "event-trigger-changed", what: "happens in other cases" },
  payload: { rule: "event-changed", what: "has another payload" },
  retries: { rule: "retries-changed", what: "is retried at other times" },
  to: { rule: "event-undelivered", what: "is delivered to others" },
  gap: { rule: "event-changed", what: "states more, or less" },
};

const events = (what: string) => ({ rule: "event-changed", what }) as const;

const eventsAspects: Aspects<EventsPart> = {
  events: "elsewhere",
  webhooks: { rule: "event-undelivered", what: "sends deliveries to other addresses, or of other records" },
  signature: { rule: "webhook-signature-changed", what: "signs deliveries differently" },
  headers: "elsewhere",
  headerMaps: { rule: "webhook-header-removed", what: "sends other headers with deliveries" },
  openDelivery: { rule: "event-undelivered", what: "sends deliveries, or no longer" },
  requests: { rule: "event-undelivered", what: "sends deliveries with another method, or to other URLs" },
  mediaTypes: { rule: "webhook-signature-changed", what: "sends deliveries as other media types" },
  retriesMs: { rule: "retries-changed", what: "retries deliveries at other times" },
  retriesJitter: { rule: "retries-changed", what: "retries deliveries with or without jitter" },
  timeoutMs: { rule: "retries-changed", what: "waits for receivers for another time" },
  deliveriesKeptMs: events("keeps deliveries for another time"),
  deliveriesInOrder: events("delivers in order, or no longer"),
  log: { rule: "resource-changed", what: "keeps its event log differently" },
  notifications: events("sends other notifications"),
};

export function compareEvents(before: Model, after: Model, differences: Differences): void {
  const [was, now] = [before.events, after.events];
  const position = now.webhooks?.position ?? now.events[0]?.position ?? start;
  const piece: Piece = { subject: "part 6", position, areReceivers: true };
  compareAspects(was, now, eventsAspects, piece, differences);
  const subject = ({ name, position: at }: EventRow): Piece => ({
    subject: `event ${name}`,
    position: at,
    areReceivers: true,
  });
  compareNamed(was.events, now.events, {
    both: (old, current) => compareAspects(old, current, eventAspects, subject(current), differences),
    gone: (old) =>
      report(differences, subject(old), "event-removed", "no longer exists", undefined, {
        place: { in: "old", position: old.position },
      }),
    added: (current) => report(differences, subject(current), "event-added", "is new"),
  });
  for (const header of was.headers) {
    const current = now.headers.find(({ name }) => name.toLowerCase() === header.name.toLowerCase());
    if (!current)
      report(differences, piece, "webhook-header-removed", `no longer sends \`${header.name}\``, undefined, {
        place: { in: "old", position: header.position },
      });
    else if (!sameMeaning(header.value, current.value))
      report(differences, piece, "event-changed", `sends another \`${header.name}\``, current.position);
  }
  for (const header of now.headers)
    if (!was.headers.some(({ name }) => name.toLowerCase() === header.name.toLowerCase()))
      report(differences, piece, "event-added", `sends the header \`${header.name}\` now`, header.position);
}

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────

const errors: Aspects<ErrorsPart> = {
  payload: { rule: "error-body-changed", what: "has another error body" },
  empty: { rule: "error-body-changed", what: "gives errors a body, or none" },
  mediaType: { rule: "error-body-changed", what: "sends errors in another media type" },
  headers: { rule: "answer-header-changed", what: "sends other headers with errors" },
  payloadStated: "same",
  rows: "elsewhere",
};

const body = { rule: "error-body-changed", what: "has another body" } as const;

const rowAspects: Aspects<ErrorRow> = {
  code: "same",
  status: { rule: "error-changed", what: "has another status" },
  when: "elsewhere",
  field: { rule: "error-body-changed", what: "names another field" },
  message: { rule: "error-wording-changed", what: "has another message" },
  payload: body,
  payloadAt: "same",
  empty: body,
  mediaType: { rule: "error-body-changed", what: "is sent in another media type" },
  further: body,
  position: "same",
  gaps: { rule: "error-body-changed", what: "states more, or less" },
  unread: "elsewhere",
};

export function compareErrors(before: Model, after: Model, differences: Differences): void {
  const [was, now] = [before.errors, after.errors];
  const piece: Piece = { subject: "part 7", position: now.rows[0]?.position ?? start };
  compareAspects(was, now, errors, piece, differences);
  const keyOf = (row: ErrorRow, conditionOnly = false) =>
    JSON.stringify([
      conditionOnly ? null : (row.code ?? null),
      row.when.map(({ condition, of }) => ({ condition, of })),
    ]);
  const old = new Map(was.rows.map((row) => [keyOf(row), row]));
  for (const row of now.rows) {
    const subject = `error ${row.code ?? row.when[0]?.condition ?? row.status ?? ""}`;
    const of: Piece = { subject, position: row.position };
    const before =
      old.get(keyOf(row)) ?? was.rows.find(({ code }) => code !== undefined && code === row.code);
    if (!before) {
      if (!was.rows.some((errorRow) => keyOf(errorRow, true) === keyOf(row, true)))
        report(differences, of, "error-added", "is new");
      continue;
    }
    compareAspects(before, row, rowAspects, of, differences);
    if (!sameMeaning(before.when, row.when)) report(differences, of, "error-changed", "is for other cases");
  }
  for (const row of was.rows) {
    const isKept = now.rows.some(
      (errorRow) => keyOf(errorRow) === keyOf(row) || (row.code !== undefined && errorRow.code === row.code),
    );
    // Under another code, the comparison of operations reports it.
    const isRenamed = now.rows.some((errorRow) => keyOf(errorRow, true) === keyOf(row, true));
    if (!isKept && !isRenamed)
      report(
        differences,
        {
          subject: `error ${row.code ?? row.when[0]?.condition ?? row.status ?? ""}`,
          position: row.position,
        },
        "error-changed",
        "no longer exists: another row covers its condition",
        undefined,
        { place: { in: "old", position: row.position } },
      );
  }
}

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

const limits: Aspects<LimitsPart> = {
  rates: "elsewhere",
  concurrency: "elsewhere",
  bodyBytes: "elsewhere",
  urlBytes: "elsewhere",
  headerBytes: "elsewhere",
  timeoutsMs: "elsewhere",
  pages: { rule: "page-size-changed", what: "has other sizes of pages" },
  stored: "elsewhere",
  rateHeaders: { rule: "answer-header-changed", what: "sends other rate headers" },
  rateHeadersOf: { rule: "answer-header-changed", what: "sends the headers of another rate" },
};

export function compareLimits(before: Model, after: Model, differences: Differences): void {
  const [was, now] = [before.limits, after.limits];
  const piece: Piece = { subject: "part 8", position: now.rates[0]?.position ?? start };
  compareAspects(was, now, limits, piece, differences);
  const bounded = <T extends Bound & { readonly position: Position }>(
    what: string,
    before: readonly T[],
    after: readonly T[],
    keyOf: (row: T) => string,
    boundOf: (row: T) => number,
  ): void => {
    const named = (row: T): Bounded<T> => ({ name: keyOf(row), position: row.position, row });
    const pieceOf = ({ name, position }: Bounded<T>): Piece => ({
      subject: name === "" ? what : `${what} ${name}`,
      position,
    });
    compareNamed(before.map(named), after.map(named), {
      both: (old, current) => {
        const of = pieceOf(current);
        const [value, next] = [boundOf(old.row), boundOf(current.row)];
        const words = `is ${wordsOfBound(current.row)} now, ${wordsOfBound(old.row)} before`;
        const isLower = next === value ? burstOf(current.row) < burstOf(old.row) : next < value;
        const isHigher = next === value ? burstOf(current.row) > burstOf(old.row) : next > value;
        if (isLower) report(differences, of, "limit-lowered", words);
        else if (isHigher) report(differences, of, "limit-raised", words);
        const rest = (limit: T) => ({ ...limit, ...unmeasured });
        if (!sameMeaning(rest(old.row), rest(current.row)))
          report(differences, of, "limit-changed", "counts differently, or counts other requests");
      },
      gone: (old) =>
        report(differences, pieceOf(old), "limit-raised", "no longer exists", undefined, {
          place: { in: "old", position: old.position },
        }),
      added: (current) => report(differences, pieceOf(current), "limit-lowered", "is new"),
    });
  };
  const applies = (row: { readonly applies: Applies }) => wordsOfApplies(row.applies);
  bounded(
    "rate",
    was.rates,
    now.rates,
    ({ name }) => name,
    ({ count, periodMs }: RateLimit) => count / periodMs,
  );
  bounded(
    "concurrency",
    was.concurrency,
    now.concurrency,
    ({ name }) => name,
    ({ count }) => count,
  );
  bounded("body size of", was.bodyBytes, now.bodyBytes, applies, ({ bytes }) => bytes);
  bounded("time-out of", was.timeoutsMs, now.timeoutsMs, applies, ({ milliseconds }) => milliseconds);
  bounded(
    "stored",
    was.stored,
    now.stored,
    ({ name }) => name,
    ({ count }) => count,
  );
  for (const [what, old, current] of [
    ["URL size", was.urlBytes, now.urlBytes],
    ["header size", was.headerBytes, now.headerBytes],
  ] as const) {
    const [value, next] = [old ?? Number.POSITIVE_INFINITY, current ?? Number.POSITIVE_INFINITY];
    if (value === next) continue;
    report(
      differences,
      { ...piece, subject: what },
      next < value ? "limit-lowered" : "limit-raised",
      `is ${current ?? "no longer limited"} now`,
    );
  }
}

interface Bounded<T> {
  readonly name: string;
  readonly position: Position;
  readonly row: T;
}

/** The operations in words: `every request`, `POST /hooks, GET /hooks`. */
function wordsOfApplies({ to }: Applies): string {
  return typeof to === "string" ? to : to.map(({ method, path }) => `${method} ${path}`).join(", ");
}

/** Members of a limit that its value consists of. */
const unmeasured = {
  count: undefined,
  periodMs: undefined,
  bytes: undefined,
  milliseconds: undefined,
  burst: undefined,
};

/** The bound of a limit, if it has one. */
interface Bound {
  readonly count?: number;
  readonly periodMs?: number;
  readonly burst?: number;
  readonly bytes?: number;
  readonly milliseconds?: number;
}

function burstOf({ burst, count }: Bound): number {
  return burst ?? count ?? 0;
}

/** The bound in words: `20 per 1 s, burst 40`, `65536 bytes`. */
function wordsOfBound({ count, periodMs, burst, bytes, milliseconds }: Bound): string {
  if (bytes !== undefined) return `${bytes} bytes`;
  if (milliseconds !== undefined) return `${milliseconds / 1000} s`;
  const each = periodMs === undefined ? "" : ` per ${periodMs / 1000} s`;
  return `${count}${each}${burst === undefined ? "" : `, burst ${burst}`}`;
}

function compareNamed<T extends { readonly name: string }>(
  before: readonly T[],
  after: readonly T[],
  on: {
    readonly both: (old: T, current: T) => void;
    readonly gone: (old: T) => void;
    readonly added: (current: T) => void;
  },
): void {
  for (const current of after) {
    const old = before.find(({ name }) => name === current.name);
    if (old) on.both(old, current);
    else on.added(current);
  }
  for (const old of before) if (!after.some(({ name }) => name === old.name)) on.gone(old);
}
