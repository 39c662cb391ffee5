/** The language server over standard input and output. */
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { serveEditor } from "../../language-server/server.ts";

/** Serves until the editor ends the connection. */
export function serveStandardStreams(version: string): Promise<void> {
  const { stdin, stdout } = process;
  const connection = createConnection(
    ProposedFeatures.all,
    new StreamMessageReader(stdin),
    new StreamMessageWriter(stdout),
  );
  return new Promise((resolve) => {
    connection.onExit(resolve);
    stdin.on("end", resolve);
    serveEditor(connection, version);
  });
}
