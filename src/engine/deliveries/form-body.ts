/**
 * Form payloads: converts a payload to form fields with the same names as in requests, such as
 * `address[city]=…` and `lines[0][sku]=…`. Null values are omitted.
 */
import type { Json } from "../../support/json.ts";

/** Returns the fields of a form, in order. A payload that is not an object has none. */
export function formFields(payload: Json): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>;
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) return fields;
  const put = (name: string, value: Json): void => {
    if (value === null) return;
    if (Array.isArray(value)) for (const [at, item] of value.entries()) put(`${name}[${at}]`, item);
    else if (typeof value === "object")
      for (const [key, item] of Object.entries(value)) put(`${name}[${key}]`, item as Json);
    else fields[name] = String(value);
  };
  for (const [name, value] of Object.entries(payload)) put(name, value as Json);
  return fields;
}

export function formText(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(fields)).toString();
}
