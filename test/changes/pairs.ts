/**
 * Pairs of documents at random: one, records that it accepts, and what becomes of it by a few
 * edits. The store of the first is opened with the second. If that is accepted, every record is
 * checked against every rule of the second. The check shares only the validation of single values
 * with the migration. If rules alone reject it, a record must violate one.
 */
import assert from "node:assert/strict";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model, Resource } from "../../src/model/model.ts";
import { compileFunction, newFrame, readsStore } from "../../src/expressions/evaluate.ts";
import type { RecordValue, Value } from "../../src/expressions/value.ts";
import { compileTypeCheck } from "../../src/fields/check-type.ts";
import { compileValueCheck } from "../../src/fields/check-value.ts";
import { compileToStored } from "../../src/fields/stored-form.ts";
import { hasRule, ruleOf } from "../../src/fields/rule.ts";
import type { FieldPart } from "../../src/fields/type.ts";
import { type DryRunPlan, planStoreFor, StoreMismatch } from "../../src/store/index.ts";
import { documentOf, modelOf, open, value } from "./desk.ts";
import { checkTogether, newKeyPrefix, owners, recordsIn, withReferences } from "./pair-references.ts";
import { change } from "./support.ts";

/** A random number below `below`, or a random item. */
interface Chance {
  below(count: number): number;
  of<T>(all: readonly T[]): T;
}

function chanceOf(seed: number): Chance {
  let state = (seed * 2_654_435_761) >>> 0;
  const below = (count: number): number => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
  return { below, of: (all) => all[below(all.length)] as (typeof all)[number] };
}

// ── Documents ───────────────────────────────────────────────────────────────────────────────────

interface Row {
  readonly name: string;
  readonly type: string;
  readonly rules: readonly string[];
}

interface Draft {
  readonly items: readonly Row[];
  readonly parts: readonly Row[];
  readonly recordRules: readonly string[];
  /** The rules of the identifier of owners. */
  readonly ownerRules: string;
  /** The items of a stored change. */
  readonly change: readonly string[];
}

const words = ["string", "email", "uuid", "one of a, b", "one of a, b, c", "one of b, c"];
const types = [...words, "integer", "decimal", "boolean", "timestamp", "date", "duration", "Owner", "Part"];
const nested = [...words, "integer", "decimal", "Owner", "Part"];

const ofText = ["length 1..3", "length ..5", "pattern `[a-z]*`", "lower case", "trimmed", "empty is null"];
const ofNumber = ["0..9", "..5", "3.."];
const ofList = ["items 1..2", "items ..1", "distinct", "each length 1..3", "each lower case", "each ..5"];
const ofMap = ["items ..1", "keys length 1..2", "each length 1..3", "each ..5"];

/** The rules that a type allows. */
function rulesAt(type: string): readonly string[] {
  const element = /of (.*)$/.exec(type)?.[1] ?? "";
  const isOf = (rule: string): boolean =>
    rule.startsWith("each length") || rule === "each lower case"
      ? element === "string"
      : rule !== "each ..5" || element === "integer" || element === "decimal";
  if (type.startsWith("list of ")) return ofList.filter(isOf);
  if (type.startsWith("map of ")) return ofMap.filter(isOf);
  if (type === "string" || type === "email") return ofText;
  return type === "integer" || type === "decimal" ? ofNumber : [];
}

function drawnType(chance: Chance): string {
  const kind = chance.below(4);
  if (kind === 0) return `list of ${chance.of(nested)}`;
  return kind === 1 ? `map of ${chance.of(["string", "integer", "decimal"])}` : chance.of(types);
}

function drawnRules(type: string, chance: Chance): readonly string[] {
  const all = [...rulesAt(type), "required"];
  const some = Array.from({ length: chance.below(3) }, () => chance.of(all));
  const kinds = new Map(some.map((rule) => [/^(?:each |keys )?[a-z]*/.exec(rule)?.[0] ?? "", rule]));
  return [...kinds.values()];
}

function drawnRow(name: string, chance: Chance, isPart: boolean): Row {
  let type = drawnType(chance);
  while (isPart && /Part|Owner/.test(type)) type = drawnType(chance);
  return { name, type, rules: drawnRules(type, chance) };
}

const recordRules = [
  "Always: `this.n1 == null || this.n1 < 8`",
  "Fails: x when `this.n1 > 6`",
  "Fails: x when `this.twice > 13`",
  "Always: `this.parts == null || this.parts.all(p, p.size == null || p.size < 7)`",
  "Fails: x when `Item.exists(i, i.n1 != null && this.n1 != null && i.n1 > this.n1 + 6)`",
];

function drawn(chance: Chance): Draft {
  const rows = Array.from({ length: 3 + chance.below(3) }, (_, at) => drawnRow(`f${at}`, chance, false));
  const fixed: readonly Row[] = [
    { name: "n1", type: "integer", rules: [] },
    { name: "parts", type: "list of Part", rules: [] },
    { name: "twice", type: "integer", rules: ["= `this.n1 * 2`"] },
    { name: "sum", type: "decimal", rules: ["= `this.parts.sum(p, p.cost)`"] },
  ];
  const parts: readonly Row[] = [
    { name: "size", type: "integer", rules: [] },
    { name: "cost", type: "decimal", rules: [] },
    drawnRow("p1", chance, true),
  ];
  return {
    items: [...fixed, ...rows],
    parts,
    recordRules: recordRules.filter(() => chance.below(4) === 0),
    ownerRules: chance.below(2) === 0 ? "any case" : "",
    change: [],
  };
}

function written({ items, parts, recordRules, ownerRules, change: said }: Draft): string {
  const table = (rows: readonly Row[]) =>
    rows.map(({ name, type, rules }) => `${name} | ${type} | ${rules.join(", ")}`);
  const owners = ["Owner", "Other"].map(
    (name) =>
      `### ${name}\n\n- Identifier: id, given\n\n| Field | Type | Rules |\n|---|---|---|\n| id | string | ${name === "Owner" ? ownerRules : ""} |\n`,
  );
  const item = `### Item\n\n- Identifier: id, given\n${recordRules.map((rule) => `- ${rule}\n`).join("")}\n| Field | Type | Rules |\n|---|---|---|\n| id | string | |\n${table(
    items,
  )
    .map((row) => `| ${row} |\n`)
    .join("")}`;
  return documentOf(
    [value("Part", ...table(parts)), ...owners, item].join("\n"),
    said.length === 0 ? "" : change("drawn", ...said),
  ).replace(
    "## Errors\n",
    "## Errors\n\n- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| x | 422 | | x |\n",
  );
}

/** The draft with one random edit. */
function edited(draft: Draft, chance: Chance): Draft {
  const key = chance.below(4) === 0 ? "parts" : "items";
  const rows = draft[key];
  const at = chance.below(rows.length);
  const row = rows[at] as Row;
  const put = (...now: readonly Row[]): Draft => ({ ...draft, [key]: rows.toSpliced(at, 1, ...now) });
  const isOwn = /^[fp]\d/.test(row.name);
  switch (chance.below(17)) {
    case 11:
      return { ...draft, ownerRules: draft.ownerRules === "" ? "any case" : "" };
    case 12:
      return isOwn ? replacing(draft, key, row, chance) : draft;
    case 13:
      return withStep(draft, `For each Owner: \`id = "${newKeyPrefix}" + old.id\``);
    case 14:
      return withStep(draft, `For each Owner: \`delete Owner where this == old when old.id == "bob"\``);
    case 15:
      return isOwn && key === "items" && ["string", "integer", "decimal"].includes(row.type)
        ? put({ ...row, rules: [...row.rules, "unique"] })
        : draft;
    case 8:
      return isOwn ? renamed(draft, key, row, chance) : draft;
    case 9: {
      const now = ["f1", "p1"].includes(row.name) ? "f1" : "n1";
      const set = now === "n1" ? "n1 = old.n1 + 3 when old.n1 != null" : "n1 = size(old.parts)";
      return withStep(draft, `For each Item: \`${set}\``);
    }
    case 10: {
      // The same as `sum`, but computed: the test compares both.
      if (draft.items.some(({ name }) => name === "total")) return draft;
      const total: Row = { name: "total", type: "decimal", rules: [] };
      const set = "For each Item: `total = old.parts.sum(p, p.cost)`";
      return withStep({ ...draft, items: [...draft.items, total] }, set);
    }
    case 0:
      return {
        ...draft,
        recordRules: recordRules.filter(
          (recordRule) => draft.recordRules.includes(recordRule) !== (chance.below(3) === 0),
        ),
      };
    case 1: {
      const name = `${key === "parts" ? "p" : "f"}${rows.length}${chance.below(90)}`;
      const added = drawnRow(name, chance, key === "parts");
      const isFilled = added.type === "string" && chance.below(2) === 0;
      const kept = added.rules.filter((rule) => rule === "required");
      return {
        ...draft,
        [key]: [...rows, isFilled ? { ...added, rules: [...kept, 'default `"d"`'] } : added],
      };
    }
    case 2:
      return isOwn ? put() : put({ ...row, rules: row.rules.map((rule) => rule.replace("* 2", "* 3")) });
    case 3:
      if (row.rules[0]?.startsWith("= "))
        return put({ ...row, rules: [row.rules[0].replace("= ", "on create ")] });
      return isOwn ? put(drawnRow(row.name, chance, key === "parts")) : draft;
    case 4:
      return put({ ...row, type: row.type.replace("Owner", "Other").replace("one of a, b", "one of a") });
    default:
      return isOwn && row.rules.every((rule) => !rule.startsWith("= "))
        ? put({ ...row, rules: drawnRules(row.type, chance) })
        : put({
            ...row,
            rules: row.name === "n1" || row.name === "size" ? [chance.of(ofNumber)] : row.rules,
          });
  }
}

function withStep(draft: Draft, item: string): Draft {
  return { ...draft, change: [...draft.change, item] };
}

/** Two fields or parts swap their names, or one takes the name of the other, which is removed. */
function replacing(draft: Draft, key: "items" | "parts", row: Row, chance: Chance): Draft {
  const owner = key === "items" ? "Item" : "Part";
  const other = chance.of(draft[key].filter(({ name }) => /^[fp]\d/.test(name)));
  if (other === row) return draft;
  const isSwapped = chance.below(2) === 0;
  const rename = (from: Row, to: Row): string => `Renamed: ${owner}.${from.name} to ${owner}.${to.name}`;
  const rows = draft[key].flatMap((current): readonly Row[] => {
    if (current === row) return [{ ...row, name: other.name }];
    if (current !== other) return [current];
    return isSwapped ? [{ ...other, name: row.name }] : [];
  });
  const left = isSwapped ? rename(other, row) : `Removed: ${owner}.${other.name}`;
  return { ...draft, [key]: rows, change: [...draft.change, rename(row, other), left] };
}

function renamed(draft: Draft, key: "items" | "parts", row: Row, chance: Chance): Draft {
  const owner = key === "items" ? "Item" : "Part";
  const values = /^one of (.*)$/.exec(row.type)?.[1]?.split(", ");
  const put = (now: Row): Draft => ({
    ...draft,
    [key]: draft[key].map((current) => (current === row ? now : current)),
  });
  if (values && chance.below(2) === 0) {
    const [first = "", ...others] = values;
    const type = `one of ${["z", ...others].join(", ")}`;
    return withStep(put({ ...row, type }), `Renamed: ${owner}.${row.name} "${first}" to "z"`);
  }
  const name = `${row.name}r`;
  return withStep(put({ ...row, name }), `Renamed: ${owner}.${row.name} to ${owner}.${name}`);
}

// ── Records ─────────────────────────────────────────────────────────────────────────────────────

const texts = ["", "a", "b", "A", " a ", "abc", "abcd", "a@x.org", "A@x.org", "c"];
const uuids = ["0b0e3e64-3d5e-4a52-8f5e-3d3a5e0d5a10", "1b0e3e64-3d5e-4a52-8f5e-3d3a5e0d5a11"];

function drawnValue(type: string, draft: Draft, chance: Chance): Value {
  const [, around, of = ""] = /^(list|map) of (.*)$/.exec(type) ?? [];
  const some = <T>(make: () => T): readonly T[] => Array.from({ length: chance.below(3) }, make);
  if (around === "list") return some(() => drawnValue(of, draft, chance));
  if (around === "map")
    return Object.fromEntries(
      some(() => [chance.of(["k", "kk", "kkk"]), drawnValue(of, draft, chance)] as const),
    );
  if (type.startsWith("one of ")) return chance.of(type.slice("one of ".length).split(", "));
  switch (type) {
    case "integer":
      return chance.below(10);
    case "decimal":
      return chance.of(["1.50", "0", "9.99", "5", "10.01", "3.0"]);
    case "boolean":
      return chance.below(2) === 0;
    case "timestamp":
      return "2026-11-20T10:00:00.120Z";
    case "date":
      return "2026-11-20";
    case "duration":
      return 1_500;
    case "uuid":
      return chance.of(uuids);
    case "email":
      return chance.of(["a@x.org", "A@x.org"]);
    case "Owner":
      return chance.of(draft.ownerRules === "any case" ? [...owners, "ADA"] : ["ada", "ada", ...owners]);
    case "Other":
      return chance.of(owners);
    case "Part":
      return Object.fromEntries(
        draft.parts.map(({ name, type: partType }) => [
          name,
          chance.below(5) === 0 ? null : drawnValue(partType, draft, chance),
        ]),
      );
    default:
      return chance.of(texts);
  }
}

/**
 * The violations of a record under every rule of a document, except record rules that read other
 * records.
 */
function wrongWith(
  record: RecordValue,
  { name, fields, always, fails }: Resource,
  model: Model,
): readonly string[] {
  const resourceOf = (resource: string) => model.resources.find((candidate) => candidate.name === resource);
  const fieldsOf = (resource: string) => resourceOf(resource)?.fields ?? [];
  const wrong = fields.flatMap((field): readonly string[] => {
    if (hasRule(field.rules, "computed")) return [];
    const storedValue = record[field.name] ?? null;
    if (storedValue === null) return hasRule(field.rules, "required") ? [`${field.name} is null`] : [];
    const form = compileToStored(field.type, field.rules, fieldsOf);
    if (form && JSON.stringify(form(storedValue)) !== JSON.stringify(storedValue))
      return [`${field.name} has another form`];
    const typed = compileTypeCheck(field.type, field.rules, { fieldsOf, resource: resourceOf })(storedValue);
    const reported = typed
      ? `${typed.path} ${typed.problem}`
      : compileValueCheck(field.type, field.rules, { fieldsOf, resource: resourceOf })?.(storedValue);
    return reported === undefined ? [] : [`${field.name} ${reported}`];
  });
  const meaning = meaningOf(model);
  const frame = newFrame({} as never, { now: "2026-11-20T10:00:00.000Z" });
  frame.this = record;
  const broken = [
    ...always.map(({ node, text }) => ({ node, text, isWell: (result: Value) => result === true })),
    ...fails.map(({ when }) => ({ ...when, isWell: (result: Value) => result !== true })),
  ].filter(
    ({ node, isWell }) => !readsStore(node, meaning) && !isWell(compileFunction(node, meaning)(frame)),
  );
  return [...wrong, ...broken.map(({ text }) => text)].map((problem) => `${name}: ${problem}`);
}

const itemOf = (model: Model) => model.resources.find(({ name }) => name === "Item") as Resource;

// ── A pair ──────────────────────────────────────────────────────────────────────────────────────

export interface Pair {
  readonly before: string;
  readonly then: string;
  readonly records: readonly RecordValue[];
  readonly draft: Draft;
}

/** Undefined if the drawn document is invalid. */
export function drawnPair(seed: number): Pair | undefined {
  const chance = chanceOf(seed);
  const draft = drawn(chance);
  let then = draft;
  for (let edits = 1 + chance.below(2); edits > 0; edits -= 1) then = edited(then, chance);
  const [before, after] = [written(draft), written(then)];
  const model = modelIfSound(before);
  if (!model || !modelIfSound(after) || before === after) return undefined;
  const records = Array.from({ length: 12 }, (_, at): RecordValue => {
    const fields = draft.items.flatMap(({ name, type, rules }) =>
      rules[0]?.startsWith("= ")
        ? []
        : [[name, chance.below(4) === 0 ? null : drawnValue(type, draft, chance)] as const],
    );
    return { "#row": at + 1, "#revision": 1, id: `${at}`, ...Object.fromEntries(fields) };
  }).filter((record) => wrongWith(record, itemOf(model), model).length === 0);
  return { before, then: after, records, draft: then };
}

function modelIfSound(text: string): Model | undefined {
  try {
    return modelOf(text);
  } catch {
    return undefined;
  }
}

/** The result of a pair: accepted, rejected, or rejected and then accepted with the suggested lines. */
export interface Outcome {
  readonly is: "accepted" | "refused" | "pasted";
  readonly words: string;
  readonly records: readonly RecordValue[];
}

/** A store of the first document. */
interface Kept extends Pick<Pair, "before" | "then"> {
  readonly path: string;
  readonly former: readonly RecordValue[];
}

/**
 * Opens the store of the first document with the second. Throws if a stored record then violates a
 * rule, or if a valid record was rejected.
 * @param options.keepsServing whether an instance of the first document stays open, as in a rolling
 * update
 */
export async function outcomeOf(
  { before, then, records }: Pair,
  path: string,
  { keepsServing = false } = {},
): Promise<Outcome> {
  const first = await open(before, path);
  await first.write(async (transaction) => {
    for (const name of ["Owner", "Other"]) for (const id of owners) await transaction.insert(name, { id });
    for (const { "#row": _row, "#revision": _revision, ...fields } of records)
      await transaction.insert("Item", fields as never);
  });
  const former = await recordsIn(first, "Item");
  if (!keepsServing) await first.close();
  try {
    return await outcomeOfThen({ before, then, path, former });
  } finally {
    await first.close();
  }
}

async function outcomeOfThen({ before, then, path, former }: Kept): Promise<Outcome> {
  const planned = await planStoreFor(modelOf(then), path, { isRunning: () => false });
  const reported = await opened(then, path);
  checkPlanned(planned, reported, former);
  if (!(reported instanceof StoreMismatch)) {
    checkKept(before, then, former, reported);
    return { is: "accepted", words: "", records: checked(reported, then) };
  }
  const words = [...reported.obstacles, ...reported.losses].join("\n");
  if (
    reported.losses.length === 0 &&
    reported.obstacles.every(isOfRule) &&
    !then.includes("### Stored change")
  ) {
    const model = modelOf(then);
    const become = former.map((record) => withNewParts(record, itemOf(model), model));
    assert.notDeepEqual(
      become.flatMap((record) => wrongWith(record, itemOf(model), model)),
      [],
      words,
    );
  }
  const text =
    reported.paste.length === 0 || reported.paste.join().includes("VALUE")
      ? undefined
      : `${then}\n${reported.paste.join("\n")}\n`;
  const model = text === undefined ? undefined : modelIfSound(text);
  const pasted = text !== undefined && model ? await opened(text, path) : undefined;
  if (text === undefined || !pasted || pasted instanceof StoreMismatch)
    return { is: "refused", words, records: former };
  // After a stored change, the suggested line computes from the changed records.
  if (!then.includes("### Stored change")) checkComputed(before, then, former, pasted);
  return { is: "pasted", words, records: checked(pasted, text) };
}

/** Checks that the plan said what the start does. */
function checkPlanned(
  { refused, steps }: DryRunPlan,
  reported: StoreMismatch | readonly RecordValue[],
  former: readonly RecordValue[],
): void {
  if (reported instanceof StoreMismatch || refused) {
    const said = [refused, reported].map((result) =>
      result instanceof StoreMismatch ? [...result.obstacles, ...result.losses, ...result.paste] : "accepted",
    );
    assert.deepEqual(said[0], said[1], "the plan says something else than the start");
  } else if (steps.length === 0) assert.deepEqual(reported, former, "the plan has nothing to do");
}

/** The records without their revisions, which may differ between databases. */
export function bare({ records }: Outcome): readonly unknown[] {
  return records.map(({ "#revision": _revision, ...fields }) => fields);
}

/** Checks the values that a start keeps, and those that a stored change sets by a served expression. */
function checkKept(
  before: string,
  then: string,
  former: readonly RecordValue[],
  now: readonly RecordValue[],
): void {
  assert.deepEqual(
    now.map(({ id }) => id),
    former.map(({ id }) => id),
  );
  const names = keptNames(before, then);
  const model = modelOf(then);
  const isRekeyed = then.includes(`id = "${newKeyPrefix}"`);
  const newKey = (resource: string, key: string): Value =>
    isRekeyed && resource === "Owner" ? newKeyPrefix + key.toLowerCase() : key;
  for (const [at, record] of former.entries()) {
    const became = now[at] as RecordValue;
    for (const [from, to] of names) {
      const type = itemOf(model).fields.find(({ name }) => name === to)?.type;
      const keys = type ? withReferences(record[from] ?? null, type, model, newKey) : null;
      // A value of the field may have new parts, too.
      const kept = withNewParts({ ...record, [to]: keys }, itemOf(model), model);
      assert.deepEqual(plain(became[to]), plain(kept[to]), to);
    }
    if (then.includes("total = old")) assert.deepEqual(became["total"], sumOf(record["parts"] ?? null));
  }
}

/** The fields that keep their values: renamed ones, and those without any change. */
function keptNames(before: string, then: string): readonly (readonly [from: string, to: string])[] {
  const renames = [...then.matchAll(/Renamed: Item\.(\w+) to Item\.(\w+)/g)].map(
    ([, from, to]) => [from, to] as [string, string],
  );
  const steps = then.slice(then.indexOf("### Stored change"));
  const isNamed = (name: string): boolean => then.includes("### Stored change") && steps.includes(name);
  const formerFields = itemOf(modelOf(before)).fields;
  const others = itemOf(modelOf(then)).fields.flatMap(({ name, type, rules }) => {
    const old = formerFields.find((field) => field.name === name);
    const isKept =
      JSON.stringify(old?.type) === JSON.stringify(type) && !JSON.stringify(type).includes("Part");
    return isKept && !hasRule(rules, "computed") && !isNamed(name) ? [[name, name] as const] : [];
  });
  return [...renames, ...others];
}

function plain(value: Value | undefined): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** The sum in hundredths, independent of the engine's arithmetic. */
function sumOf(parts: Value): Value {
  if (!Array.isArray(parts)) return null;
  const costs = parts.flatMap((part: Value) => {
    const cost = (part as { readonly cost?: Value } | null)?.cost ?? null;
    return cost === null ? [] : [Math.round(Number(cost) * 100)];
  });
  const sum = costs.reduce((all, cost) => all + cost, 0) / 100;
  return String(sum);
}

/** Whether the obstacle is a rule that each record violates by itself. */
function isOfRule(obstacle: string): boolean {
  return / breaks? that: |wouldn't hold$|would reject it$/.test(obstacle) && !obstacle.includes("exists");
}

/** The record with the literal defaults of new parts. */
function withNewParts(record: RecordValue, { fields }: Resource, model: Model): RecordValue {
  return withDefaults(record, fields, model) as RecordValue;
}

function withDefaults(given: Value, fields: readonly FieldPart[], model: Model): Value {
  const became: Record<string, Value> = { ...(given as RecordValue) };
  for (const { name, type, rules } of fields) {
    if (hasRule(rules, "computed")) continue;
    const plain = ruleOf(rules, "default")?.value.node;
    const defaulted = became[name] ?? (name in became || plain?.op !== "literal" ? null : plain.value);
    const isList = type.kind === "list" && type.of.kind === "value" && Array.isArray(defaulted);
    const partsOf = model.resources.find((other) => other.name === "Part")?.fields ?? [];
    if (isList)
      became[name] = (defaulted as readonly Value[]).map((part) => withDefaults(part, partsOf, model));
    else
      became[name] =
        type.kind === "value" && defaulted !== null ? withDefaults(defaulted, partsOf, model) : defaulted;
  }
  return became;
}

async function opened(text: string, path: string): Promise<readonly RecordValue[] | StoreMismatch> {
  try {
    const store = await open(text, path, { onWarning() {} });
    const records = await recordsIn(store, "Item");
    await checkTogether(store, modelOf(text), records);
    await store.close();
    return records;
  } catch (error) {
    if (error instanceof StoreMismatch) return error;
    throw error;
  }
}

function checked(records: readonly RecordValue[], text: string): readonly RecordValue[] {
  const model = modelOf(text);
  for (const record of records)
    assert.deepEqual(wrongWith(record, itemOf(model), model), [], JSON.stringify(record));
  return records;
}

/** Checks that a formerly computed field has the value of its expression on the old record. */
function checkComputed(
  before: string,
  then: string,
  former: readonly RecordValue[],
  now: readonly RecordValue[],
): void {
  const [old, last] = [before, then].map((text) => modelOf(text)) as [Model, Model];
  const meaning = meaningOf(old);
  const frame = newFrame({} as never, { now: "2026-11-20T10:00:00.000Z" });
  for (const { name, rules } of itemOf(old).fields) {
    const node = ruleOf(rules, "computed")?.value.node;
    const field = itemOf(last).fields.find((field) => field.name === name);
    if (!node || !field || hasRule(field.rules, "computed")) continue;
    for (const record of former) {
      frame.this = record;
      const stored = now.find(({ id }) => id === record["id"])?.[name];
      assert.deepEqual(stored, compileFunction(node, meaning)(frame), `${name} of ${JSON.stringify(record)}`);
    }
  }
}
