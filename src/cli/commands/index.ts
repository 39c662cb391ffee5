/**
 * All commands, in the order in which `--help` lists them. A command is loaded when it is used,
 * because loading takes most of the start time.
 */
import type { Command } from "../command.ts";

export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  load(): Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: "new",
    summary: "write a document to fill in, or an example",
    load: async () => (await import("./new.ts")).newCommand,
  },
  {
    name: "check",
    summary: "report the mistakes and the gaps of documents",
    load: async () => (await import("./check.ts")).checkCommand,
  },
  {
    name: "explain",
    summary: "explain a diagnostic, an item, a rule, a function or a word (login, enum, deploy)",
    load: async () => (await import("./explain.ts")).explainCommand,
  },
  {
    name: "format",
    summary: "print a document in the canonical way",
    load: async () => (await import("./format.ts")).formatCommand,
  },
  {
    name: "serve",
    summary: "run a document as a service",
    load: async () => (await import("./serve.ts")).serveCommand,
  },
  {
    name: "test",
    summary: "run the scenarios of a document",
    load: async () => (await import("./test.ts")).testCommand,
  },
  {
    name: "explore",
    summary: "search for unintended behaviour of a document",
    load: async () => (await import("./explore.ts")).exploreCommand,
  },
  {
    name: "verify",
    summary: "compare a service at a URL with its document",
    load: async () => (await import("./verify.ts")).verifyCommand,
  },
  {
    name: "data",
    summary: "read and change the records in a document's store",
    load: async () => (await import("./data.ts")).dataCommand,
  },
  {
    name: "migrate",
    summary: "migrate a store to its changed document",
    load: async () => (await import("./migrate.ts")).migrateCommand,
  },
  {
    name: "backup",
    summary: "copy a store while it is served",
    load: async () => (await import("./backup.ts")).backupCommand,
  },
  {
    name: "restore",
    summary: "replace a store with a backup",
    load: async () => (await import("./restore.ts")).restoreCommand,
  },
  {
    name: "secrets",
    summary: "rotate the key that a service signs with",
    load: async () => (await import("./secrets.ts")).secretsCommand,
  },
  {
    name: "sandbox",
    summary: "control a running sandbox: reset, snapshots, clock, deliveries, data spaces",
    load: async () => (await import("./sandbox.ts")).sandboxCommand,
  },
  {
    name: "export",
    summary: "write OpenAPI, JSON Schema and other formats",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "import",
    summary: "write a document from OpenAPI, Postman, HAR or AsyncAPI, with gaps for the rest",
    load: async () => (await import("./import.ts")).importCommand,
  },
  {
    name: "next",
    summary: "list the open questions of a document, and accept answers to them",
    load: async () => (await import("./next.ts")).nextCommand,
  },
  {
    name: "learn",
    summary: "list what recorded traffic shows of the open questions",
    load: async () => (await import("./learn.ts")).learnCommand,
  },
  {
    name: "types",
    summary: "write the TypeScript types of a document's handlers",
    load: async () => (await import("./types.ts")).typesCommand,
  },
  {
    name: "lsp",
    summary: "serve an editor: diagnostics while typing, completion, rename",
    load: async () => (await import("./lsp.ts")).lspCommand,
  },
  {
    name: "mcp",
    summary: "serve a document to an agent: describe, check a change, try the service",
    load: async () => (await import("./mcp.ts")).mcpCommand,
  },
  {
    name: "completion",
    summary: "print the completion script of a shell",
    load: async () => (await import("./completion.ts")).completionCommand,
  },
];
