/** A payload as a form: the same names that requests with forms use, `address[city]=…`, `lines[0][sku]=…`. What is null is left out. */
import type { Json } from "../../support/json.ts";

/** The fields of a form, in their order. A payload that is no object has none. */
export function formFields(payload: Json): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>;
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) return fields;
  const put = (name: string, value: Json): void => {
    if (value === null) return;
    if (Array.isArray(value)) for (const [at, one] of value.entries()) put(`${name}[${at}]`, one);
    else if (typeof value === "object")
      for (const [key, one] of Object.entries(value)) put(`${name}[${key}]`, one as Json);
    else fields[name] = String(value);
  };
  for (const [name, value] of Object.entries(payload)) put(name, value as Json);
  return fields;
}

export function formText(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(fields)).toString();
}
