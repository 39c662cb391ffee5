/** Typed access to foreign JSON and YAML values of unknown structure. */

export type Plain = { readonly [key: string]: unknown };

export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty object. */
export function plainOf(value: unknown): Plain {
  return isPlain(value) ? value : {};
}

/** An own member of an object. Never one of the prototype (`constructor`). */
export function member(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isPlain(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** One segment of a JSON pointer (RFC 6901). */
export function pointerSegment(key: string): string {
  return key.replace(/~/g, "~0").replace(/\//g, "~1");
}

/** Whether Ninefold exported the description, with its extensions. */
export function isOwnExport(first: unknown): boolean {
  return Object.keys(plainOf(first)).some((key) => key.startsWith("x-ninefold-"));
}
