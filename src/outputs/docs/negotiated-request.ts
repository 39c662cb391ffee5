/**
 * Requests of scenarios for copying: a scenario uses the current version unless it names another
 * (part 1). Its runner adds that version; a copied request has it in its text.
 */
import type { Model } from "../../model/model.ts";
import { currentVersion, requestedVersion, withVersion } from "../../model/versions/request-version.ts";
import type { RequestText } from "./request-code.ts";
import type { Exchange } from "./scenario-text.ts";

/** The name of the version that the exchange uses; undefined where the document has none. */
export function negotiatedVersion({ versioning }: Model, { request }: Exchange): string | undefined {
  return requestedVersion(versioning, request);
}

/** The request with its version added. */
export function negotiatedRequest({ versioning }: Model, { request }: Exchange): RequestText {
  const { method, target, headers, body } = request;
  return withVersion(versioning, currentVersion(versioning), {
    method,
    target,
    headers,
    ...(body === undefined ? {} : { body: body.text }),
  });
}
