/** What a check is: one law over the whole model, asked after it was built. */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";

/** Reports where the model breaks the law. The model may be incomplete; what is missing from it was told before. */
export type Check = (model: Model, reporter: Reporter) => void;
