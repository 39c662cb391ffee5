/** Definitions of a document: every name that other places may refer to, with its position. */
import type { Model, Resource } from "../../model/model.ts";
import { lineText, type Position, type Source } from "../../source/source.ts";

export type DefinitionKind =
  | "resource"
  | "field"
  | "state"
  | "value"
  | "transition"
  | "code"
  | "event"
  | "shape"
  | "scheme";

export interface Definition {
  readonly kind: DefinitionKind;
  readonly name: string;
  /** The resource of a field, a state, a value or a transition. */
  readonly owner?: string;
  /** The field of a value of an enumeration. */
  readonly field?: string;
  /** The name of a resource's record in expressions. */
  readonly variableName?: string;
  /** The positions of its definition: several rows may define a transition or a code. */
  readonly positions: readonly Position[];
}

export function definitionsOf(model: Model): readonly Definition[] {
  return [
    ...model.resources.flatMap(ofResource),
    ...grouped(
      "code",
      model.errors.rows.flatMap(({ code, position }) =>
        code === undefined ? [] : [{ name: code, position }],
      ),
    ),
    ...grouped("event", model.events.events),
    ...grouped("shape", [...model.shapes, ...model.shapeFunctions]),
    ...grouped("scheme", model.authentication.schemes),
  ];
}

function ofResource({ name, variableName, position, fields, states }: Resource): readonly Definition[] {
  return [
    { kind: "resource", name, variableName, positions: [position] },
    ...fields.map(
      (field): Definition => ({ kind: "field", owner: name, name: field.name, positions: [field.position] }),
    ),
    ...(states?.states ?? []).map(
      (state): Definition => ({ kind: "state", owner: name, name: state.name, positions: [state.position] }),
    ),
    ...(states?.transitions ?? []).map(
      (transition): Definition => ({
        kind: "transition",
        owner: name,
        name: transition.name,
        positions: distinct(transition.ends.map(({ nameAt }) => nameAt)),
      }),
    ),
  ];
}

function grouped(
  kind: DefinitionKind,
  rows: readonly { readonly name: string; readonly position: Position }[],
): readonly Definition[] {
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, members]) => ({
    kind,
    name,
    positions: members.map(({ position }) => position),
  }));
}

function distinct(positions: readonly Position[]): readonly Position[] {
  return [...new Map(positions.map((position) => [position.start.offset, position])).values()];
}

/** A definition as Markdown: its own line of the document. */
export function describeDefinition(model: Model, source: Source, definition: Definition): string {
  const { kind, name, owner, positions } = definition;
  const title = owner === undefined ? `**${name}** (${kind})` : `**${owner}.${name}** (${kind})`;
  const rows = positions.slice(0, rowsMax).map(({ start }) => rowText(lineText(source, start.line)));
  const resource = model.resources.find((candidate) => candidate.name === name);
  const more = kind === "resource" && resource ? summaryOf(resource) : rows.join("\n\n");
  return more === "" ? title : `${title}\n\n${more}`;
}

/** Maximum number of rows of one definition that are shown. */
const rowsMax = 6;

function rowText(line: string): string {
  if (!line.trimStart().startsWith("|")) return "";
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join(" · ");
}

function summaryOf({ prose, fields, states }: Resource): string {
  const names = fields.map((field) => `\`${field.name}\``).join(", ");
  const stateNames = (states?.states ?? []).map((state) => `\`${state.name}\``).join(", ");
  return [
    prose.split("\n\n")[0] ?? "",
    names === "" ? "" : `Fields: ${names}`,
    stateNames === "" ? "" : `States: ${stateNames}`,
  ]
    .filter((line) => line !== "")
    .join("\n\n");
}
