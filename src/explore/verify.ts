/** Verifies a service against its document: walks through it and collects what differs, each with its shortest story. */
import type { HandlerModule } from "../engine/handler-module.ts";
import type { Endpoint, Model } from "../model/model.ts";
import { machine } from "../support/machine.ts";
import type { Aspect } from "./cases.ts";
import type { Difference } from "./compare-responses.ts";
import type { GivenStep, Implementation } from "./implementation.ts";
import { Lockstep, type Played } from "./lockstep.ts";
import { replayOf, shortenStory } from "./shorten.ts";
import { endpointName, Walk, type WalkedStep } from "./walk.ts";
import type { WebhookInbox } from "./webhooks.ts";

export interface VerifyOptions {
  readonly model: Model;
  readonly service: Implementation;
  readonly given: readonly GivenStep[];
  readonly handlers?: HandlerModule | undefined;
  readonly seed: number;
  /** Requests to the service at most, apart from those that shorten a story. */
  readonly requestsMax: number;
  readonly timeMsMax: number;
  readonly faultsMax: number;
  readonly isWanted?: (endpoint: Endpoint) => boolean;
  /** Where webhooks of the service are observed. */
  readonly inbox?: WebhookInbox | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly requests: number; readonly faults: number }) => void;
}

/** Where the service differs from the document. */
export interface VerifiedFault {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  readonly caseName: string;
  readonly line: number;
  readonly differences: readonly Difference[];
  /** The shortest story; the last step shows the difference. */
  readonly steps: readonly Played[];
  readonly isRepeatable: boolean;
}

/** One row of the report: an endpoint and a family of cases. */
export interface VerifiedAspect {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  readonly requests: number;
  /** Gaps that requests met. */
  readonly gaps: readonly string[];
}

export interface Verification {
  readonly seed: number;
  readonly requests: number;
  readonly stories: number;
  readonly cases: { readonly all: number; readonly sent: number };
  readonly aspects: readonly VerifiedAspect[];
  readonly faults: readonly VerifiedFault[];
  /** Where webhooks were expected, and whether any arrived; undefined if none were observed. */
  readonly webhooks: { readonly url: string; readonly isReached: boolean } | undefined;
}

interface Tally {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  requests: number;
  readonly gaps: Set<string>;
}

type Tallies = Map<string, Tally>;

/** The number of the story that fills pages. */
const fillingStory = 8;

export async function verify(options: VerifyOptions): Promise<Verification> {
  const { model, service, given, handlers, seed, inbox } = options;
  const lockstep = await Lockstep.open(model, service, { given, handlers }, inbox);
  const walk = new Walk({
    model,
    given,
    seed,
    receiverUrl: inbox?.url,
    ...(options.isWanted ? { isWanted: options.isWanted } : {}),
  });
  const found = new Map<string, VerifiedFault>();
  const tallies: Tallies = new Map();
  const endsAtMs = machine.elapsed() + options.timeMsMax;
  let sent = 0;
  let stories = 0;
  const isFinished = () =>
    sent >= options.requestsMax ||
    machine.elapsed() > endsAtMs ||
    found.size >= options.faultsMax ||
    options.signal?.aborted === true;
  try {
    while (!isFinished()) {
      stories += 1;
      const before = sent;
      const story: WalkedStep[] = [];
      // Pages are filled once, when the stories so far have shown who may create records.
      const isFilling = stories === fillingStory;
      const steps = isFilling ? walk.fillingStory(lockstep) : walk.story(lockstep);
      for await (const walked of steps) {
        sent += 1;
        story.push(walked);
        tally(tallies, walked);
        options.onProgress?.({ requests: lockstep.requests, faults: found.size });
        const isNew = walked.differences.length > 0 && !found.has(faultKey(walked));
        if (isNew) {
          const replay = replayOf(lockstep, walked.differences, () => walk.newRun());
          const { steps, isRepeatable } = await shortenStory(story, replay);
          found.set(faultKey(walked), faultOf(walked, steps, isRepeatable));
        }
        if (isNew || isFinished()) break;
      }
      if (sent === before && stories !== fillingStory) break;
    }
  } finally {
    await lockstep.close();
  }
  return {
    seed,
    requests: lockstep.requests,
    stories,
    cases: walk.coverage(),
    aspects: [...tallies.values()].map((row) => ({ ...row, gaps: [...row.gaps] })),
    faults: [...found.values()],
    webhooks: inbox && { url: inbox.url, isReached: inbox.isReached },
  };
}

function tally(tallies: Tallies, { endpoint, aspect, gap, webhooks }: WalkedStep): void {
  if (webhooks > 0) countRequest(tallies, endpoint, "webhooks");
  if (aspect === "webhooks") return;
  const row = countRequest(tallies, endpoint, aspect);
  if (gap !== undefined) row.gaps.add(gap);
}

function countRequest(tallies: Tallies, endpoint: Endpoint, aspect: Aspect): Tally {
  const key = `${endpointName(endpoint)} ${aspect}`;
  const row = tallies.get(key) ?? { endpoint, aspect, requests: 0, gaps: new Set<string>() };
  row.requests += 1;
  tallies.set(key, row);
  return row;
}

/** Differences of one kind are one fault, whatever else the requests had. */
function faultKey({ endpoint, aspect, differences }: WalkedStep): string {
  const [first] = differences;
  const what = first?.what.replaceAll(/\[\d+\]/g, "[]") ?? "";
  const detail = first?.what === "status" ? `${first.expected} ${first.actual.slice(0, 3)}` : "";
  return `${endpointName(endpoint)} ${aspect} ${what} ${detail}`;
}

function faultOf(walked: WalkedStep, steps: readonly Played[], isRepeatable: boolean): VerifiedFault {
  const { endpoint, aspect, caseName, position } = walked;
  return {
    endpoint,
    aspect,
    caseName,
    line: (position ?? endpoint.position).start.line,
    differences: (isRepeatable ? steps.at(-1) : walked)?.differences ?? walked.differences,
    steps,
    isRepeatable,
  };
}
