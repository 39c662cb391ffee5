/** The checks: laws over the whole model, one file each (`laws.ts`), and then those of what is whole (`laws-of-whole.ts`). */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";
import * as laws from "./standard-checks.ts";
import * as ofWhole from "./valid-model-checks.ts";

/** Asks every law of a model; what was told while it was read stands in the reporter. */
export function checkModel(model: Model, reporter: Reporter): void {
  for (const check of Object.values(laws)) check(model, reporter);
  if (reporter.diagnostics.some((diagnostic) => diagnostic.severity === "error")) return;
  for (const check of Object.values(ofWhole)) check(model, reporter);
}
