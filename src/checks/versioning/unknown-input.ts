/**
 * Part 9, `Removed: name of POST /books, as title = …`: the replacement is an input of that
 * version.
 */
import { namesIn, typeWithin } from "../../model/resources/field-path.ts";
import type { Input, Model, Version, VersionChange } from "../../model/model.ts";
import { newestFirst } from "../../model/versions/version-order.ts";
import { orderedChanges, isEndpoint } from "../../model/versions/changes.ts";
import { inputsBefore } from "../../model/versions/versioned-inputs.ts";
import { nearestHint } from "../../model/reading/nearest-hint.ts";
import type { Check } from "../check.ts";

export const unknownInput: Check = (model, reporter) => {
  for (const endpoint of model.endpoints) {
    // If the inputs are not shown, no mistake is certain.
    if (endpoint.gap || endpoint.unclear) continue;
    let { inputs } = endpoint;
    for (const { changes } of newestFirst(model.versioning.versions)) {
      const removed = removedOf(changes).filter((removed) => isEndpoint(removed.endpoint, endpoint));
      const known = inputs;
      inputs = orderedChanges(changes).reduce(
        (inputs, change) => inputsBefore(change, endpoint, inputs),
        inputs,
      );
      // Inputs of one version may replace each other.
      const before = inputs.filter(({ name }) => removed.some(({ input }) => input === name.join(".")));
      for (const { as, position, endpoint: called } of removed)
        if (as && ![...known, ...before].some((input) => leadsTo(model, input, namesIn(as.input))))
          reporter.report("versioning/unknown-input", position, {
            name: as.input,
            endpoint: called,
            ...nearestHint(
              as.input,
              known.map(({ name }) => name.join(".")),
            ),
          });
    }
  }
};

type Removed = Extract<VersionChange, { kind: "removed input" }> & VersionChange;

function removedOf(changes: Version["changes"]): readonly Removed[] {
  return changes.flatMap((change) => (change.kind === "removed input" ? [change] : []));
}

/** The same input, an input that contains it, or one within it. */
function leadsTo({ resources }: Model, { name, type }: Input, path: readonly string[]): boolean {
  if (!path.every((part, at) => at >= name.length || part === name[at])) return false;
  return (
    path.length <= name.length ||
    typeWithin(
      type,
      path.slice(name.length),
      (value, field) =>
        resources
          .find((candidate) => candidate.name === value)
          ?.fields.find((candidate) => candidate.name === field)?.type,
    ) !== undefined
  );
}
