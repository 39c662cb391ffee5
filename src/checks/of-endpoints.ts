/**
 * Checks of single endpoints. A mistake in an item of a part or a path, which several endpoints
 * share, is reported once.
 */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { reportingOnce } from "../diagnostics/deduplicate.ts";
import type { Endpoint, Model } from "../model/model.ts";
import type { Check } from "./check.ts";

export type EndpointCheck = (endpoint: Endpoint, reporter: Reporter, model: Model) => void;

/**
 * A check of each endpoint with known effects. The meaning of other endpoints' items is unknown.
 */
export function ofEndpoints(check: EndpointCheck): Check {
  return ofAllEndpoints((endpoint, reporter, model) => {
    if (!endpoint.unclear) check(endpoint, reporter, model);
  });
}

/** A check of every endpoint, however incomplete. */
export function ofAllEndpoints(check: EndpointCheck): Check {
  return (model, reporter) => {
    const once = reportingOnce(reporter);
    for (const endpoint of model.endpoints) check(endpoint, once, model);
  };
}
