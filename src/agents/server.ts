/** The MCP server of a document: tools, and the pages of the package as resources. */
import { fromJsonSchema, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { NoSuchRecord } from "../engine/admin/refusals.ts";
import { codes } from "../diagnostics/codes/index.ts";
import { ownPage } from "../manual/own-pages.ts";
import { createDocumentFile, type DocumentFile, ToolRefused } from "./document-file.ts";
import { type Tool, toolsFor } from "./tools.ts";
import { createTrial } from "./trial.ts";

/** Maximum number of characters in a result; a longer one is truncated with a note. */
const answerLengthMax = 40_000;

export interface AgentOptions {
  /** The document's file. */
  readonly file: string;
  /** Whether there is a tool that writes the file. */
  readonly mayWrite: boolean;
  readonly version: string;
}

const instructions =
  "Ninefold runs an interface specification in Markdown as a service. Read the resource ninefold://card first: a whole document on one page. Use describe, then check_change until it reports no errors. Every error says what to write. What isn't decided is written `not shown`; never invent it.";

/** A document and its trial service, which all connections of one process share. */
export interface Agent {
  /** A server for one connection, or for one request over HTTP. */
  createServer(): McpServer;
  close(): Promise<void>;
}

/** Maximum number of waiting tool calls; further calls are refused. */
const waitingMax = 100;

export function createAgent({ file, mayWrite, version }: AgentOptions): Agent {
  const document = createDocumentFile(file);
  const trial = createTrial();
  const tools = toolsFor({ document, trial }, mayWrite);
  // One tool runs at a time: all share the trial, and an agent may send many calls at once.
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const inTurn = async (tool: Tool, given: unknown) => {
    if (waiting >= waitingMax) return refusal(`${waitingMax} calls are waiting. Wait for their answers.`);
    waiting += 1;
    const answer = last.then(() => answered(tool, given)).finally(() => (waiting -= 1));
    last = answer;
    return await answer;
  };
  return {
    createServer() {
      const server = new McpServer({ name: "ninefold", version }, { instructions });
      for (const tool of tools) {
        const { name, description, schema, changes } = tool;
        const config = {
          description,
          inputSchema: fromJsonSchema(JSON.parse(JSON.stringify(schema))),
          annotations: { readOnlyHint: !changes, openWorldHint: false },
        };
        server.registerTool(name, config, (given: unknown) => inTurn(tool, given));
      }
      registerPages(server, document);
      return server;
    },
    close: () => trial.reset(),
  };
}

async function answered(tool: Tool, given: unknown) {
  try {
    const answer = await tool.run(given);
    return { content: [{ type: "text" as const, text: bounded(answer) }] };
  } catch (error) {
    return refusal(refusalText(error));
  }
}

function refusal(text: string) {
  return { isError: true, content: [{ type: "text" as const, text: bounded(text) }] };
}

function refusalText(error: unknown): string {
  if (error instanceof ToolRefused || error instanceof NoSuchRecord) return error.message;
  return `The tool failed: ${error instanceof Error ? error.message : String(error)}`;
}

function bounded(answer: unknown): string {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer, null, 1);
  if (text.length <= answerLengthMax) return text;
  return `${text.slice(0, answerLengthMax)}\n… cut off after ${answerLengthMax} characters. Request a smaller part.`;
}

const pages = [
  ["card", "docs/card.md", "a whole document on one page"],
  ["notation", "docs/notation.md", "the reference of the notation"],
  ["names", "docs/names.md", "the names that expressions may use"],
  ["agents", "docs/guides/agents.md", "how to work with a document"],
] as const;

function registerPages(server: McpServer, document: DocumentFile): void {
  const mimeType = "text/markdown";
  for (const [name, path, description] of pages)
    server.registerResource(name, `ninefold://${name}`, { description, mimeType }, ({ href }) => ({
      contents: [{ uri: href, mimeType, text: ownPage(path) }],
    }));
  const about = { description: "the document itself", mimeType };
  server.registerResource("document", "ninefold://document", about, async ({ href }) => ({
    contents: [{ uri: href, mimeType, text: (await document.read()).text }],
  }));
  const template = new ResourceTemplate("ninefold://diagnostics/{part}/{slug}", { list: undefined });
  const ofCode = { description: "the page of a diagnostic", mimeType };
  server.registerResource("diagnostic", template, ofCode, ({ href }, { part, slug }) => {
    const code = `${String(part)}/${String(slug)}`;
    if (!Object.hasOwn(codes, code)) throw new ToolRefused(`There is no diagnostic ${code}.`);
    return { contents: [{ uri: href, mimeType, text: ownPage(`docs/diagnostics/${code}.md`) }] };
  });
}
