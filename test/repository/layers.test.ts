/**
 * Import directions of ARCHITECTURE.md, "The rooms": imports only point to the left, and what the
 * page excludes is absent.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { codeOf, filesUnder, importsOf, textOf, valuesImportedOf } from "./repository.ts";

const sources = filesUnder("src", ".ts").filter((path) => !path.endsWith(".test.ts"));

/**
 * Returns the ranks of rooms from the line of ARCHITECTURE.md that starts with this room. Rooms of
 * one rank don't import each other.
 */
function rooms(first: string): ReadonlyMap<string, number> {
  const line = new RegExp(`^\`(${first} [<|] .*)\`$`, "m").exec(textOf("ARCHITECTURE.md"))?.[1];
  assert.ok(line, `ARCHITECTURE.md has the line of rooms that begins with ${first}`);
  const ranks = line.split(" < ").map((rank) => rank.split(/ \| |, /));
  return new Map(ranks.flatMap((names, rank) => names.map((name) => [name, rank] as const)));
}

/**
 * Returns the room of a path: `src/syntax/read.ts` is in `syntax`. Each file outside the rooms is
 * its own room, with `compile-worker.ts` in that of `compile.ts`.
 */
function roomOf(path: string): string {
  const first = path.split("/")[1] as string;
  return first.endsWith(".ts") ? (/^(compile)\b|^(\w+)/.exec(first)?.[0] as string) : first;
}

/**
 * Returns the engine room of a path: `src/engine/steps/load.ts` is in `steps`. Each file outside
 * the engine's rooms is its own room.
 */
function engineRoomOf(path: string): string | undefined {
  return /^src\/engine\/([\w-]+)/.exec(path)?.[1];
}

/**
 * Returns the reading room of a path: `src/model/reading/states/states.ts` is in `states`.
 * `declare.ts`, outside the reading rooms, is its own room.
 */
function readingRoomOf(path: string): string | undefined {
  return /^src\/model\/reading\/([\w-]+)/.exec(path)?.[1];
}

/** Returns the repository's sources that a source imports, as paths from the root. */
function targetsOf(path: string, imports = importsOf): readonly string[] {
  return imports(path)
    .filter((target) => target.startsWith("."))
    .map((target) => join(dirname(path), target).replaceAll("\\", "/"))
    .filter((target) => target.startsWith("src/"));
}

/** Returns the imports, also of types, that don't point to the left. */
function wrongWay(
  ranks: ReadonlyMap<string, number>,
  room: (path: string) => string | undefined,
): readonly string[] {
  const rankOf = (path: string): number | undefined => ranks.get(room(path) ?? "");
  return sources
    .filter((path) => room(path) !== undefined)
    .flatMap((path) =>
      targetsOf(path)
        .filter((target) => room(target) !== undefined && room(target) !== room(path))
        .filter((target) => !((rankOf(target) ?? 99) < (rankOf(path) ?? -1)))
        .map((target) => `${path} imports ${target}`),
    );
}

test("imports point to the left only", () => {
  assert.deepEqual(wrongWay(rooms("support"), roomOf), []);
});

test("imports within the engine point to the left only", () => {
  assert.deepEqual(wrongWay(rooms("defaults"), engineRoomOf), []);
});

test("imports within the reading of documents point to the left only", () => {
  assert.deepEqual(wrongWay(rooms("declarations"), readingRoomOf), []);
});

/** Rooms in the line that do not exist yet. */
const toCome = new Set<string>([]);

test("every room is in a line of rooms, and every room in a line exists", () => {
  for (const [first, room] of [
    ["support", roomOf],
    ["defaults", engineRoomOf],
    ["declarations", readingRoomOf],
  ] as const) {
    const there = new Set(sources.map(room).filter((name) => name !== undefined));
    const named = new Set(rooms(first).keys());
    assert.deepEqual([...there.difference(named)], [], "named in no line");
    assert.deepEqual(
      [...named.difference(there)].filter((name) => !toCome.has(name)),
      [],
    );
  }
});

test("no files import each other's values in a circle", () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" → "));
    // An import in the text of a generated file belongs to that file.
    if (done.has(path) || !sources.includes(path)) return;
    done.add(path);
    for (const target of targetsOf(path, valuesImportedOf)) visit(target, [...way, path]);
  };
  for (const path of sources) visit(path, []);
  assert.deepEqual(circles, []);
});

/**
 * Files that import each other, so that they have no order: one file of each circle, with the
 * reason.
 */
const recursive: Readonly<Record<string, string>> = {
  "src/cli/commands/completion.ts": "it is a command, and completes the names of all commands when it runs",
  "src/engine/records/plan-context.ts": "the plan of a resource refers to the plans of others",
  "src/fields/field-reader.ts": "the reader of a type consists of the readers of the types in it",
  "src/fields/type.ts": "a type has rules for its parts, and a rule has a type",
  "src/store/sql/dialect.ts": "a dialect has forms of values, and a form writes its SQL in a dialect",
  "src/store/sql/environment.ts": "an expression in SQL consists of expressions",
};

test("only files that need each other import each other, types included", () => {
  const targets = new Map(sources.map((path) => [path, targetsOf(path)]));
  const reached = (from: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const visit = (path: string): void => {
      for (const target of targets.get(path) ?? [])
        if (targets.has(target) && !found.has(target)) {
          found.add(target);
          visit(target);
        }
    };
    visit(from);
    return found;
  };
  const reach = new Map(sources.map((path) => [path, reached(path)]));
  const circles = sources
    .filter((path) => reach.get(path)?.has(path))
    .map((path) => sources.filter((other) => reach.get(path)?.has(other) && reach.get(other)?.has(path)));
  const unexplained = circles.filter((circle) => !circle.some((path) => Object.hasOwn(recursive, path)));
  assert.deepEqual(unexplained, []);
  const needless = Object.keys(recursive).filter((path) => !reach.get(path)?.has(path));
  assert.deepEqual(needless, []);
});

test("no source imports a test", () => {
  const wrong = sources.filter((path) =>
    importsOf(path).some((target) => /\.test\.ts$|\/test\//.test(target)),
  );
  assert.deepEqual(wrong, []);
});

/** Returns the sources outside `allowed` whose text matches. */
function outside(allowed: (path: string) => boolean, form: RegExp, read = codeOf): readonly string[] {
  return sources.filter((path) => !allowed(path) && form.test(read(path)));
}

test("no database's name occurs outside store/", () => {
  const allowed = (path: string) => path.startsWith("src/store/");
  assert.deepEqual(outside(allowed, /sqlite|postgres/i, textOf), []);
});

test("the engine never sees a named database", () => {
  const wrong = sources
    .filter((path) => path.startsWith("src/engine/"))
    .filter((path) => importsOf(path).some((target) => /store\/(sqlite|sql)\//.test(target)));
  assert.deepEqual(wrong, []);
});

test("only cli/ reads arguments and environment, writes to the terminal or ends the process", () => {
  // The kit starts processes with the environment of its own process.
  const allowed = (path: string) => path.startsWith("src/cli/") || path === "src/kit/sandbox.ts";
  const form = /\bprocess\.(argv|env|exit|exitCode|stdin|stdout|stderr|on|once|kill|cwd|chdir)\b|\bconsole\./;
  assert.deepEqual(outside(allowed, form), []);
});

/** Files that use the platform's time: one file, and code that belongs to the platform itself. */
const usesPlatform: readonly (readonly [form: RegExp, why: string])[] = [
  [/^src\/support\/machine\.ts$/, "the machine's time, which stores and services are given"],
  [/^src\/engine\/http\//, "sockets, which have time-outs of their own"],
  [
    /^src\/store\/postgres\/connection\/connection\.ts$/,
    "a driver's socket, and one timer that is set anew with each answer",
  ],
  [/^src\/cli\//, "the process and its terminal"],
];

test("time and randomness come from one file: no other file uses a clock, a timer or random numbers", () => {
  const form =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(?:Timeout|Interval)\b|\bperformance\.now\b|\bAbortSignal\.timeout\b|\bhrtime\b/;
  const allowed = (path: string) => usesPlatform.some(([where]) => where.test(path));
  assert.deepEqual(outside(allowed, form), []);
  const timers = sources.filter((path) => importsOf(path).some((target) => /^(node:)?timers/.test(target)));
  assert.deepEqual(
    timers.filter((path) => !allowed(path) && !turnsOnly.has(path)),
    [],
  );
});

/** A file that counts ticks of the event loop, and no time. */
const turnsOnly = new Set(["src/admin/metrics.ts"]);

test("the engine uses the clock of its ports, and never the machine's", () => {
  const engine = sources.filter((path) => path.startsWith("src/engine/"));
  const requesting = engine.filter((path) =>
    importsOf(path).some((target) => target.endsWith("support/machine.ts")),
  );
  assert.deepEqual(requesting, ["src/engine/ports.ts"]);
});

/** Files that implement the network and randomness ports, and the sockets for requests. */
const realOutside = /^src\/engine\/(http\/|outbound\/system-network\.ts$)/;
const outsideModules =
  /^(node:(dns|dgram|net|tls|https?|http2|fs|child_process)(\/.*)?|nodemailer|undici|pg)$/;

test("the engine uses network, files and randomness only through its ports", () => {
  const engine = sources.filter((path) => path.startsWith("src/engine/") && !realOutside.test(path));
  const imported = engine.flatMap((path) =>
    valuesImportedOf(path)
      .filter((target) => outsideModules.test(target))
      .map((target) => `${path} imports ${target}`),
  );
  // `node:net` decides which addresses are public, without any socket.
  const pure = new Set([
    "src/engine/outbound/outbound.ts imports node:net",
    "src/engine/outbound/public-address.ts imports node:net",
    // Speaks SMTP over the connections of the port.
    "src/engine/outbound/mailer.ts imports nodemailer",
  ]);
  assert.deepEqual(
    imported.filter((path) => !pure.has(path)),
    [],
  );
  const drawn = engine.filter((path) =>
    /import\s*\{[^}]*\b(randomBytes|randomUUID|randomInt|randomFillSync)\b[^}]*\}\s*from "node:crypto"|(?<![.\w])fetch\(|\bcrypto\.(random|getRandom)/.test(
      textOf(path).replace(/^ *(\*|\/\*|\/\/).*$/gm, ""),
    ),
  );
  assert.deepEqual(
    drawn.filter((path) => !/\bfetch\([^)]*\)(: |;?$)/m.test(codeOf(path))),
    [],
  );
});

test("code that reads documents has no clock, no randomness and no files", () => {
  const pure =
    /^src\/(support|source|diagnostics|expressions|fields|syntax|model|checks)\/|^src\/compile\.ts$/;
  const usesMachine = sources.filter(
    (path) => pure.test(path) && importsOf(path).some((target) => target.endsWith("support/machine.ts")),
  );
  assert.deepEqual(usesMachine, []);
  const readsFiles = sources.filter(
    (path) =>
      pure.test(path) && importsOf(path).some((target) => /^node:(fs|net|http|child_process)/.test(target)),
  );
  assert.deepEqual(readsFiles, []);
});

const onlyIn: Readonly<Record<string, readonly string[]>> = {
  // One parses documents for their meaning, one for their layout; the third renders their prose as
  // HTML.
  "markdown-it": ["src/outputs/docs/prose.ts", "src/syntax/document-tree.ts", "src/syntax/markdown.ts"],
  "@marcbachmann/cel-js": ["src/expressions/parse.ts"],
  "@viz-js/viz": ["src/outputs/diagrams/layout.ts"],
};

for (const [library, files] of Object.entries(onlyIn)) {
  test(`only ${files.join(" and ")} import${files.length === 1 ? "s" : ""} ${library}`, () => {
    assert.deepEqual(sources.filter((path) => importsOf(path).includes(library)).toSorted(), files);
  });
}

test("node:sqlite and node:http are imported in their own rooms", () => {
  const importers = (module: string) => sources.filter((path) => importsOf(path).includes(module));
  assert.deepEqual(
    importers("node:sqlite").filter((path) => !path.startsWith("src/store/sqlite/")),
    [],
  );
  assert.deepEqual(
    importers("node:http").filter(
      (path) =>
        !/^src\/engine\/(http|outbound)\/|^src\/verify\/(http-target|recording-proxy|webhook-receiver)\.ts$/.test(
          path,
        ),
    ),
    [],
  );
});
