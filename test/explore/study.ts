/**
 * Study of `verify`: wrong implementations, each a served document with one rule broken, and which
 * of them are found. Most missed ones change no response within a story.
 *
 *   npm run verify-study -- [--each N] [--requests N] [--seed N] [--only TEXT] [FILE …]
 */
import { parseArgs } from "node:util";
import { createDraw } from "../../src/explore/draw.ts";
import { createReference } from "../../src/explore/implementation.ts";
import { type Mutation, mutationsOf } from "../../src/explore/mutations.ts";
import { verify } from "../../src/explore/verify.ts";
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
];

export interface Outcome {
  readonly mutation: Mutation;
  /** The position of the difference; undefined if none was found. */
  readonly found: string | undefined;
}

export interface StudyOptions {
  readonly each: number;
  readonly requests: number;
  readonly seed: number;
}

/** Verifies one wrong implementation. */
export async function study(
  { model, given, handlers }: Subject,
  mutation: Mutation,
  { requests, seed }: StudyOptions,
): Promise<Outcome> {
  const service = await createReference(mutation.apply(), { given, handlers });
  try {
    const { faults } = await verify({
      model,
      service,
      given,
      handlers,
      seed,
      requestsMax: requests,
      timeMsMax: 120_000,
      faultsMax: 1,
      replaysMax: 1,
    });
    const [fault] = faults;
    return {
      mutation,
      found: fault && `${fault.endpoint.method} ${fault.endpoint.path.text} ${fault.caseName}`,
    };
  } finally {
    await service.close();
  }
}

/** A random sample, determined by the seed. */
export function sampleOf(mutations: readonly Mutation[], { each, seed }: StudyOptions): readonly Mutation[] {
  const draw = createDraw(seed);
  const left = [...mutations];
  const sample: Mutation[] = [];
  while (left.length > 0 && sample.length < each) sample.push(...left.splice(draw.below(left.length), 1));
  return sample;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      each: { type: "string", default: "35" },
      requests: { type: "string", default: "3000" },
      seed: { type: "string", default: "1" },
      only: { type: "string", default: "" },
    },
    allowPositionals: true,
  });
  const options = { each: Number(values.each), requests: Number(values.requests), seed: Number(values.seed) };
  let all = 0;
  let found = 0;
  for (const file of positionals.length > 0 ? positionals : documents) {
    const subject = await subjectOf(file);
    const started = performance.now();
    const outcomes: Outcome[] = [];
    const observable = mutationsOf(subject.model).filter(
      ({ hiddenBy, name }) => hiddenBy === undefined && name.includes(values.only),
    );
    for (const mutation of sampleOf(observable, options))
      try {
        outcomes.push(await study(subject, mutation, options));
      } catch (error) {
        console.log(`  not servable: ${mutation.name}: ${String(error).slice(0, 100)}`);
      }
    const missed = outcomes.filter((outcome) => outcome.found === undefined);
    all += outcomes.length;
    found += outcomes.length - missed.length;
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`${file}: ${outcomes.length - missed.length} of ${outcomes.length} found, ${seconds} s`);
    for (const { mutation } of missed) console.log(`  missed: line ${mutation.line}: ${mutation.name}`);
  }
  console.log(`${found} of ${all} found`);
}
