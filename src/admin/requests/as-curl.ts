/**
 * A request as a curl command. Shell variables before the command stand for secrets, which the user
 * sets.
 */
import type { RequestJournal } from "../../engine/observability/request-journal.ts";
import { mask, maskTexts } from "../../engine/secrets/mask-text.ts";
import { headerOf, pairsOf, secretsOf, textOf } from "./serialize-request.ts";
import type { JournalEntry } from "../../engine/observability/journal-entry.ts";

/** Headers that every client adds itself. */
const ofClients = new Set([
  "host",
  "content-length",
  "connection",
  "accept-encoding",
  "user-agent",
  "accept",
]);

/** Null if the journal dropped the data of the request. */
export function asCurl(journal: RequestJournal, request: JournalEntry, origin: string): string | null {
  const { texts, method } = request;
  if (!texts) return null;
  const requestMask = journal.mask(request.endpoint);
  const secrets = secretsOf(requestMask, request);
  const headers = pairsOf(texts.rawHeaders);
  const parts = ["curl -i"];
  if (method !== (texts.body ? "POST" : "GET")) parts.push(`-X ${method}`);
  parts.push(quoted(origin + requestMask.target(request.target)));
  let hasCredential = false;
  for (const [name, value] of headers) {
    const small = name.toLowerCase();
    if (ofClients.has(small)) continue;
    if (requestMask.places.isSecretHeader(small)) {
      hasCredential = true;
      parts.push(`-H "${name}: ${schemeWordOf(value)}$CREDENTIAL"`);
    } else {
      for (const [, text] of requestMask.headers([[name, value]]))
        parts.push(`-H ${quoted(`${name}: ${maskTexts(text, secrets)}`)}`);
    }
  }
  const notes: string[] = [];
  if (hasCredential) notes.push("# CREDENTIAL is the caller's credential: CREDENTIAL=… before the command.");
  if (texts.body) {
    const text = textOf(texts.body);
    if (text === null) notes.push("# The body is not text: --data-binary @FILE sends a file.");
    else parts.push(`--data-raw ${quoted(requestMask.body(text, headerOf(headers, "content-type")))}`);
    if (texts.body.isCut) notes.push("# Only the start of the body is kept.");
  }
  const line = parts.join(" \\\n  ");
  if (line.includes(mask)) notes.push(`# Fill in ${mask}.`);
  return [...notes, line].join("\n");
}

/** The authentication scheme, such as `Bearer`, with its separator. */
export function schemeWordOf(value: string): string {
  return /^[A-Za-z][\w-]*[ =]/.exec(value)?.[0] ?? "";
}

export function quoted(text: string): string {
  return /^[\w@%+=:,./?&~-]+$/.test(text) && !text.includes("&") && !text.includes("?")
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`;
}
