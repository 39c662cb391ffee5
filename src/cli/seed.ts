/** `--seed SEED.md`: applies the `Given` items of another Markdown file once, to an empty store. */
import { formatText } from "../diagnostics/formats/text.ts";
import { GivenRejected, type GivenStep, createGivenRecords } from "../engine/given.ts";
import { hasOnlyStartRecords } from "../engine/records/start-records.ts";
import type { Service } from "../engine/service.ts";
import type { Model } from "../model/model.ts";
import { readGivenItems } from "../model/reading/read-given.ts";
import { DocumentFailed } from "./open-service.ts";
import { readDocument } from "./read-document.ts";
import type { Terminal } from "./terminal.ts";

/** The `Given` items of a seed file. @throws CliError | DocumentFailed */
export async function readSeed(
  model: Model,
  file: string,
  terminal: Terminal,
): Promise<readonly GivenStep[]> {
  const text = await readDocument(file);
  const read = readGivenItems(model, file, text);
  const errors = read.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (errors.length === 0 && read.steps.length > 0) return read.steps;
  if (errors.length === 0)
    throw new DocumentFailed(
      `${file} has no \`- Given:\` items. Write one for each record: - Given: \`${model.resources[0]?.name ?? "Shop"} with …\``,
    );
  terminal.printError(formatText(errors, read.source, { colour: terminal.errorsInColour === true }));
  throw new DocumentFailed(`${file} can't be used as a seed.`);
}

/**
 * The number of created records; null if the store already has records, so that the seed was
 * ignored.
 * @throws DocumentFailed
 */
export async function applySeed(
  service: Service,
  file: string,
  steps: readonly GivenStep[],
): Promise<number | null> {
  const { context, newFrame } = service.internals;
  if (!(await hasOnlyStartRecords(context, newFrame(context.ports.clock.now())))) return null;
  try {
    return (await createGivenRecords(service, steps)).length;
  } catch (error) {
    if (!(error instanceof GivenRejected)) throw error;
    throw new DocumentFailed(
      `${file}:${error.step.position.start.line}: ${error.message}. Nothing of the seed was stored.`,
    );
  }
}
