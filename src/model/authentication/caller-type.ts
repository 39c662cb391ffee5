/**
 * The type of `caller` at an endpoint (part 5), and whether the endpoint requires a caller.
 */
import { type Type, types } from "../../expressions/type.ts";
import type { Endpoint, Model, Scheme } from "../model.ts";

export function servingSchemes(
  { authentication }: Model,
  { schemes }: Pick<Endpoint, "schemes">,
): readonly Scheme[] {
  return authentication.schemes.filter((scheme) => schemes === undefined || schemes.includes(scheme.name));
}

/** `any` if the type of a scheme is unknown, or the schemes differ. */
export function callerTypeAt(model: Model, endpoint: Pick<Endpoint, "schemes">): Type {
  if (model.authentication.caller.kind !== "any") return model.authentication.caller;
  const found = servingSchemes(model, endpoint).map((scheme) => scheme.callerType ?? types.any);
  const [first] = found;
  return first && found.every((found) => JSON.stringify(found) === JSON.stringify(first)) ? first : types.any;
}

/** The resources that a caller's record may belong to. */
export function callerResourcesOf(schemes: readonly Scheme[]): readonly string[] {
  const found = schemes.flatMap(({ callerType }) =>
    callerType?.kind === "record" ? [callerType.resource] : [],
  );
  return [...new Set(found)];
}

/** Whether records of more than one resource can be callers, or hold credentials. */
export function hasSeveralCallers({ authentication }: Model): boolean {
  const credentials = authentication.schemes.flatMap((scheme) => scheme.credentials?.resource ?? []);
  return callerResourcesOf(authentication.schemes).length > 1 || new Set(credentials).size > 1;
}

/** `Scheme: none`, or a gap: every caller counts as `anyone`. */
export function isWithoutCallers({ authentication }: Model): boolean {
  return authentication.none || authentication.gap !== undefined;
}

/** Whether the endpoint rejects every request without a credential. */
export function needsCaller(model: Model, endpoint: Endpoint): boolean {
  if (isWithoutCallers(model)) return false;
  // Part 4: only `anyone` allows requests without a caller. Without `Allowed`, any caller is allowed.
  const all = [...endpoint.allowed, ...endpoint.records.flatMap((record) => record.allowed)];
  return all.length === 0 || all.some((allowed) => allowed.kind !== "anyone");
}
