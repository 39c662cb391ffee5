/** An editor for tests: a client of the Language Server Protocol whose server is `ninefold lsp`. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentContentChangeEvent,
} from "vscode-languageserver-protocol/node";

const program = join(import.meta.dirname, "..", "..", "bin", "ninefold");

export interface Editor {
  readonly connection: ProtocolConnection;
  readonly process: ChildProcess;
  readonly initialized: InitializeResult;
  open(uri: string, text: string): void;
  change(uri: string, version: number, changes: TextDocumentContentChangeEvent[]): void;
  close(uri: string): void;
  /** The diagnostics of a version of a document, once they are published. */
  diagnostics(uri: string, version?: number): Promise<PublishDiagnosticsParams>;
  stop(): Promise<void>;
}

export async function startEditor(): Promise<Editor> {
  const server = spawn(process.execPath, [program, "lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const published = new Map<string, PublishDiagnosticsParams>();
  const waiting = new Set<() => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
    published.set(params.uri, params);
    for (const look of waiting) look();
  });
  connection.listen();
  const initialized = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  });
  void connection.sendNotification(InitializedNotification.type, {});
  return {
    connection,
    process: server,
    initialized,
    open(uri, text) {
      const textDocument = { uri, languageId: "markdown", version: 1, text };
      void connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    },
    change(uri, version, contentChanges) {
      const params = { textDocument: { uri, version }, contentChanges };
      void connection.sendNotification(DidChangeTextDocumentNotification.type, params);
    },
    close(uri) {
      void connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
    },
    diagnostics: (uri, version = 1) =>
      new Promise((resolve) => {
        const look = () => {
          const params = published.get(uri);
          if (params?.version !== version) return;
          waiting.delete(look);
          resolve(params);
        };
        waiting.add(look);
        look();
      }),
    async stop() {
      await connection.sendRequest(ShutdownRequest.type);
      void connection.sendNotification(ExitNotification.type);
      if (server.exitCode === null) await new Promise((resolve) => server.once("exit", resolve));
      connection.dispose();
    },
  };
}
