/**
 * The diagrams as Mermaid text, which code hosts, wikis and editors draw. Only names and counts go
 * into it.
 */
import type { Count, EntityGraph, Relation } from "./entity-graph.ts";
import type { StateArrow, StateGraph } from "./state-graph.ts";

export function stateMermaid(graph: StateGraph): string {
  const idOf = identifiers(graph.states.map((state) => state.name));
  const anyState = graph.arrows.some((arrow) => arrow.from === undefined && arrow.to !== undefined);
  const stays = graph.arrows.filter((arrow) => arrow.from === undefined && arrow.to === undefined);
  const lines = [
    ...graph.states
      .filter(({ name }) => idOf(name) !== name)
      .map(({ name }) => `state ${quoted(name)} as ${idOf(name)}`),
    ...(anyState ? [`state "any state" as ${anyStateId}`] : []),
    ...graph.states.filter((state) => state.initial).map((state) => `[*] --> ${idOf(state.name)}`),
    ...(graph.initial ? [`%% initial state: ${oneLine(graph.initial.text)}`] : []),
    ...graph.arrows
      .filter((arrow) => arrow.to !== undefined)
      .map((arrow) => {
        const from = arrow.from === undefined ? anyStateId : idOf(arrow.from);
        return `${from} --> ${idOf(arrow.to as string)} : ${arrowLabel(arrow)}`;
      }),
    ...stays.map((arrow) => `%% from any state, without a change of state: ${arrowLabel(arrow)}`),
    ...graph.states.filter((state) => state.final).map((state) => `${idOf(state.name)} --> [*]`),
  ];
  return `stateDiagram-v2\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** `lapse, after 14 days` · `confirm, guarded`. */
export function arrowLabel({ transition, trigger, guarded }: StateArrow): string {
  return [transition, ...(trigger === undefined ? [] : [trigger]), ...(guarded ? ["guarded"] : [])].join(
    ", ",
  );
}

export function entityMermaid({ entities, relations }: EntityGraph): string {
  const idOf = identifiers(entities.map((entity) => entity.name));
  const lines = [
    ...entities.flatMap(({ name, value, identifiers: keys }) => {
      const label = idOf(name) === name ? "" : `[${quoted(name)}]`;
      const rows = value ? ["  value embedded"] : keys.map((key) => `  key ${idOf(key)} PK`);
      return rows.length === 0 ? [`${idOf(name)}${label}`] : [`${idOf(name)}${label} {`, ...rows, "}"];
    }),
    ...relations.map(
      (relation) =>
        `${idOf(relation.from)} ${lineOf(relation)} ${idOf(relation.to)} : ${quoted(relation.field)}`,
    ),
  ];
  return `erDiagram\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

const leftEnds: Readonly<Record<Count, string>> = { "1": "||", "0..1": "|o", "0..*": "}o" };
const rightEnds: Readonly<Record<Count, string>> = { "1": "||", "0..1": "o|", "0..*": "o{" };

function lineOf({ fromCount, toCount, embedded }: Relation): string {
  return `${leftEnds[fromCount]}${embedded ? ".." : "--"}${rightEnds[toCount]}`;
}

const anyStateId = "any__state";

/** Reserved words of Mermaid, in any case. */
const reserved =
  /^(state|end|note|direction|class|classdef|style|click|href|link|hide|scale|as|title|default|entity|only|one|many|zero|or|more|to|optionally|graph|subgraph|accdescr|acctitle|fork|join|choice|o|u|x|any__state|__proto__|constructor|prototype)$/i;

/**
 * A name that Mermaid accepts is its own identifier; any other name gets the same identifier in
 * each run.
 */
function identifiers(names: readonly string[]): (name: string) => string {
  const ids = new Map<string, string>();
  names.forEach((name, at) => {
    ids.set(name, isPlain(name) ? name : `n${at}_${name.replace(/\W/g, "_")}`);
  });
  return (name) => ids.get(name) ?? (isPlain(name) ? name : `n_${name.replace(/\W/g, "_")}`);
}

function isPlain(name: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9_]*$/.test(name) &&
    !/__|_$/.test(name) &&
    !reserved.test(name) &&
    !/^n\d*_/.test(name)
  );
}

/** Mermaid reads labels as Markdown: underscores at the ends of words would make them bold. */
function quoted(text: string): string {
  const plain = oneLine(text).replaceAll('"', "'");
  return `"${plain.replace(/\b_+|_+\b/g, (ends) => "#95;".repeat(ends.length))}"`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 200);
}
