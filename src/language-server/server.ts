/**
 * The language server: documents that an editor has open, and their analysis. Diagnostics follow
 * each change after a short pause; a change that arrives while a state is analysed replaces the
 * states in between.
 */
import {
  CodeActionKind,
  type Connection,
  ErrorCodes,
  type InitializeResult,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  TextDocumentSyncKind,
  TextDocuments,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { machine } from "../support/machine.ts";
import { documentBytesMax } from "../syntax/ceilings.ts";
import { type Analysis, analyse } from "./analysis.ts";
import { type Analyst, createAnalyst } from "./analyst.ts";
import { diagnosticsOf } from "./features/diagnostics.ts";
import { runScenarioCommand } from "./features/scenario-lenses.ts";
import { tokenTypes } from "./features/semantic-tokens.ts";
import type { DocumentState, Method, Requests } from "./requests.ts";
import { runScenario } from "./run-scenario.ts";

/** The pause after a change, in milliseconds: fast typing is analysed together. */
const pauseMs = 30;

const capabilities: InitializeResult["capabilities"] = {
  textDocumentSync: TextDocumentSyncKind.Incremental,
  hoverProvider: true,
  completionProvider: { triggerCharacters: [".", "`", '"', "|", "-", " "] },
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  documentFormattingProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
  codeLensProvider: { resolveProvider: false },
  semanticTokensProvider: { legend: { tokenTypes: [...tokenTypes], tokenModifiers: [] }, full: true },
  executeCommandProvider: { commands: [runScenarioCommand] },
};

/** Serves an editor over a connection, until it says `exit`. */
export function serveEditor(connection: Connection, version: string): void {
  const documents = new TextDocuments(TextDocument);
  const log = connection.console;
  const analyst = createAnalyst((message) => log.error(message));
  const newest = (uri: string) => (): DocumentState | undefined => {
    const document = documents.get(uri);
    return document && { uri, version: document.version, text: document.getText() };
  };
  connection.onInitialize(() => ({ capabilities, serverInfo: { name: "ninefold", version } }));
  publishDiagnostics(connection, documents, analyst, newest);
  connection.onShutdown(() => analyst.stop());
  answerRequests(connection, analyst, newest);
  connection.onExecuteCommand(async ({ command, arguments: given = [] }) => {
    if (command !== runScenarioCommand) return undefined;
    const [uri, name] = given.map(String);
    const model = await analyst.request("model", newest(uri ?? ""), null);
    const { text, isPassed } = await runScenario(model ?? undefined, name ?? "");
    const type = isPassed ? MessageType.Info : MessageType.Error;
    connection.sendNotification(ShowMessageNotification.type, { type, message: text }).catch(ignoreClosed);
    return { passed: isPassed, text };
  });
  documents.listen(connection);
  connection.listen();
}

/** A message that can't be sent: the client closed the connection, which ends the server. */
function ignoreClosed(): void {}

type Newest = (uri: string) => () => DocumentState | undefined;

function publishDiagnostics(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  analyst: Analyst,
  newest: Newest,
): void {
  /** What stops the pause of each document that was changed. */
  const pauses = new Map<string, () => void>();
  const analysed = new Set<string>();
  const publish = async (uri: string): Promise<void> => {
    if (analysed.has(uri)) return;
    analysed.add(uri);
    const state = newest(uri)();
    const found = state && (tooLong(state) ?? (await analyst.request("diagnostics", newest(uri), null)));
    analysed.delete(uri);
    const now = documents.get(uri);
    if (!state || !now) return;
    if (now.version !== state.version) return void publish(uri);
    connection
      .sendDiagnostics({ uri, version: state.version, diagnostics: [...(found ?? [])] })
      .catch(ignoreClosed);
  };
  documents.onDidChangeContent(({ document: { uri } }) => {
    pauses.get(uri)?.();
    pauses.set(
      uri,
      machine.after(pauseMs, () => void publish(uri)),
    );
  });
  documents.onDidClose(({ document: { uri } }) => {
    pauses.get(uri)?.();
    pauses.delete(uri);
    analyst.close(uri);
    connection.sendDiagnostics({ uri, diagnostics: [] }).catch(ignoreClosed);
  });
}

/** A text that is too long is not read, so its one diagnostic needs no thread. */
function tooLong(state: DocumentState): Requests["diagnostics"]["answer"] | undefined {
  if (state.text.length <= documentBytesMax) return undefined;
  const analysis: Analysis | undefined = analyse(state);
  return analysis ? diagnosticsOf(analysis) : [];
}

function answerRequests(connection: Connection, analyst: Analyst, newest: Newest): void {
  const request = <M extends Method>(
    method: M,
    uri: string,
    params: Requests[M]["params"],
    token: { readonly isCancellationRequested: boolean },
  ) => analyst.request(method, newest(uri), params, () => !token.isCancellationRequested);
  connection.onHover(async ({ textDocument: { uri }, position }, token) =>
    orNull(await request("hover", uri, position, token)),
  );
  connection.onCompletion(async ({ textDocument: { uri }, position }, token) => {
    const found = await request("completion", uri, position, token);
    return found ? { items: [...found.items], isIncomplete: found.isIncomplete } : null;
  });
  connection.onDefinition(async ({ textDocument: { uri }, position }, token) => [
    ...((await request("definition", uri, position, token)) ?? []),
  ]);
  connection.onReferences(async ({ textDocument: { uri }, position, context }, token) => [
    ...((await request(
      "references",
      uri,
      { position, includesDefinition: context.includeDeclaration },
      token,
    )) ?? []),
  ]);
  connection.onPrepareRename(async ({ textDocument: { uri }, position }, token) =>
    orNull(await request("renameRange", uri, position, token)),
  );
  connection.onRenameRequest(async ({ textDocument: { uri }, position, newName }, token) =>
    editOf(await request("rename", uri, { position, name: newName }, token)),
  );
  connection.onDocumentSymbol(async ({ textDocument: { uri } }, token) => [
    ...((await request("symbols", uri, null, token)) ?? []),
  ]);
  connection.onFoldingRanges(async ({ textDocument: { uri } }, token) => [
    ...((await request("folding", uri, null, token)) ?? []),
  ]);
  connection.onDocumentFormatting(async ({ textDocument: { uri } }, token) => [
    ...((await request("formatting", uri, null, token)) ?? []),
  ]);
  connection.onCodeAction(async ({ textDocument: { uri }, range }, token) => [
    ...((await request("actions", uri, range, token)) ?? []),
  ]);
  connection.onCodeLens(async ({ textDocument: { uri } }, token) => [
    ...((await request("lenses", uri, null, token)) ?? []),
  ]);
  connection.languages.semanticTokens.on(
    async ({ textDocument: { uri } }, token) => (await request("tokens", uri, null, token)) ?? { data: [] },
  );
}

function orNull<T>(answer: T | undefined): T | null {
  return answer ?? null;
}

/** @throws ResponseError where the rename is refused */
function editOf(answer: Requests["rename"]["answer"] | undefined): WorkspaceEdit | null {
  if (answer && "refused" in answer)
    throw new ResponseError(ErrorCodes.InvalidRequest, String(answer.refused));
  return answer ?? null;
}
