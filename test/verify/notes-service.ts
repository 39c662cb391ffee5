/** For tests of `verify`: a document, a service of it by hand, and faults put into its responses. */
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export const notesDocument = `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes
- Domain: none
- Behaviour: none

### Scenario: a note is kept

\`\`\`http
POST /notes

{"text": "milk"}
\`\`\`

\`\`\`http
HTTP/1.1 201

{"text": "milk"}
\`\`\`

## Resources and their fields

### Note

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..20 |

## States and transitions

none

## Endpoints

- Base path: \`/\`
- Media type: \`application/json\`

### POST /notes

- Does: create Note
- Body: text
- Allowed: anyone
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
- Allowed: anyone
- Returns: 200 Note

### GET /notes

- Does: list Note
- Allowed: anyone
- Returns: 200 list of Note

## Authentication

- Scheme: none

## Events

none

## Errors

- Payload shape: \`{"code": error.code}\`

| Code | Status | When |
|---|---|---|
| missing | 404 | not found |
| wrong | 422 | invalid field |

## Limits

none

## Versioning

none
`;

/** The URL of a server on a free port, closed after the test that opens it. */
export async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  // The files of a folder share this module in one process, so an `after` of its own would close
  // the servers of the first file alone.
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const unknownField: [number, unknown] = [422, { code: "wrong" }];

/** A hand-written notes service; `broken` changes its responses. */
export function notes(
  broken: (method: string, answer: [number, unknown]) => [number, unknown] = (_, answer) => answer,
  encode: (text: string, response: ServerResponse) => string | Uint8Array = (text) => text,
) {
  const kept = new Map<string, { id: string; text: string }>();
  let made = 0;
  const answerOf = (method: string, path: string, body: string): [number, unknown] => {
    if (method === "POST" && path === "/notes") {
      let text: unknown;
      try {
        text = JSON.parse(body)?.text;
      } catch {}
      if (typeof text !== "string" || text.length < 1 || text.length > 20) return unknownField;
      made += 1;
      const note = { id: `note-${made}`, text };
      kept.set(note.id, note);
      return [201, note];
    }
    if (method === "GET" && path === "/notes") return [200, [...kept.values()]];
    const id = path.slice("/notes/".length);
    const note = kept.get(id);
    if (note && method === "DELETE" && kept.delete(id)) return [204, undefined];
    return note ? [200, note] : [404, { code: "missing" }];
  };
  const listener: RequestListener = (request, response) => {
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      const [path = "", query] = url.split("?");
      const answer = query === undefined ? answerOf(method, path, body) : unknownField;
      const [status, content] = broken(method, answer);
      const encoded = content === undefined ? undefined : encode(JSON.stringify(content), response);
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(encoded);
    });
  };
  return listener;
}
