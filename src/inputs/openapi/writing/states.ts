/** Writes part 3 of an imported document: the states that an export of Ninefold states. */
import type { Draft } from "./draft.ts";
import { type OwnMachine, ownMachine } from "../description/extensions.ts";
import type { Resource } from "../description/resources.ts";
import type { Writing } from "./context.ts";

export function writeStates(draft: Draft, writing: Writing): void {
  draft.add("## States and transitions");
  draft.gap();
  const machines = writing.facts.resources.flatMap((resource) => {
    const machine = statedMachine(writing, resource);
    return machine ? [{ name: writing.names.resource(resource), machine }] : [];
  });
  if (machines.length === 0) {
    draft.add("- States: not shown");
    draft.add("- Transitions: not shown");
    draft.gap();
  }
  for (const { name, machine } of machines) writeMachine(draft, writing, name, machine);
}

/** The states of a resource, if they are stated and `check` accepts them. */
export function statedMachine({ names, refusals }: Writing, resource: Resource): OwnMachine | undefined {
  const name = names.resource(resource);
  return name === "" || refusals.has(`states ${name}`) ? undefined : ownMachine(resource.schema);
}

function writeMachine(
  draft: Draft,
  { refusals }: Writing,
  name: string,
  { field, initial, transitions }: OwnMachine,
): void {
  draft.count("states", "stated");
  const key = `states ${name}`;
  draft.add(`### ${name}`, key);
  draft.gap();
  if (field !== undefined) draft.add(`- State field: ${field}`, key);
  if (initial !== undefined) draft.add(`- Initial state: ${initial}`, key);
  draft.gap();
  draft.add("| Transition | From | To | Trigger | Guard | Effect |");
  draft.add("|---|---|---|---|---|---|");
  for (const [index, transition] of transitions.entries()) {
    // A guard or an effect may name what the description doesn't have.
    const rowKey = `transition ${name} ${index}`;
    const isOpen = refusals.has(rowKey);
    const [guard, effect] = isOpen ? ["not shown", "not shown"] : [transition.guard, transition.effect];
    draft.count("transitions", isOpen || effect === "not shown" ? "open" : "stated");
    const cells = [transition.name, transition.from, transition.to, transition.trigger, guard, effect];
    draft.add(`| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`, isOpen ? key : rowKey);
  }
  draft.gap();
}
