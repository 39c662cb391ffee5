/**
 * Requests and responses in a scenario's `http` blocks: start lines and headers with their
 * positions.
 */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn, slice, trim } from "../../../source/phrase.ts";
import type { HttpMessage } from "../../../syntax/http-message.ts";
import type { FenceNode } from "../../../syntax/nodes.ts";
import type { HeaderText, HttpRequestText, HttpResponseText, TextAt } from "../../model.ts";

export function buildRequest(
  message: HttpMessage,
  fence: FenceNode,
  reporter: Reporter,
): HttpRequestText | undefined {
  const headers = buildHeaders(message.headerLines, reporter);
  // A target starts with a slash, is an absolute address, or was captured: {{address}}. A capture
  // may contain blanks.
  const match = /^([A-Z]+)\s+((?:\/|https?:\/\/|\{\{)(?:\{\{[^{}]*\}\}|\S)*)(?:\s+HTTP\/\d(?:\.\d)?)?$/.exec(
    message.startLine.text,
  );
  if (!match) {
    const position = message.startLine.text === "" ? fence.position : positionIn(message.startLine);
    reporter.report("purpose/unreadable-request-line", position, { text: message.startLine.text });
    return undefined;
  }
  return {
    method: match[1] as string,
    target: match[2] as string,
    headers,
    ...textOf(message.body),
    position: positionIn(message.startLine),
  };
}

export function buildResponse(message: HttpMessage, reporter: Reporter): HttpResponseText | undefined {
  const headers = buildHeaders(message.headerLines, reporter);
  const match = /^HTTP\/\d(?:\.\d)?\s+([1-5]\d\d)(?:\s.*)?$/.exec(message.startLine.text);
  if (!match) {
    reporter.report("purpose/unreadable-status-line", positionIn(message.startLine), {
      text: message.startLine.text,
    });
    return undefined;
  }
  return {
    status: Number(match[1]),
    headers,
    ...textOf(message.body),
    position: positionIn(message.startLine),
  };
}

function buildHeaders(lines: readonly Phrase[], reporter: Reporter): HeaderText[] {
  return lines.flatMap((line) => {
    const match = /^([!#$%&'*+.^_`|~\w-]+):/.exec(line.text);
    if (!match) {
      reporter.report("purpose/unreadable-header", positionIn(line), { text: line.text });
      return [];
    }
    const name = match[1] as string;
    return [{ name, value: trim(slice(line, name.length + 1)).text, position: positionIn(line) }];
  });
}

function textOf(body: Phrase | undefined): { readonly body?: TextAt } {
  return body ? { body: { text: body.text, position: positionIn(body) } } : {};
}
