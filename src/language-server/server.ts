/**
 * The language server: documents that an editor has open, and their analysis. Diagnostics follow
 * each change after a short pause; a change that arrives during an analysis replaces the states in
 * between.
 */
import {
  CodeActionKind,
  type Connection,
  ErrorCodes,
  type InitializeResult,
  MessageType,
  RequestType,
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
import { Analyst } from "./analyst.ts";
import { diagnosticsOf } from "./features/diagnostics.ts";
import { lastRequestsCommand, runScenarioCommand, tryEndpointCommand } from "./features/lenses.ts";
import type { Preview } from "./features/preview.ts";
import { tokenTypes } from "./features/semantic-tokens.ts";
import { lastRequests, type ServedAt } from "./last-requests.ts";
import type { DocumentState, Method, Requests } from "./requests.ts";
import { type Outcome, runScenario, tryEndpoint } from "./run.ts";
import { seedOf } from "./seed.ts";

/** The debounce time after a change, in milliseconds: fast typing is analysed once. */
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
  selectionRangeProvider: true,
  inlayHintProvider: true,
  semanticTokensProvider: { legend: { tokenTypes: [...tokenTypes], tokenModifiers: [] }, full: true },
  executeCommandProvider: { commands: [runScenarioCommand, tryEndpointCommand, lastRequestsCommand] },
};

/** A custom request: the document as a page. */
const previewRequest = new RequestType<{ readonly uri: string }, Preview | null, void>("ninefold/preview");

/** The operator's options: the token is a secret, so it isn't in an editor's settings. */
export interface EditorOptions {
  readonly version: string;
  readonly operationsToken: string | undefined;
}

/** Serves an editor over a connection, until it sends `exit`. */
export function serveEditor(connection: Connection, { version, operationsToken }: EditorOptions): void {
  const documents = new TextDocuments(TextDocument);
  const log = connection.console;
  const analyst = new Analyst((message) => log.error(message));
  const newest = (uri: string) => (): DocumentState | undefined => {
    const document = documents.get(uri);
    return document && { uri, version: document.version, text: document.getText() };
  };
  let served: ServedAt | undefined;
  connection.onInitialize(({ initializationOptions }) => {
    const url = operationsUrl(initializationOptions);
    served = url === undefined ? undefined : { url, token: operationsToken };
    return { capabilities, serverInfo: { name: "ninefold", version } };
  });
  publishDiagnostics(connection, documents, analyst, newest);
  connection.onShutdown(() => analyst.stop());
  answerRequests(connection, analyst, newest, () => served !== undefined);
  connection.onRequest(previewRequest, async ({ uri }) =>
    orNull(await analyst.request("preview", newest(uri), null)),
  );
  const outcomeOf = async (command: string, given: readonly string[]): Promise<Outcome | undefined> => {
    const [first = "", second = "", third = ""] = given;
    if (command === lastRequestsCommand) return served && (await lastRequests(served, first));
    const model = (await analyst.request("model", newest(first), null)) ?? undefined;
    if (command === runScenarioCommand) return await runScenario(model, second);
    if (command === tryEndpointCommand) return await tryEndpoint(model, second, third);
    return undefined;
  };
  connection.onExecuteCommand(async ({ command, arguments: given = [] }) => {
    const outcome = await outcomeOf(command, given.map(String));
    if (!outcome) return undefined;
    const { text, isPassed } = outcome;
    const type = isPassed ? MessageType.Info : MessageType.Error;
    log.info(text);
    connection.sendNotification(ShowMessageNotification.type, { type, message: text }).catch(ignoreClosed);
    return { passed: isPassed, text };
  });
  documents.listen(connection);
  connection.listen();
}

/**
 * The editor's setting `operations`: the operations address of the service that runs the document.
 */
function operationsUrl(options: unknown): string | undefined {
  if (typeof options !== "object" || options === null || !("operations" in options)) return undefined;
  const { operations } = options;
  return typeof operations === "string" && URL.canParse(operations) ? operations : undefined;
}

/**
 * Ignores a message that can't be sent: the client closed the connection, which ends the server.
 */
function ignoreClosed(): void {}

type Newest = (uri: string) => () => DocumentState | undefined;

function publishDiagnostics(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  analyst: Analyst,
  newest: Newest,
): void {
  /** The function that cancels the pause of each changed document. */
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

/**
 * The diagnostic of a text that is too long, which needs no thread because the text isn't parsed.
 */
function tooLong(state: DocumentState): Requests["diagnostics"]["answer"] | undefined {
  if (state.text.length <= documentBytesMax) return undefined;
  const analysis: Analysis | undefined = analyse(state);
  return analysis ? diagnosticsOf(analysis) : [];
}

function answerRequests(
  connection: Connection,
  analyst: Analyst,
  newest: Newest,
  isServed: () => boolean,
): void {
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
  connection.onRenameRequest(async ({ textDocument: { uri }, position, newName }, token) => {
    const seed = await seedOf(uri, newest);
    return editOf(await request("rename", uri, { position, name: newName, seed }, token));
  });
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
    ...((await request("lenses", uri, { isServed: isServed() }, token)) ?? []),
  ]);
  connection.onSelectionRanges(async ({ textDocument: { uri }, positions }, token) => [
    ...((await request("selections", uri, positions, token)) ?? []),
  ]);
  connection.languages.inlayHint.on(async ({ textDocument: { uri }, range }, token) => [
    ...((await request("hints", uri, range, token)) ?? []),
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
