/**
 * Versions in both directions (part 9), on random changes. A caller of any version sends values
 * that are stored with their current meaning. Callers of every version receive them with the names
 * and forms of their version. The expected values come from changes to plain values, from the
 * newest version back.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc, times } from "../fixed-seed.ts";
import { type Served, serveDocument, smallDocument } from "../contracts/serve-document.ts";

type Plain = null | number | string | readonly string[];
type Values = Readonly<Record<string, Plain>>;

/** A replacement: the form of a value in the newer and the older version. */
interface Replacing {
  readonly to: string;
  readonly back: string;
  /** Converts a value from the newer to the older form, in plain code. */
  readonly older: (value: Plain) => Plain;
}

const replacings = {
  more: { to: "old + 3", back: "new - 3", older: (value: Plain) => Number(value) - 3 },
  sign: { to: "0 - old", back: "0 - new", older: (value: Plain) => 0 - Number(value) },
  text: { to: "int(old)", back: "string(new)", older: String },
  list: { to: "old[0]", back: "[new]", older: (value: Plain) => [value as string] },
} as const satisfies Record<string, Replacing>;

/** The possible replacements of a value by its form, and its earlier form. */
const possible = {
  integer: ["more", "sign", "text"],
  string: ["list"],
  list: [],
} as const satisfies Record<string, readonly (keyof typeof replacings)[]>;
type Form = keyof typeof possible;
const formBefore: Readonly<Partial<Record<keyof typeof replacings, Form>>> = { text: "string", list: "list" };

/** The change of a field in one version. */
interface Change {
  readonly isRenamed: boolean;
  /** The index into the replacements that are possible then; no replacement if it is too high. */
  readonly replacing: number;
}

const fields = ["count", "label", "size"] as const;
type Field = (typeof fields)[number];

/** The changes from one version to the previous, newest first. */
interface Step {
  readonly changes: Readonly<Record<Field, Change>>;
  /** Whether this version adds `size`. A text `measure` precedes it. */
  readonly isAdded: boolean;
  /** The default of `kind` in the older version. */
  readonly kind: string | null;
}

const change = fc.record({ isRenamed: fc.boolean(), replacing: fc.nat(4) });
const step = fc.record({
  changes: fc.record({ count: change, label: change, size: change }),
  isAdded: fc.boolean(),
  kind: fc.option(fc.constantFrom("old", "older")),
});
const values = fc.record({
  count: fc.integer({ min: -50, max: 50 }),
  label: fc.constantFrom("1", "a", "some words", "ß"),
  size: fc.integer({ min: -9, max: 9 }),
});
const act = fc.record({
  kind: fc.constantFrom("make", "make", "change"),
  version: fc.nat(3),
  which: fc.nat(9),
  values,
  isMeasured: fc.boolean(),
  sent: fc.subarray([...fields], { minLength: 1 }),
});

/** The names and the forms of one version. */
interface Words {
  readonly name: string;
  /** Undefined if the version has no such field. */
  readonly names: Readonly<Record<Field, string | undefined>>;
  readonly replaced: Readonly<Record<Field, readonly Replacing[]>>;
  readonly hasMeasure: boolean;
  readonly kind: string;
}

/** The expected values of each version, newest first, computed from the current values. */
class ExpectedVersions {
  readonly #versions: Words[] = [];
  readonly lines: string[] = [];

  constructor(steps: readonly Step[]) {
    let names: Record<Field, string | undefined> = { count: "count", label: "label", size: "size" };
    let replaced: Record<Field, readonly Replacing[]> = { count: [], label: [], size: [] };
    const forms: Record<Field, Form> = { count: "integer", label: "string", size: "integer" };
    let kind = "now";
    const nameOf = (at: number) => `v${steps.length + 1 - at}`;
    this.#versions.push({ name: nameOf(0), names, replaced, hasMeasure: false, kind });
    for (const [at, step] of steps.entries()) {
      names = { ...names };
      replaced = { ...replaced };
      const lines: string[] = [];
      let hasMeasure = false;
      for (const field of fields) {
        const name = names[field];
        if (name === undefined) continue;
        if (field === "size" && step.isAdded) {
          const isInteger = forms.size === "integer";
          lines.push(`- Added: Note.${name}`);
          // The value is shown from the present state, and sent with the meaning of `size` in that
          // version.
          const asThen = replaced.size.reduce(
            (text, { back }) => back.replace("new", `(${text})`),
            "int(measure)",
          );
          if (isInteger)
            lines.push(
              "- Removed: Note.measure, was `string(this.size)`",
              `- Removed: measure of POST /notes, as ${name} = \`${asThen}\``,
            );
          names.size = undefined;
          hasMeasure = isInteger;
          continue;
        }
        const { isRenamed, replacing } = step.changes[field];
        const which = possible[forms[field]][replacing];
        if (which !== undefined) {
          lines.push(
            `- Replaced: Note.${name}, new \`${replacings[which].to}\`, old \`${replacings[which].back}\``,
          );
          replaced[field] = [...replaced[field], replacings[which]];
          forms[field] = formBefore[which] ?? forms[field];
        }
        if (isRenamed) {
          names[field] = `${field}_${at}`;
          lines.push(`- Renamed: Note.${names[field]} to Note.${name}`);
        }
      }
      if (step.kind !== null) {
        lines.push(`- Default: Note.kind, was \`"${step.kind}"\``);
        kind = step.kind;
      }
      // A version must have at least one change, so this line repeats one.
      if (lines.length === 0) lines.push(`- Default: Note.kind, was \`"${kind}"\``);
      this.lines.push(`### Changes in ${nameOf(at)}\n\n${lines.join("\n")}`);
      const had = this.#versions.at(-1)?.hasMeasure ?? false;
      this.#versions.push({ name: nameOf(at + 1), names, replaced, hasMeasure: had || hasMeasure, kind });
    }
  }

  get names(): readonly string[] {
    return this.#versions.map(({ name }) => name);
  }

  #of(version: number) {
    return this.#versions[version % this.#versions.length] as Words;
  }

  name(version: number): string {
    return this.#of(version).name;
  }

  has(version: number, field: Field): boolean {
    return this.#of(version).names[field] !== undefined;
  }

  hasMeasure(version: number): boolean {
    return this.#of(version).hasMeasure;
  }

  kind(version: number): string {
    return this.#of(version).kind;
  }

  /** Returns the values that a version receives or sends. */
  shown(version: number, now: Values): Record<string, Plain> {
    const { names, replaced, hasMeasure } = this.#of(version);
    const shown: Record<string, Plain> = {};
    for (const field of fields) {
      const name = names[field];
      if (name === undefined || now[field] === undefined) continue;
      shown[name] = replaced[field].reduce((value: Plain, { older }) => older(value), now[field]);
    }
    if (hasMeasure && now["size"] !== undefined) shown["measure"] = String(now["size"]);
    return shown;
  }
}

function documentOf(worlds: ExpectedVersions): string {
  const rows = worlds.names.map((name, at) => `| ${name} | ${at === 0 ? "current" : "supported"} | | |`);
  return smallDocument({
    resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| count | integer | required |
| label | string | required |
| size | integer | default \`7\` |
| kind | string | default \`"now"\` |`,
    endpoints: `### POST /notes

- Does: create Note
- Body: count, label, size?, kind?
- Returns: 201 Note

### PATCH /notes/{id}

- Does: update Note
- Body: count?, label?, size?
- Returns: 200 Note

### GET /notes

- Does: list Note
- Query: count?, size?
- Pagination: none
- Returns: 200 list of Note

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note`,
    versioning: `- Scheme: path prefix
- Default: current
- Compatibility: new fields are compatible.

| Version | Status | Until | Changes |
|---|---|---|---|
${rows.join("\n")}

${worlds.lines.join("\n\n")}`,
  });
}

async function seenByAll(served: Served, worlds: ExpectedVersions, id: number, now: Values): Promise<void> {
  for (const version of worlds.names.keys()) {
    const { json, status } = await served.send("GET", `/${worlds.name(version)}/notes/${id}`);
    assert.equal(status, 200);
    assert.deepEqual(json, { id, kind: now["kind"], ...worlds.shown(version, now) }, worlds.name(version));
  }
}

test("values that any version sends are stored with their current meaning, and each version receives them in its form", async () => {
  const run = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 3 }),
    fc.array(act, { minLength: 2, maxLength: 6 }),
    async (steps, acts) => {
      const worlds = new ExpectedVersions(steps);
      const served = await serveDocument(documentOf(worlds));
      const notes: { readonly id: number; now: Values }[] = [];
      try {
        for (const { kind, version, which, values: given, isMeasured, sent } of acts) {
          const path = `/${worlds.name(version)}/notes`;
          const note = notes[which % Math.max(1, notes.length)];
          if (kind === "make" || !note) {
            const isSized = worlds.has(version, "size");
            const measured = worlds.hasMeasure(version) && isMeasured;
            const size = isSized || measured ? given.size : 7;
            const now = { ...given, size, kind: worlds.kind(version) };
            const body = worlds.shown(version, now);
            if (!measured) delete body["measure"];
            const answer = await served.send("POST", path, { body });
            assert.equal(answer.status, 201, answer.body);
            const { id } = answer.json;
            assert.deepEqual(answer.json, { id, kind: now.kind, ...worlds.shown(version, now) });
            notes.push({ id, now });
            await seenByAll(served, worlds, id, now);
          } else {
            const some = sent.filter((field) => worlds.has(version, field));
            const changed: Values = Object.fromEntries(some.map((field) => [field, given[field]]));
            const body = worlds.shown(version, changed);
            delete body["measure"];
            note.now = { ...note.now, ...changed };
            const answer = await served.send("PATCH", `${path}/${note.id}`, { body });
            assert.equal(answer.status, 200, answer.body);
            await seenByAll(served, worlds, note.id, note.now);
          }
          // A filter has the names of the version, too.
          for (const field of ["count", "size"] as const) {
            if (!worlds.has(version, field)) continue;
            const wanted = notes[0]?.now[field] as Plain;
            const [pair] = Object.entries(worlds.shown(version, { [field]: wanted })).filter(
              ([name]) => name !== "measure",
            );
            const [name, value] = pair as [string, Plain];
            const { json, body } = await served.send(
              "GET",
              `${path}?${name}=${encodeURIComponent(String(value))}`,
            );
            const ids = notes.filter(({ now }) => now[field] === wanted).map(({ id }) => id);
            assert.deepEqual(
              (json as { id: number }[]).map?.(({ id }) => id),
              ids,
              body,
            );
          }
        }
      } finally {
        await served.close();
      }
    },
  );
  await fc.assert(run, { numRuns: times(12) });
});
