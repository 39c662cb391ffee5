/**
 * Order and dates of versions. Dates and numbers have an order; other names have the order of the
 * table.
 */
import type { VersioningPart } from "../model.ts";

interface Ordered {
  readonly name: string;
  readonly status: string;
}

/** The versions from the newest to the oldest. */
export function newestFirst<V extends Ordered>(versions: readonly V[]): V[] {
  const numbers = versions.map((version) => numbersOf(version.name));
  if (numbers.every((number) => number !== undefined) && sameForm(versions)) {
    return [...versions].sort((a, b) => compare(numbersOf(b.name) ?? [], numbersOf(a.name) ?? []));
  }
  // If the last row is the current version, the table starts with the oldest one; otherwise with the newest.
  const last = versions.at(-1);
  return versions.length > 1 && last?.status === "current" ? [...versions].reverse() : [...versions];
}

/** The numbers in a name: `2026-11-01` → 2026, 11, 1; `v1.2` → 1, 2. */
function numbersOf(name: string): number[] | undefined {
  if (!/^[A-Za-z]*\d+([.-]\d+)*$/.test(name)) return undefined;
  return name.match(/\d+/g)?.map(Number);
}

/** Whether the names can be compared: `v1` and `2026-01-01` can't. */
function sameForm(versions: readonly Ordered[]): boolean {
  const forms = versions.map(({ name }) => `${/^[A-Za-z]*/.exec(name)?.[0]} ${/^\d{4}-\d/.test(name)}`);
  return new Set(forms).size <= 1;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? -1) - (b[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The versions after the named one, the newest first. */
export function versionsNewerThan<V extends Ordered>(versions: readonly V[], name: string): V[] {
  const ordered = newestFirst(versions);
  const at = ordered.findIndex((version) => version.name === name);
  return at === -1 ? [] : ordered.slice(0, at);
}

/**
 * `Deprecation` (RFC 9745) has a day: the stated one, or that of the successor if versions are
 * days.
 */
export function deprecatedSince<V extends Ordered & { readonly since?: string }>(
  versions: readonly V[],
  version: V,
): string | undefined {
  const successor = versionsNewerThan(versions, version.name).at(-1)?.name;
  const isDay = successor !== undefined && /^\d{4}-\d\d-\d\d$/.test(successor);
  return version.since ?? (isDay && !Number.isNaN(Date.parse(successor)) ? successor : undefined);
}

/**
 * The version of a request that names none. Undefined if the document doesn't state it, or states
 * it per caller.
 */
export function defaultVersion({ versions, default: rule }: VersioningPart): string | undefined {
  const living = newestFirst(versions).filter((version) => version.status !== "retired");
  if (rule === "oldest") return living.at(-1)?.name;
  if (rule === "current") return living.find((version) => version.status === "current")?.name;
  return typeof rule === "object" && "version" in rule ? rule.version : undefined;
}
