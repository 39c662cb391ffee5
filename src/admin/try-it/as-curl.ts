/**
 * A request of the form as a curl command, before it is sent. A shell variable stands for the
 * credential.
 */
import { quoted, schemeWordOf } from "../requests/as-curl.ts";
import type { PlacedCredential } from "./credentials.ts";
import type { TriedPart } from "./multipart-body.ts";

const variable = "$CREDENTIAL";

export interface CurlRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
  readonly parts?: readonly TriedPart[] | undefined;
}

/** The credential with a shell variable in place of its secret. */
export function withVariable({ headers, query }: PlacedCredential): PlacedCredential {
  return {
    headers: headers.map(([name, value]) => [name, schemeWordOf(value) + variable]),
    query: query.map(([name]) => [name, variable]),
  };
}

export function tryItCurl(origin: string, { method, target, headers, body, parts }: CurlRequest): string {
  const url = origin + target.replaceAll(encodeURIComponent(variable), variable);
  const lines = [
    "curl -i",
    ...(method === (body === undefined && !parts ? "GET" : "POST") ? [] : [`-X ${method}`]),
    inShell(url),
    ...headers.map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(parts ?? []).map(({ name, value, file }) =>
      file ? `-F ${quoted(`${name}=@${file.name}`)}` : `--form-string ${quoted(`${name}=${value ?? ""}`)}`,
    ),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  const command = lines.join(" \\\n  ");
  return hasVariable(url) || headers.some(([, value]) => hasVariable(value))
    ? `# CREDENTIAL is the caller's credential: CREDENTIAL=… before the command.\n${command}`
    : command;
}

const hasVariable = (text: string) => text.includes(variable);

/** In double quotes, so that the shell replaces the variable; all else is literal. */
function inShell(text: string): string {
  if (!hasVariable(text)) return quoted(text);
  const literal = text.split(variable).map((piece) => piece.replaceAll(/[\\"$`]/g, String.raw`\$&`));
  return `"${literal.join(variable)}"`;
}
