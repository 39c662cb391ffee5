/**
 * Parses part 3: sections, items and tables become drafts of state machines, with states and names
 * of transitions. `states.ts` checks the resources and binds guards and effects.
 */
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { ItemNode, Section } from "../../../syntax/nodes.ts";
import { isNone, isNotShown, itemsOf, keyText, tablesOf } from "../../../syntax/read.ts";
import { statementsOf } from "../../../syntax/statement.ts";
import type { BuildContext } from "../any-part/context.ts";
import { addState, type MachineDraft, type Machines } from "./machine-draft.ts";
import { createPartReader, type PartReader } from "../any-part/part-reader.ts";
import { readTransitionDetails } from "./read-transition-details.ts";
import { readTransitionRow, transitionColumns } from "./read-transition-row.ts";
import { isSoundName } from "../any-part/valid-name.ts";
import { isStateName } from "./state-name.ts";

export function readMachines(context: BuildContext): Machines {
  const part = context.document.parts.states;
  const machines = new Map<string, MachineDraft>();
  if (!part) return machines;
  const reader = createPartReader(context, "states");
  readPartItems(
    part.body.filter((block) => block.kind === "item"),
    reader,
  );
  const details: Section[] = [];
  for (const section of part.sections) {
    if (section.heading.text.includes(":")) details.push(section);
    else readMachine(section, machines, reader);
  }
  for (const section of details) readTransitionDetails(section, machines, reader);
  return machines;
}

function readPartItems(items: readonly ItemNode[], reader: PartReader): void {
  // The ledger has read the answers for complete items.
  reader.items(
    items,
    ["States", "Transitions"].map((key) => ({ key, expected: "`none`", read: () => {} })),
  );
}

function readMachine(section: Section, machines: Map<string, MachineDraft>, reader: PartReader): void {
  const name = unquote(section.heading);
  const first = machines.get(name.text);
  if (first) {
    const related = [{ position: positionIn(first.name), message: "First defined here." }];
    reader.context.reporter.report(
      "states/duplicate-machine",
      positionIn(name),
      { name: name.text },
      related,
    );
    return;
  }
  const { answered, ...items } = readItems(section, name, reader);
  reportContradictions(section, reader);
  const machine: MachineDraft = {
    name,
    ...items,
    states: [],
    known: new Set(),
    ends: [],
    transitions: new Map(),
    reportedStateless: false,
  };
  if (items.initial && isStateName(items.initial.text)) addState(machine, items.initial.text);
  const tables = tablesOf(section.body).filter((table) =>
    reader.columns(table, "Transition", transitionColumns),
  );
  for (const table of tables) for (const row of table.rows) readTransitionRow(table, row, machine, reader);
  machines.set(name.text, machine);
  if (tables.length === 0 && !answered) missTransitions(name, reader);
}

/** Reports a `none` despite content. */
function reportContradictions({ body }: Section, { context: { reporter } }: PartReader): void {
  const items = itemsOf(body);
  const [table] = tablesOf(body);
  const field = items.find(({ key, value }) => keyText(key) === "state field" && !isNone(value));
  for (const { key, value } of items) {
    const item = keyText(key);
    const stated = item === "transitions" ? table : item === "states" ? field : undefined;
    if (!stated || !isNone(value)) continue;
    const related = [{ position: stated.position, message: "Stated here." }];
    reporter.report(
      "document/contradiction",
      positionIn(value),
      { item, here: "none", there: "stated" },
      related,
    );
  }
}

type MachineItems = Pick<MachineDraft, "stateful" | "field" | "fieldGap" | "initial" | "initialGap"> & {
  /** Whether `Transitions: none` or `not shown` is stated here. */
  readonly answered: boolean;
};

const forms = [
  { key: "State field", expected: "the name of the field" },
  { key: "Initial state", expected: "a state, or an expression over the new record" },
  { key: "States", expected: "`none`" },
  { key: "Transitions", expected: "`none`" },
];

function readItems(section: Section, name: Phrase, reader: PartReader): MachineItems {
  const found = new Map<string, ItemNode>();
  const read = forms.map((form) => ({ ...form, read: (item: ItemNode) => void found.set(form.key, item) }));
  reader.items(itemsOf(section.body), read);
  const field = readStateField(found.get("State field"), name, reader);
  const transitions = found.get("Transitions");
  if (transitions && isNotShown(transitions.value)) {
    const { ledger } = reader.context;
    ledger.gap("states", "transitions", `the transitions of ${name.text}`, positionIn(transitions.value));
  }
  return {
    ...field,
    ...readInitial(found.get("Initial state"), field.field, name, reader),
    // If the field is unknown, no record can get an initial state.
    ...(field.fieldGap ? { initialGap: field.fieldGap } : {}),
    answered: transitions !== undefined,
  };
}

function readStateField(
  item: ItemNode | undefined,
  name: Phrase,
  { context: { ledger, reporter } }: PartReader,
): Pick<MachineItems, "stateful" | "field" | "fieldGap"> {
  if (!item || isNone(item.value)) return { stateful: false };
  if (isNotShown(item.value)) {
    const subject = `the state field of ${name.text}`;
    return { stateful: true, fieldGap: ledger.gap("states", "states", subject, positionIn(item.value)) };
  }
  const field = unquote(item.value);
  if (!isSoundName(field, "field", reporter)) return { stateful: true };
  ledger.state("states", positionIn(field));
  return { stateful: true, field };
}

function readInitial(
  item: ItemNode | undefined,
  field: Phrase | undefined,
  name: Phrase,
  { context: { ledger } }: PartReader,
): Pick<MachineItems, "initial" | "initialGap"> {
  if (item && !isNotShown(item.value) && !isNone(item.value)) return { initial: unquote(item.value) };
  // A machine with states has an initial state. If it isn't stated, that is a gap.
  const gapValue = item && isNotShown(item.value) ? item.value : field;
  if (!gapValue) return {};
  const subject = `the initial state of ${name.text}`;
  return { initialGap: ledger.gap("states", "states", subject, positionIn(gapValue)) };
}

/** A machine without a table has a silent gap, unless the part answers it for all transitions. */
function missTransitions(name: Phrase, { context }: PartReader): void {
  const part = context.document.parts.states;
  if (part && statementsOf(part).some(({ item }) => item === "transitions")) return;
  context.ledger.gap("states", "transitions", `the transitions of ${name.text}`, positionIn(name));
}
