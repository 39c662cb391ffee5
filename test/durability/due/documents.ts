/**
 * Documents in which time does much, described as plans and printed from them: four resources that refer to each
 * other, the effects of time and of requests, and endpoints that may see them. `random-plans.ts` has random plans,
 * `mechanisms.ts` those in which time reaches others in one way alone. Nothing here depends on how the engine finds
 * out what time reaches.
 */
import type { Model } from "../../../src/model/model.ts";
import { compileLibrary } from "../../documents/library.ts";

export const resourceNames = ["Ant", "Bee", "Cat", "Dog"] as const;
export type Name = (typeof resourceNames)[number];

/** A reference to one of the four resources. */
export interface ReferencePlan {
  readonly to: Name;
  /** Its rules besides `nullable`. */
  readonly rules?: string;
}

export interface TransitionPlan {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly trigger: string;
  /** `- Guard: …` and `- Effect: …`. */
  readonly lines: readonly string[];
}

export interface ResourcePlan {
  /** `- Visible: …` and the like. */
  readonly items: readonly string[];
  readonly n: string;
  readonly isTagUnique?: boolean;
  readonly one: ReferencePlan;
  readonly two: ReferencePlan;
  /** The expression of the computed field. */
  readonly twice: string;
  /** The rules of a field that changes with the record. */
  readonly changed?: string;
  readonly initial: string;
  readonly transitions: readonly TransitionPlan[];
  /** The shape of a single record. */
  readonly shown?: string;
}

export interface DocumentPlan {
  readonly resources: Readonly<Record<Name, ResourcePlan>>;
  /** The resources that requests concern, once there are records. */
  readonly requested: readonly Name[];
  /** The receivers, and whether their deliveries are kept as records. */
  readonly hooks?: { readonly when: string; readonly kept?: string };
  /** The expression of `n` in a notice: the log is stored as notices. */
  readonly notices?: string;
  /** The payload of the event that effects send. */
  readonly ping: string;
  /** The rows of the event table. */
  readonly events: readonly string[];
  /** A row of the limit table. */
  readonly quota?: string;
}

export interface TimedDocument {
  readonly text: string;
  readonly model: Model;
  readonly plan: DocumentPlan;
}

export const pathOf = (name: string) => `/${name.toLowerCase()}s`;

/** @throws if nearly all documents are invalid, because the plans no longer fit the notation */
export function documentOf(drawPlan: () => DocumentPlan): TimedDocument {
  const reported: string[] = [];
  for (let tries = 0; tries < 200; tries += 1) {
    const plan = drawPlan();
    const parts = partsOf(plan);
    const { model, diagnostics } = compileLibrary(parts);
    const mistakes = diagnostics.filter(
      (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
    );
    if (model && mistakes.length === 0) return { text: Object.values(parts).join("\n\n"), model, plan };
    reported.push(...mistakes.map(({ code, message }) => `${code} ${message}`));
  }
  throw new Error(`no document of 200 is good:\n${[...new Set(reported)].slice(0, 20).join("\n")}`);
}

function partsOf(plan: DocumentPlan) {
  const of = (write: (name: Name, resourcePlan: ResourcePlan) => string) =>
    resourceNames.map((name) => write(name, plan.resources[name]));
  return {
    authentication: "- Scheme: none",
    resources: [...of(resourceText), ...moreResources(plan)].join("\n\n"),
    states: of(statesText).join("\n\n"),
    endpoints: [...of(endpointsText), ...moreEndpoints(plan)].join("\n\n"),
    events: eventsText(plan),
    errors,
    limits: `${plan.quota ? `| Limit | Bound | Applies to |\n|---|---|---|\n${plan.quota}\n\n` : "- Size limits: none\n"}- Rate limits: none
- Time-outs: none
- Pagination bounds: none`,
  };
}

function resourceText(
  name: Name,
  { items, n, isTagUnique, one: first, two, twice, changed }: ResourcePlan,
): string {
  const reference = ({ to, rules }: ReferencePlan) => `${to} | nullable${rules ? `, ${rules}` : ""}`;
  return `### ${name}

${["- Identifier: id, made by `sequence()`", ...items].join("\n")}

| Field | Type | Rules |
|---|---|---|
| n | integer | default \`${n}\` |
| tag | string | nullable${isTagUnique ? ", unique" : ""} |
| one | ${reference(first)} |
| two | ${reference(two)} |
| twice | integer | = \`${twice}\` |
| status | state | |
| due_at | timestamp | nullable |
| made_at | timestamp | on create \`now\` |
| seen_at | timestamp | |
| changed | integer | ${changed ? `on update \`${changed}\`` : ""} |`;
}

function statesText(name: Name, { initial, transitions }: ResourcePlan): string {
  const rows = transitions.map(
    (transition) => `| ${transition.name} | ${transition.from} | ${transition.to} | ${transition.trigger} |`,
  );
  const table = `| Transition | From | To | Trigger |\n|---|---|---|---|\n${rows.join("\n")}`;
  return [
    `### ${name}\n\n- State field: status\n- Initial state: ${initial}\n\n${table}`,
    ...transitions
      .filter(({ lines }) => lines.length > 0)
      .map((transition) => `### ${name}: ${transition.name}\n\n${transition.lines.join("\n")}`),
  ].join("\n\n");
}

function endpointsText(name: Name, { shown = name }: ResourcePlan): string {
  const path = pathOf(name);
  return `### GET ${path}

- Does: list ${name}
- Order: id
- Returns: 200 list of ${name}

### POST ${path}

- Does: create ${name}
- Body: n?, tag?, one?, two?, due_at?
- Returns: 201 ${name}

### GET ${path}/{id}

- Does: read ${name}
- Returns: 200 ${shown}

### PATCH ${path}/{id}

- Does: update ${name}
- Body: n?, tag?, one?, two?, due_at?
- Returns: 200 ${name}

### DELETE ${path}/{id}

- Does: delete ${name}
- Returns: 204 nothing

### POST ${path}/{id}/back

- Does: back ${name}
- Returns: 200 ${name}`;
}

function moreResources({ hooks, notices }: DocumentPlan): readonly string[] {
  const resource = (name: string, identifier: string, rows: readonly string[]) =>
    `### ${name}\n\n- Identifier: ${identifier}\n\n| Field | Type | Rules |\n|---|---|---|\n${rows.join("\n")}`;
  return [
    ...(hooks
      ? [
          resource("Hook", "id, made by `sequence()`", [
            "| url | uri | required |",
            "| n | integer | default `0` |",
          ]),
        ]
      : []),
    ...(hooks?.kept
      ? [
          resource("Delivery", "id, made by `delivery.id`", [
            "| hook | Hook | on create `hook`, on delete cascade |",
            `| n | integer | on create \`${hooks.kept}\` |`,
          ]),
        ]
      : []),
    ...(notices
      ? [
          resource("Notice", "id, made by `sequence()`", [
            "| type | string | on create `event.type` |",
            `| n | integer | on create \`${notices}\` |`,
          ]),
        ]
      : []),
  ];
}

function moreEndpoints({ hooks, notices }: DocumentPlan): readonly string[] {
  return [
    ...(hooks ? ["### POST /hooks\n\n- Does: create Hook\n- Body: url, n?\n- Returns: 201 Hook"] : []),
    ...(hooks?.kept
      ? [
          '### GET /deliveries\n\n- Does: answer\n- Returns: 200 `{"n": Delivery.count(), "sum": Delivery.count(x, x.n > 1)}`',
        ]
      : []),
    ...(notices
      ? ["### GET /notices\n\n- Does: list Notice\n- Order: id\n- Returns: 200 list of Notice"]
      : []),
    `### GET /numbers\n\n- Does: answer\n- Returns: 200 \`{"a": Ant.count(x, x.status == "ripe"), "d": Dog.count(x, x.n > 1)}\``,
  ];
}

function eventsText({ hooks, notices, ping, events }: DocumentPlan): string {
  const items = [
    ...(hooks
      ? [`- Webhooks: to Hook.url when \`${hooks.when}\``, "- Signature: none", "- Retries: none"]
      : ["- Webhooks: none"]),
    "- Notifications: none",
    ...(hooks?.kept ? ["- Deliveries: kept 3 days"] : []),
    ...(notices ? ["- Log: kept 3 days, as Notice"] : []),
  ];
  const rows = [`| ping | sent | \`{"n": ${ping}}\` |`, ...events];
  return `${items.join("\n")}\n\n| Event | When | Payload |\n|---|---|---|\n${rows.join("\n")}`;
}

const errors = `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not_found | 404 | not found |
| invalid | 422 | invalid field |
| taken | 409 | duplicate |
| in_use | 409 | in use |
| unknown | 422 | unknown reference |
| full | 409 | quota exceeded |
| conflict | 409 | illegal transition |`;
