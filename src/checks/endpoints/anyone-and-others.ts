/**
 * Part 4, `Allowed`: all conditions must hold (decision "Several conditions of one endpoint"), and
 * a condition needs a caller. So `anyone` excludes other conditions, and excludes a path that needs
 * a caller. A path overrides the part's item; an endpoint's own item is deliberate.
 */
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { Allowed } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const anyoneAndOthers: Check = ofEndpoints(({ allowed, records }, reporter) => {
  const isOfPath = ({ of }: Allowed) => typeof of === "object";
  const ofPaths = Map.groupBy(allowed.filter(isOfPath), ({ of }) => (typeof of === "object" ? of.path : ""));
  const own = allowed.filter((allowed) => !isOfPath(allowed));
  for (const group of [...records.map((record) => record.allowed), ...ofPaths.values(), own])
    reportTogether(group, reporter);
  const open = own.find(({ kind }) => kind === "anyone");
  const closed = [...records.flatMap((record) => record.allowed), ...allowed.filter(isOfPath)].find(isClosed);
  if (!open || !closed || open.of === "part") return;
  const message = "Here the path requires a credential.";
  reporter.report("endpoints/anyone-beneath-others", open.position, {}, [
    { position: closed.position, message },
  ]);
});

function reportTogether(allowed: readonly Allowed[], reporter: Reporter): void {
  const open = allowed.find(({ kind }) => kind === "anyone");
  const closed = allowed.find(isClosed);
  if (!open || !closed) return;
  const related = [{ position: open.position, message: "`anyone` is allowed here." }];
  reporter.report("endpoints/anyone-and-others", closed.position, {}, related);
}

function isClosed({ kind }: Allowed): boolean {
  return kind !== "anyone";
}
