/** Initial states and transitions, by the states of records before and after requests. */
import type { Model, Resource } from "../../model/model.ts";
import type { RowNode, Section, TableNode } from "../../syntax/nodes.ts";
import { cellOf, isNotShown, itemsOf, keyText, tablesOf } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import { cellEdit } from "../document/cell-edit.ts";
import { lineOf, type SourceDocument } from "../document/source-document.ts";
import { evidenceLines, kindFor } from "./evidence-text.ts";
import type { RecordedRecords } from "./recorded-records.ts";

const seenMin = 3;
const certainMin = 5;

/** Answers about part 3 from recorded states. */
export function learnStates(
  model: Model,
  document: SourceDocument,
  seen: RecordedRecords,
): readonly Proposal[] {
  return (document.parts.states?.sections ?? []).flatMap((section) => {
    const resource = model.resources.find(({ name }) => name === section.heading.text.trim());
    const field = resource?.states?.field;
    if (!resource || field === undefined) return [];
    return [
      ...initialState(section, resource, field, seen),
      ...transitions(document, section, resource, field, seen),
    ];
  });
}

function initialState(
  section: Section,
  { name }: Resource,
  field: string,
  seen: RecordedRecords,
): readonly Proposal[] {
  const item = itemsOf(section.body).find(
    ({ key, value }) => keyText(key) === "initial state" && isNotShown(value),
  );
  const made = seen.made(name).filter(({ values }) => typeof values[field] === "string");
  const states = new Set(made.map(({ values }) => values[field]));
  const [state] = states;
  if (!item || made.length < seenMin || states.size !== 1 || typeof state !== "string") return [];
  // If no other record has another state, any state may be the initial one.
  const seenValues = new Set(
    seen.sightings.filter(({ resource }) => resource.name === name).map(({ values }) => values[field]),
  );
  return [
    {
      kind: kindFor("initial-states", made.length >= certainMin && seenValues.size > 1),
      subject: name,
      at: lineOf(item),
      edits: [{ line: lineOf(item), text: `- Initial state: ${state}` }],
      evidence: evidenceLines(
        made.map(({ exchange }) => exchange.number),
        seenValues.size > 1 ? "other states of new records" : "",
      ),
    },
  ];
}

interface Attempt {
  readonly number: number;
  readonly from: string;
  /** Undefined where the request was refused. */
  readonly to: string | undefined;
}

function transitions(
  document: SourceDocument,
  section: Section,
  resource: Resource,
  field: string,
  seen: RecordedRecords,
): readonly Proposal[] {
  const states = new Set([
    ...(resource.states?.states ?? []).map(({ name }) => name),
    ...seen.sightings.flatMap(({ resource: { name }, values }) =>
      name === resource.name && typeof values[field] === "string" ? [values[field]] : [],
    ),
  ]);
  return tablesOf(section.body).flatMap((table) =>
    table.rows.flatMap((row) => {
      const name = cellOf(table, row, "transition")?.text.trim() ?? "";
      const isOnly =
        table.rows.filter((candidate) => cellOf(table, candidate, "transition")?.text.trim() === name)
          .length === 1;
      const open = openEnds(table, row);
      if (name === "" || !isOnly || (!open.from && !open.to)) return [];
      const attempts = attemptsOf(document, resource, name, field, seen);
      return transitionProposal(
        document,
        { table, row },
        `${resource.name}: ${name}`,
        open,
        attempts,
        states,
      );
    }),
  );
}

function openEnds(table: TableNode, row: RowNode): { readonly from: boolean; readonly to: boolean } {
  const [from, to] = ["from", "to"].map((column) => cellOf(table, row, column));
  return { from: from !== undefined && isNotShown(from), to: to !== undefined && isNotShown(to) };
}

/** Requests for a transition of a record whose state was recorded before. */
function attemptsOf(
  document: SourceDocument,
  { name }: Resource,
  transition: string,
  field: string,
  seen: RecordedRecords,
): readonly Attempt[] {
  const calling = new Set(callersOf(document, name, transition));
  const state = new Map<string, string>();
  return seen.exchanges.flatMap((exchange): readonly Attempt[] => {
    const keyOf = (value: string) => `${exchange.origin} ${name} ${value}`;
    const id = [...exchange.parameters.values()].map(keyOf).find((key) => state.has(key));
    const from = id === undefined ? undefined : state.get(id);
    let to: string | undefined;
    for (const { resource, key: own, values } of seen.of(exchange)) {
      const value = values[field];
      if (resource.name !== name || typeof value !== "string") continue;
      state.set(own, value);
      if (own === id) to = value;
    }
    if (from === undefined || !calling.has(exchange.name)) return [];
    // Refusals because of the state; other statuses are about the caller or the inputs.
    const isRefused = exchange.status === 409 || exchange.status === 400;
    if (to === undefined && !isRefused) {
      if (exchange.status < 300 && id !== undefined) state.delete(id);
      return [];
    }
    return [{ number: exchange.number, from, to }];
  });
}

/**
 * Endpoints that call the transition, from the written document: the model may lack a row with a
 * gap.
 */
function callersOf({ endpoints }: SourceDocument, resource: string, transition: string): readonly string[] {
  const words = [transition, `${transition} ${resource}`];
  return endpoints.flatMap(({ name, does }) =>
    does.some(({ value }) => words.includes(value.text.trim())) ? [name] : [],
  );
}

function transitionProposal(
  document: SourceDocument,
  place: { readonly table: TableNode; readonly row: RowNode },
  subject: string,
  open: { readonly from: boolean; readonly to: boolean },
  attempts: readonly Attempt[],
  states: ReadonlySet<string>,
): readonly Proposal[] {
  const done = attempts.filter(({ to }) => to !== undefined);
  const froms = new Set(done.map(({ from }) => from));
  const refused = new Set(attempts.filter(({ to }) => to === undefined).map(({ from }) => from));
  const targets = new Set(done.map(({ to }) => to));
  const [target] = targets;
  if (target === undefined || targets.size !== 1) return [];
  // A state in which the transition was both fired and refused has a guard.
  if ([...froms].some((from) => refused.has(from))) return [];
  const isWhole = [...states].every((state) => froms.has(state) || refused.has(state));
  const isLikely = (!open.from || isWhole) && (!open.to || done.length >= seenMin);
  const { cells } = place.row;
  const texts = cells.map((_, index) => {
    const column = place.table.columns[index]?.text.trim().toLowerCase();
    if (column === "from" && open.from) return [...froms].join(", ");
    return column === "to" && open.to ? target : undefined;
  });
  const edit = texts.reduce<ReturnType<typeof cellEdit>>((made, text, index) => {
    const column = place.table.columns[index]?.text.trim().toLowerCase() ?? "";
    return text === undefined ? made : cellEdit(document, place, column, text, made);
  }, undefined);
  if (!edit) return [];
  const tried = [...refused].join(", ");
  return [
    {
      kind: kindFor("transitions", isLikely),
      subject,
      at: lineOf(place.row),
      edits: [edit],
      evidence: evidenceLines(
        done.map(({ number }) => number),
        tried === "" ? "" : `from ${tried}`,
      ),
    },
  ];
}
