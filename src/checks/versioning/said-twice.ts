/**
 * Part 9: within one version each name is added once, removed once, and replaced from one source.
 */
import type { VersionChange } from "../../model/model.ts";
import { nonNull } from "../../support/non-null.ts";
import { pathOf } from "../../model/versions/changes.ts";
import type { Check } from "../check.ts";

export const saidTwice: Check = ({ versioning: { versions } }, reporter) => {
  for (const { name: version, changes } of versions) {
    const stated = new Map<string, VersionChange>();
    for (const change of changes) {
      const claims = claimsOf(change);
      const twice = claims.find(({ claim }) => stated.has(claim));
      if (twice)
        reporter.report("versioning/said-twice", change.position, { name: twice.of, version }, [
          { position: nonNull(stated.get(twice.claim)).position, message: "The change is here." },
        ]);
      for (const { claim } of claims) stated.set(claim, change);
    }
  }
};

interface Claim {
  readonly claim: string;
  /** The subject of the change, as written. */
  readonly of: string;
}

/** Two changes with the same claim can't both be true. */
function claimsOf(change: VersionChange): readonly Claim[] {
  const field = (what: string, name: string): Claim[] =>
    "subject" in change
      ? [
          {
            claim: `${what} ${change.subject} ${pathOf(name).join(".")}`,
            of: `${change.subject}.${name}`,
          },
        ]
      : [];
  switch (change.kind) {
    case "renamed":
      return [...field("introduced", change.to), ...field("removed", change.from)];
    case "added":
      // A name that did not exist before can't have replaced another one before.
      return [...field("introduced", change.name), ...field("made", change.name)];
    case "replaced":
      return field("made", change.name);
    case "default":
      return field("default", change.name);
    case "removed":
      return field("removed", change.name);
    case "removed input":
      // One input may become several.
      return [
        {
          claim: `input ${change.endpoint} ${change.input} ${change.as?.input ?? ""}`,
          of: `${change.input} of ${change.endpoint}`,
        },
      ];
    case "endpoint added":
    case "endpoint removed":
      return [{ claim: `endpoint ${change.endpoint}`, of: change.endpoint }];
  }
}
