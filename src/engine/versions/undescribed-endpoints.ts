/**
 * Undescribed endpoints: endpoints that an older version has and the document no longer describes.
 * `model/versions/version-endpoints.ts` determines the endpoints of a version.
 */
import type { Model, PathSegment, Version } from "../../model/model.ts";
import { versionsNewerThan } from "../../model/versions/version-order.ts";
import { createRouter } from "../http/path-router.ts";
import { NotShown } from "../problem.ts";
import { isEndpoint } from "../../model/versions/changes.ts";

/**
 * Plans the gaps of a version's undescribed endpoints.
 * @returns a function that gives the gap for a request to such an endpoint; undefined for any other
 * request
 */
export function planUndescribed(
  model: Model,
  version: Version,
): ((method: string, segments: readonly string[]) => NotShown | undefined) | undefined {
  const removed = versionsNewerThan(model.versioning.versions, version.name)
    .flatMap((newer) => newer.changes)
    .flatMap((change) => {
      if (change.kind !== "endpoint removed") return [];
      if (model.endpoints.some((endpoint) => isEndpoint(change.endpoint, endpoint))) return [];
      const [method = "", path = ""] = change.endpoint.split(" ");
      const subject = `the endpoint ${change.endpoint} of version ${version.name}`;
      const why = new NotShown({
        part: "versioning",
        item: "version scheme",
        subject,
        position: change.position,
      });
      const segments = [...model.endpointsPart.basePath.segments, ...segmentsOf(path)];
      return [{ method, segments, endpoint: why }];
    });
  if (removed.length === 0) return undefined;
  const router = createRouter(removed);
  return (method, segments) => {
    const found = router.find(method, segments);
    return found.kind === "found" ? found.endpoint : undefined;
  };
}

/** The path of a change has the syntax of a heading; a parameter matches any segment. */
function segmentsOf(path: string): PathSegment[] {
  return path
    .split("/")
    .filter((text) => text !== "")
    .map((text) =>
      /\{[^}]*\}/.test(text)
        ? {
            kind: "parameter",
            name: text,
            before: "",
            behind: "",
            ...(text.endsWith("...}") ? { rest: true } : {}),
          }
        : { kind: "literal", text },
    );
}
