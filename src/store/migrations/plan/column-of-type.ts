/**
 * Column of a field whose type alone is known: a step sets the field, and a later step removes it
 * or sets it again.
 */
import type { Type } from "../../../expressions/type.ts";
import type { JsonShape } from "../../json-shape.ts";
import { keyColumn, storageOfKind } from "../../tables.ts";
import type { Column, Table } from "../../table.ts";

/** @param tables the tables that a reference may lead to */
export function columnOfType(name: string, type: Type, tables: readonly Table[]): Column {
  const bare = { name, type: inWords(type), anyCase: false, required: false };
  if (type.kind !== "record") {
    const storage = storageOfKind(type.kind);
    const shape = shapeOfType(type);
    return { ...bare, storage, form: formOfType(type), ...(shape && { shape }) };
  }
  const target = tables.find((table) => table.name === type.resource);
  const field = target && keyColumn(target);
  if (!target || field === undefined) return { ...bare, storage: "text", form: "reference" };
  const key = target.columns.find((column) => column.name === field);
  return {
    ...bare,
    storage: key?.storage ?? "text",
    form: "reference",
    refersTo: { resource: target.name, field },
  };
}

function inWords(type: Type): string {
  switch (type.kind) {
    case "list":
    case "map":
      return `${type.kind} of ${inWords(type.of)}`;
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "record":
    case "value":
      return type.resource;
    default: {
      const storage = storageOfKind(type.kind);
      return storage === "text" ? "string" : storage;
    }
  }
}

/** The stored form of its parts, for later steps. */
function shapeOfType(type: Type): JsonShape | undefined {
  if (type.kind === "list" || type.kind === "map") {
    const each = shapeOfType(type.of);
    return each && { each };
  }
  if (type.kind !== "object" || type.open) return undefined;
  const parts = Object.entries(type.fields).map(([name, fieldType]) => {
    const shape = shapeOfType(fieldType);
    return { name, form: formOfType(fieldType), ...(shape && { shape }) };
  });
  return { parts };
}

function formOfType(type: Type): string {
  switch (type.kind) {
    case "list":
    case "map":
      return `${type.kind} of ${formOfType(type.of)}`;
    case "object":
    case "value":
      return "parts";
    case "record":
      return "reference";
    default:
      return storageOfKind(type.kind);
  }
}
