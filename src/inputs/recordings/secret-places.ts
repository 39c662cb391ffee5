/** The places of a recording's secrets, by request. No value leaves the collector. */
import type { Plain } from "../openapi/description/values.ts";
import { looksGenerated } from "./secrets.ts";

export interface SecretPlace {
  /** `header Authorization`, `query api_key`, `body owner.password`, `response body token` */
  readonly place: string;
  /** Numbers of the first requests that have it. */
  readonly requests: readonly number[];
  /** How many more requests have it. */
  readonly more: number;
}

export interface FoundSecrets {
  /** Number of different values. */
  readonly count: number;
  /** In the order in which they were found. */
  readonly places: readonly SecretPlace[];
  /** How often a secret was found at a place beyond the maximum. */
  readonly elsewhere: number;
}

export const noSecrets: FoundSecrets = { count: 0, places: [], elsewhere: 0 };

/** A recording with the structure of OpenAPI, and what was replaced in it. */
export interface Described {
  readonly description: Plain;
  readonly secrets: FoundSecrets;
}

const placesMax = 200;
const requestsMax = 5;

export class SecretCollector {
  readonly #values = new Set<string>();
  readonly #places = new Map<string, Set<number>>();
  #elsewhere = 0;

  /**
   * @param request the number of the request in its file; undefined for all of them
   * @param value distinguishes secrets, and is only counted
   */
  add(request: number | undefined, place: string, value: string): void {
    this.#values.add(value);
    const requests = this.#places.get(place) ?? new Set();
    if (requests.size > 0 || this.#places.size < placesMax) this.#places.set(place, requests);
    else this.#elsewhere += 1;
    if (request !== undefined) requests.add(request);
  }

  found(): FoundSecrets {
    const places = [...this.#places].map(([place, numbers]) => {
      const requests = [...numbers].slice(0, requestsMax);
      return { place, requests, more: numbers.size - requests.length };
    });
    return { count: this.#values.size, places, elsewhere: this.#elsewhere };
  }
}

/** The path of a member as text. A key that may be a secret itself, or that isn't readable, is omitted. */
export function memberText(path: readonly string[]): string {
  return path
    .map((key) => (/^[\p{L}\p{N}_$@.:[\] -]{1,64}$/u.test(key) && !looksGenerated(key) ? key : "…"))
    .join(".");
}
