/**
 * First request: a request that needs no record, by a caller of the setup if there is one. It is
 * the first to a service, and the one that provokes rates.
 */
import type { Endpoint, Model } from "../model/model.ts";
import { anonymous, givenCallers, mayCall } from "./callers.ts";
import { createDraw } from "./draw.ts";
import { drawDraft, requestOf } from "./draw-request.ts";
import { reasonNotDrawn } from "./not-drawn.ts";
import type { GivenStep } from "./implementation.ts";
import { literalsOf } from "./literals.ts";
import { StoryContext } from "./story-context.ts";
import { requestFrom, runText } from "./story.ts";
import type { SentRequest } from "../verify/scenario-failure.ts";

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
  const isList = (endpoint: Endpoint) => endpoint.does.some(({ kind }) => kind === "list");
  const listsFirst = [
    ...model.endpoints.filter(isList),
    ...model.endpoints.filter((endpoint) => !isList(endpoint)),
  ];
  for (const endpoint of listsFirst.filter(isMeant)) {
    if (endpoint.method !== "GET" || endpoint.gap || reasonNotDrawn(endpoint, model) !== undefined) continue;
    if (endpoint.records.some(({ by }) => by)) continue;
    const caller = callers.find((candidate) => mayCall(endpoint, candidate)) ?? anonymous;
    const draft = drawDraft(endpoint, caller, context, 0);
    if (!draft) continue;
    const bindings = { run, responses: new Map(), nowMs: () => 0 };
    return {
      request: requestFrom(requestOf(draft, model), bindings),
      caller: caller.name,
      isKnown: caller !== anonymous,
    };
  }
  return undefined;
}
