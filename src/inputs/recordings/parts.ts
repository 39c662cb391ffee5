/** Parts of recorded requests: names with values, bodies by their type, segments of paths. */
import { isPlain, listOf, member, textOf } from "../openapi/description/values.ts";

/** Pairs of a list `[{name, value}]` that are sent. Postman calls the name `key`. */
export function pairsOf(list: unknown, nameKey: "name" | "key"): readonly (readonly [string, string])[] {
  return documentedPairsOf(
    listOf(list).filter((pair) => member(pair, "disabled") !== true),
    nameKey,
  );
}

/** Pairs of a list, with those that the author describes and doesn't send. */
export function documentedPairsOf(
  list: unknown,
  nameKey: "name" | "key",
): readonly (readonly [string, string])[] {
  return listOf(list).flatMap((pair) => {
    const name = textOf(member(pair, nameKey));
    return name === undefined ? [] : [[name, textOf(member(pair, "value")) ?? ""] as const];
  });
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The keys of a body in JSON or of a form. */
export function bodyKeys(type: string, text: string): readonly (readonly [string, unknown])[] | undefined {
  if (type === "application/x-www-form-urlencoded") return [...new URLSearchParams(text)];
  const value = /json/i.test(type) ? jsonOf(text) : undefined;
  return isPlain(value) ? Object.entries(value) : undefined;
}

/** The segments of a path, without empty ones. */
export function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}
