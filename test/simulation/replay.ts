/**
 * Replay: repeats concurrent requests one after another, in memory and in a separate process. All
 * due work runs before each. In some order, all responses and the stored state must be the same.
 */
import { pieceReads } from "../../src/expressions/analysis/reads.ts";
import type { StoreSnapshot } from "../../src/store/store.ts";
import type { HttpRequest } from "./requests.ts";
import type { Played } from "./documents.ts";
import { type Held, textOf } from "./expected-state.ts";
import { type Answer, World } from "./world.ts";

export interface Retold {
  readonly played: Played;
  readonly seed: number;
  readonly snapshot: StoreSnapshot;
  readonly nowMs: number;
  readonly requests: readonly {
    readonly request: HttpRequest;
    readonly name: string;
    readonly answer: Answer | undefined;
  }[];
  readonly held: Held;
}

/** The maximum number of orders to try: five requests have 120. */
const ordersMax = 24;

/** The difference in every order; null if some order gives the same results. */
export async function retold({
  played,
  seed,
  snapshot,
  nowMs,
  requests,
  held,
}: Retold): Promise<string | null> {
  // A response that is held, streamed, or rejected because of concurrent requests depends on more
  // than the stored state.
  const inProgress = played.model.errors.rows.find(({ when }) =>
    when.some(({ condition }) => condition === "idempotency in progress"),
  );
  const dependsOnOthers = ({ status, body }: Answer) =>
    status === 429 || (status === inProgress?.status && body.includes(inProgress.code ?? ""));
  // Only the original process knows how many requests it has received.
  const readsLimits = (piece: unknown) => pieceReads(piece, { name: "limits" });
  const ofShapes = readsLimits(played.model.shapes);
  if (requests.some(({ request }) => ofShapes || readsLimits(played.model.endpoints[request.endpoint])))
    return null;
  // If deliveries are records, sending changes responses, and a replay sends nothing.
  if (played.model.resources.some(({ name }) => name === "Delivery")) return null;
  if (requests.some(({ answer }) => !answer || answer.isStream || dependsOnOthers(answer))) return null;
  let first: string | null = null;
  let tried = 0;
  for (const order of ordersOf(requests.map((_, at) => at))) {
    if (tried === ordersMax) return null;
    tried += 1;
    const world = new World({ played, seed, begins: snapshot, nowMs });
    await world.open();
    try {
      const wrong = await reportIn(world, order, requests, held);
      if (wrong === null) return null;
      first ??= wrong;
    } finally {
      await world.close();
    }
  }
  return first;
}

async function reportIn(
  world: World,
  order: readonly number[],
  requests: Retold["requests"],
  held: Held,
): Promise<string | null> {
  for (const at of order) {
    const { request, name, answer } = requests[at] as Retold["requests"][number];
    const { timers } = world.service.internals;
    await timers.runAllDue();
    const again = await world.request(request, name);
    await world.quiet();
    const difference = differenceOfAnswers(answer as Answer, again);
    if (difference) return `${request.method} ${request.target} ${request.body ?? ""}: ${difference}`;
  }
  const there = await world.held();
  return differenceOfRecords(held, there);
}

function differenceOfAnswers(answer: Answer, other: Answer): string | null {
  if (answer.status !== other.status)
    return `${answer.status} ${answer.body.slice(0, 300)}, and alone ${other.status} ${other.body.slice(0, 300)}`;
  const [a, b] = [bare(answer.body), bare(other.body)];
  return isSameButForNames(a, b) ? null : `${a.slice(0, 600)}, and alone ${b.slice(0, 600)}`;
}

/** Texts drawn during due work may differ in a replay. They must map one to one. */
function isSameButForNames(left: string, right: string): boolean {
  if (left === right) return true;
  const drawn = /[A-Za-z0-9]{2,}(?:[-_][A-Za-z0-9]+)*\d[A-Za-z0-9-]*/g;
  if (left.replace(drawn, "") !== right.replace(drawn, "")) return false;
  const [a, b] = [left.match(drawn) ?? [], right.match(drawn) ?? []];
  const to = new Map<string, string>();
  const from = new Map<string, string>();
  return a.every((text, at) => {
    const also = b[at] as string;
    if (text.length < 12 && text !== also) return false;
    const isKnown = (to.get(text) ?? also) === also && (from.get(also) ?? text) === text;
    to.set(text, also);
    from.set(also, text);
    return isKnown;
  });
}

/** Encrypted cursors, signed tokens and salted passwords differ each time. */
function bare(text: string): string {
  return text.replace(/\$argon2id\$[^"]*/g, "hashed").replace(/[\w-]{40,}={0,2}/g, "sealed");
}

/** Events of timed transitions have random identifiers, and deliveries proceed differently. */
function differenceOfRecords(left: Held, right: Held): string | null {
  const texts = (held: Held) =>
    [...held.records]
      .filter(([key]) => !key.startsWith("Delivery "))
      .map(([key, record]) => `${key} ${bare(textOf(record))}`)
      .sort();
  const [a, b] = [texts(left), texts(right)];
  const at = a.findIndex((text, index) => !isSameButForNames(text, b[index] ?? ""));
  if (at >= 0) return `${a[at]}, and alone ${b[at]}`;
  return a.length < b.length ? `alone there is ${b[a.length]} as well` : null;
}

/** All permutations, the given order first. */
function* ordersOf(numbers: readonly number[]): Generator<readonly number[]> {
  if (numbers.length <= 1) yield numbers;
  for (const [at, number] of numbers.entries())
    for (const rest of ordersOf(numbers.toSpliced(at, 1))) if (numbers.length > 1) yield [number, ...rest];
}
