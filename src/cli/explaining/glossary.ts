/** Glossary of `ninefold explain`: words that readers know from elsewhere, what this notation has for each, and where it is described. */

export interface GlossaryEntry {
  readonly term: string;
  /** Other words for it, in any case. */
  readonly synonyms: readonly string[];
  readonly meaning: string;
  /** Words of the reference whose places are printed with it. */
  readonly reference?: readonly string[];
  /** Guides, by file name. */
  readonly guides?: readonly string[];
  /** Commands that have to do with it. */
  readonly commands?: readonly string[];
}

export const glossary: readonly GlossaryEntry[] = [
  {
    term: "gap",
    synonyms: ["not shown", "silent", "open item", "TBD", "TODO", "unspecified", "501", "missing item"],
    meaning:
      "Something that the document doesn't say. An item is stated, `none` (decided: there is none), `not shown` (known to be open) or silent (not mentioned); the last two are gaps. `check` lists them, the service answers 501 where a request needs one, and nothing is made up for it.",
    reference: ["gap"],
    guides: ["errors-and-gaps"],
    commands: ["check"],
  },
  {
    term: "smaller gap",
    synonyms: ["partial gap", "open cell"],
    meaning:
      "A single cell or value that is not shown, under an item that is stated. `check` counts smaller gaps apart; `--max-gaps` doesn't count them.",
    guides: ["errors-and-gaps"],
    commands: ["check"],
  },
  {
    term: "mistake",
    synonyms: ["diagnostic", "compile error", "lint", "linter", "validation of the document"],
    meaning:
      "The document is wrong: `check` reports it with its line, a code and what to write. `ninefold explain CODE` prints the page of a code.",
    guides: ["errors-and-gaps"],
    commands: ["check"],
  },
  {
    term: "sign in",
    synonyms: [
      "login",
      "log in",
      "signin",
      "sign-in",
      "sign up",
      "signup",
      "registration",
      "accounts",
      "password",
      "logout",
      "session",
    ],
    meaning:
      "`sign in User` finds the User by the inputs and compares its `password` field; the endpoint then answers with a token, or makes a record that is the session.",
    reference: ["sign in", "password", "Credentials"],
    guides: ["security"],
  },
  {
    term: "authentication",
    synonyms: ["auth", "authn", "api key", "bearer token", "basic auth", "credential", "cookie"],
    meaning:
      "Part 5 states the schemes: where the credential stands in a request and which record it belongs to. That record is `caller`.",
    reference: ["Placement", "Credentials"],
    guides: ["security"],
  },
  {
    term: "token",
    synonyms: [
      "jwt",
      "json web token",
      "access token",
      "oauth",
      "oauth2",
      "oidc",
      "openid connect",
      "sso",
      "jwks",
    ],
    meaning:
      "A scheme may take signed tokens (JWT), made by the service itself or by another issuer (`RS256, keys at <uri>`). Ninefold has no OAuth flows of its own: let an identity provider issue the tokens.",
    reference: ["Credentials", "Signed with", "Issuer", "token"],
    guides: ["security"],
  },
  {
    term: "authorization",
    synonyms: [
      "authz",
      "access control",
      "permission",
      "permissions",
      "role",
      "roles",
      "rbac",
      "acl",
      "access rule",
      "scope",
      "scopes",
      "forbidden",
      "403",
    ],
    meaning:
      "`Allowed` says who may use an endpoint, `Visible` which records a caller sees. Where `Allowed` isn't stated, any caller may, and `check` lists the endpoint.",
    reference: ["Allowed", "Visible"],
    guides: ["security"],
    commands: ["check"],
  },
  {
    term: "tenant",
    synonyms: ["multi-tenancy", "multitenancy", "row-level security", "rls", "tenancy", "sharding", "shard"],
    meaning:
      "`Visible` limits the records of a resource to those of the caller's tenant, in all reads. `check --shardable` reports which endpoints need the records of one tenant alone.",
    reference: ["Visible"],
    guides: ["scaling"],
    commands: ["check"],
  },
  {
    term: "resource",
    synonyms: ["table", "entity", "model", "collection", "class", "schema"],
    meaning: "A kind of record: a level-3 heading of part 2 with an identifier and a table of fields.",
    reference: ["Identifier"],
    guides: ["data"],
  },
  {
    term: "field",
    synonyms: ["column", "property", "attribute", "data type", "types"],
    meaning: "A row of a resource's table: name, type, rules.",
    reference: ["Fields"],
  },
  {
    term: "identifier",
    synonyms: ["primary key", "id", "uuid", "auto increment", "autoincrement", "serial", "composite key"],
    meaning:
      "What names a record: a field that the service fills, one that the caller chooses, or several together.",
    reference: ["Identifier"],
  },
  {
    term: "reference",
    synonyms: [
      "foreign key",
      "fk",
      "relation",
      "relationship",
      "join",
      "belongs to",
      "has many",
      "association",
    ],
    meaning:
      "A field whose type is the name of a resource. It holds the identifier of a record there; `on delete` says what its deletion does; expressions follow it with a dot (`this.author.name`).",
    reference: ["on delete"],
  },
  {
    term: "enumeration",
    synonyms: ["enum", "enums", "choice", "choices", "allowed values"],
    meaning: "The type `one of read, write`: a text that must be one of these values.",
    reference: ["one of"],
  },
  {
    term: "validation",
    synonyms: [
      "validate",
      "constraint",
      "constraints",
      "check constraint",
      "rule",
      "rules",
      "regex",
      "required field",
      "not null",
    ],
    meaning:
      "The `Rules` cell of a field or an input bounds its value; `Always` holds for a whole record; `Fails` refuses a request by an expression. What is refused is answered by part 7.",
    reference: ["required", "length", "pattern", "Always", "Fails"],
  },
  {
    term: "unique",
    synonyms: ["unique constraint", "unique key", "duplicate", "duplicates"],
    meaning: "The rule `unique` of a field, or the item `Unique` of a resource for several fields together.",
    reference: ["unique"],
  },
  {
    term: "default value",
    synonyms: [
      "default",
      "defaults",
      "initial value",
      "generated column",
      "computed field",
      "computed",
      "virtual field",
    ],
    meaning:
      "`default` fills what wasn't sent, `on create` and `on update` fill a field by an expression, `= <expr>` computes it whenever it is read.",
    reference: ["default", "on create", "on update"],
  },
  {
    term: "secret",
    synonyms: ["env", "environment variable", "environment variables", "configuration", "env var"],
    meaning:
      "`secret env NAME` reads a secret from the environment; `serve --env-file` reads a file of variables. A field that is `write-only` or `internal` is never in an answer; `shown once` is in the answer to the request that set it.",
    reference: ["write-only", "internal", "shown once", "Signed with"],
    guides: ["security", "production"],
    commands: ["serve", "secrets"],
  },
  {
    term: "state machine",
    synonyms: [
      "state",
      "states",
      "transition",
      "workflow",
      "status",
      "lifecycle",
      "fsm",
      "guard",
      "finite state machine",
    ],
    meaning:
      "Part 3: a field that is the state, its initial value, and a table of transitions with guards and effects. An endpoint fires one by its name (`Does: deliver Parcel`).",
    reference: ["State field", "Guard", "immediately"],
  },
  {
    term: "timer",
    synonyms: [
      "cron",
      "schedule",
      "scheduler",
      "job",
      "jobs",
      "recurring",
      "background job",
      "timeout of a state",
      "expire",
      "expiry",
      "ttl",
    ],
    meaning:
      "A transition `after 14 days` fires automatically so long after its state was entered, and `Kept` deletes records after a time. There is no calendar (`every Monday`): let cron call an endpoint.",
    reference: ["after", "Kept"],
  },
  {
    term: "endpoint",
    synonyms: ["route", "routes", "path", "url", "operation", "controller", "crud", "rest", "method", "verb"],
    meaning:
      "A level-3 heading of part 4, `### GET /parcels/{id}`, with items that say what it does and returns.",
    reference: ["endpoint", "Does", "Returns"],
  },
  {
    term: "pagination",
    synonyms: ["paginate", "paging", "page", "cursor", "offset", "limit", "next page", "infinite scroll"],
    meaning: "`Pagination` cuts a list into pages; the sizes are in part 8 (`page`).",
    reference: ["Pagination", "page"],
  },
  {
    term: "filter",
    synonyms: ["filters", "search", "where", "query", "sort", "sorting", "order by", "full-text search"],
    meaning:
      "`Where` says which records a list has, `Query` which inputs filter it, `Order` how it is sorted. There is no full-text search.",
    reference: ["Where", "Query", "Order"],
  },
  {
    term: "input",
    synonyms: ["parameter", "parameters", "request body", "body", "query parameter", "payload", "dto"],
    meaning:
      "What a request carries: `Body` and `Query` name fields of the resource; a table of inputs states what isn't simply a field.",
    reference: ["Body", "Query", "required when made"],
  },
  {
    term: "response",
    synonyms: [
      "answer",
      "serializer",
      "view",
      "projection",
      "status code",
      "shape",
      "representation",
      "json",
    ],
    meaning: "`Returns` states the status and the body: a resource, a shape, or an expression.",
    reference: ["Returns", "Shapes"],
  },
  {
    term: "upsert",
    synonyms: ["insert or update", "create or update", "merge", "on conflict", "put"],
    meaning: "`Does: upsert Parcel` changes the record that is found, or creates it.",
    reference: ["upsert", "created"],
  },
  {
    term: "soft delete",
    synonyms: [
      "soft deletion",
      "tombstone",
      "archive",
      "undelete",
      "restore a record",
      "deleted_at",
      "trash",
    ],
    meaning: "`Deleted: marked` keeps a deleted record in the store and hides it from reads.",
    reference: ["Deleted", "Finds"],
  },
  {
    term: "optimistic locking",
    synonyms: [
      "optimistic concurrency",
      "etag",
      "if-match",
      "version field",
      "lost update",
      "concurrency control",
      "412",
      "precondition",
    ],
    meaning:
      "`Preconditions: If-Match` gives an `ETag` and refuses a change of a record that has changed since.",
    reference: ["Preconditions"],
  },
  {
    term: "caching",
    synonyms: ["cache", "304", "if-none-match", "conditional request", "cache-control"],
    meaning:
      "`Preconditions: If-None-Match` answers 304 where nothing has changed; `Header` states `Cache-Control`.",
    reference: ["Preconditions", "Header"],
  },
  {
    term: "idempotency",
    synonyms: ["idempotent", "idempotency key", "retry safely", "double submit", "exactly once"],
    meaning: "`Idempotency` keeps the answer for a key, so that a request that is sent again is done once.",
    reference: ["Idempotency"],
  },
  {
    term: "handler",
    synonyms: [
      "custom code",
      "custom endpoint",
      "function",
      "plugin",
      "javascript",
      "typescript",
      "fetch",
      "call another api",
      "third-party api",
      "http client",
      "outbound request",
    ],
    meaning:
      "A function in the module next to the document, for what the notation can't say. It may call other services; `answer` in the notation covers much without one.",
    reference: ["handler", "answer", "handlers"],
    guides: ["handlers"],
    commands: ["types"],
  },
  {
    term: "upload",
    synonyms: [
      "uploads",
      "file",
      "file upload",
      "multipart",
      "attachment",
      "image",
      "blob",
      "s3",
      "object storage",
    ],
    meaning:
      "An input of the type `file` takes uploads (`multipart/form-data`) and keeps them in a field. There is no object storage: keep large files elsewhere, and their address in a field.",
    reference: ["file"],
  },
  {
    term: "cors",
    synonyms: ["cross-origin", "origin", "csrf", "xsrf", "preflight"],
    meaning: "`Cross-origin` names the origins whose pages may call the service from a browser.",
    reference: ["Cross-origin"],
    guides: ["security"],
  },
  {
    term: "event",
    synonyms: [
      "events",
      "domain event",
      "audit log",
      "audit",
      "outbox",
      "message",
      "publish",
      "kafka",
      "queue",
    ],
    meaning:
      "Part 6 names what happens, when, and with which payload. Events are written in the transaction of their change; webhooks, emails and streams send them.",
    reference: ["Event", "event"],
    guides: ["webhooks", "streams", "notifications"],
  },
  {
    term: "webhook",
    synonyms: [
      "webhooks",
      "hook",
      "callback",
      "callbacks",
      "webhook retry",
      "webhook signature",
      "delivery",
      "deliveries",
      "retry",
      "retries",
      "backoff",
    ],
    meaning:
      "A request that the service sends to a subscriber's address when an event happens: signed, and sent again until it is acknowledged or its retries are used up.",
    reference: ["Webhooks", "Retries", "Signed with"],
    guides: ["webhooks"],
  },
  {
    term: "notification",
    synonyms: ["notifications", "email", "e-mail", "mail", "smtp", "sms", "push"],
    meaning:
      "An email to the person whom an event is about, by the mail server of `serve --smtp`. SMS and push go by webhook.",
    reference: ["Notifications"],
    guides: ["notifications"],
    commands: ["serve"],
  },
  {
    term: "stream",
    synonyms: [
      "sse",
      "server-sent events",
      "websocket",
      "websockets",
      "realtime",
      "real-time",
      "live updates",
      "long polling",
      "long poll",
      "subscription",
    ],
    meaning:
      "`Does: stream` sends events as server-sent events; `Waits` holds an answer until something is true. There are no WebSockets.",
    reference: ["stream", "Waits"],
    guides: ["streams"],
  },
  {
    term: "error",
    synonyms: [
      "errors",
      "problem",
      "problem details",
      "rfc 9457",
      "rfc 7807",
      "exception",
      "error code",
      "error handling",
      "4xx",
      "404",
      "401",
      "422",
    ],
    meaning:
      "What a refused request is answered: part 7 has a row for each error, with its status and text, and the shape of the body.",
    reference: ["Payload shape", "Fails"],
    guides: ["errors-and-gaps"],
  },
  {
    term: "rate limit",
    synonyms: [
      "rate limiting",
      "throttle",
      "throttling",
      "quota",
      "429",
      "too many requests",
      "burst",
      "limits",
    ],
    meaning: "Part 8: `rate` bounds requests in a time, `concurrency` those at once, `stored` records.",
    reference: ["rate", "concurrency", "stored"],
    guides: ["scaling"],
  },
  {
    term: "timeout",
    synonyms: ["time out", "time limit", "deadline", "timed out"],
    meaning:
      "Part 8: `time-out` bounds how long a request may take; nothing of one that takes longer is stored.",
    reference: ["time-out"],
  },
  {
    term: "version",
    synonyms: [
      "versioning",
      "api version",
      "versions",
      "deprecation",
      "deprecated",
      "breaking change",
      "breaking changes",
      "backward compatibility",
      "diff",
    ],
    meaning:
      "Part 9: how a caller names a version, and what is different in each older one. `check --from OLD` reports what a new document breaks.",
    reference: ["Part 9"],
    guides: ["changing-a-service"],
    commands: ["check"],
  },
  {
    term: "migration",
    synonyms: [
      "migrate",
      "rename",
      "rename a field",
      "alter table",
      "schema change",
      "backfill",
      "dry run",
      "stored change",
      "data migration",
    ],
    meaning:
      "A changed document changes its store: safe changes run when it starts, others are written in part 9 as a stored change. `ninefold migrate --plan` is the dry run: it makes them on a copy and reports the result.",
    reference: ["For each"],
    guides: ["changing-a-service"],
    commands: ["migrate"],
  },
  {
    term: "mock",
    synonyms: [
      "mock server",
      "stub",
      "fake",
      "prototype",
      "sandbox",
      "test double",
      "simulator",
      "test environment",
    ],
    meaning:
      "`ninefold serve FILE` is a working stand-in from the first minute. `--sandbox` adds what tests need: a clock that can be moved, snapshots, a data space for each test.",
    guides: ["sandbox", "testing"],
    commands: ["serve", "sandbox"],
  },
  {
    term: "scenario",
    synonyms: [
      "scenarios",
      "test",
      "tests",
      "unit test",
      "integration test",
      "acceptance test",
      "bdd",
      "gherkin",
      "given",
      "coverage",
      "fixture",
      "fixtures",
    ],
    meaning:
      "A heading `### Scenario: …` of part 1 with requests and expected answers. `ninefold test` runs it against the engine or a running service.",
    reference: ["Scenarios", "Given"],
    guides: ["scenarios", "testing"],
    commands: ["test"],
  },
  {
    term: "seed",
    synonyms: ["seeds", "seeding", "initial data", "sample data", "demo data", "test data"],
    meaning:
      "`serve --seed FILE` makes records once, in an empty store. `Records of Genre` in part 2 are records of every store.",
    reference: ["Given"],
    guides: ["data"],
    commands: ["serve", "data"],
  },
  {
    term: "ci",
    synonyms: [
      "continuous integration",
      "github actions",
      "gitlab",
      "pipeline",
      "pre-commit",
      "junit",
      "sarif",
      "exit code",
      "exit codes",
    ],
    meaning:
      "In a pipeline: `check --max-gaps N --sarif`, `test --junit`, `check --from main:api.md` (what breaks), `export … --check` (files up to date), `migrate --check`. All commands end with 0 well, 1 failed, 2 wrong usage, 3 environment.",
    guides: ["testing"],
    commands: ["check", "test", "export", "migrate"],
  },
  {
    term: "deployment",
    synonyms: [
      "deploy",
      "production",
      "hosting",
      "docker",
      "dockerfile",
      "container",
      "kubernetes",
      "k8s",
      "helm",
      "systemd",
      "reverse proxy",
      "nginx",
      "https",
      "tls",
      "ssl",
      "compose",
    ],
    meaning:
      "A service is one process: the document, a store and `ninefold serve`. The package has a Dockerfile, a compose file and a systemd unit.",
    guides: ["production", "security", "backup"],
    commands: ["serve"],
  },
  {
    term: "store",
    synonyms: ["database", "db", "sqlite", "postgres", "postgresql", "mysql", "persistence", "storage"],
    meaning:
      "Where the records are: a SQLite file next to the document, or PostgreSQL (`--store postgres://…`).",
    guides: ["data", "postgresql", "backup", "moving"],
    commands: ["serve", "data", "backup", "restore"],
  },
  {
    term: "transaction",
    synonyms: ["transactions", "atomic", "atomicity", "isolation", "serializable", "rollback", "acid"],
    meaning:
      "All that one request changes is one transaction: its record, effects, `immediately` transitions and events. It is stored whole, or not at all.",
    reference: ["immediately", "Effects"],
  },
  {
    term: "admin",
    synonyms: ["console", "dashboard", "admin panel", "back office", "operator", "ui"],
    meaning:
      "The console is on the operations address, next to the service: records, requests, deliveries, states. `ninefold data` does the same for records at the command line.",
    guides: ["console", "operations", "data"],
    commands: ["serve", "data"],
  },
  {
    term: "monitoring",
    synonyms: [
      "metrics",
      "prometheus",
      "health",
      "health check",
      "readiness",
      "liveness",
      "logging",
      "logs",
      "log",
      "tracing",
      "opentelemetry",
      "otel",
      "observability",
    ],
    meaning:
      "Health, metrics and the operations API are on the operations address; the log is JSON lines; traces go to OpenTelemetry.",
    guides: ["operations", "production"],
    commands: ["serve"],
  },
  {
    term: "scaling",
    synonyms: [
      "scale",
      "high availability",
      "ha",
      "failover",
      "replica",
      "replication",
      "cluster",
      "load balancer",
      "horizontal scaling",
      "redis",
    ],
    meaning: "Several instances share a PostgreSQL database; SQLite has copies and one that takes over.",
    guides: ["scaling", "postgresql"],
  },
  {
    term: "import",
    synonyms: ["openapi import", "swagger", "from openapi", "openapi file"],
    meaning:
      "`ninefold import openapi FILE` writes a document from an OpenAPI file: what it states, and gaps for the rest.",
    guides: ["import"],
    commands: ["import"],
  },
  {
    term: "export",
    synonyms: [
      "openapi",
      "asyncapi",
      "postman",
      "json schema",
      "sdk",
      "client",
      "code generation",
      "codegen",
      "typescript client",
      "api documentation",
      "docs site",
      "diagram",
      "erd",
      "mermaid",
    ],
    meaning:
      "`ninefold export` writes what other tools take: OpenAPI, AsyncAPI, JSON Schema, Postman, a TypeScript client, a documentation site, diagrams.",
    guides: ["export", "docs-site"],
    commands: ["export"],
  },
  {
    term: "document",
    synonyms: ["specification", "spec", "interface specification", "markdown", "template", "example"],
    meaning:
      "One Markdown file with nine parts. `ninefold new` writes one to fill in or an example; `format` prints it in the canonical form.",
    reference: ["What a document is"],
    commands: ["new", "check", "format"],
  },
  {
    term: "backup",
    synonyms: ["backups", "disaster recovery", "point in time recovery", "litestream", "dump"],
    meaning:
      "`ninefold backup` copies a store while it is served, once or at intervals; `ninefold restore` replaces a store with a copy.",
    guides: ["backup"],
    commands: ["backup", "restore"],
  },
  {
    term: "shell completion",
    synonyms: ["completion", "tab completion", "bash", "zsh", "fish"],
    meaning: "`ninefold completion bash|zsh|fish` prints a script that completes commands and options.",
    commands: ["completion"],
  },
  {
    term: "gdpr",
    synonyms: ["erase", "erasure", "right to be forgotten", "personal data", "privacy", "retention"],
    meaning:
      "`ninefold data erase` removes what belongs to somebody, in records and events; `Kept` deletes records after a time.",
    reference: ["Kept"],
    guides: ["data"],
    commands: ["data"],
  },
  {
    term: "money",
    synonyms: ["currency", "price", "amount", "decimal", "float"],
    meaning:
      "Amounts are `decimal` (exact, in answers a text) or `integer` in the smallest unit; a currency is a field of its own.",
    reference: ["decimal"],
  },
  {
    term: "expression",
    synonyms: ["expressions", "cel", "formula", "condition", "macro", "null"],
    meaning:
      "Conditions and values are written in CEL, the Common Expression Language, with names and types that are checked.",
    reference: ["names", "null", "collections"],
  },
];

/** The entry for a word, by its term or one of its synonyms; case, hyphens and a plural don't matter. */
export function entryFor(word: string): GlossaryEntry | undefined {
  const form = plain(word);
  for (const wanted of [form, form.replace(/s$/, ""), `${form}s`]) {
    const isWanted = (name: string): boolean => plain(name) === wanted;
    const entry = glossary.find(({ term, synonyms }) => isWanted(term) || synonyms.some(isWanted));
    if (entry) return entry;
  }
  return undefined;
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[-_ ]+/g, " ");
}
