/**
 * Writes an imported document: what the description states, `not shown` for the rest, and comments
 * for what the notation can't express.
 */
import { writeEndpoints } from "./endpoints.ts";
import { writeResources, writeValues } from "./resources.ts";
import { Draft, type DraftLine, type Level, oneLine, paragraph, type Refusals } from "./draft.ts";
import { createEqualSchemas } from "../description/equal-schemas.ts";
import { createNames } from "./names.ts";
import { type Operation, basePathOf } from "../description/operations.ts";
import { conditionsOf, type Facts } from "../description/statements.ts";
import { errorCodesOf } from "../description/error-codes.ts";
import { writeErrorRows } from "./error-rows.ts";
import { writeErrorSchema } from "./error-schema.ts";
import type { Files } from "../description/files.ts";
import { ownService } from "../description/extensions.ts";
import { seenLimits } from "../description/seen-limits.ts";
import { createWidths } from "./widths.ts";
import { ownConditions, ownErrors, writeOwnErrors } from "./errors.ts";
import { writeLimits } from "./limits.ts";
import { writeVersioning } from "./versions.ts";
import { writeStates } from "./states.ts";
import { schemesOf, writeAuthentication } from "./authentication.ts";
import type { Detail, Writing } from "./context.ts";
import { writeEvents } from "./events.ts";
import { type LeftKeys, writeLeftKeys } from "./kept-keys.ts";
import { listOf, member, plainOf, textOf, textsOf } from "../description/values.ts";

export interface WrittenDocument {
  readonly lines: readonly DraftLine[];
  readonly counts: ReadonlyMap<string, Record<Level, number>>;
}

export interface Origin {
  /** The file's name, as readers know it. */
  readonly name: string;
  readonly notes: readonly { readonly pointer: string; readonly what: string }[];
  /** Keys without a meaning for the service that are kept nowhere. */
  readonly left: LeftKeys;
  /** Whether each element has a comment with its place, even without a note. */
  readonly isOfEach: boolean;
}

export function writeDocument(
  files: Files,
  facts: Facts,
  operations: readonly Operation[],
  origin: Origin,
  refusals: Refusals,
  detail: Detail,
): WrittenDocument {
  const counts = new Map<string, Record<Level, number>>();
  const names = createNames(
    facts.resources.filter(
      (resource) =>
        resource.item.startsWith("#") || operations.some((operation) => isAbout(facts, operation, resource)),
    ),
    refusals,
    createEqualSchemas(files, facts, operations),
  );
  const schemes = schemesOf(files);
  const stated = ownErrors(files.first);
  const conditions = stated ? ownConditions(stated) : conditionsOf(operations);
  const widths = createWidths(facts.schemas);
  const writing: Writing = { files, facts, widths, names, refusals, detail, conditions, schemes };
  const draft = () => new Draft(counts, origin.isOfEach);
  const [head, resources, values, endpoints, rest] = [draft(), draft(), draft(), draft(), draft()];
  writeHead(head, writing, origin);
  writeStates(endpoints, writing);
  writeEndpoints(endpoints, writing, operations, basePathOf(files.first));
  writeAuthentication(rest, writing);
  writeEvents(rest, writing, operations);
  writeLast(rest, writing, operations);
  // After the parts that name values, because those values may name others.
  writeResources(resources, writing);
  writeValues(values, writing);
  for (const [reference, why] of files.lost) head.comment(reference, [why], "references without a target");
  return { lines: [head, resources, values, endpoints, rest].flatMap(({ lines }) => lines), counts };
}

function isAbout(facts: Facts, operation: Operation, resource: Facts["resources"][number]): boolean {
  return (
    operation.path === resource.item ||
    operation.path === resource.collection ||
    facts.answered.get(operation)?.resource === resource
  );
}

function writeHead(draft: Draft, { files, refusals }: Writing, { name, notes, left }: Origin): void {
  const about = plainOf(member(files.first, "info"));
  const title = oneLine(textOf(member(about, "title"))) || "API";
  const version = member(about, "version");
  draft.add(`# Interface Specification: ${title.replaceAll("|", "/")}`);
  draft.gap();
  const versionText =
    typeof version === "string" || typeof version === "number"
      ? ` (version ${oneLine(String(version))})`
      : "";
  draft.add(`Imported from ${oneLine(name)}${versionText}.`);
  draft.gap();
  const service = ownService(files.first);
  // An export of Ninefold repeats the items of part 1 there.
  const description = service.size > 0 ? "" : paragraph(textOf(member(about, "description")));
  if (description !== "") {
    draft.add(description, "description");
    draft.gap();
  }
  for (const note of notes) draft.comment(note.pointer, [note.what], "operations");
  writeLeftKeys(draft, left);
  draft.comment("file", textsOf(member(files.first, "x-ninefold-seen")), "operations");
  writeTagNotes(draft, files);
  draft.add("## What the service does");
  draft.gap();
  for (const item of ["Purpose", "Domain", "Behaviour"]) {
    const text = refusals.has(item) ? undefined : service.get(item);
    draft.count("what the service does", text === undefined ? "open" : "stated");
    draft.add(`- ${item}: ${text ?? "not shown"}`, item);
  }
  draft.gap();
}

/** Tags within tags and kinds of tags (OpenAPI 3.2): an endpoint of the notation has no group. */
function writeTagNotes(draft: Draft, { first }: Files): void {
  for (const [index, tag] of listOf(member(first, "tags")).entries()) {
    const stated = ["parent", "kind"].flatMap((key) => {
      const text = textOf(member(tag, key));
      return text === undefined ? [] : [`${key} ${text}`];
    });
    const name = textOf(member(tag, "name")) ?? "";
    if (stated.length > 0) draft.comment(`#/tags/${index}`, [`tag ${name}: ${stated.join(", ")}`], "tags");
  }
}

function writeLast(draft: Draft, writing: Writing, operations: readonly Operation[]): void {
  const { files, refusals } = writing;
  draft.add("## Errors");
  draft.gap();
  const stated = ownErrors(files.first);
  if (stated) writeOwnErrors(draft, refusals, stated);
  else {
    const codes = errorCodesOf(files, writing.facts.schemas, operations);
    writeErrorSchema(draft, writing, operations, codes);
    writeErrorRows(draft, writing, operations, codes);
  }
  writeLimits(draft, refusals, operations, seenLimits(files, operations));
  writeVersioning(draft, writing);
}
