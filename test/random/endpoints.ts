/**
 * Random endpoints (part 4): every operation with every item that it can be combined with, on paths
 * of one record and of two.
 */
import {
  type Draft,
  type FieldDraft,
  isNeeded,
  isSent,
  type ResourceDraft,
  smallName,
  someOf,
} from "./draft.ts";
import { expression, type Named, type Place, recordOf, scalarOf } from "./expressions.ts";
import { effect, kindOf, valueFor } from "./resources.ts";
import { timestampForms } from "../../src/expressions/writing/wire.ts";

const unknownFields = ["rejected", "ignored", "ignored in query, rejected in body", "ignored in body"];

/** The items before the first endpoint. */
export function partItems(draft: Draft): readonly string[] {
  const { draw } = draft;
  return [
    `- Base path: \`${draw.oneOf(["/", "/", "/v1", "/api/x"])}\``,
    ...someOf(
      draw,
      [
        draw.oneOf(["- Media type: `application/json`", "- Media type: `application/vnd.shop+json`"]),
        "- Empty inputs: null",
        `- Unknown fields: ${draw.oneOf(unknownFields)}`,
        `- Null fields: ${draw.oneOf(["shown", "omitted"])}`,
        `- Timestamps: ${draw.oneOf(timestampForms)}`,
        "- Expansion: expand",
        "- Accepts: application/json, application/x-www-form-urlencoded",
        "- Idempotency: header Idempotency-Key, 24 hours, on every POST",
        `- Header: X-Part: \`${expression(draft, requestPlace(draft), "string", 1)}\``,
        "- Allowed: anyone",
        "- Cross-origin: any",
      ],
      14,
    ),
  ];
}

function requestPlace(draft: Draft, more: readonly Named[] = []): Place {
  const caller = draft.caller === undefined ? [] : [recordOf("caller", draft.caller)];
  return {
    named: [
      ...more,
      ...caller,
      scalarOf("now", "timestamp"),
      scalarOf("request.method", "string"),
      scalarOf("request.path", "string"),
    ],
    hasStore: true,
  };
}

export function endpointsText(draft: Draft): string {
  const { draw } = draft;
  const sections: string[] = [];
  const tables = draft.resources.filter((resource) => !resource.isValue);
  for (const resource of tables) {
    const plural = `${smallName(resource.name)}s`;
    const key = resource.identifier?.name ?? "id";
    const unique = key;
    sections.push(...operations(draft, resource, `/${plural}`, unique, []));
    // The endpoint is nested below a record of the path.
    const above = tables.find((table) => table !== resource && table.identifier !== undefined);
    if (above && draw.happens(35)) {
      const parameter = above.identifier?.name ?? "id";
      const own = `${smallName(above.name)}_${parameter}`;
      const path = `/in-${smallName(above.name)}s/{${own}}`;
      const items = [`- Is: ${above.name}`];
      const named = [recordOf(smallName(above.name), above.name)];
      const place = requestPlace(draft, named);
      if (draw.happens(20))
        items.push(
          `- Where: \`${expression(draft, requestPlace(draft, [recordOf("this", above.name)]), "boolean", 1)}\``,
        );
      if (draw.happens(20)) items.push(`- Allowed: \`${expression(draft, place, "boolean", 1)}\``);
      if (draw.happens(20))
        items.push(`- Fails: ${draw.oneOf(draft.codes)} when \`${expression(draft, place, "boolean", 1)}\``);
      const heading = [`### ${path}`, "", ...items].join("\n");
      if (!sections.some((section) => section.startsWith(`### ${path}\n`))) sections.push(heading);
      sections.push(...operations(draft, resource, `${path}/${plural}`, unique, named));
    }
  }
  if (draw.happens(60)) sections.push(answerEndpoint(draft, "/answer"));
  return sections.join("\n\n");
}

function operations(
  draft: Draft,
  resource: ResourceDraft,
  path: string,
  key: string,
  named: readonly Named[],
): readonly string[] {
  const { draw } = draft;
  const recordPath = `${path}/{${key}}`;
  const made: string[] = [];
  // A document with few operations is drawn, started and shrunk faster than one with all of them.
  const add = (percent: number, write: () => string) => {
    if (draw.happens(named.length > 0 ? percent / 2 : percent * 0.8)) made.push(write());
  };
  const make = (does: string, method: string, at: string, kind: Kind) => () =>
    endpoint(draft, { resource, does, method, path: at, kind, named });
  add(85, make(`create ${resource.name}`, "POST", path, "create"));
  add(80, make(`list ${resource.name}`, "GET", path, "list"));
  add(75, make(`read ${resource.name}`, "GET", recordPath, "one"));
  add(65, make(`update ${resource.name}`, "PATCH", recordPath, "update"));
  add(
    45,
    draw.happens(50)
      ? make(`upsert ${resource.name}`, "PUT", recordPath, "upsert")
      : make(`replace ${resource.name}`, "PUT", recordPath, "replace"),
  );
  add(50, make(`delete ${resource.name}`, "DELETE", recordPath, "delete"));
  for (const call of resource.calls)
    add(75, make(`${call} ${resource.name}`, "POST", `${recordPath}/${call}`, "transition"));
  add(12, make(`update every ${resource.name}`, "PATCH", path, "every"));
  add(10, make(`delete every ${resource.name}`, "DELETE", path, "deleteEvery"));
  add(15, make(`read ${resource.name}, if any`, "GET", `${recordPath}/if-any`, "ifAny"));
  add(10, make(`list ${resource.name}`, "POST", `${path}/search`, "list"));
  add(8, make(`upsert ${resource.name}`, "POST", `${path}/upsert`, "upsert"));
  add(8, make(`read ${resource.name}`, "GET", `${path}/some/first`, "first"));
  return made;
}

type Kind =
  | "create"
  | "list"
  | "one"
  | "update"
  | "replace"
  | "upsert"
  | "delete"
  | "transition"
  | "every"
  | "deleteEvery"
  | "ifAny"
  | "first";

interface Wanted {
  readonly resource: ResourceDraft;
  readonly does: string;
  readonly method: string;
  readonly path: string;
  readonly kind: Kind;
  readonly named: readonly Named[];
}

const takesBody: ReadonlySet<Kind> = new Set([
  "create",
  "update",
  "replace",
  "upsert",
  "every",
  "transition",
]);
const isOfMany: ReadonlySet<Kind> = new Set(["list", "every", "deleteEvery"]);

function endpoint(draft: Draft, wanted: Wanted): string {
  const { draw } = draft;
  const { resource, does, method, path, kind } = wanted;
  const items = [`- Does: ${does}`];
  const inputs: string[] = [];
  const place = requestPlace(draft, [recordOf("this", resource.name), ...wanted.named]);
  const withOld = requestPlace(draft, [
    recordOf("this", resource.name),
    recordOf("old", resource.name),
    ...wanted.named,
  ]);
  const outside = requestPlace(draft, wanted.named);
  const sent: Named[] = [];
  const add = (percent: number, line: () => string) => {
    if (draw.happens(percent)) items.push(line());
  };
  const condition = (where: Place, depth = 2) => `\`${expression(draft, where, "boolean", depth)}\``;
  const fields = resource.fields.filter((part) => part.kind !== "state" && part !== resource.identifier);
  if (takesBody.has(kind)) {
    const makes = kind === "create" || kind === "upsert" || kind === "replace";
    const taken = fields.filter(
      (part) => isSent(part) && ((makes && isNeeded(part)) || draw.happens(kind === "transition" ? 15 : 75)),
    );
    const isGiven = /^- Identifier: \w+, given$/.test(resource.identifierItem ?? "");
    const given = resource.identifier && kind === "create" && isGiven ? [resource.identifier] : [];
    const names = [...given, ...taken].map(
      (part) =>
        `${part.name}${(!makes || !isNeeded(part)) && !given.includes(part) && draw.happens(60) ? "?" : ""}`,
    );
    if (names.length > 0) items.push(`- Body: ${names.join(", ")}`);
    for (const part of taken) sent.push({ path: `body.${part.name}`, field: part });
    if (names.length > 0) add(6, () => "- Body in: data");
  }
  // Query inputs filter a list. In any endpoint, expressions may read the inputs of a table.
  if (kind === "list") {
    const filters = someOf(draw, resource.fields, 35).filter(
      (part) => !["json", "password", "object", "map"].includes(part.kind),
    );
    const names = filters.map(
      (part) =>
        `${part.name}?${["integer", "timestamp", "date", "number", "decimal", "duration", "string"].includes(part.kind) && draw.happens(35) ? " range" : ""}`,
    );
    if (names.length > 0) items.push(`- ${method === "GET" ? "Query" : "Body"}: ${names.join(", ")}`);
  }
  if (draw.happens(25)) {
    const extra = drawInput(draft, resource, wanted, place);
    inputs.push(...extra.rows);
    sent.push(...extra.named);
  }
  const requested: Place = { named: [...sent, ...place.named], hasStore: true };
  const changed: Place = { named: [...sent, ...withOld.named], hasStore: true };
  const before: Place = { named: [...sent, ...outside.named], hasStore: true };
  const isOne = !isOfMany.has(kind);
  add(
    kind === "every" || kind === "deleteEvery" ? 60 : 15,
    () => `- Where: ${condition(kind === "create" ? before : requested, 1)}`,
  );
  add(30, () =>
    draw.happens(40)
      ? `- Allowed: ${draw.oneOf(["anyone", "any caller"])}`
      : `- Allowed: ${condition(kind === "create" || !isOne ? before : requested, 1)}`,
  );
  add(20, () => {
    const name = "worth";
    const type = draw.oneOf(["integer", "string", "boolean", "timestamp"]);
    const line = `- Let: ${name} = \`${expression(draft, isOne ? requested : before, type, 2)}\``;
    (requested.named as Named[]).push(scalarOf(name, type));
    (changed.named as Named[]).push(scalarOf(name, type));
    return line;
  });
  if (isOne && !["one", "ifAny", "first", "delete"].includes(kind)) {
    add(25, () => {
      const field = draw.oneOf(resource.fields);
      return `- Set: \`${field.name} = ${valueFor(draft, kind === "create" ? before : requested, field, 1)}${draw.happens(25) ? ` when ${expression(draft, before, "boolean", 1)}` : ""}\``;
    });
  }
  add(
    25,
    () =>
      `- Fails: ${draw.oneOf(draft.codes)}${draw.happens(35) ? ` on ${draw.oneOf(resource.fields).name}` : ""} when ${condition(isOne ? changed : before)}`,
  );
  if (isOne && !["ifAny", "first"].includes(kind) && (kind !== "one" || draw.happens(20)))
    add(25, () => `- Effect: \`${effect(draft, resource, changed)}\``);
  if (["create", "update", "transition"].includes(kind) && resource.calls.length > 0)
    add(
      15,
      () =>
        `- Then: ${draw.oneOf(resource.calls)}${draw.happens(50) ? ` when \`${expression(draft, before, "boolean", 1)}\`` : ""}`,
    );
  if (kind === "first") items.push(`- Where: ${condition(place, 1)}`);
  if (kind === "list" || kind === "first" || kind === "every") {
    add(60, () => {
      const keys = someOf(draw, resource.fields, 25).filter(
        (part) => !["json", "object", "map", "list", "password"].includes(part.kind),
      );
      const names = keys.slice(0, 3).map((part) => `${part.name}${draw.happens(40) ? " descending" : ""}`);
      return `- Order: ${names.length > 0 ? names.join(", ") : `\`${expression(draft, place, draw.oneOf(["string", "integer", "timestamp"]), 1)}\``}`;
    });
  }
  if (kind === "list")
    add(
      75,
      () =>
        `- Pagination: ${draw.oneOf([
          "cursor (size: limit, after: after, before: before)",
          "cursor (size: limit, at: cursor)",
          "identifier (size: limit, after: starting_after, before: ending_before)",
          "page (page: page, size: per_page)",
          "page from 0 (page: page, size: per_page)",
          "offset (offset: offset, size: limit)",
          "offset from 1 (offset: startIndex, size: count)",
          "none",
        ])}${draw.happens(25) ? ", with Link" : ""}`,
    );
  if (method === "POST")
    add(
      15,
      () =>
        `- Idempotency: ${draw.oneOf(["header Idempotency-Key, 24 hours", "header Idempotency-Key, 1 hour, required", "body idempotency_key, 24 hours"])}`,
    );
  if (["one", "update", "replace", "delete", "transition"].includes(kind))
    add(
      25,
      () =>
        `- Preconditions: ${draw.oneOf(["If-Match", "If-None-Match", "If-Match, If-None-Match", "If-Match required"])}`,
    );
  if (isOne) add(8, () => "- Finds: deleted records too");
  if (items.some((item) => item.startsWith("- Body: ")))
    add(10, () => `- Unknown fields: ${draw.oneOf(unknownFields)}`);
  if (takesBody.has(kind))
    add(
      10,
      () =>
        `- Accepts: ${draw.oneOf(["application/x-www-form-urlencoded", "application/json, application/x-www-form-urlencoded", "application/json"])}`,
    );
  items.push(...returnsOf(draft, wanted, changed, before));
  add(4, () => '- Extensions: `{"x-drawn": [1, null]}`');
  add(12, () => `- Header: X-Word: \`${expression(draft, isOne ? changed : before, "string", 1)}\``);
  add(
    6,
    () =>
      `- Headers: \`{"X-Word": "map", "X-Map": ${expression(draft, isOne ? changed : before, "string", 1)}}\``,
  );
  if (kind === "create" && resource.identifier)
    add(25, () => `- Header: Location: \`service.url + "/x/" + string(this.${resource.identifier?.name})\``);
  const table =
    inputs.length === 0
      ? []
      : ["", "| Input | In | Type | Rules | Where | Field |", "|---|---|---|---|---|---|", ...inputs];
  return [`### ${method} ${path}`, "", ...items, ...table].join("\n");
}

function drawInput(
  draft: Draft,
  resource: ResourceDraft,
  { kind, method }: Wanted,
  place: Place,
): { readonly rows: readonly string[]; readonly named: readonly Named[] } {
  const { draw } = draft;
  const rows: string[] = [];
  const named: Named[] = [];
  for (const name of someOf(draw, ["q", "deep.part", "limit_to", "X-Own"], 35)) {
    const isHeader = name.startsWith("X-");
    const where = isHeader
      ? "header"
      : method === "GET" || method === "DELETE" || draw.happens(20)
        ? "query"
        : "body";
    const path = isHeader ? `headers["x-own"]` : `${where}.${name}`;
    const type = draw.oneOf([
      "string",
      "integer",
      "boolean",
      "timestamp",
      "decimal",
      "number",
      "date",
      "one of a, b",
      "list of string",
      "list of integer",
      "duration",
      "uuid",
      "json",
    ]);
    const scalar: FieldDraft =
      type === "one of a, b"
        ? { name, kind: "enum", type, values: ["a", "b"] }
        : type.startsWith("list")
          ? { name, kind: "list", type, of: { name, kind: type.slice(8), type: type.slice(8) } }
          : { name, kind: type, type };
    const rules = someOf(
      draw,
      [
        "required",
        `default \`${expression(draft, { named: [], hasStore: false }, kindOf(scalar), 1)}\``,
        ...(type.startsWith("list") && where === "query" ? ['separated by `","`'] : []),
        ...(type === "json" && where !== "body" ? ["as JSON"] : []),
        ...(type === "integer" ? ["0..100"] : []),
        "nullable",
      ],
      25,
    );
    const input: Named = { path, field: scalar };
    const inner: Place = { named: [input, input, ...place.named], hasStore: true };
    const filter =
      kind === "list" && draw.happens(70)
        ? `\`${expression(draft, inner, "boolean", 2)}\``
        : draw.happens(10)
          ? "none"
          : "";
    const fits = resource.fields.filter((part) => part.type === type);
    const field =
      filter === "" && fits.length > 0 && takesBody.has(kind) && draw.happens(40)
        ? draw.oneOf(fits).name
        : "";
    rows.push(
      `| ${name} | ${where} | ${field === "" ? type : ""} | ${rules.join(", ")} | ${filter} | ${field} |`,
    );
    named.push(input);
  }
  return { rows, named };
}

function returnsOf(
  draft: Draft,
  { resource, kind }: Wanted,
  changed: Place,
  before: Place,
): readonly string[] {
  const { draw } = draft;
  const shapes = [...draft.shapes].filter(([, of]) => of === resource.name).map(([name]) => name);
  const shape = shapes.length > 0 && draw.happens(40) ? draw.oneOf(shapes) : resource.name;
  const own = () =>
    `\`{"a": ${expression(draft, changed, draw.oneOf(["string", "integer", "timestamp", "json", "decimal", "number"]), 2)}, "id": ${shape}(this)}\``;
  switch (kind) {
    case "list":
      return [`- Returns: 200 ${draw.happens(55) ? "list of" : "Page of"} ${shape}`];
    case "every":
    case "deleteEvery":
      return [
        `- Returns: ${draw.happens(50) ? "204 nothing" : `200 \`{"n": ${expression(draft, before, "integer", 1)}}\``}`,
      ];
    case "delete":
      return [`- Returns: ${draw.happens(60) ? "204 nothing" : `200 ${shape}`}`];
    case "ifAny":
      return [`- Returns: 200 \`{"none": true}\` when \`this == null\``, `- Returns: 200 ${shape}`];
    case "upsert":
      return [`- Returns: 201 ${shape} when \`created\``, `- Returns: 200 ${shape}`];
    default: {
      const status = kind === "create" ? 201 : 200;
      const first = draw.happens(10)
        ? [
            `- Returns: ${draw.oneOf(["202", "200"])} ${own()} when \`${expression(draft, changed, "boolean", 1)}\``,
          ]
        : [];
      return [
        ...first,
        `- Returns: ${draw.happens(75) ? `${status} ${shape}` : draw.happens(70) ? `${status} ${own()}` : "204 nothing"}`,
      ];
    }
  }
}

function answerEndpoint(draft: Draft, path: string): string {
  const { draw } = draft;
  const resource = draw.oneOf(draft.resources);
  const wanted: Wanted = {
    resource,
    does: "answer",
    method: draw.oneOf(["GET", "POST"]),
    path,
    kind: "every",
    named: [],
  };
  const { rows, named } = drawInput(draft, resource, wanted, requestPlace(draft));
  const place = requestPlace(draft, named);
  const kinds = [
    "string",
    "integer",
    "number",
    "decimal",
    "timestamp",
    "date",
    "duration",
    "boolean",
    "strings",
    "integers",
    "json",
  ];
  const keys = ["a", "b", "c"].slice(0, 1 + draw.below(3));
  const body = keys.map((key) => `"${key}": ${expression(draft, place, draw.oneOf(kinds), 3)}`).join(", ");
  const items = ["- Does: answer", `- Allowed: ${draw.oneOf(["anyone", "any caller"])}`];
  if (draw.happens(30)) items.push(`- Let: worth = \`${expression(draft, place, "integer", 2)}\``);
  if (wanted.method === "POST" && draw.happens(50))
    items.push(`- Effect: \`${effect(draft, undefined, place)}\``);
  items.push(`- Returns: 200 \`{${body}}\``);
  const table =
    rows.length === 0
      ? []
      : ["", "| Input | In | Type | Rules | Where | Field |", "|---|---|---|---|---|---|", ...rows];
  return [`### ${wanted.method} ${path}`, "", ...items, ...table].join("\n");
}

// ── Shapes ──────────────────────────────────────────────────────────────────────────────────────

export function drawShapes(draft: Draft): void {
  for (const { name } of draft.resources) if (draft.draw.happens(35)) draft.shapes.set(`${name}Card`, name);
}

export function shapesText(draft: Draft): string {
  const { draw } = draft;
  const texts = [...draft.shapes].map(([name, of]) => {
    const resource = draft.resources.find((resource) => resource.name === of) as ResourceDraft;
    const place: Place = { named: [recordOf("this", of)], hasStore: draw.happens(40) };
    const keys = someOf(draw, resource.fields, 60).map(
      (part) => `"${part.name}${draw.happens(25) ? "?" : ""}": this.${part.name}`,
    );
    if (draw.happens(50))
      keys.push(
        `"more": ${expression(draft, place, draw.oneOf(["string", "integer", "decimal", "json", "timestamp", "strings"]), 2)}`,
      );
    const refs = resource.fields.filter((part) => part.kind === "reference");
    if (refs.length > 0 && draw.happens(40)) {
      const ref = draw.oneOf(refs);
      const inner =
        [...draft.shapes].find(
          ([, resourceName]) => resourceName === ref.resource && resourceName !== of,
        )?.[0] ?? ref.resource;
      keys.push(`"inner": ${inner}(this.${ref.name})`);
    }
    return `### Shape: ${name} of ${of}\n\n\`\`\`cel\n{${keys.join(", ")}}\n\`\`\``;
  });
  const page = draw.oneOf([
    '{"items": page.items, "next": page.next, "total": page.total}',
    '{"data": page.items, "has_more": page.has_more, "prev?": page.previous}',
    '{"items": page.items, "n": page.number, "size": page.size, "next_url": page.next_uri}',
    '{"items": page.items}',
  ]);
  texts.push(`### Shape: Page\n\n\`\`\`cel\n${page}\n\`\`\``);
  return texts.join("\n\n");
}
