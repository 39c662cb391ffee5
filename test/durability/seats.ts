/**
 * Seat booking under load: 200 buyers at once for the 50 seats of a show, over sockets, against `ninefold serve
 * examples/seat-booking.md`. Buyers hold some seats, sometimes with two requests at once, like a double click; then
 * they order, release the seats, or leave.
 *
 * The run counts seats sold twice, sums that don't match their parts, and refusals that aren't the document's own;
 * all must be 0.
 *
 *   node test/durability/seats.ts [rounds, 100 by default]
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { compile } from "../../src/compile.ts";
import { randomFrom } from "../agreement/expression-texts.ts";
import { serveProcess } from "../clients/serve-command.ts";
import { seed } from "../fixed-seed.ts";

const document = join(import.meta.dirname, "..", "..", "examples", "seat-booking.md");
const buyers = 200;
const rows = 5;
const seatsOfRow = 10;
const seats = rows * seatsOfRow;
const price = 2500;
/** The fee for each seat, as in the document. */
const fee = 150;

export interface Counts {
  rounds: number;
  requests: number;
  held: number;
  ordered: number;
  seatsSold: number;
  givenBack: number;
  /** The number of rejections by the document's error code. */
  readonly refused: Record<string, number>;
  soldTwice: number;
  wrongSums: number;
  foreignRefusals: number;
  faults: number;
}

interface Order {
  readonly id: string;
  readonly seats: readonly string[];
}

interface Run {
  readonly port: number;
  readonly agent: Agent;
  readonly counts: Counts;
  /** The statuses of each code in part 7. */
  readonly codes: ReadonlyMap<string, ReadonlySet<number>>;
}

export async function seatRounds(
  rounds: number,
  onRound: (counts: Counts) => void = () => {},
): Promise<Counts> {
  const service = await serveProcess("examples/seat-booking.md", people());
  const agent = new Agent({ keepAlive: true, maxSockets: buyers });
  const counts: Counts = {
    rounds: 0,
    requests: 0,
    held: 0,
    ordered: 0,
    seatsSold: 0,
    givenBack: 0,
    refused: {},
    soldTwice: 0,
    wrongSums: 0,
    foreignRefusals: 0,
    faults: 0,
  };
  const run: Run = { port: service.port, agent, counts, codes: codesOfDocument() };
  try {
    for (let round = 0; round < rounds; round += 1) {
      await oneRound(run, round);
      counts.rounds += 1;
      onRound(counts);
    }
  } finally {
    agent.destroy();
    await service.close();
  }
  return counts;
}

function codesOfDocument(): Run["codes"] {
  const { model } = compile(readFileSync(document, "utf8"), { file: "seat-booking.md" });
  const codes = new Map<string, Set<number>>();
  for (const { code, status } of model?.errors.rows ?? [])
    if (code !== undefined && status !== undefined)
      codes.set(code, (codes.get(code) ?? new Set()).add(status));
  return codes;
}

function people(): readonly string[] {
  const buyer = (at: number) =>
    `Account with name = "Buyer ${at}", email = "b${at}@test.example", key = "sk_${at}"`;
  const admin = 'Account with name = "Admin", role = "admin", key = "sk_admin"';
  return [admin, ...Array.from({ length: buyers }, (_, at) => buyer(at))];
}

async function oneRound(run: Run, round: number): Promise<void> {
  const show = await newShow(run, round);
  const orders: Order[] = [];
  await Promise.all(Array.from({ length: buyers }, (_, at) => buyer(run, show, at, round, orders)));
  await compareSums(run, show, orders);
}

async function newShow(run: Run, round: number): Promise<string> {
  const all = Array.from({ length: seats }, (_, at) => ({
    section: "A",
    row: String(1 + Math.floor(at / seatsOfRow)),
    number: 1 + (at % seatsOfRow),
  }));
  const venue = await must(run, "POST", "/venues", 201, { name: `Hall ${round}`, seats: all });
  const show = await must(run, "POST", `/venues/${venue["id"]}/shows`, 201, {
    title: `Show ${round}`,
    starts_at: "2999-01-01T20:00:00Z",
    prices: [{ section: "A", amount: price }],
  });
  await must(run, "POST", `/shows/${show["id"]}/open`, 200);
  return String(show["id"]);
}

/**
 * Tries three times to hold up to four seats, and orders, releases or abandons those that it got.
 */
async function buyer(run: Run, show: string, at: number, round: number, orders: Order[]): Promise<void> {
  const random = randomFrom(seed + round * buyers + at);
  const key = `sk_${at}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const wanted = new Set(Array.from({ length: 1 + Math.floor(random() * 4) }, () => label(random)));
    const hold = () => sendRequest(run, "POST", `/shows/${show}/holds`, key, { seats: [...wanted] });
    const answers = await Promise.all(random() < 0.2 ? [hold(), hold()] : [hold()]);
    for (const { status, body } of answers) {
      if (status !== 201) continue;
      run.counts.held += 1;
      await dealWith(run, String(body["id"]), key, random(), orders);
    }
  }
}

function label(random: () => number): string {
  const seat = Math.floor(random() * seats);
  return `A-${1 + Math.floor(seat / seatsOfRow)}-${1 + (seat % seatsOfRow)}`;
}

async function dealWith(run: Run, hold: string, key: string, chance: number, orders: Order[]): Promise<void> {
  if (chance < 0.1) return;
  if (chance < 0.3) {
    const { status } = await sendRequest(run, "DELETE", `/holds/${hold}`, key);
    if (status === 204) run.counts.givenBack += 1;
    return;
  }
  const order = () =>
    sendRequest(run, "POST", "/orders", key, { hold, payment: { method: "card", reference: "tok" } });
  const answers = await Promise.all(chance < 0.5 ? [order(), order()] : [order()]);
  const made = answers.filter(({ status }) => status === 201);
  // A hold becomes one order, however often it is requested.
  run.counts.soldTwice += Math.max(0, made.length - 1);
  for (const { body } of made) {
    const lines = body["lines"] as readonly { readonly seat: string }[];
    orders.push({ id: String(body["id"]), seats: lines.map((line) => line.seat) });
    run.counts.ordered += 1;
    run.counts.seatsSold += lines.length;
    if (body["total"] !== lines.length * (price + fee)) run.counts.wrongSums += 1;
  }
}

/** The buyers' answers, the places and the report of the show must agree. */
async function compareSums(run: Run, show: string, orders: readonly Order[]): Promise<void> {
  const { counts } = run;
  const sold = orders.flatMap((order) => order.seats);
  counts.soldTwice += sold.length - new Set(sold).size;
  const report = await must(run, "GET", `/shows/${show}/report`, 200);
  const expected = {
    places: seats,
    booked: sold.length,
    orders: orders.length,
    fees: fee * sold.length,
    gross: price * sold.length,
    refunded: 0,
    net: price * sold.length,
  };
  for (const [name, value] of Object.entries(expected)) if (report[name] !== value) counts.wrongSums += 1;
  const { free, held, booked } = report as Record<string, number>;
  if ((free ?? 0) + (held ?? 0) + (booked ?? 0) !== seats) counts.wrongSums += 1;
  const page = await must(run, "GET", `/shows/${show}/places?status=booked&limit=500`, 200);
  const places = (page["data"] as readonly { readonly seat: string }[]).map((place) => place.seat);
  if (places.toSorted().join() !== sold.toSorted().join()) counts.wrongSums += 1;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request as a buyer: every rejection must have a code of part 7 and its status. */
async function sendRequest(
  run: Run,
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await call(run.port, run.agent, method, path, key, body);
  const { counts } = run;
  counts.requests += 1;
  if (answer.status < 400) return answer;
  if (answer.status >= 500) counts.faults += 1;
  const code = String((answer.body["error"] as { code?: unknown } | undefined)?.code);
  if (run.codes.get(code)?.has(answer.status)) counts.refused[code] = (counts.refused[code] ?? 0) + 1;
  else counts.foreignRefusals += 1;
  return answer;
}

/** Sends a request as the admin, which is never rejected. */
async function must(
  run: Run,
  method: string,
  path: string,
  status: number,
  body?: unknown,
): Promise<Answer["body"]> {
  const answer = await call(run.port, run.agent, method, path, "sk_admin", body);
  if (answer.status === status) return answer.body;
  throw new Error(`${method} ${path} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
}

function call(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${key}`,
      "content-length": Buffer.byteLength(text),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const sent = request({ port, agent, method, path, host: "127.0.0.1", headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const json = Buffer.concat(chunks).toString("utf8") || "{}";
        try {
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(json) });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

if (import.meta.main) {
  const counts = await seatRounds(Number(process.argv[2] ?? 100), ({ rounds, requests, soldTwice }) => {
    if (rounds % 10 === 0)
      process.stderr.write(`${rounds} rounds, ${requests} requests, ${soldTwice} sold twice\n`);
  });
  console.log(JSON.stringify(counts, null, 2));
  if (counts.soldTwice + counts.wrongSums + counts.foreignRefusals + counts.faults > 0) process.exitCode = 1;
}
