/**
 * Requests to the document's service, which keeps its records in this page until the document
 * changes.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Editor } from "./editor.ts";
import type { Analysed } from "./protocol.ts";
import { call } from "./service.ts";
import type { ReceivedResponse } from "../../src/verify/scenario-failure.ts";

interface RequestsProps {
  readonly endpoints: Analysed["endpoints"];
  readonly editor: Editor;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"] as const;
const dayMs = 86_400_000;

export function Requests({ endpoints, editor }: RequestsProps): VNode {
  const [method, setMethod] = useState(endpoints[0]?.method ?? "GET");
  const [target, setTarget] = useState(endpoints[0]?.target ?? "/");
  const [headers, setHeaders] = useState("Content-Type: application/json");
  const [body, setBody] = useState("");
  const [response, setResponse] = useState<ReceivedResponse>();
  const [note, setNote] = useState("");
  const doing = async (work: () => Promise<string>): Promise<void> => {
    try {
      setNote(await work());
    } catch (error) {
      setResponse(undefined);
      setNote(error instanceof Error ? error.message : String(error));
    }
  };
  const send = () =>
    doing(async () => {
      const hasBody = body.trim() !== "";
      const lines = headersOf(headers).filter(([name]) => hasBody || name.toLowerCase() !== "content-type");
      const request = { method, target, headers: lines, ...(hasBody ? { body } : {}) };
      setResponse(await call("send", { text: editor.text(), request }));
      return "";
    });
  const wait = () =>
    doing(async () => {
      await call("wait", { text: editor.text(), milliseconds: dayMs });
      return "The service's clock is a day later.";
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p class="endpoints">
        {endpoints.map((endpoint) => (
          <button
            key={`${endpoint.method} ${endpoint.target}`}
            type="button"
            onClick={() => {
              setMethod(endpoint.method);
              setTarget(endpoint.target);
            }}
          >
            {endpoint.method} {endpoint.target}
          </button>
        ))}
      </p>
      <p class="target">
        <select aria-label="Method" value={method} onChange={(event) => setMethod(event.currentTarget.value)}>
          {methods.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </select>
        <input aria-label="Path" value={target} onInput={(event) => setTarget(event.currentTarget.value)} />
      </p>
      <label>
        Headers
        <textarea rows={2} value={headers} onInput={(event) => setHeaders(event.currentTarget.value)} />
      </label>
      <label>
        Body
        <textarea rows={4} value={body} onInput={(event) => setBody(event.currentTarget.value)} />
      </label>
      <p>
        <button type="submit" class="act">
          Send
        </button>{" "}
        <button type="button" onClick={() => void wait()}>
          Wait a day
        </button>{" "}
        <span role="status">{note}</span>
      </p>
      {response && (
        <output aria-label="Response">
          <pre class={response.status < 400 ? "ok" : "bad"}>{responseText(response)}</pre>
        </output>
      )}
    </form>
  );
}

function headersOf(text: string): readonly (readonly [string, string])[] {
  return text.split("\n").flatMap((line) => {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()] as const];
  });
}

function responseText({ status, headers, body }: ReceivedResponse): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, "", indented(body)].join("\n");
}

/** JSON on several lines; any other body unchanged. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
