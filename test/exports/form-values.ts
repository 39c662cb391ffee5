/**
 * Form values: parses forms and queries with bracketed names, and coerces texts to the types of the
 * schema.
 */
import type { Schema } from "./openapi-judge.ts";

export type FormValue = string | readonly FormValue[] | { readonly [key: string]: FormValue };

export function formOf(text: string): FormValue {
  const root: Record<string, unknown> = {};
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const [name = "", value = ""] = pair.split(/=(.*)/s).map((part) => decode(part));
    const keys = [
      name.split("[", 1)[0] as string,
      ...[...name.matchAll(/\[([^\]]*)\]/g)].map((hit) => hit[1] as string),
    ];
    put(root, keys, value);
  }
  return listed(root) as FormValue;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function put(into: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: string): void {
  const name = key === "" ? itemOf(into, rest[0]) : key;
  if (rest.length > 0) {
    const there = into[name];
    const inner: Record<string, unknown> =
      typeof there === "object" && there !== null && !Array.isArray(there)
        ? (there as Record<string, unknown>)
        : {};
    into[name] = inner;
    put(inner, rest, value);
  } else if (into[name] === undefined) into[name] = value;
  else into[name] = [into[name], value].flat();
}

/** The index of an element; `a[][x]=1&a[][y]=2&a[][x]=3` gives two, because a repeated key starts the next one. */
function itemOf(list: Readonly<Record<string, unknown>>, key = ""): string {
  const last = Object.keys(list).length - 1;
  const item = list[last];
  const goesOn = key !== "" && typeof item === "object" && item !== null && !Object.hasOwn(item, key);
  return String(goesOn ? last : last + 1);
}

/** Converts `a[0]`, `a[1]` and `a[]` to a list. */
function listed(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, listed(entry)] as const);
  const isList = entries.length > 0 && entries.every(([key], at) => key === String(at));
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** Returns the value that a text represents by the schema; unchanged if it fits no type. */
export function coerced(
  schema: Schema,
  given: FormValue,
  named: Readonly<Record<string, Schema>>,
  fits: (schema: Schema, value: unknown) => boolean,
): unknown {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const target = named[reference.replace("#/components/schemas/", "")];
    if (target) return coerced(target, given, named, fits);
  }
  const options = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
  if (options) {
    const tried = options.map((option) => ({ option, value: coerced(option, given, named, fits) }));
    return (tried.find(({ option, value }) => fits(option, value)) ?? { value: given }).value;
  }
  const types = [schema["type"]].flat() as readonly string[];
  if (types.includes("array")) {
    const items = (schema["items"] ?? {}) as Schema;
    const list = Array.isArray(given) ? (given as readonly FormValue[]) : given === "" ? [] : [given];
    return list.map((formValue) => coerced(items, formValue, named, fits));
  }
  if (typeof given === "object" && !Array.isArray(given)) {
    const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
    const further = (schema["additionalProperties"] ?? {}) as Schema;
    return Object.fromEntries(
      Object.entries(given).map(([key, formValue]) => [
        key,
        coerced(properties[key] ?? further, formValue, named, fits),
      ]),
    );
  }
  if (typeof given !== "string") return given;
  return scalar(types, given);
}

function scalar(types: readonly string[], text: string): unknown {
  if (types.includes("null") && text === "") return null;
  if (types.includes("integer") && /^-?\d+$/.test(text)) return Number(text);
  if (types.includes("number") && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  return text;
}
