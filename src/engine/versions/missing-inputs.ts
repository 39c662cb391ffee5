/** Inputs that are required now and that callers of an older version don't know: what they are told where nothing came of what they sent. */
import type { Endpoint, VersionChange } from "../../model/model.ts";
import { isEndpoint } from "../../model/versions/changes.ts";
import type { VersionView } from "../evaluation/view.ts";
import type { Step } from "./upgrade.ts";
import { valueAt } from "./values-by-path.ts";

/** What its version doesn't know, and nothing was made of what was sent: what it would have been made of is missing, or it itself. */
export function missingSteps(
  endpoint: Endpoint,
  { changes, endpoint: negotiatedEndpoint, unknownDefault }: VersionView,
): Step[] {
  const known = new Set(negotiatedEndpoint(endpoint).inputs.map(({ position }) => position));
  return endpoint.inputs.flatMap(({ in: location, name, position, required, ...input }): Step[] => {
    if (location === "path") return [];
    const isGiven = input.default ?? unknownDefault(endpoint.resource, name);
    if (!required || isGiven || known.has(position)) return [];
    const madeOf = changes.find(
      (change) =>
        change.kind === "removed input" &&
        isEndpoint(change.endpoint, endpoint) &&
        change.as?.input === name.join("."),
    );
    const field =
      madeOf?.kind === "removed input"
        ? nameBefore(changes.slice(changes.indexOf(madeOf)), endpoint, madeOf.input)
        : name.join(".");
    return [
      (upgrading) => {
        const { problems } = upgrading;
        // Nothing is made into a header.
        const isMade = location !== "header" && valueAt(upgrading[location], name) !== undefined;
        if (!isMade && !problems.some((one) => one.field === field))
          problems.push({ condition: "missing field", field, problem: "is required" });
      },
    ];
  });
}

/** What an input is called by callers of the oldest of some versions, which are told from the newest on. */
export function nameBefore(older: readonly VersionChange[], { resource }: Endpoint, input: string): string {
  return older.reduce(
    (name, one) => (one.kind === "renamed" && one.subject === resource && one.to === name ? one.from : name),
    input,
  );
}
