/**
 * Part 2, resources (with the state machines of part 3): headings, items and tables become declarations and then,
 * when every name is known, resources of the model. Types, rules, identifiers, cycles and records have files of their
 * own.
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Scope } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import { isEmpty, isNone, isNotShown, proseOf, tablesOf } from "../../../syntax/read.ts";
import type { DeclaredField, DeclaredResource } from "../declarations.ts";
import type { Field, Gap, Resource, StateMachine } from "../../model.ts";
import { bindFields } from "./bind-fields.ts";
import type { BuildContext } from "../any-part/context.ts";
import { deliveryRecordScope, deliveryResource, storesDeliveries } from "../events/delivery-resource.ts";
import { breakCycles } from "./field-cycles.ts";
import type { RuleSyntax } from "./field-rules.ts";
import { readFieldTable } from "./field-table.ts";
import { bindMadeBy, type IdentifierDraft, identifierNames, madeType, readIdentifier } from "./identifier.ts";
import { addComputedBlocks } from "./computed-blocks.ts";
import { nearestHint } from "../nearest-hint.ts";
import type { MachineDraft, Machines } from "../states/machine-draft.ts";
import { createPartReader } from "../any-part/part-reader.ts";
import { buildRecordsOf } from "./records-of.ts";
import { bindResourceItems, readResourceItems } from "./resource-items.ts";
import { logResource } from "../events/log-resource.ts";
import { ruleScope } from "../scopes/rule-scope.ts";
import {
  defaultErrorName,
  resourceSections,
  type ResourceSections,
  variableNameOf,
} from "./resource-sections.ts";
import { stateTypeOf } from "../states/state-type.ts";
import { buildStates } from "../states/states.ts";
import type { FieldDraft, FieldTableContext } from "./field-draft.ts";
import type { ResourceDraft } from "./resource-draft.ts";

export interface ResourceDrafts {
  readonly sections: ResourceSections;
  readonly drafts: readonly ResourceDraft[];
  readonly declared: ReadonlyMap<string, DeclaredResource>;
}

export function declareResources(context: BuildContext, machines: Machines): ResourceDrafts {
  readPartItems(context);
  const sections = resourceSections(context.document, context.reporter);
  // Identifiers first, because the type of a reference depends on the referenced resource.
  const started = sections.resources.map((section) => {
    context.ledger.state("resources", positionIn(section.name));
    const items = readResourceItems(section, context);
    return { ...section, items, identifier: readIdentifier(items.identifier, section.name, context) };
  });
  const known = new Map(
    started.map(({ name, identifier }) => [
      name.text,
      {
        isValue: identifier.kind === "none",
        identifier: identifierNames(identifier).map((field) => field.text),
      },
    ]),
  );
  const drafts = started.map((draft) => {
    const fields = readFields(draft, known, machineOf(draft, machines), context);
    return { ...draft, fields, gap: gapOf(draft, fields, context) };
  });
  addComputedBlocks(sections.computed, drafts, context);
  const declared = drafts.map((draft) => ({
    ...draft,
    declared: declaredResource(draft, machineOf(draft, machines)),
  }));
  return {
    sections,
    drafts: declared,
    declared: new Map(declared.map((draft) => [draft.name.text, draft.declared])),
  };
}

/** The state machine of a resource. If the state field is the identifier, part 3 reports it, and there is none. */
function machineOf({ name, identifier }: Started, machines: Machines): MachineDraft | undefined {
  const machine = machines.get(name.text);
  const field = machine?.field?.text;
  return identifierNames(identifier).some((name) => name.text === field) ? undefined : machine;
}

/** Reads the items before the first heading: only answers for complete items, which the ledger has read. */
function readPartItems(context: BuildContext): void {
  const body = context.document.parts.resources?.body ?? [];
  const reader = createPartReader(context, "resources");
  const answer = (key: string) => ({ key, expected: "`none`", read: () => {} });
  reader.items(
    body.filter((block) => block.kind === "item"),
    ["Resources", "Identifiers", "Fields"].map(answer),
  );
  for (const table of tablesOf(body)) context.reporter.report("resources/stray-table", table.position, {});
}

type Started = Pick<ResourceDraft, "name" | "section" | "items" | "identifier">;
type Known = ReadonlyMap<string, Pick<DeclaredResource, "isValue" | "identifier">>;

const columns = ["Field", "Type", "Rules", "Meaning"];

function readFields(
  { name, section, identifier }: Started,
  resources: Known,
  machine: MachineDraft | undefined,
  context: BuildContext,
): Map<string, FieldDraft> {
  const { reporter, ledger } = context;
  const reader = createPartReader(context, "resources");
  const fields = new Map<string, FieldDraft>();
  const counted = identifier.kind === "joint" ? identifier.counted : undefined;
  const maker = identifier.kind === "made" ? identifier : counted;
  const made = maker && { field: maker.field.text, type: madeType(maker.by) };
  const folded = new Map<string, Phrase>();
  for (const table of tablesOf(section.body)) {
    if (!reader.columns(table, "Field", columns)) continue;
    readFieldTable(table, fields, {
      reporter,
      resources,
      folded,
      resource: name.text,
      owner: identifier.kind === "none" ? "value" : "field",
      identifier: identifierNames(identifier).map((field) => field.text),
      ...(machine?.field ? { stateField: machine.field.text, states: machine.states } : {}),
      ...(made ? { made } : {}),
      gap: (subject, position) => ledger.gap("resources", "fields", subject, position),
      stated: (position) => ledger.state("fields", position),
      stateType: (cell, field) => stateTypeOf(cell, field, name.text, machine, context),
    });
  }
  const all = withUnlisted(fields, { name, identifier }, machine, made, context);
  return counted ? withCounting(all, counted) : all;
}

/** Adds `on create` to the number of an identifier that counts within a record. */
function withCounting(
  fields: Map<string, FieldDraft>,
  { field, by }: { readonly field: Phrase; readonly by: Phrase },
): Map<string, FieldDraft> {
  const draft = fields.get(field.text);
  if (!draft || draft.rules.some(({ rule }) => rule.rule === "on create")) return fields;
  const value = {
    text: by.text,
    position: positionIn(by),
    node: { op: "literal", value: null, type: types.any },
  } as const;
  const onCreate: RuleSyntax = { phrase: by, rule: { rule: "on create", value }, expression: by };
  return fields.set(field.text, { ...draft, rules: [...draft.rules, onCreate] });
}

/** Adds fields without a row: an identifier comes first, the state field last. */
function withUnlisted(
  listed: Map<string, FieldDraft>,
  { name: resource, identifier }: Pick<Started, "name" | "identifier">,
  machine: MachineDraft | undefined,
  made: FieldTableContext["made"],
  { ledger, reporter }: BuildContext,
): Map<string, FieldDraft> {
  const plain = { rules: [], meaning: "", parts: [] } as const;
  const unlisted = identifierNames(identifier).filter((name) => !listed.has(name.text));
  const first = unlisted.map((name): FieldDraft => {
    const position = positionIn(name);
    const draft = { ...plain, name: name.text, position, role: "identifier" } as const;
    if (made?.field === name.text) return { ...draft, type: made.type };
    // Part 2: an identifier given by the caller is a text, unless a row states another type.
    if (identifier.kind === "given") return { ...draft, type: { kind: "string" } };
    if (identifier.kind === "joint" && identifier.counted) {
      const params = { name: name.text, ...nearestHint(name.text, listed.keys()) };
      reporter.report("expressions/unknown-name", position, params);
      return { ...draft, type: { kind: "not shown" } };
    }
    // One of several identifying fields, without a stated type.
    const gap =
      identifier.kind === "not shown"
        ? identifier.gap
        : ledger.gap("resources", "fields", `the type of ${resource.text}.${name.text}`, position);
    return { ...draft, type: { kind: "not shown" }, gap };
  });
  const { field, states } = machine ?? {};
  const last: FieldDraft[] =
    field && states && !listed.has(field.text)
      ? [
          {
            ...plain,
            name: field.text,
            position: positionIn(field),
            role: "state",
            type: { kind: "state", states },
          },
        ]
      : [];
  return new Map([...first, ...listed.values(), ...last].map((field) => [field.name, field]));
}

/** The gap because of which a resource is unanswerable: no identifier, one of unknown type, or no field list. */
function gapOf(
  { name, section, items, identifier }: Started,
  fields: ReadonlyMap<string, FieldDraft>,
  { ledger, document }: BuildContext,
): Gap | undefined {
  // The engine creates log entries and deliveries, which therefore need an identifier.
  const isMadeByEngine = [deliveryResource, logResource(document)].includes(name.text);
  if (identifier.kind === "not shown" && (!identifier.field || isMadeByEngine)) return identifier.gap;
  // Records with an identifier of unknown type can't be found, referenced or stored.
  const open = [...fields.values()].find((field) => field.role === "identifier" && isUnknown(field));
  if (open?.gap) return open.gap;
  const stated = items.fields?.value;
  if (stated && isNone(stated)) {
    ledger.none("fields", positionIn(stated));
    return undefined;
  }
  if (tablesOf(section.body).length > 0 && !(stated && isNotShown(stated))) return undefined;
  const listed = [...fields.values()].some((field) => field.role === "plain");
  return listed
    ? undefined
    : ledger.gap(
        "resources",
        "fields",
        `the fields of ${name.text}`,
        positionIn(stated && !isEmpty(stated) ? stated : name),
      );
}

function isUnknown({ type, gap }: FieldDraft): boolean {
  return gap !== undefined && type.kind === "not shown";
}

function declaredResource(
  draft: Started & { readonly fields: ReadonlyMap<string, FieldDraft>; readonly gap: Gap | undefined },
  machine: MachineDraft | undefined,
): DeclaredResource {
  const { name, items, identifier, gap } = draft;
  return {
    name: name.text,
    variableName: variableNameOf(name.text),
    position: positionIn(name),
    isValue: identifier.kind === "none",
    fields: new Map([...draft.fields.values()].map((field) => [field.name, declaredField(field)])),
    identifier: identifierNames(identifier).map((field) => field.text),
    // If it isn't shown how an identifier is generated, nothing is known about it.
    ...(identifier.kind === "not shown" ? {} : { identifierMade: identifier.kind === "made" }),
    ...(machine?.field ? { stateField: machine.field.text } : {}),
    states: machine?.states ?? [],
    transitions: [...(machine?.transitions.keys() ?? [])],
    deletedMarked: items.deleted === "marked",
    ...(gap ? { gap } : {}),
  };
}

function declaredField({ name, position, type, rules, role, gap, open }: FieldDraft): DeclaredField {
  return {
    name,
    position,
    type,
    rules: rules.map((rule) => rule.rule),
    computed: rules.some((rule) => rule.rule.rule === "computed"),
    role,
    ...(gap ? { gap } : {}),
    ...(open?.made ? { openOnCreate: true } : {}),
  };
}

export function buildResources(
  context: BuildContext,
  { sections, drafts }: ResourceDrafts,
  machines: Machines,
): readonly Resource[] {
  const fields = new Map(drafts.map((draft) => [draft.name.text, bindFields(draft, context)]));
  const states = buildStates(context, machines);
  const records = buildRecordsOf(sections.recordsOf, context);
  const resources = drafts.map((draft): Resource => {
    const { name, section, items, declared } = draft;
    const machine = states.get(name.text);
    const itsFields = nonNull(fields.get(name.text));
    const itsRecords = records.records.get(name.text) ?? [];
    const openRecords = records.open.get(name.text) ?? requiredBy(itsRecords, itsFields, machine);
    return {
      name: name.text,
      variableName: declared.variableName,
      position: declared.position,
      prose: proseOf(section.body),
      identifier: bindIdentifier(draft, context),
      fields: itsFields,
      ...bindResourceItems(items, declared, openRecords, context),
      deleted: items.deleted,
      called: items.called ?? defaultErrorName(name.text),
      ...(machine ? { states: machine } : {}),
      records: itsRecords,
      ...(declared.gap ? { gap: declared.gap } : {}),
    };
  });
  return breakCycles(resources, context.reporter);
}

/** What initial records would need and the document doesn't show. */
function requiredBy(
  records: Resource["records"],
  fields: readonly Field[],
  machine: StateMachine | undefined,
): Gap | undefined {
  const needed = [
    ...fields.map(({ name, open }) => ({ name, gap: open?.made })),
    { name: machine?.field, gap: machine?.initialGap },
  ];
  const gives = ({ fields: given }: Resource["records"][number], name: string) => Object.hasOwn(given, name);
  const lacked = needed.find(
    ({ name, gap }) => gap && records.some((record) => !name || !gives(record, name)),
  );
  const untyped = fields.find(
    ({ name, type, gap }) =>
      gap && type.kind === "not shown" && records.some((record) => gives(record, name)),
  );
  return lacked?.gap ?? untyped?.gap;
}

/** The scope of a generated identifier. That of a delivery may be the id that its receivers get. */
function madeScope(declared: DeclaredResource, context: BuildContext): Scope {
  const scope = ruleScope(declared, context);
  return declared.name === deliveryResource && storesDeliveries(context.document)
    ? deliveryRecordScope(context.document, context.declarations, scope)
    : scope;
}

function bindIdentifier(
  { identifier, declared }: ResourceDraft,
  context: BuildContext,
): Resource["identifier"] {
  switch (identifier.kind) {
    case "made": {
      const field = identifier.field.text;
      const type = declared.fields.get(field)?.type ?? { kind: "string" };
      const scope = madeScope(declared, context);
      const by = bindMadeBy(identifier.by, type, scope, context);
      const text = unquote(identifier.by).text;
      const unbound = {
        text,
        position: positionIn(identifier.by),
        node: { op: "literal", value: null, type: { kind: "any" } },
      } as const;
      return { kind: "made", field, by: by ?? unbound };
    }
    case "given":
      return { kind: "given", field: identifier.field.text };
    case "joint":
      return { kind: "joint", fields: checkJoint(identifier, declared, context) };
    case "none":
      return { kind: "none" };
    case "not shown":
      if (!identifier.field || declared.gap) return { kind: "not shown", gap: identifier.gap };
      return { kind: "made", field: identifier.field.text };
  }
}

function checkJoint(
  identifier: Extract<IdentifierDraft, { kind: "joint" }>,
  declared: DeclaredResource,
  { reporter }: BuildContext,
): readonly string[] {
  for (const [index, name] of identifier.fields.entries()) {
    if (identifier.fields.slice(0, index).some((earlier) => earlier.text === name.text)) {
      reporter.report("resources/field-twice", positionIn(name), { name: name.text });
    }
    if (declared.fields.get(name.text)?.computed) {
      reporter.report("resources/not-comparable", positionIn(name), {
        name: name.text,
        type: "computed when it is read",
      });
    }
  }
  return identifier.fields.map((name) => name.text);
}
