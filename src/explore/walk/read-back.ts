/**
 * Reads after changes: the record in the path of a successful request is read, because the response
 * of the request may not show what changed.
 */
import type { Endpoint } from "../../model/model.ts";
import type { Case } from "../requests/case.ts";
import { type Draft, drawDraft } from "../requests/draw-request.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { Drawn } from "./walked-step.ts";

/** How often the changes of one endpoint are read in this way. */
const readsMax = 6;

export class ReadsBack {
  readonly #valid: readonly Case[];
  /** The number of reads by endpoint. */
  readonly #counts = new Map<Endpoint, number>();

  constructor(valid: readonly Case[]) {
    this.#valid = valid;
  }

  /** The read of the record that a request changed. Undefined if no endpoint reads it. */
  after({ endpoint, parameters, caller }: Draft, context: StoryContext): Drawn | undefined {
    const count = this.#counts.get(endpoint) ?? 0;
    const chosen = count < readsMax ? this.#reading(endpoint) : undefined;
    const draft = chosen && drawDraft(chosen.endpoint, caller, context, 0);
    if (!chosen || !draft) return undefined;
    this.#counts.set(endpoint, count + 1);
    return { chosen, drafts: [{ ...draft, parameters: new Map([...draft.parameters, ...parameters]) }] };
  }

  /** Reads the record of the path, or the one that it belongs to. */
  #reading(changing: Endpoint): Case | undefined {
    const named = parametersOf(changing);
    return this.#valid
      .filter(({ endpoint }) => {
        const own = parametersOf(endpoint);
        const isReading = endpoint.does.some(({ kind }) => kind === "read");
        return isReading && own.length > 0 && own.every((name) => named.includes(name));
      })
      .toSorted((left, right) => parametersOf(right.endpoint).length - parametersOf(left.endpoint).length)[0];
  }
}

/** The records in the path of an endpoint, each with its parameter. */
function parametersOf({ records }: Endpoint): readonly string[] {
  return records.flatMap(({ resource, by }) => (by ? [`${resource} ${by.parameter}`] : []));
}
