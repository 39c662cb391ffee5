/**
 * A document with records and requests, checked for what must be true of every document. It starts
 * wherever `check` accepts it, all servers respond alike, and nothing ends in a fault. Responses
 * match the exported OpenAPI file, and what is stored keeps the document's own rules.
 */
import type { Model } from "../../src/model/model.ts";
import type { RecordValue } from "../../src/expressions/value.ts";
import { mustNotBeNull } from "../../src/engine/records/record-rules.ts";
import { createDraw, seedOf } from "../simulation/draw.ts";
import { always, allFields, references, uniques } from "../simulation/invariants/records.ts";
import type { Realm } from "../tenancy/worlds.ts";
import { versionsOf } from "../exports/versions-of.ts";
import { createRequester } from "./requests.ts";
import { compiled, drawDocument } from "./document.ts";
import { type Answered, type RequestedValue, type Kind, World } from "./worlds.ts";

export interface Case {
  readonly text: string;
  readonly givens: readonly string[];
  readonly requests: readonly RequestedValue[];
}

export interface Failure {
  /** The violated invariant. A shrunk case must still violate it. */
  readonly invariant: string;
  readonly words: string;
}

export interface Outcome {
  readonly case: Case;
  readonly failures: readonly Failure[];
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * The document of a seed, with requests drawn while it runs in memory; undefined if the seed gives
 * no valid document.
 */
export async function drawnCase(
  seed: number,
  requests: number,
  kinds: readonly Kind[],
): Promise<Outcome | undefined> {
  const drawn = drawDocument(seed);
  if (!drawn) return undefined;
  const { text, model } = drawn;
  const first = await started(model, "SQLite");
  if ("invariant" in first)
    return { case: { text, givens: [], requests: [] }, failures: [first], statuses: {} };
  const sentRequests: RequestedValue[] = [];
  let played: Played;
  let givens: readonly string[] = [];
  try {
    const realms = await first.seed();
    givens = realms.givens;
    played = await playDrawn(first, seed, requests, realms, sentRequests);
  } finally {
    await first.close();
  }
  const made: Case = { text, givens, requests: sentRequests };
  return judged(model, made, played, kinds);
}

/** Runs a recorded case. */
export async function runCase(made: Case, kinds: readonly Kind[]): Promise<Outcome | undefined> {
  const model = compiled(made.text);
  if (!model) return undefined;
  const world = await started(model, "SQLite");
  if ("invariant" in world) return { case: made, failures: [world], statuses: {} };
  const played = await play(world, made);
  return judged(model, made, played, kinds);
}

interface Played {
  readonly answers: readonly Answered[];
  readonly wrong: readonly Failure[];
  /** The whole stored state at the end, as text. */
  readonly stored: string;
}

async function started(model: Model, kind: Kind): Promise<World | Failure> {
  try {
    return await World.open(model, kind);
  } catch (error) {
    return { invariant: `starts on ${kind}`, words: `${(error as Error).stack}` };
  }
}

async function playDrawn(
  world: World,
  seed: number,
  requests: number,
  realms: { readonly a: Realm; readonly b: Realm },
  sentRequests: RequestedValue[],
): Promise<Played> {
  const requester = createRequester(world, createDraw(seedOf(seed, "requests")), realms);
  const answers: Answered[] = [];
  for (let number = 0; number < requests; number += 1) {
    const requested = await requester.next(number);
    if (!requested) break;
    sentRequests.push(requested);
    const answer = await world.send(requested);
    answers.push(answer);
    requester.note(requested, answer);
  }
  return { answers, ...(await looked(world)) };
}

async function play(world: World, { givens, requests: sentRequests }: Case): Promise<Played> {
  try {
    const wrong = (await world.give(givens)).map((words) => ({
      invariant: `the same records on ${world.kind}`,
      words,
    }));
    const answers: Answered[] = [];
    for (const requested of sentRequests) answers.push(await world.send(requested));
    const { wrong: more, stored } = await looked(world);
    return { answers, wrong: [...wrong, ...more], stored };
  } finally {
    await world.close();
  }
}

async function looked(
  world: World,
): Promise<{ readonly wrong: readonly Failure[]; readonly stored: string }> {
  const after = await world.held();
  // A rule that reads the caller or the time applied only to the request that stored the record.
  const resources = world.model.resources.map((resource) => ({
    ...resource,
    always: resource.always.filter(({ text }) => !/\b(caller|now)\b/.test(text)),
  }));
  const kept = { played: { model: { ...world.model, resources } }, world, after };
  const wrong = [...(await always(kept)), ...uniques(kept), ...references(kept), ...allFields(kept)];
  return {
    wrong: wrong.map((words) => ({ invariant: `stored by its own rules: ${ruleOf(words)}`, words })),
    stored: storedText(world.model, after),
  };
}

/** The message without the names and values of the case. */
function ruleOf(words: string): string {
  return words
    .replaceAll(/[A-Z]\w+\.\w+|[0-9]+|: .*$|(?<=is ).*(?=, which)|(?<=to ).*(?=, and)/g, "")
    .slice(0, 60);
}

/** Hashes have a random salt that no test controls. */
function storedText(
  model: Model,
  {
    records,
    events,
  }: { readonly records: ReadonlyMap<string, RecordValue>; readonly events: readonly unknown[] },
): string {
  const secret = new Set(
    model.resources.flatMap(({ name, fields }) =>
      fields.filter(({ type }) => type.kind === "password").map((field) => `${name}.${field.name}`),
    ),
  );
  // Row numbers differ between databases: PostgreSQL doesn't reuse the numbers of writes that it
  // rolled back.
  const places = new Map<string, number>();
  const inOrder = [...records].toSorted(
    ([, record], [, otherRecord]) => record["#row"] - otherRecord["#row"],
  );
  const lines = inOrder.map(([key, record]) => {
    const [resource = ""] = key.split(" ");
    const place = (places.get(resource) ?? 0) + 1;
    places.set(resource, place);
    const pairs = Object.entries(record)
      .filter(([name]) => name !== "#row" && !secret.has(`${resource}.${name}`))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `${resource} ${place} ${JSON.stringify(pairs)}`;
  });
  return [...lines.toSorted(), ...events.map(eventText).toSorted()].join("\n");
}

/**
 * Timed transitions of unrelated records fire in any order, and draw random numbers in that order.
 */
function eventText(event: unknown): string {
  return JSON.stringify(event).replaceAll(/evt_[0-9a-f]+|"(sequence|row)":[0-9]+/g, "");
}

async function judged(model: Model, made: Case, first: Played, kinds: readonly Kind[]): Promise<Outcome> {
  const failures: Failure[] = [...first.wrong];
  const statuses: Record<string, number> = {};
  for (const { status } of first.answers) statuses[status] = (statuses[status] ?? 0) + 1;
  failures.push(...faultsOf(made, first, "SQLite"));
  failures.push(...againstExport(model, made, first));
  for (const kind of kinds) {
    if (kind === "SQLite") continue;
    const world = await started(model, kind);
    if ("invariant" in world) {
      failures.push(world);
      continue;
    }
    const other = await play(world, made);
    failures.push(...other.wrong, ...faultsOf(made, other, kind), ...differences(made, first, other, kind));
  }
  return { case: made, failures, statuses };
}

/** Violations of the document's own rules, which part 2 answers as internal errors. */
const brokenByDocument =
  /an invariant of .* would be broken|is required, but nothing set it|BrokenRule|the default of |starts itself in an endless loop|"error":"(duplicate|in use|illegal transition|guard failed|quota exceeded|unknown reference|invalid field)/;

function faultsOf({ requests: sentRequests }: Case, { answers }: Played, kind: Kind): readonly Failure[] {
  return answers.flatMap(({ status, body, log }, at) => {
    const isOwn = brokenByDocument.test(log) && !log.includes(mustNotBeNull);
    const isFault = status >= 500 && status !== 501 && !(status === 500 && isOwn);
    const isMistake = status === 501 && body.includes("mistake");
    if (!isFault && !isMistake && (log === "" || isOwn)) return [];
    return [
      {
        invariant: `no faults: ${faultName(log)}`,
        words: `${kind}: ${reported(sentRequests[at])} is answered ${status} ${body.slice(0, 300)}\n${log.slice(0, 3000)}`,
      },
    ];
  });
}

/** The name of the error, without details of the case. */
function faultName(log: string): string {
  return log.replaceAll(/[0-9]+|"[^"]{0,40}"/g, "").slice(0, 90);
}

function againstExport(
  model: Model,
  { requests: sentRequests }: Case,
  { answers }: Played,
): readonly Failure[] {
  const versions = versionsOf(model);
  return sentRequests.flatMap((requested, at) => {
    const answer = answers[at];
    if (!answer || requested.method === "OPTIONS" || answer.body === "in pieces" || answer.status >= 500)
      return [];
    const { status, headers, body } = answer;
    const request = {
      method: requested.method,
      target: requested.target,
      headers: requested.headers.map(([name, value]) => [name, value] as [string, string]),
      ...(requested.body === undefined ? {} : { body: requested.body }),
    };
    const answer_ = versions.of(request).map((judge) => {
      try {
        // A filter may have a value that no record has; the list is then empty.
        const sent =
          status < 400 && !requested.isOdd
            ? judge.request(request).filter((problem) => /^(body|form):/.test(problem))
            : [];
        return [
          ...sent,
          ...judge.response(request, {
            status,
            headers: headers.map(([name, value]) => [name, value] as [string, string]),
            body,
          }),
        ];
      } catch (error) {
        return [`can't be judged: ${String(error)}`];
      }
    });
    const least = answer_.find((problems) => problems.length === 0) ?? answer_[0] ?? [];
    return least.map((problem) => ({
      invariant: `exported as served: ${problem.replaceAll(/[0-9]+|data\/\S+|parameter \S+|header \S+/g, "").slice(0, 50)}`,
      words: `${problem}\n  ${reported(requested)} is answered ${status} ${body.slice(0, 300)}`,
    }));
  });
}

function differences(
  { requests: sentRequests }: Case,
  first: Played,
  other: Played,
  kind: Kind,
): readonly Failure[] {
  for (const [at, answer] of first.answers.entries()) {
    const ours = textOf(answer);
    const theirs = textOf(other.answers[at]);
    if (ours === theirs) continue;
    const statuses = `${answer.status} and ${other.answers[at]?.status}`;
    return [
      {
        invariant: `alike on ${kind}: ${statuses}`,
        words: `${reported(sentRequests[at])}\n  SQLite: ${ours}\n  ${kind}: ${theirs}\n  ${answer.log.slice(0, 600)}\n  ${other.answers[at]?.log.slice(0, 600)}`,
      },
    ];
  }
  if (first.stored === other.stored) return [];
  const [ours, theirs] = [first.stored.split("\n"), other.stored.split("\n")];
  const lines = [
    ...ours.filter((line) => !theirs.includes(line)),
    "--",
    ...theirs.filter((line) => !ours.includes(line)),
  ];
  return [{ invariant: `stored alike on ${kind}`, words: lines.slice(0, 8).join("\n  ") }];
}

/**
 * A cursor encrypts the row number, which may differ between stores. Its first 16 characters are
 * its nonce.
 */
function textOf(answer: Answered | undefined): string {
  const text = answer ? `${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}` : "nothing";
  return text.replaceAll(/\b([\w-]{16})[\w-]{22,}/g, "$1");
}

export function reported(requested: RequestedValue | undefined): string {
  if (!requested) return "";
  const headers = requested.headers.map(([name, value]) => `${name}: ${value}`).join("; ");
  return `${requested.method} ${requested.target} [${headers}] ${requested.body ?? ""}`;
}
