/** `ninefold check FILE --from OLD`: who notices that the document has changed. */
import { compareDocuments } from "../../compare/compare.ts";
import type { Model } from "../../model/model.ts";
import { namesStore, shownStore } from "../../store/index.ts";
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

export interface ComparisonWishes {
  readonly file: string;
  readonly from: string;
  readonly failOn: FailOn;
  readonly form: "text" | "quiet" | "json" | "sarif" | "markdown";
}

/** Prints what differs. @returns the exit code; the model has no errors */
export async function compareWith(
  model: Model,
  wishes: ComparisonWishes,
  terminal: Terminal,
): Promise<number> {
  const { file, form } = wishes;
  const before = await oldModel(wishes.from, file);
  const from = namesStore(wishes.from) ? shownStore(wishes.from) : wishes.from;
  const compared: Compared = { file, from, differences: compareDocuments(before, model) };
  const isFailed = failures[wishes.failOn].some((severity) => countOf(compared.differences, severity) > 0);
  if (form === "json") terminal.write(comparisonJson(compared, !isFailed));
  else if (form === "sarif") terminal.write(comparisonSarif(compared, ownVersion()));
  else if (form === "markdown") terminal.write(comparisonMarkdown(compared));
  else terminal.write(comparisonText(compared, { colour: terminal.colour, quiet: form === "quiet" }));
  return isFailed ? exitCodes.failed : exitCodes.ok;
}
