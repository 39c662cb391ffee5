/**
 * Random documents that `check` accepts. All parts are drawn with all rules in combination. Lines
 * in which `check` finds a mistake are removed until no mistake is left.
 */
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { createDraw, type Draw, seedOf } from "../simulation/draw.ts";
import { drawShapes, endpointsText, partItems, shapesText } from "./endpoints.ts";
import { type Draft, someOf, weighed } from "./draft.ts";
import { expression, type Place, recordOf, scalarOf } from "./expressions.ts";
import { drawKeeper, drawResources, drawStates, resourcesText, statesText } from "./resources.ts";

export interface Drawn {
  readonly text: string;
  readonly model: Model;
}

const file = "random.md";
/** The maximum number of rounds that remove lines. After them, the document is discarded. */
const roundsMax = 25;

export function drawDocument(seed: number): Drawn | undefined {
  const draw = createDraw(seedOf(seed, "document"));
  return pruned(documentText(draw));
}

export function compiled(text: string): Model | undefined {
  const { model, diagnostics } = compile(text, { file });
  return diagnostics.some((diagnostic) => diagnostic.severity === "error") ? undefined : model;
}

function documentText(draw: Draw): string {
  const draft: Draft = {
    draw,
    resources: [],
    codes: ["too_bad", "not_now", "no_way"],
    shapes: new Map(),
    variables: 0,
    sent: someOf(draw, ["pinged"], 25),
  };
  const callers = weighed(draw, [
    [30, "none"],
    [55, "of their own"],
    [15, "any resource"],
  ]);
  if (callers === "of their own") drawKeeper(draft);
  drawResources(draft);
  const tables = draft.resources.filter((resource) => !resource.isValue);
  if (callers !== "none") draft.caller = tables[0]?.name ?? "";
  drawStates(draft);
  drawShapes(draft);
  const resources = resourcesText(draft);
  const states = statesText(draft);
  const items = partItems(draft);
  const endpoints = endpointsText(draft);
  const shapes = shapesText(draft);
  return `# Interface Specification: Random

## What the service does

- Purpose: holds what chance has drawn.
- Domain: chance.
- Behaviour: as drawn.

## Resources and their fields

${resources}

## States and transitions

${states}

## Endpoints

${items.join("\n")}

${endpoints}

${shapes}

## Authentication

${authentication(draft)}

## Events

${eventsText(draft)}

## Errors

${errorsText(draft, endpoints)}

## Limits

${limitsText(draft)}

## Versioning

${versioningText(draft)}
`;
}

function authentication({ draw, caller }: Draft): string {
  if (caller === undefined) return "- Scheme: none";
  const placement = draw.oneOf([
    "header Authorization, after Bearer",
    "header X-Key",
    "query key",
    "cookie session",
    "basic password",
  ]);
  return `### Scheme: own key\n\n- Placement: ${placement === "basic password" ? "header X-Key" : placement}\n- Credentials: ${caller} by secret_key`;
}

function eventsText(draft: Draft): string {
  const { draw } = draft;
  if (draw.happens(35) && draft.sent.length === 0) return "none.";
  const rows: string[] = draft.sent.map(
    (name) => `| ${name} | sent | \`{"id": event.id, "t": event.time}\` |`,
  );
  for (const resource of draft.resources.filter((resource) => !resource.isValue)) {
    const small = resource.name.toLowerCase();
    const payload = () => {
      const shapes = [...draft.shapes].filter(([, of]) => of === resource.name).map(([name]) => name);
      const place: Place = {
        named: [
          recordOf("this", resource.name),
          scalarOf("event.id", "string"),
          scalarOf("event.time", "timestamp"),
        ],
        hasStore: true,
      };
      return weighed(draw, [
        [3, resource.name],
        [shapes.length > 0 ? 2 : 0, shapes[0] ?? ""],
        [
          2,
          `\`{"a": ${expression(draft, place, draw.oneOf(["string", "integer", "json"]), 2)}, "changes": event.changes}\``,
        ],
      ]);
    };
    const when = () => {
      const place: Place = { named: [recordOf("this", resource.name)], hasStore: true };
      return draw.happens(20) ? ` when \`${expression(draft, place, "boolean", 1)}\`` : "";
    };
    for (const kind of someOf(draw, ["created", "updated", "deleted"], 35))
      rows.push(`| ${small}.${kind} | ${resource.name} ${kind}${when()} | ${payload()} |`);
    for (const name of someOf(draw, resource.transitions, 20))
      rows.push(`| ${small}.${name} | ${resource.name} ${name}${when()} | ${payload()} |`);
    if (resource.stateField !== undefined && draw.happens(25))
      rows.push(`| ${small}.is_busy | ${resource.name} becomes busy | ${payload()} |`);
  }
  const log = draw.happens(40) ? ["- Log: kept 30 days"] : [];
  return [
    "- Webhooks: none",
    "- Notifications: none",
    ...log,
    "",
    "| Event | When | Payload |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}

const conditions = [
  "not found",
  "invalid field",
  "missing field",
  "unknown field",
  "unknown reference",
  "unauthenticated",
  "forbidden",
  "duplicate",
  "illegal transition",
  "guard failed",
  "in use",
  "precondition failed",
  "malformed body",
  "unknown path",
  "method not allowed",
  "idempotency conflict",
  "quota exceeded",
  "rate limited",
  "unsupported media type",
  "internal",
  "bad credential",
  "precondition required",
  "malformed request",
  "too large",
];

/**
 * The subject of a row: any request, a rule, an input or an endpoint. Rows whose condition no
 * endpoint has are removed later.
 */
function subjectOf({ draw }: Draft, condition: string, endpoints: string): string {
  if (draw.happens(60)) return "";
  const headings = [...endpoints.matchAll(/^### ([A-Z]+ \/\S*)$/gm)].map(([, name]) => name as string);
  const rules = ["length", "pattern", "range", "items"].map((rule) => `rule ${rule}`);
  const inputs = ["query.limit", "query.cursor", "query.after", "query.page", "body.name", "body.title"];
  const subjects = [
    ...(headings.length > 0 ? [draw.oneOf(headings)] : []),
    ...(condition === "invalid field" ? [draw.oneOf(rules), draw.oneOf(inputs)] : []),
  ];
  return subjects.length === 0 ? "" : ` of ${draw.oneOf(subjects)}`;
}

function errorsText(draft: Draft, endpoints: string): string {
  const { draw } = draft;
  const payload = draw.happens(40)
    ? "- Payload shape: problem details"
    : `- Payload shape:\n\n\`\`\`cel\n${draw.oneOf([
        '{"error": {"code": error.code, "message": error.message, "field": error.field, "request": request.id}}',
        '{"code": error.code, "status": error.status, "problems": error.problems, "value?": error.value}',
        '{"type": error.code, "fields": error.fields, "resource": error.resource, "allowed?": error.allowed}',
        '{"message": error.message, "input?": error.input, "pointer?": error.pointer, "rule?": error.rule, "parameter?": error.parameter, "reference?": error.reference, "transition?": error.transition}',
      ])}\n\`\`\``;
  const rows = draft.codes.map(
    (code, at) =>
      `| ${code} | ${[409, 422, 402][at]} | | ${draw.oneOf(["No.", "{error.field} {error.problem}.", "It is {this.id}.", ""])} |`,
  );
  for (const condition of someOf(draw, conditions, 25)) {
    const subject = subjectOf(draft, condition, endpoints);
    const code = condition.replaceAll(" ", "_");
    const status = condition === "internal" ? 500 : draw.oneOf([400, 404, 409, 418, 422, 403]);
    rows.push(
      `| ${code} | ${status} | ${condition}${subject} | ${draw.oneOf(["{error.message}", "{error.field} {error.problem}.", "{error.resource} {error.value}", "Sorry.", ""])} |`,
    );
  }
  const items = draw.happens(20) ? ["- Header: X-Error: `error.code`", ""] : [];
  return [payload, "", ...items, "| Code | Status | When | Message |", "|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function limitsText(draft: Draft): string {
  const { draw } = draft;
  const tables = draft.resources.filter((resource) => !resource.isValue);
  const resource = draw.oneOf(tables);
  const ref = resource.fields.find((field) => field.kind === "reference");
  const place: Place = { named: [recordOf("this", resource.name)], hasStore: false };
  const rows = someOf(
    draw,
    [
      `| rate | ${draw.oneOf(["6 per minute", "20 per hour, burst 5", "40 per minute"])} | ${draft.caller === undefined ? "address" : draw.oneOf(["caller", "address", "service"])} |`,
      `| body | ${draw.oneOf(["200 bytes", "1 KiB", "16 KiB"])} | every request |`,
      `| page | default ${draw.oneOf([2, 3, 20])}, maximum ${draw.oneOf([4, 100])}, ${draw.oneOf(["clamped", "refused"])} | every list |`,
      `| stored things | ${draw.oneOf([2, 3, 5])} ${resource.name}${ref ? ` per ${ref.resource}` : ""}${draw.happens(40) ? ` where \`${expression(draft, place, "boolean", 1)}\`` : ""} | |`,
    ],
    22,
  );
  if (rows.length === 0) return "none.";
  return [
    ...someOf(
      draw,
      [
        "- Rate headers: RateLimit",
        "- Rate headers: X-RateLimit (limit, remaining, used, reset as unix seconds)",
      ].slice(0, 1 + draw.below(2)),
      30,
    ),
    "",
    "| Limit | Bound | Applies to |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}

function versioningText(draft: Draft): string {
  const { draw } = draft;
  if (draw.happens(65)) return "- Scheme: none\n- Compatibility: none";
  const scheme = draw.oneOf(["header `Api-Version`", "query version", "path prefix"]);
  const changes: string[] = [];
  for (const resource of draft.resources.filter((resource) => !resource.isValue)) {
    const fields = resource.fields.filter((field) => field !== resource.identifier && field.kind !== "state");
    const field = fields.length > 0 ? draw.oneOf(fields) : undefined;
    if (!field || !draw.happens(60)) continue;
    changes.push(
      draw.oneOf([
        `- Renamed: ${resource.name}.old_${field.name} to ${resource.name}.${field.name}`,
        `- Added: ${resource.name}.${field.name}`,
        `- Removed: ${resource.name}.gone, was \`"x"\``,
        `- Replaced: ${resource.name}.${field.name}, new \`old\`, old \`new\``,
      ]),
    );
  }
  const log = changes.length === 0 ? "" : `\n\n### Changes in 2026-11-01\n\n${changes.join("\n")}`;
  return `- Scheme: ${scheme}
- Default: ${draw.oneOf(["oldest", "current"])}
- Compatibility: new fields need no new version.

| Version | Status | Until | Changes |
|---|---|---|---|
| 2026-11-01 | current | | |
| 2026-05-01 | supported | | |${log}`;
}

// ── Removal of mistakes ─────────────────────────────────────────────────────────────────────

/**
 * The document without the lines in which `check` finds a mistake; undefined if no valid document
 * is left.
 */
function pruned(text: string): Drawn | undefined {
  let lines = text.split("\n");
  for (let round = 0; round < roundsMax; round += 1) {
    const { model, diagnostics } = compile(lines.join("\n"), { file });
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
    if (errors.length === 0 && model) return { text: lines.join("\n"), model };
    const dropped = new Set<number>();
    for (const { position } of errors)
      for (const at of linesOf(lines, position.start.line - 1)) dropped.add(at);
    const left = lines.flatMap((line, at) => (dropped.has(at) ? insteadOf(line) : [line]));
    if (left.join("\n") === lines.join("\n")) return undefined;
    lines = left;
  }
  return undefined;
}

/** The lines that replace a removed line, because other lines depend on it. */
function insteadOf(line: string): readonly string[] {
  const simple = line.startsWith("- Initial state:")
    ? "- Initial state: open"
    : line.startsWith("- Identifier:")
      ? "- Identifier: id, made by `sequence()`"
      : line.startsWith("- Returns:")
        ? "- Returns: 204 nothing"
        : undefined;
  return simple === undefined || simple === line ? [] : [simple];
}

/**
 * The lines that are removed with a line: the section of a heading, or the item of a fenced block.
 */
function linesOf(lines: readonly string[], at: number): readonly number[] {
  const line = lines[at] ?? "";
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset);
  if (line.startsWith("### ")) {
    const next = lines.findIndex((line, lineIndex) => lineIndex > at && /^##/.test(line));
    return range(at, next === -1 ? lines.length : next);
  }
  if (line.startsWith("- Does:")) {
    let from = at;
    while (from > 0 && !lines[from]?.startsWith("### ")) from -= 1;
    return linesOf(lines, from);
  }
  if (line.startsWith("## ") || line.startsWith("# ")) return [];
  const fences = lines.slice(0, at).filter((line) => line.startsWith("```")).length;
  if (fences % 2 === 1) {
    let from = at;
    while (!lines[from]?.startsWith("```")) from -= 1;
    let to = at;
    while (!lines[to]?.startsWith("```")) to += 1;
    let owner = from - 1;
    while (owner > 0 && lines[owner] === "") owner -= 1;
    const start = /^(- |### )/.test(lines[owner] ?? "") ? owner : from;
    return range(start, to + 1);
  }
  return [at];
}
