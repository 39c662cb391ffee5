/**
 * Random documents on SQLite, on PostgreSQL and on two instances of one PostgreSQL, in batches that go on where the last one has stopped:
 *
 *   node test/random/run.ts --seed 1 --count 20000 [--log FILE] [--minutes 30] [--only]
 *
 * Each failure is shrunk and printed once for its invariant. The log has a line for each seed that is done; those are left out next time.
 * `--only` runs the one seed and prints all of it.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { drawnCase, reported } from "./case.ts";
import { dropSchema } from "./one-schema.ts";
import { kindsFor, kindsOf, requestsOf } from "./plan.ts";
import { shrunk } from "./shrink.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    log: { type: "string" },
    minutes: { type: "string", default: "600" },
    only: { type: "boolean", default: false },
    tries: { type: "string", default: "400" },
  },
});

const first = Number(values.seed);
const last = first + (values.only ? 1 : Number(values.count));
const until = performance.now() + Number(values.minutes) * 60_000;
const done = new Set<number>();
const seen = new Set<string>();
if (values.log !== undefined && existsSync(values.log))
  for (const line of readFileSync(values.log, "utf8").split("\n")) {
    const [kind, number, ...invariant] = line.split(" ");
    if (kind === "done") done.add(Number(number));
    if (kind === "broken") seen.add(invariant.join(" "));
  }
const note = (line: string) => values.log !== undefined && appendFileSync(values.log, `${line}\n`);

const statuses: Record<string, number> = {};
let documents = 0;
let requests = 0;
const began = performance.now();
const usage = process.cpuUsage();
for (let seed = first; seed < last && performance.now() < until; seed += 1) {
  if (done.has(seed) && !values.only) continue;
  const kinds = kindsOf(seed);
  const outcome = await drawnCase(seed, requestsOf(seed), kinds).catch((error: unknown) => {
    console.log(`seed ${seed}: ${String((error as Error).stack)}`);
    return undefined;
  });
  if (outcome) {
    documents += 1;
    requests += outcome.case.requests.length;
    for (const [status, count] of Object.entries(outcome.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
    if (values.only) {
      console.log(
        outcome.case.text,
        outcome.case.givens.join("\n"),
        outcome.case.requests.map(reported).join("\n"),
      );
      for (const { invariant, words } of outcome.failures) console.log(`\n${invariant}\n${words}`);
    }
    for (const failure of outcome.failures) {
      if (seen.has(failure.invariant)) continue;
      seen.add(failure.invariant);
      note(`broken ${seed} ${failure.invariant}`);
      console.log(`\n═══ seed ${seed}: ${failure.invariant}\n${failure.words}`);
      if (Number(values.tries) === 0) continue;
      const small = await shrunk(outcome.case, failure, kindsFor(failure.invariant, kinds), {
        triesMax: Number(values.tries),
      });
      console.log(
        `─── shrunk\n${small.case.text.replaceAll(/\n{3,}/g, "\n\n")}\n${small.case.givens.join("\n")}\n${small.case.requests.map(reported).join("\n")}\n─── ${small.failure.words}`,
      );
    }
  }
  note(`done ${seed}`);
}
const { user, system } = process.cpuUsage(usage);
console.log(
  `\n${documents} documents, ${requests} requests; ${Math.round((performance.now() - began) / documents)} ms a document, ${Math.round((user + system) / 1000 / documents)} ms of this process's processor; ${JSON.stringify(statuses)}`,
);
await dropSchema();
process.exit();
