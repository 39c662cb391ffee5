/**
 * Study of `verify`: wrong implementations of documents, and which of them are found. The wrong
 * ones are drawn evenly from each family of faults. A right implementation of each document comes
 * first: nothing may be reported of it.
 *
 *   npm run verify-study -- [--each N] [--from N] [--requests N] [--seed N] [--only TEXT]
 *                           [--log FILE] [FILE …]
 *
 * `--each 12 --from 12` continues `--each 12`.
 */
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createOutbound } from "../../src/engine/outbound/outbound.ts";
import { createDraw } from "../../src/explore/stories/draw.ts";
import {
  createReference,
  openLocal,
  type Implementation,
} from "../../src/explore/comparison/implementation.ts";
import { type VerifiedFault, verify } from "../../src/explore/verify.ts";
import { WebhookInbox } from "../../src/explore/comparison/webhooks.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { machine } from "../../src/support/machine.ts";
import { unobservableFaults, type WrongService, wrongServices } from "./faults.ts";
import { type Subject, subjectOf } from "./subjects.ts";

const documents = [
  "examples/parcel-desk.md",
  "examples/helpdesk.md",
  "examples/seat-booking.md",
  "examples/conduit.md",
  "examples/delivery-quotes.md",
  "examples/twins/github.md",
  "examples/twins/stripe.md",
  "examples/twins/openai.md",
  "examples/twins/replicate.md",
  "test/documents/courier.md",
  "test/documents/tenants.md",
  "test/documents/warehouse.md",
  "test/versions/parcel-desk.md",
];

export interface StudyOptions {
  readonly each: number;
  readonly requests: number;
  readonly seed: number;
  /** The time in which a webhook must arrive, in milliseconds. */
  readonly webhookMs?: number;
}

type Service = Pick<WrongService, "needs" | "served" | "over" | "sending">;

const webhookMsByDefault = 1_500;
/** The requests bound a run. On a machine with other work, one takes minutes. */
const timeMsMax = 600_000;

/** Verifies an implementation up to its first fault. */
export async function study(
  subject: Subject,
  wrong: Service,
  { requests, seed, webhookMs = webhookMsByDefault }: Omit<StudyOptions, "each">,
): Promise<VerifiedFault | undefined> {
  const { model, given, handlers } = subject;
  const inbox =
    wrong.needs === "webhooks" ? await WebhookInbox.open({ waitMs: webhookMs, hasClock: true }) : undefined;
  const service = inbox ? await sendingService(subject, wrong) : await quietService(subject, wrong);
  try {
    const { faults, webhooks } = await verify({
      model,
      service,
      given,
      handlers,
      seed,
      inbox,
      hasClock: wrong.needs !== "responses",
      requestsMax: requests,
      timeMsMax,
      faultsMax: 1,
      replaysMax: 1,
    });
    const [fault] = faults;
    if (!fault && webhooks && !webhooks.isReached) console.log("  no webhook arrived");
    return fault;
  } finally {
    await service.close();
    await inbox?.close();
  }
}

async function quietService({ given, handlers }: Subject, wrong: Service): Promise<Implementation> {
  const service = await createReference(wrong.served(), { given, handlers });
  return { ...service, ...wrong.over?.(service) };
}

/** A service that really sends its webhooks. */
async function sendingService({ given, handlers }: Subject, wrong: Service): Promise<Implementation> {
  const outbound = createOutbound({ allowPrivate: true });
  const send: Parameters<NonNullable<WrongService["sending"]>>[0] = (request) => outbound.request(request);
  const target = await createLocalTarget(wrong.served(), { printError() {} }, handlers, {
    startMs: machine.now(),
    webhooksOver: { request: wrong.sending?.(send) ?? send },
  });
  for (const step of given) await target.given(step);
  target.service.deliveries.start();
  return {
    origin: target.origin,
    send: (request) => target.send(request),
    open: (request) => openLocal(target.service, request),
    nowMs: () => target.nowMs(),
    passTime: async (milliseconds) => target.wait(milliseconds),
    close: () => target.close(),
  };
}

/** A random sample, determined by the seed. */
export function sampleOf<T>(
  all: readonly T[],
  { each, seed }: Pick<StudyOptions, "each" | "seed">,
): readonly T[] {
  const draw = createDraw(seed);
  const left = [...all];
  const sample: T[] = [];
  while (left.length > 0 && sample.length < each) sample.push(...left.splice(draw.below(left.length), 1));
  return sample;
}

/** A random order in which each family has its turn. */
function inTurns(all: readonly WrongService[], seed: number): readonly WrongService[] {
  const byKind = Map.groupBy(sampleOf(all, { each: all.length, seed }), ({ kind }) => kind);
  const queues = [...byKind.values()];
  const sample: WrongService[] = [];
  for (let at = 0; sample.length < all.length; at += 1)
    for (const queue of queues) sample.push(...queue.slice(at, at + 1));
  return sample;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      each: { type: "string", default: "35" },
      from: { type: "string", default: "0" },
      requests: { type: "string", default: "3000" },
      seed: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      log: { type: "string" },
    },
    allowPositionals: true,
  });
  const [requests, seed, from] = [Number(values.requests), Number(values.seed), Number(values.from)];
  const counts = new Map<string, { all: number; found: number }>();
  const count = (key: string, isFound: boolean): void => {
    const row = counts.get(key) ?? { all: 0, found: 0 };
    counts.set(key, { all: row.all + 1, found: row.found + (isFound ? 1 : 0) });
  };
  for (const file of positionals.length > 0 ? positionals : documents) {
    const subject = await subjectOf(file);
    const right: Service = { needs: "responses", served: () => subject.model };
    if (from === 0) {
      const started = performance.now();
      const reported = await study(subject, right, { requests, seed });
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${reported ? "✗ REPORTED" : "✓"} ${file} as it is, ${seconds} s`);
      const hidden = Map.groupBy(unobservableFaults(subject.model), ({ hiddenBy }) => hiddenBy);
      for (const [reason, all] of hidden) console.log(`  not observable: ${all.length} by ${reason}`);
      if (reported) console.log(JSON.stringify([reported.caseName, reported.differences]));
    }
    const all = inTurns(wrongServices(subject.model), seed).filter(({ name }) => name.includes(values.only));
    for (const wrong of all.slice(from, from + Number(values.each))) {
      const { kind, name, line } = wrong;
      const started = performance.now();
      let found: string | undefined;
      try {
        const fault = await study(subject, wrong, { requests, seed });
        found = fault && `${fault.endpoint.method} ${fault.endpoint.path.text} ${fault.caseName}`;
      } catch (error) {
        console.log(`  not servable: ${file}:${line}: ${name}: ${String(error).slice(0, 100)}`);
        continue;
      }
      const seconds = (performance.now() - started) / 1000;
      count(kind, found !== undefined);
      count(file, found !== undefined);
      count("all", found !== undefined);
      const text = `${found ? "✓" : "✗ missed"} ${file}:${line}: ${kind}: ${name}${found ? `: ${found}` : ""}, ${seconds.toFixed(1)} s`;
      console.log(text);
      if (values.log !== undefined)
        appendFileSync(values.log, `${JSON.stringify({ file, line, kind, name, found, seconds })}\n`);
    }
  }
  for (const [key, { all, found }] of counts) console.log(`${found} of ${all}: ${key}`);
}
