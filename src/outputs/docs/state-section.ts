/**
 * The states of a resource: the picture, the table of its transitions (the picture's text), and
 * what is possible next from each state.
 */
import type { Resource, StateMachine, Transition, TransitionEnd } from "../../model/model.ts";
import { stateGraph } from "../diagrams/state-graph.ts";
import { stateSvg } from "../diagrams/state-svg.ts";
import { triggerText } from "../diagrams/trigger-text.ts";
import type { Operation } from "../wire/wire.ts";
import { effectList, expressionCode } from "./effect-words.ts";
import { gapBox } from "./gap-box.ts";
import { inlineCode } from "./highlight.ts";
import { Html, html, joinHtml, nothing } from "./html.ts";
import { anchorOf } from "./links.ts";
import { errorChip } from "./operation-section.ts";
import { errorFor, transitionsOf } from "./rules.ts";
import { linkTo, selfLink, type Site } from "./site.ts";

export function statePicture(site: Site, resource: Resource): Html | undefined {
  const graph = stateGraph(resource);
  const svg =
    graph &&
    stateSvg(graph, site.lay, {
      state: (state) => site.links.to(anchorOf.state(resource.name, state)),
      transition: (transition) => site.links.to(anchorOf.transition(resource.name, transition)),
    });
  return svg === undefined
    ? undefined
    : html`<div class="picture" tabindex="0" role="group" aria-label="Picture of the states">${new Html(svg)}</div>`;
}

export function stateSection(site: Site, resource: Resource): Html {
  const machine = resource.states;
  if (!machine) return nothing;
  const takers = transitionCallers(site, resource.name);
  return html`<section id="states"><h2>${selfLink("states", "States")}</h2>
${machine.initialGap && gapBox(machine.initialGap.subject, machine.initialGap.position)}
${beginning(machine)}
<div class="states">${statePicture(site, resource)}
${transitionTable(site, resource, machine, takers)}</div>
${machine.states.length > 0 && html`<h3>What is possible next</h3>${nextTable(site, resource, machine, takers)}`}
</section>`;
}

function beginning({ initial, field, states }: StateMachine): Html | undefined {
  if (!initial || field === undefined) return undefined;
  const named = states.some(
    (state) => state.name === initial.text || JSON.stringify(state.name) === initial.text,
  );
  return html`<p>${inlineCode(field)} holds the state. A new record starts in ${named ? inlineCode(initial.text.replaceAll('"', "")) : expressionCode(initial)}.</p>`;
}

/** The operations by the transitions that they fire. */
type Takers = ReadonlyMap<string, readonly Operation[]>;

function transitionCallers(site: Site, resource: string): Takers {
  const takers = new Map<string, Operation[]>();
  for (const operation of site.wire.operations) {
    for (const transition of transitionsOf(operation)) {
      if (transition.resource === resource)
        takers.set(transition.transition, [...(takers.get(transition.transition) ?? []), operation]);
    }
  }
  return takers;
}

// ── Transitions ─────────────────────────────────────────────────────────────────────────────────

function transitionTable(site: Site, resource: Resource, machine: StateMachine, takers: Takers): Html {
  const rows = machine.transitions.flatMap((transition) =>
    transition.ends.map((end, at) =>
      transitionRow(site, resource, machine, transition, end, at === 0, takers),
    ),
  );
  return html`<table class="cells"><caption class="hidden-words">Transitions of ${resource.name}</caption><thead><tr><th scope="col">Transition</th><th scope="col">From → to</th><th scope="col">Trigger</th>${hasGuards(machine) && html`<th scope="col">If</th>`}<th scope="col">Then</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function hasGuards({ transitions }: StateMachine): boolean {
  return transitions.some(({ ends }) => ends.some((end) => end.guard));
}

function transitionRow(
  site: Site,
  resource: Resource,
  machine: StateMachine,
  transition: Transition,
  end: TransitionEnd,
  first: boolean,
  takers: Takers,
): Html {
  const anchor = anchorOf.transition(resource.name, transition.name);
  const state = (name: string) => linkTo(site, anchorOf.state(resource.name, name), inlineCode(name));
  const from = end.from === "any" ? html`any` : joinHtml(end.from.map(state), ", ");
  const moves = machine.field === undefined ? nothing : html`${from} → ${end.same ? "same" : state(end.to)}`;
  const title = first ? selfLink(anchor, inlineCode(transition.name)) : inlineCode(transition.name);
  const otherwise = end.guard?.otherwise;
  return html`<tr${first && html` id="${anchor}"`}><th scope="row">${title}</th>
<td data-column="From → to">${moves}</td>
<td data-column="Trigger">${takenWords(site, transition, end, takers)}</td>
${hasGuards(machine) && html`<td data-column="If">${end.guard && expressionCode(end.guard.condition)}${otherwise !== undefined && html`, else ${linkTo(site, anchorOf.error(otherwise), inlineCode(otherwise))}`}</td>`}
<td data-column="Then">${end.effects.length > 0 && effectList(site, end.effects)}</td></tr>`;
}

function takenWords(site: Site, transition: Transition, end: TransitionEnd, takers: Takers): Html {
  if (end.trigger.kind === "not shown") return html`<span class="chip open">not shown</span>`;
  if (end.trigger.kind === "immediately") return html`automatically, at once`;
  if (end.trigger.kind !== "call") return html`automatically, ${triggerText(end.trigger)}`;
  const operations = takers.get(transition.name) ?? [];
  if (operations.length === 0) return html`by other changes`;
  return html`<ul class="plain">${operations.map((operation) => html`<li>${operationLink(site, operation)}</li>`)}</ul>`;
}

export function operationLink(site: Site, operation: Operation): Html {
  return linkTo(
    site,
    anchorOf.operation(operation),
    html`<span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <code>${operation.path}</code>`,
  );
}

// ── Next transitions ───────────────────────────────────────────────────────────────────────

function nextTable(site: Site, resource: Resource, machine: StateMachine, takers: Takers): Html {
  return html`<table class="cells"><thead><tr><th scope="col">In state</th><th scope="col">Possible</th><th scope="col">Refused</th></tr></thead><tbody>${machine.states.map(
    ({ name, final }) => {
      const anchor = anchorOf.state(resource.name, name);
      return html`<tr id="${anchor}"><th scope="row">${selfLink(anchor, inlineCode(name))} ${final && html`<span class="chip">final</span>`}</th>
<td data-column="Possible">${possible(site, resource, machine, name, takers)}</td>
<td data-column="Refused">${refused(site, machine, name, takers)}</td></tr>`;
    },
  )}</tbody></table>`;
}

function leaves(end: TransitionEnd, state: string): boolean {
  return end.from === "any" || end.from.includes(state);
}

function possible(
  site: Site,
  resource: Resource,
  machine: StateMachine,
  state: string,
  takers: Takers,
): Html {
  const rows = machine.transitions.flatMap((transition) =>
    transition.ends
      .filter((end) => leaves(end, state))
      .map((end) => {
        const name = linkTo(
          site,
          anchorOf.transition(resource.name, transition.name),
          inlineCode(transition.name),
        );
        const to = end.same ? "stays" : inlineCode(end.to);
        const by =
          end.trigger.kind === "call"
            ? takers.get(transition.name)?.map((operation) => operationLink(site, operation))
            : [
                html`<span class="chip info">automatically ${end.trigger.kind === "immediately" ? "at once" : triggerText(end.trigger)}</span>`,
              ];
        return html`<li>${name} → ${to} ${by && joinHtml(by, ", ")}${end.guard && html`, if ${expressionCode(end.guard.condition)}`}</li>`;
      }),
  );
  return rows.length === 0 ? html`<span class="quiet">none</span>` : html`<ul class="plain">${rows}</ul>`;
}

/** Transitions that are illegal in the state, each with its error. */
function refused(site: Site, machine: StateMachine, state: string, takers: Takers): Html {
  const refusals = machine.transitions.flatMap((transition) => {
    if (transition.ends.some((end) => leaves(end, state))) return [];
    const [operation] = takers.get(transition.name) ?? [];
    const error = operation && errorFor(operation, "illegal transition");
    return error ? [{ name: transition.name, error }] : [];
  });
  const byError = Map.groupBy(refusals, (item) => item.error.name);
  return html`<ul class="plain">${[...byError.values()].map(
    (group) =>
      html`<li>${joinHtml(
        group.map((item) => inlineCode(item.name)),
        ", ",
      )}: ${errorChip(site, (group[0] as (typeof group)[number]).error)}</li>`,
  )}</ul>`;
}
