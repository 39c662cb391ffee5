/** Responses of the operations address: files and short texts, with security headers. */
import type { HeaderLine, ServiceResponse } from "../engine/http/message.ts";

const sourcesOf = (requested: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src ${requested}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;

/** Everything loads from this origin, and no text becomes markup or code. */
export const strictPolicy = `${sourcesOf("'self'")}; require-trusted-types-for 'script'; trusted-types 'none'`;
/**
 * The documentation site consists of files for any host. Its search inserts markup generated with
 * it. In a sandbox it sends requests to the sandbox.
 */
export function docsPolicy(sandbox: string | undefined): string {
  return sourcesOf(sandbox === undefined ? "'self'" : `'self' ${new URL(sandbox).origin}`);
}

/** Headers of every response: no framing by other pages, no caching, no content sniffing. */
function guards(policy: string): readonly HeaderLine[] {
  return [
    ["Content-Security-Policy", policy],
    ["X-Content-Type-Options", "nosniff"],
    ["Referrer-Policy", "no-referrer"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cache-Control", "no-store"],
  ];
}

export function withSecurityHeaders(answer: ServiceResponse): ServiceResponse {
  return { ...answer, headers: [...answer.headers, ...guards(strictPolicy)] };
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  woff2: "font/woff2",
  yaml: "application/yaml",
};

/** The response with a file; its extension gives the media type. */
export function fileResponse(
  path: string,
  body: string | Uint8Array,
  policy = strictPolicy,
): ServiceResponse {
  const type = types[path.slice(path.lastIndexOf(".") + 1)] ?? "text/plain; charset=utf-8";
  return { status: 200, headers: [["Content-Type", type], ...guards(policy)], body };
}

export function plainResponse(status: number, text: string): ServiceResponse {
  return {
    status,
    headers: [
      ...(text === "" ? [] : [["Content-Type", "text/plain; charset=utf-8"] as const]),
      ...guards(strictPolicy),
    ],
    body: text === "" ? "" : `${text}\n`,
  };
}

export function seeOther(path: string): ServiceResponse {
  return { status: 303, headers: [["Location", path], ...guards(strictPolicy)], body: "" };
}
