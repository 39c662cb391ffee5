/** The language server over standard input and output. */
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { type EditorOptions, serveEditor } from "../../language-server/server.ts";

/** Serves until the editor closes the connection. */
export function serveStandardStreams(options: EditorOptions): Promise<void> {
  const { stdin, stdout } = process;
  const connection = createConnection(
    ProposedFeatures.all,
    new StreamMessageReader(stdin),
    new StreamMessageWriter(stdout),
  );
  return new Promise((resolve) => {
    connection.onExit(resolve);
    stdin.on("end", resolve);
    serveEditor(connection, options);
  });
}
