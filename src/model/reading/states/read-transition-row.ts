/** Parses one row of a transition table (part 3): one end of the transition. */
import { type Phrase, positionIn, splitOutside, unquote } from "../../../source/phrase.ts";
import { parseEffects } from "../../../syntax/effects.ts";
import type { RowNode, TableNode } from "../../../syntax/nodes.ts";
import { cellOf, hasNotShown, isEmpty, isNone, isNotShown } from "../../../syntax/read.ts";
import type { Gap } from "../../model.ts";
import { addState, type EndDraft, type GuardSyntax, type MachineDraft } from "./machine-draft.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import { isSoundName } from "../any-part/valid-name.ts";
import { isStateName, stateText } from "./state-name.ts";
import { readTrigger } from "./trigger.ts";
import { splitAtWord } from "../any-part/when-clause.ts";
import { doesKinds } from "../../endpoints/does.ts";

export const transitionColumns = ["Transition", "From", "To", "Trigger", "Guard", "Effect"];

export function readTransitionRow(
  table: TableNode,
  row: RowNode,
  machine: MachineDraft,
  reader: PartReader,
): void {
  const { ledger, reporter } = reader.context;
  const cell = (column: string): Phrase | undefined => {
    const phrase = cellOf(table, row, column);
    return phrase && !isEmpty(phrase) ? phrase : undefined;
  };
  const written = cell("Transition");
  if (!written) {
    reporter.report("states/row-without-name", row.position, {});
    return;
  }
  if (isNotShown(written)) {
    ledger.gap("states", "transitions", `a transition of ${machine.name.text}`, positionIn(written));
    return;
  }
  const name = unquote(written);
  if (!isTransitionName(name, reader)) return;
  ledger.state("transitions", positionIn(name));
  const above = machine.transitions.get(name.text)?.at(-1);
  const gaps: Gap[] = machine.fieldGap ? [machine.fieldGap] : [];
  const miss = (what: string, at: Phrase = name): void => {
    gaps.push(
      ledger.gap("states", "transitions", `${what} of ${machine.name.text} ${name.text}`, positionIn(at)),
    );
  };

  const from = readFrom(cell("From"), above, machine, reader, miss);
  const to = readTo(cell("To"), machine, reader, miss);
  const trigger = readTrigger(cell("Trigger"), above?.trigger, reader);
  if (trigger.gapAt !== undefined) miss("the trigger", trigger.gapAt ?? name);
  const guard = readGuard(cell("Guard"), miss);
  const effect = cell("Effect");
  if (effect && hasNotShown(effect)) miss("the effects", effect);
  const end: EndDraft = {
    name,
    from: from.from,
    fromPhrase: from.fromPhrase,
    to: to ?? "same",
    trigger: trigger.trigger,
    ...(guard ? { guard } : {}),
    effects: effect && !hasNotShown(effect) && !isNone(effect) ? [parseEffects(effect, reporter)] : [],
    position: row.position,
    ...(gaps[0] ? { gap: gaps[0] } : {}),
    unread: from.unread || to === undefined,
  };
  machine.ends.push(end);
  const ends = machine.transitions.get(name.text);
  if (ends) ends.push(end);
  else machine.transitions.set(name.text, [end]);
}

/** Words of `Does` (part 4) and `When` (part 6), which would have another meaning there. */
const reservedTransitions: ReadonlySet<string> = new Set([
  ...Object.keys(doesKinds).flatMap((kind) => (kind === "transition" ? [] : (kind.split(" ")[0] as string))),
  "created",
  "updated",
  "deleted",
  "becomes",
  "sent",
]);

function isTransitionName(name: Phrase, { context: { reporter } }: PartReader): boolean {
  if (!isSoundName(name, "transition", reporter)) return false;
  if (!reservedTransitions.has(name.text)) return true;
  reporter.report("states/reserved-transition", positionIn(name), { name: name.text });
  return false;
}

export type ReportUnreadable = (what: string, at?: Phrase) => void;

function readFrom(
  cell: Phrase | undefined,
  above: EndDraft | undefined,
  machine: MachineDraft,
  reader: PartReader,
  miss: ReportUnreadable,
): Pick<EndDraft, "from" | "fromPhrase" | "unread"> {
  // An empty cell means the one above, among rows of the same name.
  if (!cell && above) return above;
  if (!cell && machine.stateful) miss("the From");
  if (!cell) return { from: "any", fromPhrase: undefined, unread: false };
  if (isNotShown(cell)) {
    miss("the From", cell);
    return { from: "any", fromPhrase: undefined, unread: false };
  }
  const whole = unquote(cell);
  if (whole.text === "any") return { from: "any", fromPhrase: whole, unread: false };
  const states = new Set<string>();
  let unread = false;
  for (const piece of splitOutside(whole, ",")) {
    if (isNotShown(piece)) {
      miss("a state in the From", piece);
      return { from: "any", fromPhrase: whole, unread };
    }
    const state = readState(piece, machine, reader);
    if (state === undefined) unread = true;
    else if (states.has(state))
      reader.context.reporter.report("states/repeated-state", positionIn(piece), { state });
    else states.add(state);
  }
  return { from: machine.stateful ? [...states] : "any", fromPhrase: whole, unread };
}

/** Undefined if the cell can't be read. */
function readTo(
  cell: Phrase | undefined,
  machine: MachineDraft,
  reader: PartReader,
  miss: ReportUnreadable,
): string | undefined {
  if (cell && isNotShown(cell)) miss("the To", cell);
  else if (!cell && machine.stateful) miss("the To");
  if (!cell || isNotShown(cell) || unquote(cell).text === "same") return "same";
  return readState(unquote(cell), machine, reader);
}

/** Reads a state. Its use in a row declares it. */
function readState(
  cell: Phrase,
  machine: MachineDraft,
  { context: { reporter } }: PartReader,
): string | undefined {
  const name = stateText(cell);
  if (!isStateName(name.text) || name.text === "any" || name.text === "same") {
    reporter.report("states/unsound-state", positionIn(cell), { text: cell.text });
    return undefined;
  }
  if (!machine.stateful) {
    if (machine.reportedStateless) return undefined;
    machine.reportedStateless = true;
    reporter.report("states/state-without-field", positionIn(cell), {
      state: name.text,
      resource: machine.name.text,
    });
    return undefined;
  }
  addState(machine, name.text);
  return name.text;
}

export function readGuard(cell: Phrase | undefined, miss: ReportUnreadable): GuardSyntax | undefined {
  if (!cell || isNone(cell)) return undefined;
  if (hasNotShown(cell)) {
    miss("the guard", cell);
    return undefined;
  }
  const whole = unquote(cell);
  const [condition, otherwise] = splitAtWord(whole, "else") ?? [whole, undefined];
  return { condition: unquote(condition), ...(otherwise ? { otherwise: unquote(otherwise) } : {}) };
}
