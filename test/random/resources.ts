/**
 * Random resources (parts 2 and 3): fields of every type and rule, values, states and transitions.
 */
import type { Draw } from "../simulation/draw.ts";
import { type Draft, type FieldDraft, type ResourceDraft, smallName, someOf, weighed } from "./draft.ts";
import { expression, type Named, type Place, recordOf, scalarOf } from "./expressions.ts";

const resourceNames = ["Account", "Box", "Crate", "Deal", "Entry", "FarmShop", "Gift"];
const valueNames = ["Spot", "Meal"];
const fieldNames = [
  "name",
  "title",
  "note",
  "label",
  "code",
  "size",
  "rank",
  "count",
  "weight",
  "price",
  "flag",
  "opened_at",
  "day",
  "span",
  "mail",
  "link",
  "kind",
  "tags",
  "extra",
  "order",
  "group",
  "select",
  "user_id",
  "camelCase",
  "x",
  "value",
  "from",
  "to",
  "primary",
  "total",
  "row",
  "data",
  "key2",
  "next_at",
  "table",
  "id2",
];

const scalars = [
  "string",
  "string",
  "string",
  "integer",
  "integer",
  "number",
  "decimal",
  "boolean",
  "timestamp",
  "timestamp",
  "date",
  "duration",
  "uuid",
  "email",
  "uri",
];

export function drawResources(draft: Draft): void {
  const { draw } = draft;
  for (const name of someOf(draw, valueNames, 40)) {
    const resource: ResourceDraft = { name, isValue: true, fields: [], transitions: [], calls: [] };
    drawFields(draft, resource, 1 + draw.below(3), 1);
    draft.resources.push(resource);
  }
  const count = 1 + draw.below(draw.happens(30) ? 4 : 2);
  for (const name of resourceNames.slice(0, count)) {
    const resource: ResourceDraft = { name, isValue: false, fields: [], transitions: [], calls: [] };
    draft.resources.push(resource);
    drawFields(draft, resource, 2 + draw.below(6), 2);
  }
  // References may point to resources that are defined later.
  for (const resource of draft.resources)
    if (!resource.isValue && !resource.isPlain && draft.draw.happens(25))
      resource.fields.push(referenceField(draft, resource, "other"));
}

/** The resource of callers. None of its fields prevents the creation of a record. */
export function drawKeeper(draft: Draft): void {
  const fields = [
    { name: "name", kind: "string", type: "string", rules: "nullable" },
    { name: "rank", kind: "integer", type: "integer", rules: "default `1`" },
  ];
  draft.resources.push({ name: "Keeper", isValue: false, isPlain: true, fields, transitions: [], calls: [] });
}

function referenceField(draft: Draft, resource: ResourceDraft, name: string): FieldDraft {
  const to = draft.draw.oneOf(
    draft.resources.filter((candidate) => !candidate.isValue && candidate !== resource).concat(resource),
  );
  return { name, kind: "reference", type: to.name, resource: to.name };
}

function drawFields(draft: Draft, resource: ResourceDraft, count: number, depth: number): void {
  for (let at = 0; at < count; at += 1) {
    const name = freeName(draft.draw, resource.fields);
    if (name !== undefined) resource.fields.push(drawField(draft, resource, name, depth));
  }
}

function freeName(draw: Draw, fields: readonly FieldDraft[]): string | undefined {
  const name = draw.oneOf(fieldNames);
  return fields.some((part) => part.name === name) ? undefined : name;
}

function drawField(draft: Draft, resource: ResourceDraft, name: string, depth: number): FieldDraft {
  const { draw, resources } = draft;
  const tables = resources.filter((candidate) => !candidate.isValue);
  const values = resources.filter((candidate) => candidate.isValue && candidate !== resource);
  const choices: (readonly [number, () => FieldDraft])[] = [
    [20, () => scalar(draw, name)],
    [4, () => enumField(draw, name)],
    [2, () => ({ name, kind: "json", type: "json" })],
    [
      1,
      () => ({
        name,
        kind: "either",
        type: draw.oneOf(["string or list of string", "integer or string", "boolean or integer"]),
      }),
    ],
  ];
  if (!resource.isValue && tables.length > 0) choices.push([6, () => referenceField(draft, resource, name)]);
  if (!resource.isValue) choices.push([1, () => ({ name, kind: "password", type: "password" })]);
  if (values.length > 0)
    choices.push([
      3,
      () => {
        const to = draw.oneOf(values).name;
        return { name, kind: "value", type: to, resource: to };
      },
    ]);
  if (depth > 0) {
    choices.push([
      4,
      () => {
        const of = drawField(draft, resource, name, 0);
        return { name, kind: "list", type: `list of ${of.type}`, of };
      },
    ]);
    choices.push([
      2,
      () => {
        const of = draw.happens(80) ? scalar(draw, name) : drawField(draft, resource, name, 0);
        return { name, kind: "map", type: `map of ${of.type}`, of };
      },
    ]);
  }
  if (depth > 1)
    choices.push([
      2,
      () => {
        const parts = ["a", "b", "order"]
          .slice(0, 1 + draw.below(3))
          .map((field) => drawField(draft, resource, field, 0));
        const isList = draw.happens(40);
        const object: FieldDraft = { name, kind: "object", type: "object", parts };
        return isList ? { name, kind: "list", type: "list of object", of: object } : object;
      },
    ]);
  return weighed(draw, choices)();
}

function scalar(draw: Draw, name: string): FieldDraft {
  const kind = draw.oneOf(scalars);
  return { name, kind, type: kind };
}

function enumField(draw: Draw, name: string): FieldDraft {
  const values = draw.oneOf([
    ["a", "b"],
    ["red", "green", "blue"],
    ["x-1", "Zed", "zed"],
    ["low", "null", "true"],
  ]);
  return { name, kind: "enum", type: `one of ${values.join(", ")}`, values };
}

// ── Rules ───────────────────────────────────────────────────────────────────────────────────────

function placeOf(draft: Draft, resource: ResourceDraft, more: readonly Named[] = []): Place {
  const caller = draft.caller === undefined ? [] : [recordOf("caller", draft.caller)];
  return {
    named: [recordOf("this", resource.name), ...caller, scalarOf("now", "timestamp"), ...more],
    hasStore: true,
  };
}

/** The rules for values of a kind. */
function boundsOf(draft: Draft, field: FieldDraft): string[] {
  const { draw } = draft;
  switch (field.kind) {
    case "string":
      return someOf(
        draw,
        [
          "trimmed",
          "lower case",
          "empty is null",
          draw.oneOf(["length 1..20", "length ..8", "length 2..", "length 1..80"]),
          draw.oneOf(["pattern `^[a-z0-9]*$`", "pattern `^.{1,30}$`", "pattern `[A-Za-z]+[0-9]*`"]),
          "any case",
        ],
        14,
      );
    case "integer":
    case "number":
    case "decimal":
      return someOf(draw, [draw.oneOf(["0..100", "1..", "..1000", "-5..5", "0..3"])], 35);
    case "duration":
      return someOf(draw, ["1 minute..1 day"], 20);
    case "list":
      return [
        ...someOf(draw, [draw.oneOf(["items 1..3", "items ..5", "items ..2"]), "distinct"], 25),
        ...(field.of && draw.happens(30) ? boundsOf(draft, field.of).map((bound) => `each ${bound}`) : []),
      ];
    case "map":
      return [
        ...someOf(draw, [draw.oneOf(["items ..3", "items 1..2"]), "merged", "keys length 1..3"], 25),
        ...(field.of && draw.happens(30) ? boundsOf(draft, field.of).map((bound) => `each ${bound}`) : []),
      ];
    default:
      return [];
  }
}

function rulesOf(draft: Draft, resource: ResourceDraft, field: FieldDraft, isPart: boolean): string {
  const { draw } = draft;
  const rules = boundsOf(draft, field);
  const isKey = keysOf(resource).includes(field.name);
  const value = (depth = 1) =>
    `\`${fitting(draft, field) ?? expression(draft, placeOf(draft, resource), kindOf(field), depth)}\``;
  if (!isPart && field.kind === "reference")
    rules.push(...someOf(draw, [`on delete ${draw.oneOf(["cascade", "restrict", "clear"])}`], 60));
  const origin = weighed<readonly string[]>(draw, [
    [30, []],
    [25, ["required"]],
    [20, ["nullable"]],
    [8, [`default ${value()}`]],
    [4, [`default ${value()}`, "nullable"]],
    [isPart ? 0 : 4, [`on create ${value()}`]],
    [isPart || isKey ? 0 : 2, [`on update ${value()}`]],
    [isPart || isKey ? 0 : 2, [`on create ${value()}`, `on update ${value()}`]],
    [isPart || field.kind === "password" ? 0 : 8, [`= ${value(2)}`]],
    [isPart ? 0 : 3, ["read-only"]],
    [isPart ? 0 : 2, ["internal"]],
    [isPart ? 0 : 1, ["write-only"]],
    [isPart ? 0 : 3, ["required", "immutable"]],
    [isPart ? 0 : 2, ["immutable"]],
  ]);
  if (origin.some((rule) => rule.startsWith("="))) return origin.join(", ");
  rules.push(...origin);
  if (!isPart && draw.happens(10)) rules.push("unique");
  return rules.join(", ");
}

/** The kind of expression that gives a value of the field. */
export function kindOf(field: FieldDraft): string {
  switch (field.kind) {
    case "enum":
    case "state":
    case "email":
    case "uri":
    case "password":
    case "credential":
      return "string";
    case "list":
      return field.of?.kind === "integer" ? "integers" : "strings";
    case "map":
    case "object":
    case "value":
    case "either":
    case "reference":
      return "json";
    default:
      return field.kind;
  }
}

/** A value of the field's own text form, such as an e-mail address; other texts are invalid. */
function fitting({ draw }: Draft, { kind, values = [] }: FieldDraft): string | undefined {
  switch (kind) {
    case "enum":
      return JSON.stringify(draw.oneOf(values));
    case "email":
      return draw.oneOf(['"a@test.example"', '"Zed@test.example"']);
    case "uri":
      return draw.oneOf(['"https://a.test.example/"', '"https://a.test.example/x?y=1"']);
    default:
      return undefined;
  }
}

/** An expression whose value may be assigned to a field. */
export function valueFor(draft: Draft, place: Place, field: FieldDraft, depth = 1): string {
  const { draw } = draft;
  const text = fitting(draft, field);
  if (text !== undefined) return text;
  if (field.kind === "reference") {
    const paths = place.named.flatMap(({ path, field: part }) => {
      if (part.kind !== "reference") return [];
      const inner = draft.resources.find(({ name }) => name === part.resource)?.fields ?? [];
      return [
        ...(part.resource === field.resource ? [path] : []),
        ...inner
          .filter((two) => two.resource === field.resource && two.kind === "reference")
          .map((two) => `${path}.${two.name}`),
      ];
    });
    if (paths.length > 0 && draw.happens(80)) return draw.oneOf(paths);
    return draw.oneOf([`${field.resource}.first()`, `${field.resource}.last()`, "null"]);
  }
  return expression(draft, place, kindOf(field), depth);
}

// ── Text ────────────────────────────────────────────────────────────────────────────────────────

export function resourcesText(draft: Draft): string {
  return draft.resources.map((resource) => resourceText(draft, resource)).join("\n\n");
}

function resourceText(draft: Draft, resource: ResourceDraft): string {
  const { draw } = draft;
  const lines = [`### ${resource.name}`, ""];
  if (resource.isValue) lines.push("- Identifier: none");
  else {
    resource.identifierItem = identifierItem(draft, resource);
    lines.push(resource.identifierItem);
  }
  const place = placeOf(draft, resource);
  const condition = (depth = 2) => expression(draft, place, "boolean", depth);
  const rows: string[] = [];
  const isCaller = draft.caller === resource.name;
  if (isCaller) rows.push("| secret_key | credential | on create `random(32)`, shown once |");
  for (const field of resource.fields) {
    if (field.name === resource.stateField) continue;
    if (field === resource.identifier && !isGivenField(resource)) continue;
    field.rules ??= rulesOf(draft, resource, field, resource.isValue);
    rows.push(`| ${field.name} | ${field.type} | ${field.rules} |`);
    const parts =
      field.kind === "object" ? field.parts : field.of?.kind === "object" ? field.of.parts : undefined;
    const before = field.kind === "object" ? field.name : `${field.name}[]`;
    for (const part of parts ?? [])
      rows.push(`| ${before}.${part.name} | ${part.type} | ${rulesOf(draft, resource, part, true)} |`);
  }
  if (resource.stateField !== undefined) {
    if (draw.happens(70)) rows.push(`| ${resource.stateField} | state | |`);
    resource.fields.push({ name: resource.stateField, kind: "state", type: "state" });
  }
  if (!resource.isValue && !resource.isPlain) {
    const plain = resource.fields.filter(
      (part) => !["list", "map", "json", "object", "value"].includes(part.kind),
    );
    if (draw.happens(12) && plain.length > 1) lines.push(`- Unique: ${plain[0]?.name}, ${plain[1]?.name}`);
    if (draw.happens(20))
      lines.push(
        `- Fails: ${draw.oneOf(draft.codes)}${draw.happens(50) ? ` on ${draw.oneOf(resource.fields).name}` : ""} when \`${condition()}\``,
      );
    if (draw.happens(12))
      lines.push(`- Always: \`${condition()} || this.${draw.oneOf(resource.fields).name} != null\``);
    if (draw.happens(15))
      lines.push(`- Visible: \`${condition()} || this.${draw.oneOf(resource.fields).name} != null\``);
    if (draw.happens(15)) lines.push("- Deleted: marked");
    if (draw.happens(8)) {
      const times = resource.fields.filter((part) => part.kind === "timestamp");
      if (times.length > 0)
        lines.push(`- Kept: ${draw.oneOf(["2 minutes", "1 day"])} after ${draw.oneOf(times).name}`);
    }
    if (draw.happens(6)) lines.push(`- Called: the_${smallName(resource.name)}`);
  }
  return [...lines, "", "| Field | Type | Rules |", "|---|---|---|", ...rows].join("\n");
}

/** The names in the item `- Identifier: a and b`. */
function keysOf({ identifierItem = "" }: ResourceDraft): readonly string[] {
  return identifierItem.replace(/^- Identifier: |,.*$/g, "").split(" and ");
}

/** Whether the caller sends the identifier, so that it may have rules. */
function isGivenField({ identifier }: ResourceDraft): boolean {
  return identifier !== undefined && !["id", "number", "sku"].includes(identifier.name);
}

function identifierItem(draft: Draft, resource: ResourceDraft): string {
  const { draw } = draft;
  const refs = resource.fields.filter((part) => part.kind === "reference");
  const set = (field: FieldDraft) => {
    resource.identifier = field;
    if (!resource.fields.includes(field)) resource.fields.unshift(field);
  };
  const choice = weighed(draw, [
    [resource.isPlain ? 50 : 5, "sequence"],
    [3, "uuid"],
    [2, "text"],
    [4, "given"],
    [draft.caller === resource.name ? 0 : 2, "joint"],
    [refs.length > 0 && draft.caller !== resource.name ? 2 : 0, "within"],
  ]);
  switch (choice) {
    case "sequence":
      set({ name: draw.oneOf(["id", "number"]), kind: "integer", type: "integer" });
      return `- Identifier: ${resource.identifier?.name}, made by \`sequence()\``;
    case "uuid":
      set({ name: "id", kind: "uuid", type: "uuid" });
      return `- Identifier: id, made by \`uuid()\``;
    case "text":
      set({ name: "id", kind: "string", type: "string" });
      return `- Identifier: id, made by \`"${smallName(resource.name)}_" + ${draw.oneOf(["random(8)", "hex(randomBytes(6))"])}\``;
    case "given": {
      const own = resource.fields.filter((part) =>
        [
          "string",
          "integer",
          "uuid",
          "date",
          "timestamp",
          "decimal",
          "email",
          "enum",
          "number",
          "boolean",
          "uri",
          "duration",
        ].includes(part.kind),
      );
      const field =
        own.length > 0 && draw.happens(70)
          ? draw.oneOf(own)
          : { name: "sku", kind: "string", type: "string" };
      resource.identifier = field;
      if (!resource.fields.includes(field)) resource.fields.unshift(field);
      return `- Identifier: ${field.name}, given`;
    }
    case "within": {
      const ref = draw.oneOf(refs);
      if (!resource.fields.some((part) => part.name === "number"))
        resource.fields.push({ name: "number", kind: "integer", type: "integer" });
      return draw.happens(50)
        ? `- Identifier: number, made by \`sequence(${ref.name})\``
        : `- Identifier: ${ref.name} and number`;
    }
    default: {
      const own = resource.fields.filter(
        (part) => !["list", "map", "json", "object", "value", "either", "password"].includes(part.kind),
      );
      if (own.length < 2) {
        set({ name: "id", kind: "integer", type: "integer" });
        return "- Identifier: id, made by `sequence()`";
      }
      return `- Identifier: ${own[0]?.name} and ${own[1]?.name}`;
    }
  }
}

// ── States ──────────────────────────────────────────────────────────────────────────────────────

const stateNames = ["open", "busy", "done", "lost"];
const transitionNames = ["start", "finish", "lose", "reopen", "tick"];

export function drawStates(draft: Draft): void {
  for (const resource of draft.resources) {
    if (resource.isValue || resource.isPlain || !draft.draw.happens(55)) continue;
    if (draft.draw.happens(88)) resource.stateField = draft.draw.oneOf(["status", "state", "phase"]);
    for (const name of transitionNames.slice(0, 1 + draft.draw.below(5)))
      resource.transitions.push(`${name}${draft.draw.happens(85) ? "" : `_${smallName(resource.name)}`}`);
  }
}

export function statesText(draft: Draft): string {
  const parts = draft.resources
    .filter((candidate) => candidate.transitions.length > 0)
    .map((candidate) => stateText(draft, candidate));
  return parts.length === 0 ? "none." : parts.join("\n\n");
}

function stateText(draft: Draft, resource: ResourceDraft): string {
  const { draw } = draft;
  const { stateField } = resource;
  const states = stateNames.slice(0, 2 + draw.below(3));
  const lines = [`### ${resource.name}`, ""];
  const place = placeOf(draft, resource, [recordOf("old", resource.name)]);
  if (stateField !== undefined) {
    lines.push(`- State field: ${stateField}`);
    lines.push(
      `- Initial state: ${draw.happens(90) ? "open" : `\`${expression(draft, place, "boolean", 1)} ? "open" : "busy"\``}`,
    );
  }
  lines.push("", "| Transition | From | To | Trigger | Guard | Effect |", "|---|---|---|---|---|---|");
  const times = resource.fields.filter((part) => part.kind === "timestamp");
  for (const name of resource.transitions) {
    for (let end = 0; end < (draw.happens(20) ? 2 : 1); end += 1) {
      const from =
        stateField === undefined
          ? "any"
          : draw.happens(15)
            ? "any"
            : someOf(draw, states, 50).join(", ") || "open";
      const to = stateField === undefined || draw.happens(15) ? "same" : draw.oneOf(states);
      const trigger = weighed(draw, [
        [10, "call"],
        [2, "immediately"],
        [3, `after ${draw.oneOf(["1 minute", "30 seconds", "2 hours", "1 day"])}`],
        [times.length > 0 ? 3 : 0, `at ${times.length > 0 ? draw.oneOf(times).name : ""}`],
      ]);
      if (trigger === "call" && !resource.calls.includes(name)) resource.calls.push(name);
      const guard = draw.happens(trigger === "immediately" ? 95 : 35)
        ? `\`${expression(draft, place, "boolean", 2)}\`${draw.happens(15) ? ` else ${draw.oneOf(draft.codes)}` : ""}`
        : "";
      const effects = Array.from({ length: draw.below(3) }, () => effect(draft, resource, place));
      lines.push(
        `| ${name} | ${from} | ${to} | ${trigger} | ${guard} | ${effects.length === 0 ? "" : `\`${effects.join("; ")}\``} |`,
      );
    }
  }
  return lines.join("\n");
}

/** One statement of an effect; `this` belongs to the resource. */
export function effect(draft: Draft, resource: ResourceDraft | undefined, place: Place): string {
  const { draw } = draft;
  const tables = draft.resources.filter((candidate) => !candidate.isValue);
  const target = draw.oneOf(tables);
  const inner = (name: string): Place => ({
    ...place,
    named: [recordOf("this", name), ...place.named.filter((item) => item.path !== "this")],
  });
  const assignment = (to: ResourceDraft, where: Place) => {
    const field = draw.oneOf(to.fields);
    return `${field.name} = ${valueFor(draft, where, field, 1)}`;
  };
  const made = weighed<() => string>(draw, [
    [resource ? 10 : 0, () => assignment(resource as ResourceDraft, place)],
    [
      3,
      () => {
        const fields = someOf(draw, target.fields, 55).map(
          (part) => `${part.name} = ${valueFor(draft, place, part, 1)}`,
        );
        // An upsert without a key among its values is removed later.
        return `${draw.happens(25) ? "upsert" : "create"} ${target.name} with ${fields.length > 0 ? fields.join(", ") : assignment(target, place)}`;
      },
    ],
    [
      2,
      () =>
        `update ${target.name} where ${expression(draft, inner(target.name), "boolean", 1)} set ${assignment(target, inner(target.name))}`,
    ],
    [1, () => `delete ${target.name} where ${expression(draft, inner(target.name), "boolean", 1)}`],
    [
      target.transitions.length > 0 ? 2 : 0,
      () =>
        `do ${draw.oneOf(target.transitions)} on ${target.name} where ${expression(draft, inner(target.name), "boolean", 1)}${draw.happens(40) ? ", first 2" : ""}`,
    ],
    [
      resource?.fields.some((part) => part.kind === "reference") ? 3 : 0,
      () => {
        const ref = draw.oneOf(
          (resource as ResourceDraft).fields.filter((part) => part.kind === "reference"),
        );
        const to = draft.resources.find(({ name }) => name === ref.resource) as ResourceDraft;
        return `${ref.name}.${assignment(to, place)}`;
      },
    ],
    [draft.sent.length > 0 ? 1 : 0, () => `send ${draw.oneOf(draft.sent)}`],
  ])();
  return draw.happens(25) ? `${made} when ${expression(draft, place, "boolean", 1)}` : made;
}
