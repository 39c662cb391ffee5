/**
 * Writes part 2 of an imported document: resources with their identifiers and fields, and the
 * values within them, in bodies and in responses.
 */
import { documentBytesMax } from "../../../syntax/ceilings.ts";
import { cell, type Draft, paragraph } from "./draft.ts";
import type { Resource } from "../description/resources.ts";
import { boundsOf, type Schema } from "../description/schemas.ts";
import { defaultText, fieldRules, writersWithBodies } from "../description/statements.ts";
import { textOf } from "../description/values.ts";
import { ownResource } from "../description/extensions.ts";
import { type StatedName, statedNames } from "../description/field-names.ts";
import { statedMachine } from "./states.ts";
import { hasMeanings, notesOfType, ownTypeName, typeName, type Writing } from "./context.ts";

export function writeResources(draft: Draft, writing: Writing): void {
  draft.add("## Resources and their fields");
  draft.gap();
  if (writing.names.isEmpty) {
    for (const item of ["Resources", "Identifiers", "Fields"]) draft.add(`- ${item}: not shown`);
    draft.gap();
  }
  for (const resource of writing.facts.resources)
    if (writing.names.resource(resource) !== "") writeResource(draft, writing, resource);
}

function writeResource(draft: Draft, writing: Writing, resource: Resource): void {
  const { facts, names, refusals } = writing;
  const name = names.resource(resource);
  const { identifier, schema } = resource;
  if (identifier === undefined) return;
  const isGiven = isSetByCaller(writing, resource);
  const own = ownResource(schema);
  const machine = statedMachine(writing, resource);
  draft.count("resources", "stated");
  draft.count("identifiers", "stated");
  draft.add(`### ${name}`, `resource ${resource.item}`);
  draft.gap();
  writeProse(draft, writing, `prose ${name}`, textOf(schema.own["description"]));
  const writers = writersWithBodies(facts, resource);
  const rows: Row[] = [];
  const notes: string[] = [];
  const saidAs = statedNames(schema.properties.keys());
  for (const [key, node] of schema.properties) {
    const type = facts.schemas.type(node);
    const field = facts.schemas.read(node);
    const statedName = own?.names.get(key) ?? saidAs.get(key);
    if (!statedName) {
      notes.push(`field ${JSON.stringify(key)}: not a name of the notation`);
      continue;
    }
    notes.push(...notesOfType(type).map((note) => `${statedName.name}: ${note}`));
    const stated = refusals.has(`field ${name}.${statedName.name}`)
      ? undefined
      : own?.rules.get(statedName.name);
    const ownType = stated && ownTypeName(writing, own?.types.get(statedName.name));
    const rules =
      stated?.map((rule) => rule.replaceAll("|", "\\|")) ??
      (key === identifier ? boundsOf(field, type).rules : fieldRules(facts, resource, writers, key));
    const row = rowOf(writing, name, statedName, node, rules, ownType);
    if (machine?.field === statedName.name) rows.push({ ...row, type: "state", rules: statedName.rules });
    else rows.push(own?.rules.has(statedName.name) ? { ...row, isOwn: true } : row);
  }
  const pointer = schema.name === undefined ? resource.item : `schema ${schema.name}`;
  const sound = soundRows(rows, refusals, notes, `resource ${resource.item}`);
  draft.comment(pointer, notes, "fields");
  const items = refusals.has(`identifier ${name}`) ? [] : (own?.items ?? []);
  if (!items.some(({ item }) => item === "Identifier"))
    draft.add(
      `- Identifier: ${saidAs.get(identifier)?.name ?? identifier}, ${isGiven ? "given" : "made by not shown"}`,
    );
  for (const { item, value } of items) {
    const key = item === "Identifier" ? `identifier ${name}` : `${item} of ${name}`;
    // What hides, refuses or deletes records isn't passed over in silence.
    const isOpen = refusals.has(key) && item !== "Identifier";
    draft.add(isOpen ? `- ${item}: not shown` : `- ${item}: ${value}`, key);
  }
  const making = items.find(({ item }) => item === "Identifier")?.value ?? (isGiven ? "given" : "not shown");
  draft.count("how identifiers are made", making.endsWith("not shown") ? "open" : "stated");
  draft.gap();
  writeTable(draft, writing, sound);
}

interface Row {
  readonly key: string;
  readonly field: string;
  readonly type: string;
  /** How many fields the values in it have. */
  readonly width: number;
  readonly rules: readonly string[];
  readonly meaning: string;
  /** Its rules are stated by an export of Ninefold. Rejected once, they are recognised as in any description. */
  readonly isOwn?: true;
}

function rowOf(
  writing: Writing,
  owner: string,
  { name: field, rules: sent }: StatedName,
  node: unknown,
  stated: readonly string[],
  ownType?: string,
): Row {
  const { schemas } = writing.facts;
  const type = ownType ?? typeName(writing, schemas.type(node), { owner, key: field });
  const rules = [...stated.filter((rule) => !sent.includes(rule)), ...sent];
  const isDeprecated = schemas.read(node).own["deprecated"] === true && !rules.includes("deprecated");
  const meaning = cell(textOf(schemas.read(node).own["description"]));
  const width = writing.widths.of(schemas.type(node));
  return {
    key: `field ${owner}.${field}`,
    field,
    type,
    width,
    rules: isDeprecated ? [...rules, "deprecated"] : rules,
    meaning,
  };
}

/** The rows with what `check` accepts: what it rejected once is `not shown`, and what it rejected again is a comment. */
function soundRows(
  rows: readonly Row[],
  refusals: Writing["refusals"],
  notes: string[],
  owner: string,
): readonly Row[] {
  // With the fields of the values in it, it has more than a table may have: each draft leaves out more.
  const wide = 4 ** (refusals.get(`wide ${owner}`) ?? 0) / 4;
  const widest = rows.filter(({ width }) => width > 0).toSorted((a, b) => b.width - a.width);
  const leftOut = new Set(widest.slice(0, Math.floor(wide)));
  return rows.flatMap((row) => {
    const refused = (refusals.get(row.key) ?? 0) - (row.isOwn ? 1 : 0);
    const times = Math.max(refused, 0) || (leftOut.has(row) ? 1 : 0);
    if (times === 0) return [row];
    notes.push(`${row.field}: ${row.type}${row.rules.length === 0 ? "" : `, ${row.rules.join(", ")}`}`);
    const sent = row.rules.filter((rule) => rule.startsWith("sent as "));
    return times === 1 ? [{ ...row, type: "json", rules: [...sent, "not shown"] }] : [];
  });
}

function writeTable(draft: Draft, { detail }: Writing, rows: readonly Row[], hasMore = false): void {
  const meaning = hasMeanings(detail) && rows.some((row) => row.meaning !== "");
  draft.add(`| Field | Type | Rules |${meaning ? " Meaning |" : ""}`);
  draft.add(`|---|---|---|${meaning ? "---|" : ""}`);
  for (const { key, field, type, rules, meaning: text } of rows) {
    const rulesText = rules.join(", ");
    draft.count("field types", "stated");
    draft.count("field rules", rulesText.includes("not shown") ? "open" : "stated");
    draft.add(`| ${field} | ${type} | ${rulesText} |${meaning ? ` ${text} |` : ""}`, key);
  }
  if (hasMore) draft.add(`| not shown | | |${meaning ? " |" : ""}`);
  draft.gap();
}

/** Whether the caller sets the identifier: the body of its creation has it, and the resource is not nested. */
export function isSetByCaller(
  { facts }: Writing,
  { identifier = "", agreed, createBody, isNested }: Resource,
): boolean {
  const sent = createBody?.properties.get(identifier);
  return (
    agreed.create &&
    !isNested &&
    sent !== undefined &&
    (createBody?.required.has(identifier) ?? false) &&
    facts.schemas.read(sent).own["readOnly"] !== true &&
    facts.schemas.read(sent).own["default"] === undefined
  );
}

/** Maximum number of lines. A table row has at least ten characters, so more lines would exceed the maximum size. */
const linesMax = documentBytesMax / 10;

/** Writes the values one by one, because each may name others. */
export function writeValues(draft: Draft, writing: Writing): void {
  for (const { name, schema } of writing.names.values) {
    // From here on the document is too long in any case.
    if (draft.lines.length > linesMax) return;
    writeValue(draft, writing, name, schema);
  }
}

function writeValue(draft: Draft, writing: Writing, name: string, schema: Schema): void {
  const { facts, refusals } = writing;
  draft.count("values", "stated");
  draft.add(`### ${name}`, `value ${name}`);
  draft.gap();
  const notes: string[] = [];
  const rows: Row[] = [];
  const saidAs = statedNames(schema.properties.keys());
  for (const [key, node] of schema.properties) {
    const stated = saidAs.get(key);
    if (!stated) {
      notes.push(`field ${JSON.stringify(key)}: not a name of the notation`);
      continue;
    }
    const type = facts.schemas.type(node);
    const bounds = boundsOf(facts.schemas.read(node), type);
    notes.push(...[...notesOfType(type), ...bounds.notes].map((note) => `${stated.name}: ${note}`));
    rows.push(rowOf(writing, name, stated, node, partRules(writing, schema, key, bounds.rules)));
  }
  const sound = soundRows(rows, refusals, notes, `value ${name}`);
  draft.comment(schema.name === undefined ? name : `schema ${schema.name}`, notes, "fields");
  draft.add("- Identifier: none");
  draft.gap();
  writeTable(draft, writing, sound, schema.union !== undefined);
}

/** Rules of a part that its schema requires both in bodies and in responses. */
function partRules(
  { facts }: Writing,
  of: Schema,
  key: string,
  bounds: readonly string[],
): readonly string[] {
  const part = facts.schemas.read(of.properties.get(key));
  const isRequired = of.required.has(key);
  const initial = part.own["default"];
  // In a body, a required key has no use for a default.
  const isAlwaysSent = isRequired && !part.nullable && facts.sent.has(of.identity);
  const hasDefault = initial !== undefined && initial !== null && !isAlwaysSent;
  const written = defaultText(initial, facts.schemas.type(of.properties.get(key)));
  // The notation has no word for a required key that may be null.
  const isOpen =
    part.own["readOnly"] === true || (hasDefault && written === undefined) || (part.nullable && isRequired);
  const isPresent = isRequired && !hasDefault && !isOpen;
  const presence = part.nullable ? ["nullable"] : isPresent ? ["required"] : [];
  const initialRules = hasDefault && written !== undefined ? [`default ${written}`] : [];
  const hidden = part.own["writeOnly"] === true ? ["write-only"] : [];
  return [...presence, ...hidden, ...bounds, ...initialRules, ...(isOpen ? ["not shown"] : [])];
}

export function writeProse(draft: Draft, { refusals }: Writing, key: string, text: string | undefined): void {
  const line = paragraph(text);
  if (line === "" || refusals.has(key)) return;
  draft.add(line, key);
  draft.gap();
}
