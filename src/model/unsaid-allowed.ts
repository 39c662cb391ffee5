/**
 * Endpoints without `Allowed`: neither they, nor their path, nor the part state it. The notation reads that as `any
 * caller`, and they are served so; `check` counts each as a smaller gap. Without callers (`Scheme: none`, or a gap)
 * there is nothing to report.
 */
import { needsCaller, isWithoutCallers } from "./caller-type.ts";
import type { Allowed, Endpoint, Model } from "./model.ts";

export function unsaidAllowed(model: Model): readonly Endpoint[] {
  if (isWithoutCallers(model)) return [];
  return model.endpoints.filter((endpoint) => endpoint.gap === undefined && allowedOf(endpoint).length === 0);
}

/** Endpoints without a condition, by who may call them: any caller, or anyone without a credential. */
export function openEndpoints(model: Model): Readonly<Record<"any caller" | "anyone", readonly Endpoint[]>> {
  const open = model.endpoints.filter(
    (endpoint) => endpoint.gap === undefined && allowedOf(endpoint).every(({ kind }) => kind !== "condition"),
  );
  return {
    "any caller": open.filter((endpoint) => needsCaller(model, endpoint)),
    anyone: open.filter((endpoint) => !needsCaller(model, endpoint)),
  };
}

function allowedOf({ allowed, records }: Endpoint): readonly Allowed[] {
  return [...allowed, ...records.flatMap((record) => record.allowed)];
}
