/**
 * Runs the checks: rules over the complete model, one file each (`standard-checks.ts`), then those
 * for a valid model (`valid-model-checks.ts`).
 */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";
import * as standardChecks from "./standard-checks.ts";
import * as ofWhole from "./valid-model-checks.ts";

/** Runs all checks. The reporter has the diagnostics of the reading already. */
export function checkModel(model: Model, reporter: Reporter): void {
  for (const check of Object.values(standardChecks)) check(model, reporter);
  if (reporter.diagnostics.some((diagnostic) => diagnostic.severity === "error")) return;
  for (const check of Object.values(ofWhole)) check(model, reporter);
}
