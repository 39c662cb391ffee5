/**
 * Comparison of `verify` with checks of single responses that use only the exported OpenAPI file,
 * on wrong implementations. Both judge the same requests, those of `verify`. A report about the
 * document's own response to the same request doesn't count.
 *
 *   npm run compared-study -- [--faults N] [--requests N] [--seed N] [FILE]
 */
import { parseArgs } from "node:util";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { Lockstep } from "../../src/explore/walk/lockstep.ts";
import type { PlayedStep } from "../../src/explore/stories/played-step.ts";
import { mutationsOf } from "../../src/explore/mutations/mutations.ts";
import { Walk } from "../../src/explore/walk/walk.ts";
import type { Model } from "../../src/model/model.ts";
import type { ReceivedResponse, SentRequest } from "../../src/verify/scenario-failure.ts";
import type { Judge } from "../exports/openapi-judge.ts";
import { versionsOf } from "../exports/versions-of.ts";
import { sampleOf } from "./study.ts";
import { type Subject, subjectOf } from "./subjects.ts";

interface Exchange {
  readonly request: SentRequest;
  readonly response: ReceivedResponse;
}

/** Maximum number of preceding requests that a check considers. */
const storySteps = 40;

/** Published checks of Schemathesis, as its documentation describes them. */
type Check = (exchange: Exchange, judge: Judge, before: readonly Exchange[]) => readonly string[];

const isSuccess = ({ response }: Exchange): boolean => response.status < 300;
const pathOf = ({ request }: Exchange): string => request.target.split("?")[0] ?? "";

const checks: Readonly<Record<string, Check>> = {
  "status, media type, headers and schema of the response": ({ request, response }, judge) =>
    judge.response(request, response),
  "no server error": ({ response }) => (response.status >= 500 ? [String(response.status)] : []),
  "invalid requests are rejected": (exchange, judge) =>
    isSuccess(exchange) && judge.find(exchange.request) ? judge.request(exchange.request) : [],
  "valid requests are accepted": ({ request, response }, judge) =>
    [400, 405, 415, 422].includes(response.status) && judge.request(request).length === 0
      ? [String(response.status)]
      : [],
  "authentication is not ignored": (exchange, judge) => {
    const { operation } = judge.find(exchange.request) ?? {};
    const hasCredential = exchange.request.headers.some(
      ([name, value]) => /authorization|x-key/i.test(name) && !value.includes("wrong"),
    );
    return operation?.security?.length && !hasCredential && isSuccess(exchange) ? ["accepted"] : [];
  },
  "what was deleted is not found": (exchange, _, before) =>
    exchange.request.method === "GET" &&
    isSuccess(exchange) &&
    before.some(
      (earlier) =>
        earlier.request.method === "DELETE" && isSuccess(earlier) && pathOf(earlier) === pathOf(exchange),
    )
      ? ["found"]
      : [],
};

/** The judge by the file of the version that a request names. */
function judgeOf(model: Model): Judge {
  const versions = versionsOf(model);
  const judgeFor = (request: SentRequest): Judge => {
    const [judge] = versions.of(request);
    if (!judge) throw new Error("every request has a version");
    return judge;
  };
  return {
    find: (request) => judgeFor(request).find(request),
    request: (request) => judgeFor(request).request(request),
    response: (request, response) => judgeFor(request).response(request, response),
  };
}

/** The checks that report an observed response, but not the document's own one. */
function reportingChecks(steps: readonly PlayedStep[], judge: Judge): ReadonlySet<string> {
  const exchanges = (side: "expected" | "observed"): readonly Exchange[] =>
    steps.flatMap(({ request, [side]: response }) => (response ? [{ request, response }] : []));
  const [right, actual] = [exchanges("expected"), exchanges("observed")];
  const found = new Set<string>();
  for (const [at, exchange] of actual.entries())
    for (const [name, check] of Object.entries(checks)) {
      const own = right[at];
      if (found.has(name) || !own) continue;
      const isReported = check(exchange, judge, actual.slice(Math.max(0, at - storySteps), at)).length > 0;
      if (isReported && check(own, judge, right.slice(Math.max(0, at - storySteps), at)).length === 0)
        found.add(name);
    }
  return found;
}

/** Runs stories with a wrong implementation, beyond the first difference. */
export async function stepsWith(
  { model, given, handlers }: Subject,
  served: Model,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): Promise<readonly PlayedStep[]> {
  const service = await createReference(served, { given, handlers });
  const lockstep = await Lockstep.open(model, service, { given, handlers });
  const walk = new Walk({ model, given, seed });
  const steps: PlayedStep[] = [];
  try {
    while (steps.length < requests) {
      const before = steps.length;
      for await (const step of walk.story(lockstep)) if (steps.push(step) >= requests) break;
      if (steps.length === before) break;
    }
  } finally {
    await lockstep.close();
    await service.close();
  }
  return steps;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      faults: { type: "string", default: "60" },
      requests: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
    },
    allowPositionals: true,
  });
  const [file = "examples/parcel-desk.md"] = positionals;
  const options = { requests: Number(values.requests), seed: Number(values.seed) };
  const subject = await subjectOf(file);
  const judge = judgeOf(subject.model);
  const observable = mutationsOf(subject.model).filter(({ hiddenBy }) => hiddenBy === undefined);
  const totals = new Map<string, number>([
    ["faults", 0],
    ["verify", 0],
    ["any of the checks", 0],
  ]);
  const count = (name: string) => totals.set(name, (totals.get(name) ?? 0) + 1);
  for (const mutation of sampleOf(observable, { ...options, each: Number(values.faults) })) {
    const steps = await stepsWith(subject, mutation.apply(), options);
    const isFound = steps.some(({ differences }) => differences.length > 0);
    const by = reportingChecks(steps, judge);
    count("faults");
    if (isFound) count("verify");
    if (by.size > 0) count("any of the checks");
    for (const name of by) count(name);
    console.log(
      `${isFound ? "✓" : "✗"} ${by.size > 0 ? "✓" : "✗"} line ${mutation.line}: ${mutation.name}: ${[...by].join("; ")}`,
    );
  }
  for (const [name, number] of totals) console.log(`${number} ${name}`);
}
