/**
 * Removes undefined properties, for types with optional properties (`exactOptionalPropertyTypes`).
 */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function present<T extends object>(parts: T): Present<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Present<T>;
}
