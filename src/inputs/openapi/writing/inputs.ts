/** Inputs of an imported operation: their rows, and those that `check` has rejected. */
import type { Draft } from "./draft.ts";
import type { StatedName } from "../description/field-names.ts";
import type { Operation } from "../description/operations.ts";
import { boundsOf, type Type } from "../description/schemas.ts";
import { defaultText } from "../description/statements.ts";
import { notesOfType, ownTypeName, typeName, type Writing } from "./context.ts";
import { type OwnInput, ownInputType } from "../description/extensions.ts";

export interface InputRow {
  readonly name: string;
  readonly in: string;
  /** Its type in the notation. A value gets its name when this is called. */
  readonly typeText: () => string;
  readonly rules: readonly string[];
  /** What it does, where an export of Ninefold states it. */
  readonly own?: OwnInput | undefined;
}

export function writeInputs(
  draft: Draft,
  { refusals }: Writing,
  id: string,
  rows: readonly InputRow[],
): void {
  const hasFields = rows.some(({ own }) => own !== undefined && own.field !== "");
  draft.add(`| Input | In | Type | Rules | Where |${hasFields ? " Field |" : ""}`);
  draft.add(`|---|---|---|---|---|${hasFields ? "---|" : ""}`);
  for (const { name, in: location, typeText, rules, own } of rows) {
    const key = inputKey(id, location, name);
    const all = refusals.get(key) ?? 0;
    const stated = all === 0 ? own : undefined;
    const times = own && all > 0 ? all - 1 : all;
    const setsField = stated !== undefined && stated.field !== "";
    const type = setsField || times > 0 ? "" : typeText();
    draft.count("input types", times === 0 && type !== "not shown" ? "stated" : "open");
    draft.count("what inputs do", stated ? "stated" : "open");
    const required = rules.includes("required") ? "required" : "";
    // An input that sets a field has its type and its rules.
    const cells = setsField
      ? [name, location, "", required, "", stated.field]
      : [
          name,
          location,
          ...(times === 0 ? [type, rules.join(", ")] : ["json", required]),
          stated ? stated.where.replaceAll("|", "\\|") : "not shown",
          ...(hasFields ? [""] : []),
        ];
    draft.add(`| ${cells.join(" | ")} |`, key);
  }
  draft.gap();
}

function inputKey(id: string, location: string, name: string): string {
  return `input ${id} ${location} ${name}`;
}

/** The inputs without those that `check` rejected twice, which are kept as a comment. */
export function soundInputs(
  { refusals }: Writing,
  { id }: Operation,
  rows: readonly InputRow[],
  notes: string[],
): readonly InputRow[] {
  return rows.filter((row) => {
    const all = refusals.get(inputKey(id, row.in, row.name)) ?? 0;
    const times = row.own && all > 0 ? all - 1 : all;
    if (times > 0) notes.push(`${row.in} ${row.name}: ${[row.typeText(), ...row.rules].join(", ")}`);
    return times < 2;
  });
}

export interface Input {
  readonly stated: StatedName;
  readonly location: string;
  readonly type: Type;
  readonly node: unknown;
  readonly required: boolean;
  readonly isDeprecated?: boolean;
  /** Rules about the form in which it is sent. */
  readonly style?: readonly string[];
}

export function inputOf(
  writing: Writing,
  { stated: statedName, location, type, node, required, isDeprecated = false, style = [] }: Input,
  operation: Operation,
  notes: string[],
): InputRow {
  const { name: key } = statedName;
  const schema = writing.facts.schemas.read(node);
  const bounds = boundsOf(schema, type);
  const isFile =
    location === "body" &&
    schema.own["format"] === "binary" &&
    operation.body?.types.includes("multipart/form-data");
  const initial = schema.own["default"];
  const written = defaultText(initial, type);
  notes.push(
    ...[...(isFile ? [] : notesOfType(type)), ...bounds.notes].map((note) => `${location} ${key}: ${note}`),
  );
  if (initial !== undefined && initial !== null && written === undefined)
    notes.push(`${location} ${key}: default`);
  const rules = [
    ...(required ? ["required"] : []),
    ...(schema.nullable && location === "body" ? ["nullable"] : []),
    ...(isFile ? [] : bounds.rules),
    ...(isDeprecated ? ["deprecated"] : []),
    ...statedName.rules,
    ...style,
    ...(required || written === undefined ? [] : [`default ${written}`]),
  ];
  const own = ownTypeName(writing, ownInputType(operation, location, key));
  const typeText = () =>
    own ??
    (isFile ? "file" : typeName(writing, type, { owner: `${operation.method}_${operation.path}`, key }));
  return { name: key, in: location, typeText, rules };
}
