/**
 * `ninefold check FILE --from OLD`: reports whether the clients notice the changes of a document.
 */
import { compareDocuments } from "../../compare/compare.ts";
import type { Model } from "../../model/model.ts";
import { namesStore, storeLabel } from "../../store/index.ts";
import { exitCodes } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { ownVersion } from "../version.ts";
import { comparisonSarif } from "./comparison-sarif.ts";
import {
  comparisonJson,
  comparisonMarkdown,
  comparisonText,
  type Compared,
  countOf,
} from "./comparison-text.ts";
import { type FailOn, failures } from "./fail-on.ts";
import { oldModel } from "./old-document.ts";

export interface ComparisonOptions {
  readonly file: string;
  readonly from: string;
  readonly failOn: FailOn;
  readonly form: "text" | "quiet" | "json" | "sarif" | "markdown";
}

/** Prints the differences. @returns the exit code, if the model has no errors */
export async function compareWith(
  model: Model,
  options: ComparisonOptions,
  terminal: Terminal,
): Promise<number> {
  const { file, form } = options;
  const before = await oldModel(options.from, file);
  const from = namesStore(options.from) ? storeLabel(options.from) : options.from;
  const compared: Compared = { file, from, differences: compareDocuments(before, model) };
  const isFailed = failures[options.failOn].some((severity) => countOf(compared.differences, severity) > 0);
  if (form === "json") terminal.write(comparisonJson(compared, !isFailed));
  else if (form === "sarif") terminal.write(comparisonSarif(compared, ownVersion()));
  else if (form === "markdown") terminal.write(comparisonMarkdown(compared));
  else terminal.write(comparisonText(compared, { colour: terminal.colour, quiet: form === "quiet" }));
  return isFailed ? exitCodes.failed : exitCodes.ok;
}
