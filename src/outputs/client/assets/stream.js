/**
 * Server-sent events over as many connections as needed: each connection continues after the last
 * event received.
 */
import { ApiError } from "./api-error.js";
import { exchange, pause, pauseMs } from "./call.js";

/**
 * Ends when the service has sent everything, or at the signal. A refusal is thrown, and so is an
 * interruption if a retry would repeat an effect.
 */
export async function* stream(client, operation, sent, options = {}) {
  const leaving = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, leaving.signal]) : leaving.signal;
  const place = { id: options.lastEventId, retryMs: 1000 };
  try {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const headers =
        place.id === undefined ? options.headers : { ...options.headers, "Last-Event-ID": place.id };
      try {
        const { answer } = await exchange(client, operation, sent, { ...options, headers, signal });
        if (answer.status === 204 || !answer.body) return;
        for await (const { event, text } of eventsOf(answer.body, place)) {
          attempt = 0;
          yield { event, data: dataOf(operation, event, text), id: place.id };
          if (operation.endsAfter?.includes(event)) return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError) throw error;
        if (operation.method !== "GET") throw error;
      }
      if (operation.method !== "GET") return;
      await (client.sleep ?? pause)(pauseMs(client, attempt, place.retryMs), signal).catch(() => {});
    }
  } finally {
    leaving.abort();
  }
}

function dataOf({ texts = [] }, event, text) {
  if (texts.includes(event)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Parses the events of a body by the rules of the HTML standard; `place` keeps the last id and the
 * requested reconnection time.
 */
async function* eventsOf(body, place) {
  let event = "";
  let data;
  for await (const line of linesOf(body)) {
    if (line === "") {
      if (data !== undefined) yield { event: event || "message", text: data };
      event = "";
      data = undefined;
      continue;
    }
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (name === "event") event = value;
    else if (name === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (name === "id" && !value.includes("\0")) place.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) place.retryMs = Number(value);
  }
}

/** Yields complete lines; text after the last line break waits for more. */
async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      // A carriage return at the end may be the first half of a line break.
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      text = lines.pop();
      yield* lines;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
