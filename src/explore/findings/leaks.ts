/**
 * Noninterference: two runs that differ only in a record hidden from a caller must give this caller
 * the same responses. The record is added to the observed run. Every difference in a response to a
 * caller without access reveals the record.
 */
import { callsSequence } from "../../expressions/special-functions.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Model, Resource } from "../../model/model.ts";
import type { KnownCaller } from "../../engine/observability/answered-request.ts";
import type { Difference } from "../comparison/compare-responses.ts";
import {
  createReference,
  type GivenStep,
  type Reference,
  withoutRates,
  type ReferenceOptions,
} from "../comparison/implementation.ts";
import { Lockstep } from "../walk/lockstep.ts";

/** Resources with records that are hidden from some caller. */
export function hidingResources({ resources }: Model): readonly Resource[] {
  return resources.filter(({ visible, gap }) => visible && !gap);
}

/** Two runs of the reference, and an observed run with one additional record. */
export class Interference {
  readonly lockstep: Lockstep;
  readonly #observed: Reference;
  readonly #resource: string;
  /** The row of the added record. */
  readonly #row: number | undefined;

  private constructor(lockstep: Lockstep, observed: Reference, resource: string, row: number | undefined) {
    this.lockstep = lockstep;
    this.#observed = observed;
    this.#resource = resource;
    this.#row = row;
  }

  static async open(
    model: Model,
    secret: GivenStep,
    { given, handlers }: Pick<ReferenceOptions, "given" | "handlers">,
  ): Promise<Interference> {
    const observed = await createReference(withoutRates(model), { given: [...given, secret], handlers });
    const lockstep = await Lockstep.open(model, observed, { given, handlers });
    const row = (await observed.recordsOf(secret.resource)).at(-1)?.["#row"];
    return new Interference(lockstep, observed, secret.resource, row);
  }

  async close(): Promise<void> {
    await this.lockstep.close();
    await this.#observed.close();
  }

  /** Whether the added record is hidden from the caller of the last request. */
  async isHidden(): Promise<boolean> {
    const caller = this.#observed.lastAnswered()?.caller ?? null;
    const { context, newFrame } = this.#observed.service.internals;
    const plan = context.resource(this.#resource);
    const added = await this.#recordOf(this.#resource, this.#row ?? null);
    if (!added) return false;
    const frame = newFrame(this.#observed.nowMs());
    if (caller) {
      const record = await this.#recordOf(caller.resource, caller.row);
      // The caller isn't a record, so its rights can't be evaluated.
      if (!record) return false;
      frame.caller = record;
      frame.credential = (await this.#credentialOf(caller)) ?? null;
    }
    return (await plan.findVisible(context.store.session, frame, plan.identifierOf(added))) === null;
  }

  async #credentialOf({ scheme, credentialRow }: KnownCaller): Promise<RecordValue | undefined> {
    const { schemes } = this.#observed.service.model.authentication;
    const resource = schemes.find(({ name }) => name === scheme)?.credentials?.resource;
    return resource === undefined ? undefined : this.#recordOf(resource, credentialRow);
  }

  async #recordOf(resource: string | null, row: number | null): Promise<RecordValue | undefined> {
    if (resource === null || row === null) return undefined;
    const records = await this.#observed.recordsOf(resource);
    return records.find((record) => record["#row"] === row);
  }
}

/**
 * Omits differences in numbers that the service counts up. They differ after any additional record,
 * and reveal nothing about this one.
 */
export function revealingDifferences(
  model: Model,
  differences: readonly Difference[],
): readonly Difference[] {
  const counted = new Set(
    model.resources.flatMap(({ identifier, fields }) =>
      fields
        .filter(({ name, role }) => role === "identifier" && identifier.kind === "made" && name !== "")
        .map(({ name }) => name),
    ),
  );
  const isNumbered = model.resources.some(
    ({ identifier }) => identifier.kind === "made" && identifier.by && callsSequence(identifier.by.node),
  );
  return differences.filter(({ what, expected, actual }) => {
    const key = /(\w+)$/.exec(what)?.[1];
    if (what === "header etag" || (isNumbered && withoutNumbers(expected) === withoutNumbers(actual)))
      return false;
    return !(what.startsWith("body ") && key !== undefined && counted.has(key));
  });
}

/** A path or URL without the numbers that identify records in it. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/(?<=[a-z_-])\/\d+(?=[/?#"]|$)/gi, "/#");
}
