/**
 * Documents at random in which time does much: resources that refer to each other, with timed transitions, what these bring about (fields,
 * records made, changed, deleted and moved on, `immediately`, events, notices, records of deliveries, laws, quotas) and endpoints that may see it.
 * What `check` refuses is drawn anew. Nothing here knows how the engine finds out what time reaches.
 */
import type { Model } from "../../../src/model/model.ts";
import { compileLibrary } from "../../documents/library.ts";

/** A number below another one. */
export type Draw = (below: number) => number;

/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export function createDraw(start: number): Draw {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface TimedDocument {
  readonly text: string;
  readonly model: Model;
}

export const resourceNames = ["Ant", "Bee", "Cat", "Dog"] as const;
export type Name = (typeof resourceNames)[number];
const states = ["new", "ripe", "old"] as const;

export const pathOf = (name: string) => `/${name.toLowerCase()}s`;

/** @throws where hardly any document is good: then the texts below are no longer what `check` takes */
export function drawDocument(draw: Draw): TimedDocument {
  const told: string[] = [];
  for (let tries = 0; tries < 200; tries += 1) {
    const parts = partsOf(draw);
    const { model, diagnostics } = compileLibrary(parts);
    const mistakes = diagnostics.filter((one) => one.kind === "mistake" && one.severity === "error");
    if (model && mistakes.length === 0) return { text: Object.values(parts).join("\n\n"), model };
    told.push(...mistakes.map(({ code, message }) => `${code} ${message}`));
  }
  throw new Error(`no document of 200 is good:\n${[...new Set(told)].slice(0, 20).join("\n")}`);
}

function partsOf(draw: Draw) {
  const far = draw(3) * 45 + 5;
  const happens = (percent: number) => draw(100) < percent;
  const oneOf = <T>(all: readonly T[]): T => all[draw(all.length)] as T;
  /** Documents are of all kinds: those in which each record is for itself, and those in which everything hangs together. */
  const isFar = (percent = 100) => happens((far * percent) / 100);
  const two = new Map(resourceNames.map((name) => [name, [oneOf(resourceNames), oneOf(resourceNames)]]));
  const targetOf = (name: Name, way: number) => two.get(name)?.[way] as Name;
  const ways = resourceNames.flatMap((name) =>
    (["one", "two"] as const).map((way, at) => ({ name, way: way as string, to: targetOf(name, at) })),
  );
  const hasHooks = isFar(60);
  const keepsDeliveries = hasHooks && happens(60);
  const hasNotices = isFar(50);

  /** A number that an expression reads of `this`, of what it refers to, or of a whole resource. */
  const number = (name: Name, depth = 0): string => {
    const way = draw(2);
    const far = targetOf(name, way);
    const of = `this.${way === 0 ? "one" : "two"}`;
    if (!isFar()) return oneOf(["this.n", "this.n * 2", String(draw(5))]);
    return oneOf([
      () => String(draw(5)),
      () => "this.n",
      () => "this.n",
      () => `${of}.n`,
      () => `${of}.twice`,
      () => `this.twice`,
      () => `${of}.one.n`,
      () => `${oneOf(resourceNames)}.count(x, x.status == "${oneOf(states)}")`,
      () => `${far}.count(x, x.n > ${draw(4)})`,
      () => (depth > 0 ? "this.n" : `(${number(name, 1)}) + ${number(name, 1)}`),
    ])();
  };
  const condition = (name: Name): string => {
    const way = draw(2) === 0 ? "one" : "two";
    if (!isFar()) return oneOf([`this.n > ${draw(3)}`, `this.n != ${draw(4)}`, `this.tag != "tag 1"`]);
    return oneOf([
      () => `${number(name)} > ${draw(3)}`,
      () => `${number(name)} < ${2 + draw(4)}`,
      () => `this.${way} == null || this.${way}.status == "${oneOf(states)}"`,
      () => `${oneOf(resourceNames)}.exists(x, x.n == ${draw(3)})`,
      () => `this.n != ${draw(4)}`,
    ])();
  };
  /** Of a candidate: nothing that grows with the square of the records. */
  const ofCandidate = () =>
    oneOf([`this.n == ${draw(4)}`, `this.status == "${oneOf(states)}"`, `this.one.n == ${draw(3)}`]);
  const effect = (name: Name): string => {
    const way = draw(2);
    const through = way === 0 ? "one" : "two";
    const other = oneOf(resourceNames);
    const made = oneOf(ways.filter((one) => one.to === name).concat({ name: other, way: "n", to: name }));
    const when = happens(25) ? ` when ${condition(name)}` : "";
    const near = [
      "n = this.n + 1",
      "seen_at = now",
      "tag = null",
      `due_at = now + duration("${5 + draw(30)}m")`,
      "send ping",
    ];
    if (!isFar()) return `- Effect: \`${oneOf(near)}${when}\``;
    const one = oneOf([
      () => `n = ${number(name)}`,
      () => `n = this.n + 1`,
      () => `seen_at = now`,
      () => `tag = null`,
      () => `${through} = null`,
      () => `due_at = now + duration("${5 + draw(30)}m")`,
      () => `${through}.n = ${number(name)}`,
      () => `${through}.seen_at = now`,
      () => `create ${made.name} with ${made.way === "n" ? "" : `${made.way} = this, `}n = ${number(name)}`,
      () => `create ${other} with n = ${draw(4)}`,
      () => `update ${other} where ${ofCandidate()} set n = this.n + 1`,
      () => `delete ${other} where ${ofCandidate()}`,
      () => `do back on ${other} where this.status == "old" && ${ofCandidate()}, first 1 by id`,
      () => `send ping`,
    ])();
    return `- Effect: \`${one}${when}\``;
  };

  const resource = (name: Name): string => {
    const [one, other] = two.get(name) as [Name, Name];
    const items = [
      "- Identifier: id, made by `sequence()`",
      ...(happens(15) ? [`- Visible: \`${condition(name)}\``] : []),
      ...(happens(12) ? [`- Always: \`this.n < ${8 + draw(30)}\``] : []),
      ...(isFar(20) ? [`- Always: \`${condition(name)} || this.n >= 0\``] : []),
      ...(happens(15) ? [`- Kept: ${20 + draw(60)} minutes after ${oneOf(["due_at", "made_at"])}`] : []),
      ...(happens(10) ? ["- Deleted: marked"] : []),
    ];
    const onDelete = () => oneOf(["on delete clear", "on delete cascade", "on delete clear", ""]);
    return `### ${name}

${items.join("\n")}

| Field | Type | Rules |
|---|---|---|
| n | integer | ${oneOf(["default `0`", "default `1`", `default \`${isFar(50) ? `${oneOf(resourceNames)}.count()` : "2"}\``])} |
| tag | string | nullable${happens(60) ? ", unique" : ""} |
| one | ${one} | nullable${happens(80) ? `, ${onDelete()}`.replace(/, $/, "") : ""} |
| two | ${other} | nullable${happens(80) ? `, ${onDelete()}`.replace(/, $/, "") : ""} |
| twice | integer | = \`${isFar() ? oneOf(["this.n * 2", "this.one.n + 1", `${oneOf(resourceNames)}.count(x, x.n > 1)`]) : "this.n * 2"}\` |
| status | state | |
| due_at | timestamp | nullable |
| made_at | timestamp | on create \`now\` |
| seen_at | timestamp | |
| changed | integer | ${oneOf(["", "", "on update `old.n`", isFar(60) ? "on update `this.two.n`" : ""])} |`;
  };

  const transitions = (name: Name): string => {
    const rows: string[] = [];
    const items: string[] = [];
    const add = (transition: string, from: string, to: string, trigger: string, effects: number) => {
      rows.push(`| ${transition} | ${from} | ${to} | ${trigger} |`);
      const lines = Array.from({ length: effects }, () => effect(name));
      const isImmediate = trigger === "immediately";
      if (isImmediate || happens(35)) lines.unshift(`- Guard: \`${condition(name)}\``);
      if (lines.length > 0) items.push(`### ${name}: ${transition}\n\n${lines.join("\n")}`);
    };
    const isTimed = happens(75);
    if (isTimed) add("ripen", "new", "ripe", oneOf(["at due_at", `after ${5 + draw(20)} minutes`]), draw(3));
    else add("ripen", "new", "ripe", "call", draw(2));
    const ages = oneOf([`after ${3 + draw(20)} minutes`, "call", "immediately"]);
    add("age", "ripe", "old", ages, draw(2));
    add("back", "old", "new", "call", draw(2));
    return [
      `### ${name}\n\n- State field: status\n- Initial state: ${happens(85) ? "new" : "ripe"}\n\n| Transition | From | To | Trigger |\n|---|---|---|---|\n${rows.join("\n")}`,
      ...items,
    ].join("\n\n");
  };

  const endpoints = (name: Name): string => {
    const path = pathOf(name);
    const shown = oneOf([`200 ${name}`, `200 \`{"id": this.id, "n": this.n, "far": this.one.n}\``]);
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
- Returns: ${shown}

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
  };

  const more = [
    ...(hasHooks
      ? [
          "### Hook\n\n- Identifier: id, made by `sequence()`\n\n| Field | Type | Rules |\n|---|---|---|\n| url | uri | required |\n| n | integer | default `0` |",
        ]
      : []),
    ...(keepsDeliveries
      ? [
          `### Delivery\n\n- Identifier: id, made by \`delivery.id\`\n\n| Field | Type | Rules |\n|---|---|---|\n| hook | Hook | on create \`hook\`, on delete cascade |\n| n | integer | on create \`${oneOf(["hook.n", "Ant.count()", "Delivery.count()"])}\` |`,
        ]
      : []),
    ...(hasNotices
      ? [
          `### Notice\n\n- Identifier: id, made by \`sequence()\`\n\n| Field | Type | Rules |\n|---|---|---|\n| type | string | on create \`event.type\` |\n| n | integer | on create \`${oneOf(["Bee.count()", "1", "Notice.count()"])}\` |`,
        ]
      : []),
  ];
  const moreEndpoints = [
    ...(hasHooks ? ["### POST /hooks\n\n- Does: create Hook\n- Body: url, n?\n- Returns: 201 Hook"] : []),
    ...(keepsDeliveries
      ? [
          '### GET /deliveries\n\n- Does: answer\n- Returns: 200 `{"n": Delivery.count(), "sum": Delivery.count(x, x.n > 1)}`',
        ]
      : []),
    ...(hasNotices
      ? ["### GET /notices\n\n- Does: list Notice\n- Order: id\n- Returns: 200 list of Notice"]
      : []),
  ];
  const eventRows = resourceNames.flatMap((name) => {
    const small = name.toLowerCase();
    const payload = () => oneOf([name, `\`{"n": this.n}\``, `\`{"n": ${number(name)}}\``]);
    const told = () => condition(name).replaceAll("||", "\\|\\|");
    return [
      ...(happens(40) ? [`| ${small}.ripe | ${name} becomes ripe | ${payload()} |`] : []),
      ...(happens(25) ? [`| ${small}.updated | ${name} updated when \`${told()}\` | ${payload()} |`] : []),
      ...(happens(15) ? [`| ${small}.gone | ${name} deleted | \`{"n": this.n}\` |`] : []),
    ];
  });
  const events = [
    hasHooks
      ? `- Webhooks: to Hook.url when \`${oneOf(["hook.n >= 0", "hook.n > Cat.count()"])}\``
      : "- Webhooks: none",
    ...(hasHooks ? ["- Signature: none\n- Retries: none"] : []),
    "- Notifications: none",
    ...(keepsDeliveries ? ["- Deliveries: kept 3 days"] : []),
    ...(hasNotices ? ["- Log: kept 3 days, as Notice"] : []),
    `\n| Event | When | Payload |\n|---|---|---|\n| ping | sent | \`{"n": ${isFar(60) ? "Dog.count()" : "1"}}\` |\n${eventRows.join("\n")}`,
  ];
  // Where two references lead to the same resource, nobody could tell which of them is meant.
  const quota = oneOf(
    ways.filter(({ name, way, to }) =>
      ways.every((one) => one.name !== name || one.way === way || one.to !== to),
    ),
  );
  const quotas =
    quota && happens(25)
      ? `| Limit | Bound | Applies to |\n|---|---|---|\n| stored | ${6 + draw(10)} ${quota.name} per ${quota.to} where \`this.n > 0\` | |\n\n`
      : "";
  return {
    authentication: "- Scheme: none",
    resources: [...resourceNames.map(resource), ...more].join("\n\n"),
    states: resourceNames.map(transitions).join("\n\n"),
    endpoints: [
      ...resourceNames.map(endpoints),
      ...moreEndpoints,
      `### GET /numbers\n\n- Does: answer\n- Returns: 200 \`{"a": Ant.count(x, x.status == "ripe"), "d": Dog.count(x, x.n > 1)}\``,
    ].join("\n\n"),
    events: events.join("\n").replace(/\n\n\n/g, "\n\n"),
    errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not_found | 404 | not found |
| invalid | 422 | invalid field |
| taken | 409 | duplicate |
| in_use | 409 | in use |
| unknown | 422 | unknown reference |
| full | 409 | quota exceeded |
| conflict | 409 | illegal transition |`,
    limits: `${quotas}- Rate limits: none\n${quotas === "" ? "- Size limits: none\n" : ""}- Time-outs: none\n- Pagination bounds: none`,
  };
}
