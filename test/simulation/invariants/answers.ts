/**
 * Invariants of responses: statuses of the document, valid JSON, no data of other tenants, and the
 * same response for the same idempotency key.
 */
import { mustNotBeNull } from "../../../src/engine/records/record-rules.ts";
import type { RecordValue } from "../../../src/expressions/value.ts";
import type { Endpoint, Model } from "../../../src/model/model.ts";
import { conditions, defaultAnswer } from "../../../src/model/errors/conditions.ts";
import type { Answered, Invariant, Moment } from "../moment.ts";
import type { Answer } from "../world.ts";
import { keyOf } from "../expected-state.ts";

/** Statuses that the engine sends before it runs an endpoint, or if the document states none. */
const always = [304, 400, 404, 405, 408, 413, 414, 431, 501, 503];

const allowedOf = new WeakMap<Endpoint, ReadonlySet<number>>();

function allowed(model: Model, endpoint: Endpoint): ReadonlySet<number> {
  const known = allowedOf.get(endpoint);
  if (known) return known;
  const rows = model.errors.rows.flatMap(({ status }) => status ?? []);
  const defaults = conditions.map((condition) => defaultAnswer(condition).status);
  const returned = endpoint.returns.flatMap((response) => ("status" in response ? [response.status] : []));
  // 204: a stream that is finished for good. 200: the default status of an operation.
  const all = new Set([...always, 200, 204, ...rows, ...defaults, ...returned]);
  all.delete(500);
  allowedOf.set(endpoint, all);
  return all;
}

/** Violations of the document's own rules, which part 2 answers as internal errors. */
const brokenByDocument =
  /an invariant of .* would be broken|is required, but nothing set it|BrokenRule|must |may /;

export const answeredByDocument: Invariant = ({ played, answers, complaints }) => {
  const wrong: string[] = [];
  for (const { request: sendRequest, answer } of answers) {
    const endpoint = played.model.endpoints[sendRequest.endpoint] as Endpoint;
    const what = `${sendRequest.method} ${sendRequest.target} ${sendRequest.body ?? ""} is answered ${answer.status} ${answer.body.slice(0, 300)}`;
    if (!allowed(played.model, endpoint).has(answer.status)) {
      const isInvariant = complaints.some(
        ({ reported }) => brokenByDocument.test(reported) && !reported.includes(mustNotBeNull),
      );
      if (answer.status !== 500 || !isInvariant)
        wrong.push(`${what} ${complaints.map((complaint) => complaint.reported.slice(0, 500)).join(" ")}`);
    }
    const type = answer.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
    if (answer.body !== "" && type.includes("json") && !isJson(answer.body)) wrong.push(`${what}: no JSON`);
  }
  return wrong;
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** No fault is logged, not even outside of requests. */
export const noFaults: Invariant = ({ complaints }) =>
  complaints
    .filter(({ reported }) =>
      /Fault|TypeError|RangeError|ReferenceError|SqliteError|SQLITE|ERR_/.test(reported),
    )
    .filter(({ reported }) => !brokenByDocument.test(reported))
    .map(({ message, reported }) => `${message}: ${reported.slice(0, 600)}`);

/** `If-Match`: a change that names a revision is not applied to a later one. */
export const ifMatch: Invariant = ({ played, answers, before }) => {
  const wrong: string[] = [];
  for (const { request: sendRequest, answer } of answers) {
    const tag = sendRequest.headers.find(([name]) => name === "If-Match")?.[1];
    const record =
      sendRequest.about && before.records.get(keyOf(sendRequest.about.resource, sendRequest.about.row));
    const revision = Number(/^"(\d+)/.exec(tag ?? "")?.[1]);
    if (played.model.endpoints[sendRequest.endpoint]?.preconditions?.ifMatch === "none") continue;
    if (!record || Number.isNaN(revision) || answer.status >= 300) continue;
    if (revision < record["#revision"])
      wrong.push(
        `${sendRequest.method} ${sendRequest.target} with ${tag} is answered ${answer.status}: it is ${record["#revision"]} already`,
      );
  }
  return wrong;
};

// ── Tenants ─────────────────────────────────────────────────────────────────────────────────────

/** Long enough to belong to no other record. */
const markMin = 7;

/** No response contains a text that only records hidden from its caller have. */
export const tenants: Invariant = async (moment) => {
  const { played, world, answers } = moment;
  const wrong: string[] = [];
  for (const who of ["a", "b"] as const) {
    const mine = answers.filter(
      ({ request: sendRequest, answer }) => sendRequest.who === who && answer.body !== "",
    );
    if (mine.length === 0 || !played.model.resources.some(({ visible }) => visible)) continue;
    const hidden = await hiddenTexts(moment, who);
    for (const { request: sendRequest, answer } of mine) {
      const sent = `${decodeURIComponent(sendRequest.target.replace(/%(?![0-9a-f]{2})/gi, "%25"))} ${sendRequest.body ?? ""}`;
      for (const [text, of] of hidden)
        if (answer.body.includes(text) && !sent.includes(text))
          wrong.push(
            `${who} receives ${of} (${text}) by ${sendRequest.method} ${sendRequest.target}: ${answer.body.slice(0, 400)}`,
          );
    }
  }
  return wrong;

  async function hiddenTexts(
    { before, after }: Moment,
    who: "a" | "b",
  ): Promise<ReadonlyMap<string, string>> {
    const caller = callerOf(moment, who);
    const hidden = new Map<string, string>();
    if (!caller) return hidden;
    const seen: string[] = [];
    const unseen: (readonly [of: string, record: RecordValue])[] = [];
    for (const { name, visible, identifier, gap } of played.model.resources) {
      if (identifier.kind === "none" || gap) continue;
      const records = await world.recordsOf(name, visible, world.frame(caller));
      const rows = new Set(records.map((record) => record["#row"]));
      for (const held of [before, after])
        for (const [key, record] of held.records) {
          if (!key.startsWith(`${name} `)) continue;
          // A record that was deleted since may have been visible before.
          const isSeen =
            rows.has(record["#row"]) || (held === before && !after.records.has(keyOf(name, record["#row"])));
          if (isSeen) seen.push(JSON.stringify(record));
          else unseen.push([key, record]);
        }
    }
    const all = seen.join("\n");
    for (const [of, record] of unseen)
      for (const text of textsOf(record)) if (!all.includes(text)) hidden.set(text, of);
    return hidden;
  }
};

/** The texts that callers sent; each begins with the name of the caller. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string")
    return value.length >= markMin && /^(apparent|hidden)\d{2,}/.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function callerOf({ played, after }: Moment, who: "a" | "b"): RecordValue | undefined {
  const [scheme] = played.model.authentication.schemes;
  if (!scheme?.credentials || scheme.caller) return undefined;
  const realm = played.tenants[who];
  const found = realm.records.get(scheme.credentials.resource)?.at(-1)?.record;
  if (!found) return undefined;
  const record = after.records.get(keyOf(scheme.credentials.resource, found["#row"]));
  const { for: field } = scheme.credentials;
  if (!record || field === undefined) return record;
  const resource = played.model.resources.find((resource) => resource.name === scheme.credentials?.resource);
  const type = resource?.fields.find((candidate) => candidate.name === field)?.type;
  if (type?.kind !== "reference") return undefined;
  const target = realm.records.get(type.resource)?.at(-1)?.record;
  return target && after.records.get(keyOf(type.resource, target["#row"]));
}

// ── Idempotency ─────────────────────────────────────────────────────────────────────────────────

export interface KeptKey {
  readonly answered: Answered;
  readonly untilMs: number;
}

/** @param kept the response to each key of each caller; filled as the story goes on */
export function replaysOf(kept: Map<string, KeptKey>): Invariant {
  const used = new Map<string, Set<string>>();
  return ({ played, answers, requested: all, nowMs }) => {
    const wrong: string[] = [];
    for (const sendRequest of all) {
      for (const [, key] of sendRequest.headers.filter(([, value]) => /^key-\d$/.test(value))) {
        const mine = `${sendRequest.who} ${key}`;
        const request = requestOf(played.model, sendRequest);
        used.set(mine, (used.get(mine) ?? new Set()).add(request));
      }
    }
    for (const answered of answers) {
      const { request: sendRequest, answer } = answered;
      const endpoint = played.model.endpoints[sendRequest.endpoint] as Endpoint;
      const { idempotency } = endpoint;
      if (idempotency?.in !== "header") continue;
      const key = sendRequest.headers.find(([name]) => name === idempotency.name)?.[1];
      if (key === undefined) continue;
      const requested = JSON.stringify([
        sendRequest.who,
        key,
        sendRequest.method,
        sendRequest.target,
        sendRequest.headers,
        sendRequest.body,
      ]);
      const before = kept.get(requested);
      const mine = `${sendRequest.who} ${key}`;
      const request = requestOf(played.model, sendRequest);
      const others = [...(used.get(mine) ?? [])].filter((id) => id !== request);
      if (isConflict(played.model, answer) && others.length === 0)
        wrong.push(
          `${sendRequest.who} has never used ${key}, and receives the error that it was sent with another request`,
        );
      const isReplayed = answer.headers.some(([name]) => name.toLowerCase() === "idempotent-replayed");
      const what = `${sendRequest.method} ${sendRequest.target} with key ${key}`;
      if (isReplayed && before && before.answered.answer.body !== answer.body)
        wrong.push(
          `${what} is answered again, and otherwise: ${before.answered.answer.body.slice(0, 300)} then ${answer.body.slice(0, 300)}`,
        );
      if (before && nowMs < before.untilMs && !isReplayed && answer.status < 300 && !known409(answer.status))
        wrong.push(`${what} is done again: ${answer.status} ${answer.body.slice(0, 200)}`);
      const keptMs = idempotency.milliseconds ?? 86_400_000;
      if (answer.status < 300 && !isReplayed) kept.set(requested, { answered, untilMs: nowMs + keptMs });
    }
    return wrong;
  };
}

/** What makes it the same request: in another version it is another one. */
function requestOf({ versioning: { scheme } }: Model, sent: Answered["request"]): string {
  const version = sent.headers.find(([name]) => scheme?.kind === "header" && name === scheme.name)?.[1];
  return `${version ?? ""} ${sent.method} ${sent.target} ${sent.body ?? ""}`;
}

function isConflict({ errors }: Model, { status, body }: Answer): boolean {
  const row = errors.rows.find(({ when }) =>
    when.some(({ condition }) => condition === "idempotency conflict"),
  );
  return row?.code !== undefined && row.status === status && body.includes(`"${row.code}"`);
}

const known409 = (status: number) => status === 409;
