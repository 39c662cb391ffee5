/**
 * Part 5, Caller: all schemes of an endpoint have callers of one type. An endpoint that allows
 * anyone is exempt.
 */
import type { Related } from "../../diagnostics/diagnostic.ts";
import type { Type } from "../../expressions/type.ts";
import { servingSchemes } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const differentCallers: Check = ofEndpoints((endpoint, reporter, model) => {
  if (endpoint.allowed.some(({ kind, of }) => kind === "anyone" && typeof of !== "object")) return;
  const related = callersOf(model, endpoint);
  if (related.size < 2) return;
  const params = {
    endpoint: `${endpoint.method} ${endpoint.path.text}`,
    callers: [...related.keys()].join(", or "),
  };
  reporter.report("authentication/different-callers", endpoint.position, params, [...related.values()]);
});

/** The types of the callers of its schemes, each with the position of the first scheme that has it. */
function callersOf(model: Model, endpoint: Endpoint): ReadonlyMap<string, Related> {
  const found = new Map<string, Related>();
  for (const { callerType, position } of servingSchemes(model, endpoint)) {
    const words = callerType && wordsOf(callerType);
    if (words !== undefined && !found.has(words))
      found.set(words, { position, message: `Here it is ${words}.` });
  }
  return found;
}

function wordsOf(type: Type): string {
  return type.kind === "record" ? `a record of ${type.resource}` : `of type ${type.kind}`;
}
