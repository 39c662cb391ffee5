/**
 * Places that only the store evaluates: conditions and orders of stored records. A function of the
 * module can't report there which names have a value, so each name has its own record. The record
 * is selected (or sorted after the others) if and only if its name has a value.
 */

export interface SelectionPlace {
  readonly name: string;
  readonly mark: string;
  /** The text of the place while another one is tested. */
  readonly idle: string;
  readonly method: string;
  /**
   * The target of one request about all records or, with `{code}`, of one request for each record.
   */
  readonly target: string;
}

export const selectionPlaces: readonly SelectionPlace[] = [
  { name: "Where of a list", mark: "WHERE", idle: "true", method: "GET", target: "/picked/a?q=q" },
  { name: "Visible", mark: "VISIBLE", idle: "true", method: "GET", target: "/picked/a?q=q" },
  { name: "Where of an input", mark: "FILTER", idle: "true", method: "GET", target: "/picked/a?q=q" },
  { name: "Order", mark: "ORDER", idle: "this.code", method: "GET", target: "/ordered/a?q=q" },
  { name: "Where of every", mark: "EVERY", idle: "false", method: "POST", target: "/every/a?q=q" },
  { name: "where of an effect", mark: "EFFECT", idle: "false", method: "POST", target: "/effect/a?q=q" },
  { name: "where of a do", mark: "DO", idle: "false", method: "POST", target: "/effect/a?q=q" },
  { name: "by of a do", mark: "DO_BY", idle: "0", method: "POST", target: "/first/a?q=q" },
  {
    name: "where of a transition's effect",
    mark: "T_EFFECT",
    idle: "false",
    method: "POST",
    target: "/swept/a?q=q",
  },
  { name: "where of a transition's do", mark: "T_DO", idle: "false", method: "POST", target: "/swept/a?q=q" },
  { name: "by of a transition's do", mark: "T_BY", idle: "0", method: "POST", target: "/ranked/a?q=q" },
  { name: "Where of a path", mark: "PATH_WHERE", idle: "true", method: "GET", target: "/one/{code}" },
  { name: "where of stored", mark: "STORED", idle: "false", method: "POST", target: "/full" },
];

/** Whether the place sorts. */
function sorts({ mark }: SelectionPlace): boolean {
  return mark === "ORDER" || mark.endsWith("BY");
}

export function documentWith(place: SelectionPlace, requested: readonly string[]): string {
  const each = requested.map((name, at) => `this.code == "p${at}" && (${name}) != null`);
  // In a table, a pipe ends the cell, so the expression avoids `||`.
  const any = each.length === 0 ? "false" : `!(${each.map((condition) => `!(${condition})`).join(" && ")})`;
  const written = sorts(place) ? `this.code == "middle" ? 1 : (${any}) ? 2 : 0` : any;
  const rows = [...requested.map((_, at) => `p${at}`), "middle"].map((code) => `| ${code} | t | a | false |`);
  return selectionPlaces.reduce(
    (text, { mark, idle }) => text.replaceAll(`⟦${mark}⟧`, () => (mark === place.mark ? written : idle)),
    base.replace("⟦ROWS⟧", () => rows.join("\n")).replaceAll("⟦COUNT⟧", String(requested.length)),
  );
}

const inputs = `| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| title | body | string | none |
| extra | body | string | none |
| x-note | header | string | none |
`;

const base = `# Interface Specification: Picked

## What the service does

- Purpose: picks records.

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| name | string |
| password | password |

### Records of User

| id | name |
|---|---|
| 1 | Ada |

### Key

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| label | string |
| secret | credential |
| user | User |

### Seat

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| row | string | |
| own | string | = \`own(this.row)\` |

### Shop

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | |
| town | string | |
| mayor | User | |
| notes | list of string | |
| seat | Seat | |
| own | string | = \`own(this.town)\` |
| marked | string | = \`own(this.mayor.name)\` |

### Records of Shop

| code | town | mayor | notes | seat |
|---|---|---|---|---|
| a | Oslo | 1 | ["x", "y"] | {"row": "r"} |

### Probe

- Identifier: code, given
- Visible: \`⟦VISIBLE⟧\`

| Field | Type | Rules |
|---|---|---|
| code | string | |
| title | string | |
| shop | Shop | |
| seen | boolean | |

### Records of Probe

| code | title | shop | seen |
|---|---|---|---|
⟦ROWS⟧

## States and transitions

### Probe

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| mark | any | same | call | | \`seen = true\` |

### Shop

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| sweep | any | same | call | | \`update Probe where ⟦T_EFFECT⟧ set seen = true; do mark on Probe where ⟦T_DO⟧\` |
| rank | any | same | call | | \`do mark on Probe where true, first ⟦COUNT⟧ by ⟦T_BY⟧ descending\` |

## Endpoints

- Functions: own(string): string

### POST /keys

- Does: create Key
- Body: label, secret, user
- Allowed: anyone
- Returns: 201 nothing

### /picked/{shop}

- Is: Shop

### /seen/{shop}

- Is: Shop

### /ordered/{shop}

- Is: Shop

### /every/{shop}

- Is: Shop

### /effect/{shop}

- Is: Shop

### /ranked/{shop}

- Is: Shop

### /swept/{shop}

- Is: Shop

### /first/{shop}

- Is: Shop

### /one/{code}

- Is: Probe
- Where: \`⟦PATH_WHERE⟧\`

### GET /one/{code}

- Does: read Probe
- Returns: 200 \`[this.code]\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| x-note | header | string | none |

### POST /full

- Does: create Probe
- Body: code
- Returns: 201 nothing

### POST /first/{shop}

- Does: answer
- Let: total = \`"t"\`
- Effect: \`do mark on Probe where true, first ⟦COUNT⟧ by ⟦DO_BY⟧ descending\`
- Returns: 204 nothing

${inputs}
### POST /swept/{shop}

- Does: sweep Shop
- Returns: 204 nothing

${inputs}
### POST /ranked/{shop}

- Does: rank Shop
- Returns: 204 nothing

${inputs}
### GET /picked/{shop}

- Does: list Probe
- Let: total = \`"t"\`
- Where: \`⟦WHERE⟧\`
- Returns: 200 \`page.items.map(x, x.code)\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | \`⟦FILTER⟧\` |
| x-note | header | string | none |

### GET /seen/{shop}

- Does: list Probe
- Where: \`this.seen\`
- Returns: 200 \`page.items.map(x, x.code)\`

### GET /ordered/{shop}

- Does: list Probe
- Let: total = \`"t"\`
- Order: \`⟦ORDER⟧\`
- Returns: 200 \`page.items.map(x, x.code)\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| x-note | header | string | none |

### POST /every/{shop}

- Does: update every Probe
- Let: total = \`"t"\`
- Where: \`⟦EVERY⟧\`
- Set: \`seen = true\`
- Returns: 204 nothing

${inputs}
### POST /effect/{shop}

- Does: answer
- Let: total = \`"t"\`
- Effect: \`update Probe where ⟦EFFECT⟧ set seen = true\`
- Effect: \`do mark on Probe where ⟦DO⟧\`
- Returns: 204 nothing

${inputs}
### Shape: Seal of Shop

\`\`\`cel
{"own": this.own}
\`\`\`

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: Key by secret
- Caller: \`this.user\`

## Events

- Webhooks: none

## Errors

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| rate core | 100000 per minute | caller |
| stored full | ⟦COUNT⟧ Probe where \`!(this.code != "new" && !(⟦STORED⟧))\` | |

## Versioning

- Scheme: header V
- Default: current

| Version | Status |
|---|---|
| 1 | current |
`;
