/**
 * The rooms of `npm run mutate`: which sources are a room, and which tests belong to it. A mutant
 * is tried only with the tests of its room, so a room's figure is a lower bound.
 */

export interface Room {
  /** Folders, files and patterns, relative to the repository. */
  readonly sources: readonly string[];
  /** Prefixes of the names of its tests. */
  readonly tests: readonly string[];
}

export const rooms: Readonly<Record<string, Room>> = {
  ...Object.fromEntries(
    [
      "src/engine/limits",
      "src/engine/versions",
      "src/engine/streams",
      "src/engine/background",
      "src/engine/deliveries",
      "src/engine/records",
      "src/engine/actions",
      "src/expressions",
      "src/store",
    ].map((place) => [place, roomOf(place)]),
  ),
  admin: {
    sources: ["src/admin", "src/engine/admin"],
    tests: ["src/admin/", "src/engine/admin/", "src/cli/records/", "test/operations/"],
  },
  outputs: {
    sources: ["src/outputs"],
    tests: [
      "src/outputs/",
      "src/cli/commands/export",
      "test/outputs/",
      "test/diagrams/",
      "test/docs-site/pages",
      ...["calls", "lists", "types", "waiting"].map((name) => `test/client/${name}`),
      ...["json-schema", "openapi", "oracle", "scenario-traffic", "wire-content"].map(
        (name) => `test/exports/${name}`,
      ),
    ],
  },
  cli: { sources: ["src/cli"], tests: ["src/cli/"] },
  console: { sources: ["console/src"], tests: ["test/console/"] },
  checks: {
    sources: ["src/checks"],
    tests: [
      "src/checks/",
      ...["corrections", "diagnostics", "each-condition", "hints", "second-conditions"].map(
        (name) => `test/diagnostics/${name}`,
      ),
      "test/contracts/guards-of-the-part",
      "test/versions/required-unknown",
    ],
  },
  migrations: {
    sources: ["src/store/migrations", "src/store/*/migrations", "src/store/*/apply-migration.ts"],
    tests: [
      "src/store/migrations/",
      "src/store/migrate",
      "src/cli/commands/migrate",
      "test/changes/",
      "test/postgres/migrate",
      "test/postgres/started-",
    ],
  },
  shared: {
    sources: [
      "src/store/shared.ts",
      "src/store/postgres/shared",
      "src/store/postgres/statements/event-log.ts",
      "src/store/postgres/reading/replica.ts",
    ],
    tests: ["src/store/postgres/", "test/postgres/", "test/durability/due"],
  },
  backups: {
    sources: ["src/store/sqlite/backups"],
    tests: [
      "src/store/sqlite/backups/",
      ...["file-location", "open-file", "snapshot"].map((name) => `src/store/sqlite/file/${name}`),
      "src/store/migrate.test",
      "test/durability/backups",
    ],
  },
};

/**
 * A folder or file without a room: all tests, except those that start commands, browsers, packages
 * or whole machines, that check other things than sources, or that combine other tests.
 */
export function roomOf(place: string): Room {
  return { sources: [place], tests: ["src/", "test/"] };
}

const excluded =
  /^(src\/cli\/|test\/coverage\/mutants|test\/(browser|clients?|console|consumers|diagrams|docs-site|durability(?!\/due)|exports|histories|kit|newcomers|outputs|package|proxies|repository|simulation|together|twins)\/)/;

/**
 * Whether a test file's name has one of these prefixes; `excluded` files need a specific prefix.
 */
export function isAmong(file: string, starts: readonly string[]): boolean {
  const isNamed = starts.some((start) => start !== "src/" && start !== "test/" && file.startsWith(start));
  return isNamed || (starts.some((start) => file.startsWith(start)) && !excluded.test(file));
}
