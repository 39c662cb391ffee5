/** Type of a check: a rule over the complete model, run after the model was built. */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";

/**
 * Reports where the model breaks the rule. The model may be incomplete; what is missing was
 * reported before.
 */
export type Check = (model: Model, reporter: Reporter) => void;
