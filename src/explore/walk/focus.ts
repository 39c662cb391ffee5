/**
 * Focus of stories: each story sends many requests about one resource, so that lists, orders and
 * transitions meet several of its records.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Case } from "../requests/case.ts";

type Records = ReadonlyMap<string, readonly RecordValue[]>;

export class Focus {
  readonly #resources: readonly string[];
  /** Endpoints whose requests made records, by resource. Effects make records of others, too. */
  readonly #makers = new Map<string, Set<Endpoint>>();
  #at = -1;

  constructor(valid: readonly Case[]) {
    this.#resources = [...new Set(valid.flatMap(({ endpoint }) => endpoint.resource ?? []))];
  }

  /** Moves to the next resource, for another story. */
  next(): void {
    this.#at += 1;
  }

  /** The cases about the resource of the story; all if there are none. */
  casesOf(cases: readonly Case[]): readonly Case[] {
    const resource = this.#resources[this.#at % Math.max(1, this.#resources.length)];
    if (resource === undefined) return cases;
    const makers = this.#makers.get(resource);
    const own = cases.filter(({ endpoint }) => endpoint.resource === resource || makers?.has(endpoint));
    return own.length > 0 ? own : cases;
  }

  /** Notes of which resources a request has made records. */
  note(endpoint: Endpoint, before: Records, after: Records): void {
    for (const [resource, records] of after) {
      if (records.length <= (before.get(resource)?.length ?? 0)) continue;
      const makers = this.#makers.get(resource) ?? new Set();
      this.#makers.set(resource, makers.add(endpoint));
    }
  }
}
