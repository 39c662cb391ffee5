/** Writes what an export of Ninefold states in part 4: items, path headings and shapes of pages. */
import type { Draft } from "./draft.ts";
import type { Operation } from "../description/operations.ts";
import { type OwnItem, ownItems, ownPages, ownRecords } from "../description/extensions.ts";
import { statedVersion } from "./versions.ts";
import type { Writing } from "./context.ts";

/**
 * The items that an export of Ninefold states. None if `check` rejects one of them, because the
 * others would then mean something else, or if a record of the path can't be stated.
 */
export function statedItems({ refusals }: Writing, operation: Operation): readonly OwnItem[] {
  const areKnown = ownRecords(operation).every(({ path }) => !refusals.has(`path ${path}`));
  return refusals.has(`own ${operation.id}`) || !areKnown ? [] : ownItems(operation);
}

/** Whether the parameter is the identifier of a record that a path heading states. */
export function isOfStatedRecord({ refusals }: Writing, operation: Operation, parameter: string): boolean {
  return ownRecords(operation).some(
    ({ path, where }) =>
      path.endsWith(`/{${parameter}}`) && where.length === 0 && !refusals.has(`path ${path}`),
  );
}

/** Whether the input selects the version of the service, which part 9 states. */
export function isVersionInput(
  writing: Writing,
  row: { readonly in: string; readonly name: string },
): boolean {
  const version = statedVersion(writing);
  return version?.in === row.in && version.name.toLowerCase() === row.name.toLowerCase();
}

/** The shapes of pages that an export of Ninefold states. */
export function writePages(draft: Draft, { files, refusals }: Writing): void {
  for (const { name, body } of ownPages(files.first)) {
    if (refusals.has(`shape ${name}`)) continue;
    draft.add(`### Shape: ${name}`, `shape ${name}`);
    draft.gap();
    for (const line of ["```cel", ...body.split(/\r?\n/), "```"]) draft.add(line, `shape ${name}`);
    draft.gap();
  }
}

/** Path headings: the records that paths stand for. */
export function writePaths(draft: Draft, { refusals }: Writing, operations: readonly Operation[]): void {
  const records = new Map(operations.flatMap(ownRecords).map((record) => [record.path, record]));
  for (const { path, is, where } of records.values()) {
    if (refusals.has(`path ${path}`)) continue;
    draft.count("records of paths", "stated");
    draft.add(`### ${path}`, `path ${path}`);
    draft.gap();
    draft.add(`- Is: ${is}`, `path ${path}`);
    for (const condition of where) draft.add(`- Where: ${condition}`, `path ${path}`);
    draft.gap();
  }
}
