/**
 * Test service: serves a document, or a small document with some lines, in this process, for tests
 * that send requests to it.
 */
import assert from "node:assert/strict";
import { createLocalTarget, type LocalTarget } from "../../src/scenarios/local-target.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { compile } from "../../src/compile.ts";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import type { RequestObserver } from "../../src/engine/observability/answered-request.ts";
import type { ReceivedResponse } from "../../src/verify/scenario-failure.ts";

export const quiet: Terminal = {
  write() {},
  printError(text: string) {
    process.stderr.write(text);
  },
  isTerminal: false,
  colour: false,
  environment: {},
};

export interface Served {
  readonly target: LocalTarget;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  send(method: string, path: string, sent?: Sent): Promise<ReceivedResponse & { readonly json: any }>;
  close(): Promise<void>;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

/** @param text a document without mistakes */
export async function serveDocument(
  text: string,
  onAnswered?: RequestObserver,
  handlers?: HandlerModule,
): Promise<Served> {
  const { model, diagnostics } = compile(text, { file: "document.md" });
  const mistakes = diagnostics.filter(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
  );
  assert.deepEqual(
    mistakes.map((mistake) => `${mistake.position.start.line}: ${mistake.message}`),
    [],
  );
  assert.ok(model);
  const target = await createLocalTarget(model, quiet, handlers, onAnswered && { onAnswered });
  return {
    target,
    async send(method, path, { headers = {}, body } = {}) {
      const json = body !== undefined && typeof body !== "string";
      const answer = await target.send({
        method,
        target: path,
        headers: [
          ...(json ? [["Content-Type", "application/json"] as const] : []),
          ...Object.entries(headers),
        ],
        ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : (body as string) }),
      });
      return {
        ...answer,
        get json() {
          return JSON.parse(answer.body);
        },
      };
    },
    close: () => target.close(),
  };
}

/** Returns a small document about notes with nine parts. The caller may replace each part. */
export function smallDocument(parts: Partial<Record<keyof typeof standing, string>> = {}): string {
  const titles = {
    purpose: "What the service does",
    resources: "Resources and their fields",
    states: "States and transitions",
    endpoints: "Endpoints",
    authentication: "Authentication",
    events: "Events",
    errors: "Errors",
    limits: "Limits",
    versioning: "Versioning",
  };
  const sections = Object.entries(titles).map(
    ([name, title]) =>
      `## ${title}\n\n${parts[name as keyof typeof standing] ?? standing[name as keyof typeof standing]}\n`,
  );
  return `# Interface Specification: Notes\n\n${sections.join("\n")}`;
}

/**
 * Returns part 9 with two versions, each before the path.
 * @param changes the lines of the changes in `v2`
 */
export function twoVersions(changes: string): string {
  return `- Scheme: path prefix
- Default: current
- Compatibility: new fields are compatible.

| Version | Status | Until | Changes |
|---|---|---|---|
| v2 | current | | |
| v1 | supported | | |

### Changes in v2

${changes}`;
}

/**
 * Returns part 7 with errors that consist only of their code.
 * @param rows the rows of the table of codes
 */
export function bareErrors(rows: string): string {
  return `- Payload shape:

\`\`\`cel
error.code
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
${rows}`;
}

export const standing = {
  purpose: "- Purpose: notes.\n- Domain: tests.\n- Behaviour: notes are kept.",
  resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required, length 1..50 | |
| size | integer | 1..9 | |`,
  states: "States and transitions: none.",
  endpoints: `### POST /notes

- Does: create Note
- Body: text, size?
- Returns: 201 Note

### GET /notes

- Does: list Note
- Query: size?
- Pagination: page (page: page, size: per_page)
- Returns: 200 list of Note

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note`,
  authentication: "- Scheme: none",
  events: "Events, webhooks and notifications: none.",
  errors: "- Payload shape: problem details",
  limits: "Rate limits, size limits, time-outs and pagination bounds: none.",
  versioning: "- Scheme: none\n- Compatibility: none",
};
