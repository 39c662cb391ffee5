/**
 * Writes part 9 of an imported document. A scheme is stated if a header or a query parameter has one
 * value, and requests without it are decided. Else a comment has what was seen.
 */
import { memoizeBy } from "../../../support/memoize-by.ts";
import { type Draft, oneLine } from "./draft.ts";
import { ownVersion } from "../description/extensions.ts";
import { basePathOf, type Operation } from "../description/operations.ts";
import { isPlain, listOf, member, textOf } from "../description/values.ts";
import type { Writing } from "./context.ts";

export interface StatedVersion {
  readonly in: string;
  readonly name: string;
  readonly version: string;
  /** Undefined: a request without a version is rejected. */
  readonly default: string | undefined;
}

/** Maximum number of values that the comment lists. */
const valuesMax = 20;

/** The scheme that the description states. */
export function statedVersion({ files, facts, refusals }: Writing): StatedVersion | undefined {
  if (refusals.has("version")) return undefined;
  const own = ownVersion(files.first);
  if (own) return { ...own, default: "not shown" };
  const [input, more] = versionInputs(facts.operations);
  if (!input || more || input.count < facts.operations.length) return undefined;
  const [version, another] = input.values;
  const isDecided = input.default === undefined ? input.isRequired : input.default === version;
  if (version === undefined || another !== undefined || !isDecided) return undefined;
  return { in: input.in, name: input.name, version, default: input.default };
}

/** Writes part 9. */
export function writeVersioning(draft: Draft, writing: Writing): void {
  draft.add("## Versioning");
  draft.gap();
  const version = statedVersion(writing);
  if (version) {
    draft.count("versions", "stated");
    draft.add(`- Scheme: ${version.in} \`${version.name}\``, "version");
    if (version.default !== undefined) draft.add(`- Default: ${version.default}`, "version");
  } else {
    const seen = seenVersions(writing);
    if (seen.length > 0) {
      draft.count("versions", "comment");
      draft.add(`<!-- openapi versions: ${seen.join("; ")} -->`);
      draft.gap();
    }
    draft.add("- Version scheme: not shown");
  }
  draft.add("- Compatibility rules: not shown");
  if (!version) return;
  draft.gap();
  draft.add("| Version | Status |", "version");
  draft.add("|---|---|", "version");
  draft.add(`| ${version.version} | current |`, "version");
}

interface VersionInput {
  readonly in: string;
  readonly name: string;
  /** How many operations have it. */
  readonly count: number;
  readonly isRequired: boolean;
  readonly values: readonly string[];
  readonly default: string | undefined;
  readonly example: string | undefined;
}

/** Headers and query parameters that are called version, and are of at least half of the operations. */
const versionInputs = memoizeBy((operations: readonly Operation[]): readonly VersionInput[] => {
  const parameters = operations.flatMap((operation) => operation.parameters);
  const found = parameters.filter(
    ({ in: place, name }) => /^(header|query)$/.test(place) && /^(?:[\w-]{0,60}-)?version$/i.test(name),
  );
  const groups = Map.groupBy(found, ({ in: place, name }) => `${place} ${name.toLowerCase()}`);
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (!first || same.length * 2 < operations.length) return [];
    const schemas = same.map(({ schema }) => (isPlain(schema) ? schema : {}));
    const values = schemas.flatMap((schema) => [...listOf(member(schema, "enum")), member(schema, "const")]);
    const texts = (all: readonly unknown[]) => [...new Set(all.filter(isVersionName))];
    const [initial, another] = texts(schemas.map((schema) => member(schema, "default")));
    const examples = same.map(({ node }, index) => node["example"] ?? member(schemas[index], "example"));
    return [
      {
        in: first.in,
        name: first.name,
        count: same.length,
        isRequired: same.every(({ required }) => required),
        values: texts(values),
        default: another === undefined ? initial : undefined,
        example: texts(examples)[0],
      },
    ];
  });
});

function isVersionName(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9][\w.-]{0,63}$/.test(value);
}

/** What was seen of versions, as the texts of one comment. */
function seenVersions({ files, facts: { operations } }: Writing): readonly string[] {
  const inputs = versionInputs(operations).map((input) => {
    const { values, default: initial, example } = input;
    return [
      `${input.in} ${input.name}${input.isRequired ? ", required" : ""}`,
      ...(values.length === 0 ? [] : [`values ${values.slice(0, valuesMax).join(" ")}`]),
      ...(initial === undefined ? [] : [`default ${initial}`]),
      ...(example === undefined ? [] : [`example ${example}`]),
      `${input.count} of ${operations.length} operations`,
    ].join(", ");
  });
  const isVersion = (segment: string | undefined) => /^v\d+(?:\.\d+)*$/.test(segment ?? "");
  const base = basePathOf(files.first)?.split("/")[1];
  const firsts = new Set(operations.map(({ path }) => path.split("/")[1]).filter(isVersion));
  const about = textOf(member(member(files.first, "info"), "version"));
  const named = oneLine(about, 60).replace(/--+|;/g, "-");
  return [
    ...inputs,
    ...(isVersion(base) ? [`base path /${base}`] : []),
    ...(firsts.size === 0
      ? []
      : [
          `paths below ${[...firsts]
            .slice(0, valuesMax)
            .map((word) => `/${word}`)
            .join(" ")}`,
        ]),
    ...(named === "" ? [] : [`info.version ${named}`]),
  ];
}
