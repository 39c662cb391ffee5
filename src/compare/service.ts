/** Compares what applies to the whole service: authentication, events and limits. */
import type {
  Applies,
  Authentication,
  EventRow,
  EventsPart,
  LimitsPart,
  Model,
  PageLimit,
  RateLimit,
  Scheme,
} from "../model/model.ts";
import type { Position } from "../source/source.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import { hasReceivers } from "./audiences.ts";
import type { Differences } from "./difference.ts";
import { allOf, changeOf, renamedSchemes, sameMeaning } from "./meaning.ts";

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
  none: "elsewhere",
  schemes: "elsewhere",
  gap: { rule: "access-changed", what: "states more, or less, about authentication" },
  caller: "same",
};

export function compareAuthentication(before: Model, after: Model, differences: Differences): void {
  const [was, now] = [before.authentication, after.authentication];
  const piece: Piece = { subject: "part 5", position: now.schemes[0]?.position ?? start };
  compareAspects(was, now, authentication, piece, differences);
  // The comparison of operations reports which of them need a credential.
  if (!was.none && now.none)
    report(differences, piece, "access-widened", "no longer requires credentials, and there is no caller");
  const renamed = renamedSchemes(before, after);
  const schemes = was.schemes.map((old) => renamed.get(old.name) ?? old);
  compareNamed(schemes, now.schemes, {
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
  webhooks: "elsewhere",
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
  compareWebhooks(was.webhooks, now.webhooks, piece, differences);
  const subject = ({ name, position: at }: EventRow): Piece => ({
    subject: `event ${name}`,
    position: at,
    operations: [name],
    areReceivers: true,
  });
  compareNamed(was.events, now.events, {
    both: (old, current) => {
      if (hasReceivers(old, before))
        compareAspects(old, current, eventAspects, subject(current), differences);
      else if (current.to !== undefined && hasReceivers(current, after))
        report(differences, subject(current), "event-added", "is delivered now");
    },
    gone: (old) => {
      if (hasReceivers(old, before))
        report(differences, subject(old), "event-removed", "no longer exists", undefined, {
          place: { in: "old", position: old.position },
        });
    },
    added: (current) => {
      if (hasReceivers(current, after)) report(differences, subject(current), "event-added", "is new");
    },
  });
  for (const header of was.headers) {
    const current = now.headers.find(({ name }) => name.toLowerCase() === header.name.toLowerCase());
    if (!current)
      report(differences, piece, "webhook-header-removed", `no longer sends \`${header.name}\``, undefined, {
        place: { in: "old", position: header.position },
      });
    else if (!sameMeaning(header.value, current.value)) {
      const isSignature = [header, current].some(({ value }) => JSON.stringify(value).includes('"hmac"'));
      if (isSignature)
        report(
          differences,
          piece,
          "webhook-signature-changed",
          `signs deliveries differently in \`${header.name}\``,
          current.position,
        );
      else report(differences, piece, "event-changed", `sends another \`${header.name}\``, current.position);
    }
  }
  for (const header of now.headers)
    if (!was.headers.some(({ name }) => name.toLowerCase() === header.name.toLowerCase()))
      report(differences, piece, "event-added", `sends the header \`${header.name}\` now`, header.position);
}

type Webhooks = EventsPart["webhooks"];

/** Compares which webhooks get deliveries. */
function compareWebhooks(was: Webhooks, now: Webhooks, piece: Piece, differences: Differences): void {
  if (!was && now) report(differences, piece, "event-added", "sends deliveries now", now.position);
  if (was && !now)
    report(differences, piece, "event-undelivered", "no longer sends deliveries", undefined, {
      place: { in: "old", position: was.position },
    });
  if (!was || !now) return;
  const address = ({ resource, address: field }: NonNullable<Webhooks>) => ({ resource, field });
  const conditions = ({ when }: NonNullable<Webhooks>) => allOf(when ? [when] : []);
  const change = changeOf(conditions(was), conditions(now));
  if (!sameMeaning(address(was), address(now)))
    report(differences, piece, "event-undelivered", "sends deliveries to other addresses", now.position);
  else if (change === "looser")
    report(differences, piece, "event-trigger-changed", "sends deliveries in more cases", now.position);
  else if (change !== "same")
    report(
      differences,
      piece,
      "event-undelivered",
      `sends deliveries in ${change === "stricter" ? "fewer" : "other"} cases`,
      now.position,
    );
}

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

const limits: Aspects<LimitsPart> = {
  rates: "elsewhere",
  concurrency: "elsewhere",
  bodyBytes: "elsewhere",
  urlBytes: "elsewhere",
  headerBytes: "elsewhere",
  timeoutsMs: "elsewhere",
  pages: "elsewhere",
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
  comparePages(was.pages, now.pages, differences);
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

function comparePages(
  before: readonly PageLimit[],
  after: readonly PageLimit[],
  differences: Differences,
): void {
  const bounds = ({ default: size, maximum, over }: PageLimit) => ({ size, maximum, over });
  const words = (page: PageLimit) =>
    `default ${page.default ?? "not shown"}, maximum ${page.maximum ?? "not shown"}, ${page.over}`;
  const named = (page: PageLimit) => ({ name: wordsOfApplies(page.applies), position: page.position, page });
  const pieceOf = ({ name, page: { applies, position } }: ReturnType<typeof named>): Piece => ({
    subject: `page of ${name}`,
    position,
    ...(typeof applies.to === "string" ? {} : { operations: name.split(", ") }),
  });
  compareNamed(before.map(named), after.map(named), {
    both: (old, current) => {
      if (!sameMeaning(bounds(old.page), bounds(current.page)))
        report(
          differences,
          pieceOf(current),
          "page-size-changed",
          `is ${words(current.page)} now, ${words(old.page)} before`,
        );
    },
    gone: (old) =>
      report(differences, pieceOf(old), "page-size-changed", "is no longer stated", undefined, {
        place: { in: "old", position: old.position },
      }),
    added: (current) =>
      report(differences, pieceOf(current), "page-size-changed", `is ${words(current.page)} now`),
  });
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
