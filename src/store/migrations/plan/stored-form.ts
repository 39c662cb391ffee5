/**
 * The stored form of records as a store's tables describe it: the types to which stored changes are
 * bound (`model/stored`).
 */
import { type Type, types, plainKinds } from "../../../expressions/type.ts";
import type { StoredChange } from "../../../model/model.ts";
import type { StoredForm, StoredFormField, StoredFormResource } from "../../../model/stored/form.ts";
import type { JsonPart, JsonShape } from "../../json-shape.ts";
import type { ReferencePlace, Step } from "../../../model/resources/reference-places.ts";
import type { Tables } from "../../tables.ts";
import type { Column, Table } from "../../table.ts";

export function storedFormOfTables({ tables, references }: Tables): StoredForm {
  const resources = new Map<string, StoredFormResource>();
  const names = new Set(tables.map(({ name }) => name));
  for (const table of tables) resources.set(table.name, formOfTable(table, { names, references, resources }));
  return { resources };
}

/**
 * The form after a step.
 * @param renamed the tables after its renames and removals
 * @param result what is known from part 2 about the form after the step: what it sets, and
 * resources that it fills
 */
export function formAfter(renamed: Tables, { forEach }: StoredChange, result: StoredForm): StoredForm {
  const { resources } = storedFormOfTables(renamed);
  const formOf = (name: string): StoredFormResource => {
    const stated = result.resources.get(name);
    const own = resources.get(name) ?? (stated as StoredFormResource);
    const isKept = resources.has(name);
    const fields = new Map(
      isKept ? own.fields : [...own.fields.keys()].map((field) => [field, typeIn(own, field)]),
    );
    for (const { resource, assigns, gives } of forEach) {
      if (resource === name) for (const field of assigns) fields.set(field, typeIn(stated, field));
      for (const give of gives.filter((candidate) => candidate.resource === name))
        for (const field of give.fields)
          if (!fields.has(field) && stated?.fields.has(field)) fields.set(field, typeIn(stated, field));
    }
    return { ...own, fields, ...(stated?.unique && { unique: stated.unique }) };
  };
  const names = new Set([...resources.keys(), ...result.resources.keys()]);
  return { resources: new Map([...names].map((name) => [name, formOf(name)])) };
}

/** What is known of a field before part 2. */
function typeIn(resource: StoredFormResource | undefined, name: string): StoredFormField {
  const { field: _ofPart2, mayBeNew: _isKnown, ...known } = resource?.fields.get(name) ?? {};
  return known;
}

interface Around {
  readonly names: ReadonlySet<string>;
  readonly references: readonly ReferencePlace[];
  /** Values that contain themselves are listed: no other type can refer to them. */
  readonly resources: Map<string, StoredFormResource>;
}

function formOfTable(table: Table, around: Around): StoredFormResource {
  const fieldOf = (column: Column): StoredFormField => {
    const own = around.references.filter(
      (reference) => reference.resource === table.name && reference.field === column.name,
    );
    return { type: typeOf(column, column.type, column.shape, { ...around, own }), anyCase: column.anyCase };
  };
  return {
    name: table.name,
    identifier: table.identifier,
    fields: new Map(table.columns.map((column) => [column.name, fieldOf(column)])),
    deletedMarked: table.marked,
    unique: table.uniques.filter(({ identifier }) => !identifier).map(({ columns }) => columns),
  };
}

interface InColumn extends Around {
  /** The reference places of the column. */
  readonly own: readonly ReferencePlace[];
}

const scalars: ReadonlySet<string> = new Set([...plainKinds, "password", "credential"]);

/**
 * From the type's text in a plan (`Column.type`) and the shape of its parts. Whatever neither
 * describes has the type `any`.
 */
function typeOf(column: Column, words: string, shape: JsonShape | undefined, inColumn: InColumn): Type {
  const list = /^(list|map) of (.*)$/.exec(words);
  if (list) {
    const each = shape && "each" in shape ? shape.each : undefined;
    const inner = stepped(inColumn, { step: "each" });
    return { kind: list[1] as "list" | "map", of: typeOf(column, list[2] as string, each, inner) };
  }
  if (scalars.has(words)) return { kind: words } as Type;
  if (words.startsWith("one of ")) return { kind: "enum", values: words.slice("one of ".length).split(", ") };
  if (words === "state" && column.values) return { kind: "enum", values: column.values };
  if (inColumn.names.has(words)) return { kind: "record", resource: words };
  return shape ? typeOfShape(shape, inColumn) : types.any;
}

function typeOfShape(shape: JsonShape, inColumn: InColumn): Type {
  if ("each" in shape) return types.any;
  const { parts, value } = shape;
  const fields = () => parts.map((part) => [part.name, typeOfPart(part, inColumn)] as const);
  if (value === undefined || !holds(shape, value))
    return { kind: "object", fields: Object.fromEntries(fields()) };
  const { resources } = inColumn;
  if (!resources.has(value)) {
    const known = { name: value, isValue: true, identifier: [], fields: new Map<string, StoredFormField>() };
    resources.set(value, known);
    for (const [name, type] of fields()) known.fields.set(name, { type });
  }
  return { kind: "value", resource: value };
}

/** Whether the value contains itself. */
function holds(shape: JsonShape, value: string): boolean {
  if ("each" in shape) return holds(shape.each, value);
  return shape.parts.some((part) => part.again === value || (part.shape && holds(part.shape, value)));
}

function typeOfPart(part: JsonPart, inColumn: InColumn): Type {
  const inner = stepped(inColumn, { step: "part", name: part.name });
  return typeOfForm(part.form, part, part.shape, inner);
}

/** From the form of a part (`JsonPart.form`). */
function typeOfForm(form: string, part: JsonPart, shape: JsonShape | undefined, inColumn: InColumn): Type {
  const list = /^(list|map) of (.*)$/.exec(form);
  if (list) {
    const each = shape && "each" in shape ? shape.each : undefined;
    const inner = stepped(inColumn, { step: "each" });
    return { kind: list[1] as "list" | "map", of: typeOfForm(list[2] as string, part, each, inner) };
  }
  if (form === "text") return types.string;
  if (form === "parts") {
    if (shape) return typeOfShape(shape, inColumn);
    return part.again === undefined ? types.any : { kind: "value", resource: part.again };
  }
  if (form === "reference") {
    const target = inColumn.own.find(({ steps }) => steps.length === 0)?.to;
    return target === undefined || !inColumn.names.has(target)
      ? types.any
      : { kind: "record", resource: target };
  }
  return scalars.has(form) ? ({ kind: form } as Type) : types.any;
}

function stepped(
  inColumn: InColumn,
  { step, name }: { readonly step: Step["step"]; readonly name?: string },
) {
  const own = inColumn.own.flatMap((place) => {
    const [first, ...steps] = place.steps;
    const isThere = first?.step === step && (first.step === "each" || first.name === name);
    return isThere ? [{ ...place, steps }] : [];
  });
  return { ...inColumn, own };
}
