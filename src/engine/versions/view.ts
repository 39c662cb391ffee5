/**
 * An older version of the document as a view of the current one (part 9): the same store, resources and rules, with the names, keys and
 * values that its callers know (`model/versions/`), and what they send made into what is meant now (`upgrade.ts`).
 */
import type { Endpoint, Model, Version } from "../../model/model.ts";
import { changesSince } from "../../model/versions/changes.ts";
import { type SpokenVersion, spokenVersion } from "../../model/versions/spoken-version.ts";
import { planUpgrade, type Upgrade, type UpgradeWords } from "./upgrade.ts";

export interface VersionView extends SpokenVersion {
  /** Makes what was sent in this version into what the endpoint takes now. */
  upgrade(words: UpgradeWords, endpoint: Endpoint): Upgrade | undefined;
}

/** Undefined for a version that differs in nothing from the current one. */
export function createView(model: Model, version: Version): VersionView | undefined {
  const spoken = spokenVersion(model, version);
  if (!spoken) return undefined;
  const changes = changesSince(model, version);
  return {
    ...spoken,
    upgrade: (words, endpoint) =>
      planUpgrade(words, endpoint, changes, (name) => spoken.fieldName(endpoint.resource, name)),
  };
}
