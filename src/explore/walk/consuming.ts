/**
 * Consuming endpoints: each success uses up a record, and no endpoint makes another one. If the
 * first stories send them, later ones meet no record in its first state.
 */
import { mayCreate } from "../../model/endpoints/does.ts";
import type { Effect, Endpoint, Model } from "../../model/model.ts";

function consumingEndpoints(model: Model): ReadonlySet<Endpoint> {
  const made = madeResources(model);
  return new Set(
    model.endpoints.filter(({ does, resource, inputs }) =>
      does.some((operation) => {
        const isLasting = operation.kind === "transition" || operation.kind === "delete";
        // An update without inputs assigns the same values each time.
        const isFixed = operation.kind === "update" && inputs.every(({ sets }) => sets === undefined);
        const own = "resource" in operation ? operation.resource : resource;
        return (isLasting || isFixed) && own !== undefined && !made.has(own);
      }),
    ),
  );
}

/** The resources whose records an endpoint or an effect makes. */
function madeResources({ endpoints, resources }: Model): ReadonlySet<string> {
  const ofTransitions = resources.flatMap(({ states }) =>
    (states?.transitions ?? []).flatMap(({ ends }) => ends.flatMap(({ effects }) => effects)),
  );
  const ofEndpoints = endpoints.flatMap(({ effects, set }): readonly Effect[] => [...effects, ...set]);
  return new Set(
    [
      ...endpoints.flatMap(({ does, resource }) =>
        does.flatMap((operation) =>
          mayCreate(operation)
            ? [("resource" in operation ? operation.resource : undefined) ?? resource]
            : [],
        ),
      ),
      ...[...ofTransitions, ...ofEndpoints].flatMap((effect) =>
        effect.kind === "create" ? [effect.resource] : [],
      ),
    ].filter((name) => name !== undefined),
  );
}

/**
 * The last of the stories without consuming requests. The first story has them, because a short run
 * has no other. The number is fixed, so that a longer run begins with the same requests.
 */
const sparingStories = 7;

/** Endpoints that get no requests for a time: consuming ones at first, and those that hold responses. */
export class SkippedEndpoints {
  readonly #consuming: ReadonlySet<Endpoint>;
  readonly #holding = new Set<Endpoint>();
  readonly #isSparing: boolean;
  #stories = 0;

  /** @param isSparing whether some stories send no consuming requests, because all share the records */
  constructor(model: Model, isSparing: boolean) {
    this.#consuming = consumingEndpoints(model);
    this.#isSparing = isSparing;
  }

  startStory(): void {
    this.#stories += 1;
  }

  /** Notes that an endpoint held a response for long on a clock that can't be moved. */
  noteHeld(endpoint: Endpoint): void {
    this.#holding.add(endpoint);
  }

  has(endpoint: Endpoint): boolean {
    const isSparing = this.#isSparing && this.#stories > 1 && this.#stories <= sparingStories;
    return this.#holding.has(endpoint) || (isSparing && this.#consuming.has(endpoint));
  }
}
