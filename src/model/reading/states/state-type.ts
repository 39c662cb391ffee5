/** The field type `state`: the states that part 3 gives the resource, a gap, or a mistake. */
import type { FieldType } from "../../../fields/type.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { statementsOf } from "../../../syntax/statement.ts";
import type { Gap } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import type { MachineDraft } from "./machine-draft.ts";

export function stateTypeOf(
  cell: Phrase,
  field: string,
  resource: string,
  machine: MachineDraft | undefined,
  context: BuildContext,
): { readonly type: FieldType; readonly gap?: Gap } {
  if (machine?.field?.text === field) return { type: { kind: "state", states: machine.states } };
  const position = positionIn(cell);
  if (machine?.field) {
    const related = [{ position: positionIn(machine.field), message: "The state field is named here." }];
    context.reporter.report(
      "resources/other-state-field",
      position,
      { field, resource, stateField: machine.field.text },
      related,
    );
  } else if (machine?.stateful && !machine.fieldGap) {
    // The name is unreadable, which was reported.
    return { type: { kind: "not shown" } };
  } else if (machine ? machine.fieldGap : areStatesNotShown(context)) {
    const gap =
      machine?.fieldGap ?? context.ledger.gap("resources", "fields", `the states of ${resource}`, position);
    return { type: { kind: "not shown" }, gap };
  } else {
    context.reporter.report("resources/no-state-machine", position, { field, resource });
  }
  return { type: { kind: "not shown" } };
}

/** Whether part 3 is missing, or doesn't show the states. */
function areStatesNotShown({ document: { parts } }: BuildContext): boolean {
  const { states } = parts;
  if (!states) return true;
  return statementsOf(states).some(({ item, answer }) => item === "states" && answer === "not shown");
}
