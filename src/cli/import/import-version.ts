/**
 * `ninefold import FORMAT NEW --into FILE --as-version NAME`: merges a new description as a new
 * version in part 9. What older versions need of the document stays.
 */
import { compareDocuments } from "../../compare/compare.ts";
import type { Difference } from "../../compare/difference.ts";
import { compile } from "../../compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { type Merged, mergeDocuments, type Side } from "../../inputs/reimport/merge.ts";
import {
  describedVersion,
  isOfOlderVersions,
  isVersionName,
  statedChanges,
  withFirstVersion,
  withVersion,
} from "../../inputs/reimport/new-version.ts";
import type { Model } from "../../model/model.ts";
import { CommandFailed } from "../command.ts";

export interface Texts {
  /** The document as the last import wrote it. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

export interface MergedVersion {
  readonly merged: Merged;
  /** The version that the document described so far. */
  readonly previous: string;
  /** The items of the new version. */
  readonly changes: readonly string[];
  /** The differences for callers of the previous version that no item states. */
  readonly open: readonly Difference[];
}

/** @throws CommandFailed if the document doesn't name its version, or has the new one already */
export function mergeAsVersion(file: string, texts: Texts, name: string, side: Side): MergedVersion {
  const { model } = compile(texts.mine, { file });
  const previous = model && describedVersion(model, texts.base);
  if (!model || previous === undefined)
    throw new CommandFailed(
      `${file} doesn't name the version that it describes. Add a table of versions to part 9 first, with a row for that version: \`| 1 | current |\`.`,
    );
  if (!isVersionName(name) || name === previous || model.versioning.versions.some((row) => row.name === name))
    throw new CommandFailed(
      `--as-version ${name}: ${isVersionName(name) ? `${file} has that version already` : "a version has letters, digits, points, `-` and `_`"}. Nothing is written.`,
    );
  const version = { name, previous, before: modelOf(file, withFirstVersion(texts.mine, previous)) };
  const { merged, kept } = mergeKeeping(file, texts, version, side);
  const endpoints = new Set(kept.flatMap((unit) => /^Endpoints \/ ([A-Z]+ \/.*)$/.exec(unit)?.[1] ?? []));
  const plain = modelOf(file, withVersion(merged.text, name, { previous, changes: [] }));
  const stated = plain ? statedChanges(model, plain, endpoints) : [];
  const changes = soundChanges(file, merged.text, version, stated);
  const after = modelOf(file, withVersion(merged.text, name, { previous, changes }));
  const open = version.before && after ? openDifferences(version.before, after, previous, changes) : [];
  const items = open.length === 0 ? changes : [...changes, "- Replaced: not shown"];
  const text = withVersion(merged.text, name, { previous, changes: items });
  return { merged: { ...merged, text }, previous, changes, open };
}

function modelOf(file: string, text: string): Model | undefined {
  return compile(text, { file }).model;
}

interface Named {
  readonly name: string;
  readonly previous: string;
}

/** Keeps what only older versions have, unless the new description leaves out what it needs. */
function mergeKeeping(
  file: string,
  { base, mine, theirs }: Texts,
  { name, previous }: Named,
  side: Side,
): { readonly merged: Merged; readonly kept: readonly string[] } {
  const dropped = new Set<string>();
  for (;;) {
    const kept: string[] = [];
    const keeps = (unit: string): boolean => {
      const isKept = isOfOlderVersions(unit) && !dropped.has(unit);
      if (isKept) kept.push(unit);
      return isKept;
    };
    const merged = mergeDocuments(base, mine, theirs, side, keeps);
    const text = withVersion(merged.text, name, { previous, changes: [] });
    const broken = errorsOf(file, text).map(({ position }) => headingAbove(text, position.start.line));
    const failing = kept.filter((unit) => broken.some((heading) => unit.endsWith(` / ${heading}`)));
    if (broken.length === 0 || kept.length === 0) return { merged, kept };
    // An error elsewhere may be caused by a unit that is kept.
    for (const unit of failing.length > 0 ? failing : kept) dropped.add(unit);
  }
}

function errorsOf(file: string, text: string): readonly Diagnostic[] {
  return compile(text, { file }).diagnostics.filter(({ severity }) => severity === "error");
}

function headingAbove(text: string, line: number): string {
  const above = text.split("\n").slice(0, line);
  return above.findLast((lineText) => /^#{1,6} /.test(lineText))?.replace(/^#+ +/, "") ?? "";
}

/** The changes without those that `check` rejects. */
function soundChanges(
  file: string,
  text: string,
  { name, previous }: Named,
  changes: readonly string[],
): readonly string[] {
  const source = withVersion(text, name, { previous, changes });
  const lines = source.split("\n");
  const rejected = new Set(errorsOf(file, source).map(({ position }) => lines[position.start.line - 1]));
  return changes.filter((line) => !rejected.has(line));
}

/** What callers of the previous version notice, and no item states. */
function openDifferences(
  before: Model,
  after: Model,
  previous: string,
  changes: readonly string[],
): readonly Difference[] {
  const stated = new Set(
    changes.flatMap(
      (line) => /^- (?:Removed|Default|Endpoint removed): (.+?)(?:, was .*)?$/.exec(line)?.[1] ?? [],
    ),
  );
  return compareDocuments(before, after).filter(
    ({ severity, subject, audience }) =>
      severity !== "fine" &&
      !stated.has(subject) &&
      subject !== `version ${previous}` &&
      (audience.versions.length === 0 || audience.versions.includes(previous)),
  );
}
