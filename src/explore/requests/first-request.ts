/**
 * First request: a request that needs no record, by a caller of the setup if there is one. It is
 * the first to a service, and the one that provokes rates.
 */
import type { Endpoint, Model } from "../../model/model.ts";
import { anonymous, givenCallers, mayCall } from "../stories/callers.ts";
import { createDraw } from "../stories/draw.ts";
import { drawDraft, requestOf } from "./draw-request.ts";
import { reasonNotDrawn } from "./not-drawn.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import { literalsOf } from "../stories/literals.ts";
import { StoryContext } from "../stories/story-context.ts";
import { requestFrom, runText } from "../stories/story.ts";
import type { SentRequest } from "../../verify/scenario-failure.ts";

export interface FirstRequest {
  readonly request: SentRequest;
  readonly caller: string;
  /** Whether the caller has credentials. */
  readonly isKnown: boolean;
}

/**
 * Undefined if every GET needs a record.
 * @param isMeant selects the endpoints; all by default
 */
export function firstRequest(
  model: Model,
  given: readonly GivenStep[],
  isMeant: (endpoint: Endpoint) => boolean = () => true,
): FirstRequest | undefined {
  const reading = model.endpoints.filter(isMeant);
  const listsFirst = [...reading.filter(isList), ...reading.filter((endpoint) => !isList(endpoint))];
  for (const endpoint of listsFirst) for (const found of requestsOf(model, given, endpoint)) return found;
  return undefined;
}

export interface ListRequest extends FirstRequest {
  readonly endpoint: Endpoint;
}

/** The lists that need no record, each as every caller of the setup that may read it. */
export function listRequests(model: Model, given: readonly GivenStep[]): readonly ListRequest[] {
  return model.endpoints
    .filter(isList)
    .flatMap((endpoint) =>
      [...requestsOf(model, given, endpoint)].map((request) => ({ ...request, endpoint })),
    );
}

function isList({ does }: Endpoint): boolean {
  return does.some(({ kind }) => kind === "list");
}

/** A request of each caller of the setup that may call a GET, or of an anonymous one if none may. */
function* requestsOf(model: Model, given: readonly GivenStep[], endpoint: Endpoint): Generator<FirstRequest> {
  if (endpoint.method !== "GET" || endpoint.gap || reasonNotDrawn(endpoint, model) !== undefined) return;
  if (endpoint.records.some(({ by }) => by)) return;
  const run = runText("aaaa");
  const callers = givenCallers(model, given);
  const context = new StoryContext({
    model,
    draw: createDraw(1),
    literals: literalsOf(model),
    run,
    callers,
    given,
  });
  const allowed = callers.filter((caller) => mayCall(endpoint, caller));
  for (const caller of allowed.length > 0 ? allowed : [anonymous]) {
    const draft = drawDraft(endpoint, caller, context, 0);
    if (!draft) continue;
    const bindings = { run, responses: new Map(), nowMs: () => 0 };
    yield {
      request: requestFrom(requestOf(draft, model), bindings),
      caller: caller.name,
      isKnown: caller !== anonymous,
    };
  }
}
