/**
 * Endpoints without `Allowed`: neither they, nor their path, nor the part state it. The notation reads that as `any
 * caller`, and they are served so; `check` counts each as a smaller gap. Without callers (`Scheme: none`, or a gap)
 * there is nothing to report.
 */
import { needsCaller, isWithoutCallers } from "../authentication/caller-type.ts";
import type { Allowed, Endpoint, Model } from "../model.ts";

export function unsaidAllowed(model: Model): readonly Endpoint[] {
  if (isWithoutCallers(model)) return [];
  return model.endpoints.filter((endpoint) => endpoint.gap === undefined && allowedOf(endpoint).length === 0);
}

/** Endpoints without a condition, by who may call them: any caller, or anyone without a credential. */
export type OpenEndpoints = Readonly<Record<"any caller" | "anyone", readonly Endpoint[]>>;

export function openEndpoints(model: Model): OpenEndpoints {
  const open = model.endpoints.filter(
    (endpoint) => endpoint.gap === undefined && allowedOf(endpoint).every(({ kind }) => kind !== "condition"),
  );
  return {
    "any caller": open.filter((endpoint) => needsCaller(model, endpoint)),
    anyone: open.filter((endpoint) => !needsCaller(model, endpoint)),
  };
}

/** `2 endpoints are open to any caller, 1 to anyone`; undefined if none is open. */
export function openWords(open: OpenEndpoints): string | undefined {
  const counts = [
    [open["any caller"].length, "any caller"] as const,
    [open.anyone.length, "anyone"] as const,
  ];
  const words = counts
    .filter(([count]) => count > 0)
    .map(([count, caller], at) =>
      at === 0
        ? `${count} ${count === 1 ? "endpoint is" : "endpoints are"} open to ${caller}`
        : `${count} to ${caller}`,
    );
  return words.length === 0 ? undefined : words.join(", ");
}

function allowedOf({ allowed, records }: Endpoint): readonly Allowed[] {
  return [...allowed, ...records.flatMap((record) => record.allowed)];
}
