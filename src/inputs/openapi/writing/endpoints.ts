/**
 * Writes part 4 of an imported document: each operation with its inputs and its response. `Does` is
 * written only where it is stated.
 */
import type { Draft } from "./draft.ts";
import { writeExample } from "./examples.ts";
import { extensionsOf } from "./kept-keys.ts";
import { soundInputs, writeInputs } from "./inputs.ts";
import { bodyOf } from "./bodies.ts";
import { numberInQuery, parametersOf } from "./parameters.ts";
import type { Operation } from "../description/operations.ts";
import { textOf } from "../description/values.ts";
import type { Writing } from "./context.ts";
import { isOwnInput, ownInput, ownPartItems } from "../description/extensions.ts";
import { ownErrors } from "./errors.ts";
import { isVersionInput, statedItems, writePages, writePaths } from "./extensions.ts";
import { openFailsOf, returnsOf } from "./responses.ts";
import { inOrderOfTags } from "./tag-order.ts";
import { statedMachine } from "./states.ts";
import { writeProse } from "./resources.ts";
import { writeHeaders } from "./headers.ts";
import { accessItems, doesText, notesOfOperation, reasonFor, scopeNotes } from "./notes.ts";

export function writeEndpoints(
  draft: Draft,
  writing: Writing,
  operations: readonly Operation[],
  basePath: string | undefined,
): void {
  draft.add("## Endpoints");
  draft.gap();
  draft.add(`- Base path: ${basePath ?? "not shown"}`, "base path");
  for (const { item, value } of ownPartItems(writing.files.first))
    if (!writing.refusals.has(`part ${item}`)) draft.add(`- ${item}: ${value}`, `part ${item}`);
  if (operations.length === 0)
    for (const item of ["Methods", "Path shapes", "Payload shapes"]) draft.add(`- ${item}: not shown`);
  draft.gap();
  const shared = commonNotes(writing, operations);
  for (const [what, count] of shared) draft.comment(`${count} operations`, [what], "parts of operations");
  writePaths(draft, writing, operations);
  for (const inOrderOfTag of inOrderOfTags(writing, operations))
    writeEndpoint(draft, writing, inOrderOfTag, shared);
  writePages(draft, writing);
}

/** Notes that many operations share. They are kept in a single comment. */
function commonNotes(writing: Writing, operations: readonly Operation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const operation of operations)
    for (const what of notesOfOperation(writing, operation)) counts.set(what, (counts.get(what) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count >= 10));
}

function writeEndpoint(
  draft: Draft,
  writing: Writing,
  operation: Operation,
  shared: ReadonlyMap<string, number>,
): void {
  const { id, node, pointer } = operation;
  const { refusals } = writing;
  const times = writing.refusals.get(`endpoint ${id}`) ?? 0;
  if (times > 0) {
    draft.comment(pointer, [`${id}: ${reasonFor(writing, operation)}`], "operations");
    return;
  }
  const notes = notesOfOperation(writing, operation).filter((what) => !shared.has(what));
  const items = statedItems(writing, operation);
  const machines = writing.facts.resources.flatMap((resource) => statedMachine(writing, resource) ?? []);
  const made = bodyOf(writing, operation, notes, items.length > 0);
  const { deed } = made;
  const parameters = parametersOf(writing, operation, notes);
  const isQueryRead = numberInQuery(parameters) === numberInQuery(operation.parameters);
  const rows = [...made.rows, ...parameters]
    .filter((row) => !isVersionInput(writing, row) && !isOwnInput(items, row.in, row.name))
    .map((row) => ({
      ...row,
      own: items.length === 0 ? undefined : ownInput(operation, items, machines, row.in, row.name),
    }))
    // A parameter that a stated operation reads nowhere only selects the record of the path.
    .filter((row) => items.length === 0 || row.in !== "path" || row.own !== undefined);
  draft.count("operations", deed || items.length > 0 ? "stated" : "open");
  draft.add(`### ${id}`, `endpoint ${id}`);
  draft.gap();
  writeProse(draft, writing, `prose ${id}`, textOf(node["summary"]) ?? textOf(node["description"]));
  const stated = refusals.has(`page ${id}`) ? [] : items.filter(({ item }) => item === "Returns");
  const returns = stated.length > 0 ? [] : returnsOf(writing, operation, deed, notes);
  const sound = soundInputs(writing, operation, rows, notes);
  const extensions = extensionsOf(writing, operation);
  draft.count("notes", "stated", extensions.kept);
  draft.count("notes", "comment", extensions.left.length);
  notes.push(...scopeNotes(writing, operation), ...extensions.left);
  draft.comment(pointer, notes, "parts of operations");
  writeExample(draft, writing, operation);
  for (const { item, value } of items)
    if (item !== "Returns" && item !== "Header") draft.add(`- ${item}: ${value}`, `own ${id}`);
  if (items.length === 0)
    draft.add(`- Does: ${deed ? doesText(writing, operation, deed) : "not shown"}`, `does ${id}`);
  for (const item of accessItems(writing, operation, items.length > 0)) draft.add(item, `scheme of ${id}`);
  // The rows of part 7 state the errors of an operation whose items are stated.
  const areErrorsStated = items.length > 0 && ownErrors(writing.files.first) !== undefined;
  const fails = areErrorsStated ? "not shown" : openFailsOf(writing, operation);
  if (deed || fails !== "not shown") draft.add(`- Fails: ${fails}`, `does ${id}`);
  if (made.accepts !== undefined) draft.add(made.accepts, `accepts ${id}`);
  const isUnknownStated = [...items, ...ownPartItems(writing.files.first)].some(
    ({ item }) => item === "Unknown fields",
  );
  const isFullyRead = made.isFullyRead && isQueryRead && sound.length === rows.length;
  // An input that the document lacks would be rejected as unknown.
  if (!isFullyRead && items.length === 0) draft.add("- Unknown fields: not shown", `does ${id}`);
  else if (isFullyRead && made.isClosed && !isUnknownStated)
    draft.add("- Unknown fields: rejected in body", `does ${id}`);
  if (made.bodyIn !== undefined) draft.add(`- Body in: ${made.bodyIn}`, `does ${id}`);
  if (made.fields.length > 0) draft.add(`- Body: ${made.fields.join(", ")}`, `does ${id}`);
  for (const { value } of stated) draft.add(`- Returns: ${value}`, `page ${id}`);
  for (const answer of returns) draft.add(`- Returns: ${answer}`, `returns ${id}`);
  if (node["deprecated"] === true && !items.some(({ item }) => item === "Deprecated"))
    draft.add("- Deprecated: since not shown", `does ${id}`);
  if (extensions.item !== undefined) draft.add(extensions.item, `extensions ${id}`);
  writeHeaders(draft, writing, operation, items);
  draft.gap();
  if (sound.length > 0) writeInputs(draft, writing, id, sound);
}
