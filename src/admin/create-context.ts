/** Contexts of the operations address: one over a plain service, and one over a sandbox. */
import { readGivenItems } from "../model/reading/read-given.ts";
import { createGivenRecords } from "../engine/given.ts";
import type { RequestJournal } from "../engine/observability/request-journal.ts";
import { type Spaces, defaultSpace } from "../engine/sandbox/spaces.ts";
import type { Space } from "../engine/sandbox/space.ts";
import type { Service } from "../engine/service.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import { StreamHub } from "./api/stream/hub.ts";
import { OperationRefusal } from "./api/routing/refusal.ts";
import { createDraftBoard } from "./draft.ts";
import { statesOf } from "./states/watched-states.ts";
import type { AdminContext, AdminSpace } from "./context.ts";

/** Facts about the serving process that a service doesn't have. */
export type ServingFacts = Pick<
  AdminContext,
  "document" | "documentFile" | "seed" | "log" | "origin" | "ninefold"
>;

/** The context of a plain service, which is its only space. */
export function adminOfService(
  service: Service,
  requests: RequestJournal,
  served: ServingFacts,
): AdminContext {
  const { model } = service;
  // Starts counting transitions.
  statesOf(service);
  const only: AdminSpace = {
    name: defaultSpace,
    service,
    clock: service.internals.context.ports.clock,
    requests,
    enter: async () => () => {},
    onReplaced: () => () => {},
    fetch: (request) => service.fetch(request),
    readGiven: (file, markdown) => readGivenItems(model, file, markdown, new Map()),
    createGiven: (steps, options) => createGivenRecords(service, steps, options),
  };
  return {
    ...served,
    model,
    hub: new StreamHub(served.log),
    draft: createDraftBoard(),
    async space(name = defaultSpace) {
      if (name === defaultSpace) return only;
      throw new OperationRefusal(
        409,
        "No data spaces",
        `This service is not a sandbox: it has no data space "${name.slice(0, 64)}". Leave out "space", or serve the document with --sandbox.`,
      );
    },
  };
}

/** The context of a sandbox with its data spaces. */
export function adminOfSandbox(spaces: Spaces, served: ServingFacts): AdminContext {
  return {
    ...served,
    model: spaces.options.model,
    spaces,
    hub: new StreamHub(served.log),
    draft: createDraftBoard(),
    space: async (name = defaultSpace) => adminSpaceOf(await spaces.named(name)),
  };
}

/** A data space of a sandbox as a space of the context. */
export const adminSpaceOf = memoizeBy(
  (space: Space): AdminSpace => ({
    name: space.name,
    get service() {
      statesOf(space.service);
      return space.service;
    },
    clock: space.clock,
    sandbox: space,
    enter: () => space.enter(),
    onReplaced: (listener) => space.onReplaced(listener),
    requests: space.requests,
    fetch: (request) => space.fetch(request),
    readGiven: (file, markdown) => space.readGiven(file, markdown),
    createGiven: (steps, options) => space.createGiven(steps, options),
  }),
);
