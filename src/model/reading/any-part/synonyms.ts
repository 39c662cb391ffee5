/**
 * Synonyms: what other notations call items and columns, and the equivalent here. They apply only
 * to unknown names, so that a misspelt name of the notation still gets its own suggestion.
 */

/** By part, or for all parts, in lower case. Each value is a text that follows "Write". */
const items: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  resources: {
    "primary key": "`- Identifier: id, made by `uuid()``",
    key: "`- Identifier: id, made by `uuid()``",
    "soft delete": "`- Deleted: marked`",
    "unique together": "`- Unique: shop, number`",
    constraint: "`- Always: <expression>`",
    invariant: "`- Always: <expression>`",
    retention: "`- Kept: 30 days after …`",
    ttl: "`- Kept: 30 days after …`",
  },
  states: {
    initial: "`- Initial state: …`",
    start: "`- Initial state: …`",
    field: "`- State field: …`",
  },
  endpoints: {
    response: "`- Returns: 200 …`",
    responses: "`- Returns: 200 …`, once for each response",
    answer: "`- Returns: 200 …`",
    result: "`- Returns: 200 …`",
    output: "`- Returns: 200 …`",
    status: "the status before the body: `- Returns: 201 …`",
    "status code": "the status before the body: `- Returns: 201 …`",
    auth: "`- Allowed: …` with a condition, or `- Allowed: anyone`",
    authentication: "`- Allowed: …` with a condition, or `- Allowed: anyone`",
    authorization: "`- Allowed: …` with a condition, or `- Allowed: anyone`",
    permission: "`- Allowed: …` with a condition, or `- Allowed: anyone`",
    permissions: "`- Allowed: …` with a condition, or `- Allowed: anyone`",
    access: "`- Allowed: …` with a condition, or `- Allowed: anyone`",
    roles: '`- Allowed: caller.role == "admin"`, with a field for the role',
    action: "`- Does: create …` or another operation",
    operation: "`- Does: create …` or another operation",
    params: "`- Query: limit?, cursor?`, or a table with the columns `Input`, `In`, `Type`, `Rules`",
    parameters: "`- Query: limit?, cursor?`, or a table with the columns `Input`, `In`, `Type`, `Rules`",
    "query parameters":
      "`- Query: limit?, cursor?`, or a table with the columns `Input`, `In`, `Type`, `Rules`",
    request: "`- Body: name, size?`",
    "request body": "`- Body: name, size?`",
    payload: "`- Body: name, size?`",
    input: "`- Body: name, size?`",
    errors: "`- Fails: CODE when …`, a code of part 7",
    error: "`- Fails: CODE when …`, a code of part 7",
    filter: "`- Where: …`",
    filters: "`- Where: …`",
    sort: "`- Order: …`",
    "sort by": "`- Order: …`",
    "order by": "`- Order: …`",
    events:
      "the event in part 6, with its trigger in the column `When`. A stream names its events by `- Sends: …`",
    paging: "`- Pagination: cursor, limit 20..100`",
  },
  authentication: {
    type: "`- Scheme: …`",
    method: "`- Scheme: …`",
    header: "`- Placement: header …`",
    token: "`- Credentials: …`",
  },
  events: {
    retry: "`- Retries: 1 minute, 10 minutes, 1 hour`",
    timeout: "`- Time-out: 10 seconds`",
    secret: "`- Signature: …, secret Hook.secret`",
    url: "`- Webhooks: to Hook.url`",
    emails: "`- Notifications: email to …`",
  },
  errors: {
    format: "`- Payload shape: problem details`, or a `cel` block",
    body: "`- Payload shape: problem details`, or a `cel` block",
    payload: "`- Payload shape: problem details`, or a `cel` block",
  },
  limits: {
    "rate limit": "`- Rate limits: …`",
    timeout: "`- Time-outs: …`",
    timeouts: "`- Time-outs: …`",
    "page size": "`- Pagination bounds: …`",
    pagination: "`- Pagination bounds: …`",
    "max body size": "`- Size limits: …`",
  },
  versioning: {
    version: "`- Scheme: …` with the place of the version in a request, or `none`",
    strategy: "`- Scheme: …` with the place of the version in a request, or `none`",
  },
};

/** Keys of prose in the form of an item. */
const prose: ReadonlySet<string> = new Set(["description", "summary", "notes", "note", "comment", "example"]);

/** Columns that are synonyms of a built-in one, if the table has that one. */
const columns: Readonly<Record<string, string>> = {
  description: "Meaning",
  notes: "Meaning",
  note: "Meaning",
  comment: "Meaning",
  name: "Field",
  property: "Field",
  attribute: "Field",
  column: "Field",
  "data type": "Type",
  constraints: "Rules",
  validation: "Rules",
  constraint: "Rules",
  source: "From",
  "current state": "From",
  state: "From",
  target: "To",
  "next state": "To",
  "new state": "To",
  action: "Transition",
  condition: "Guard",
  effects: "Effect",
  http: "Status",
  "http status": "Status",
  "http code": "Status",
  "status code": "Status",
  trigger: "When",
  body: "Payload",
  data: "Payload",
  location: "In",
  parameter: "Input",
};

/** Columns that are written as rules. */
const ruleColumns: ReadonlySet<string> = new Set([
  "required",
  "nullable",
  "unique",
  "default",
  "optional",
  "read-only",
  "length",
  "pattern",
]);

/** What to write instead of an unknown item. Undefined if unknown. */
export function itemInOurWords(part: string, name: string, value: string): string | undefined {
  const key = name.trim().toLowerCase();
  if (prose.has(key)) return "it as a sentence, on a line without `- ` and `:`";
  const stated = items[part];
  if (stated && Object.hasOwn(stated, key)) return stated[key];
  if (part === "resources" && /^[a-z]\w*$/.test(name.trim()) && /^`?[a-z]\w*[\s\w().,`-]*$/i.test(value))
    return `fields as a table: \`| Field | Type | Rules |\`, \`|---|---|---|\`, \`| ${name.trim()} | ${value.replaceAll("`", "").trim()} | |\``;
  return undefined;
}

/** @param known the allowed columns */
export function columnInOurWords(name: string, known: readonly string[]): string | undefined {
  const key = name.trim().toLowerCase();
  if (known.includes("Rules") && ruleColumns.has(key)) {
    if (key === "optional") return "`required` in the cells of `Rules` of all others";
    const rule =
      key === "default"
        ? "default …"
        : key === "length"
          ? "length 1..20"
          : key === "pattern"
            ? "pattern …"
            : key;
    return `\`${rule}\` in the cells of \`Rules\``;
  }
  const ours = Object.hasOwn(columns, key) ? columns[key] : undefined;
  return ours !== undefined && known.includes(ours) ? `\`${ours}\`` : undefined;
}

const verbs: Readonly<Record<string, string>> = {
  insert: "create",
  add: "create",
  new: "create",
  make: "create",
  post: "create",
  store: "create",
  save: "upsert",
  put: "upsert",
  replace: "upsert",
  get: "read",
  fetch: "read",
  show: "read",
  view: "read",
  find: "read",
  retrieve: "read",
  index: "list",
  all: "list",
  search: "list",
  query: "list",
  edit: "update",
  modify: "update",
  patch: "update",
  change: "update",
  remove: "delete",
  destroy: "delete",
  erase: "delete",
  login: "sign in",
  logout: "sign out",
};

/** The verb of an endpoint for a word of another notation. */
export function verbInOurWords(word: string): string | undefined {
  const key = word.toLowerCase();
  return Object.hasOwn(verbs, key) ? verbs[key] : undefined;
}

const periods: Readonly<Record<string, string>> = {
  s: "second",
  sec: "second",
  second: "second",
  m: "minute",
  min: "minute",
  minute: "minute",
  h: "hour",
  hr: "hour",
  hour: "hour",
  d: "day",
  day: "day",
};

/** The equivalent of rates such as `100/min`, `5 rps`, `10 req/s`. */
export function rateInOurWords(text: string): string | undefined {
  const match = /^(\d+)\s*(?:r|req|reqs|requests|calls)?\s*(?:\/|p|per|a|an|each)\s*([a-z]+?)s?$/i.exec(
    text.trim(),
  );
  const period = match && periods[(match[2] as string).toLowerCase() || "s"];
  const bare = /^(\d+)\s*rps$/i.exec(text.trim());
  if (bare) return `\`${bare[1]} per second\``;
  return match && period ? `\`${match[1]} per ${period}\`` : undefined;
}
