/** Forms of the collection macros: with a variable and a body, without, or both. */
import type { MacroName } from "../node.ts";

export interface MacroForm {
  /** `.count()`: without arguments. */
  readonly bare: boolean;
  /** `.count(x, c)`: a variable and a condition for each element. */
  readonly body?: "condition" | "value" | "order" | "entry";
}

/** The macros that an author writes. `toMap` is bound to a list of entries and a function of it. */
export type WrittenMacro = MacroName | "toMap";

export const macroForms: Readonly<Record<WrittenMacro, MacroForm>> = {
  filter: { bare: false, body: "condition" },
  map: { bare: false, body: "value" },
  sort: { bare: true, body: "order" },
  first: { bare: true, body: "condition" },
  last: { bare: true, body: "condition" },
  exists: { bare: true, body: "condition" },
  exists_one: { bare: false, body: "condition" },
  all: { bare: false, body: "condition" },
  count: { bare: true, body: "condition" },
  sum: { bare: true, body: "value" },
  min: { bare: true, body: "order" },
  max: { bare: true, body: "order" },
  distinct: { bare: true },
  flatten: { bare: true },
  toMap: { bare: false, body: "entry" },
};

export const macroNames: ReadonlySet<string> = new Set(Object.keys(macroForms));

/** How a macro is written, for messages. */
export function macroUsage(name: WrittenMacro): string {
  const { bare, body } = macroForms[name];
  if (!body) return `list.${name}()`;
  if (body === "entry") return `list.${name}(x, key, value)`;
  return bare && body !== "condition"
    ? `list.${name}(x, …)`
    : `list.${name}(x, ${body === "condition" ? "condition" : "…"})`;
}
