/**
 * The operations address: beside the service, on an address of its own, for whoever runs it. Here a request is let in and finds what
 * answers it: the exports of the document, and the operations API. The service's own paths are never touched.
 */
import type { RequestRefusal, ServiceRequest, ServiceResponse } from "../engine/http/message.ts";
import { judgeRequest } from "../engine/http/strict-request.ts";
import { WrongWish } from "../outputs/output.ts";
import { createApi } from "./api/api.ts";
import { createGenerator } from "./generate-aside.ts";
import { isLetIn } from "./guard.ts";
import type { Operated } from "./operated.ts";
import { createPublished, publishedPaths } from "./published.ts";

export interface OperationsAddress {
  fetch(request: ServiceRequest): Promise<ServiceResponse>;
  refuse(refusal: RequestRefusal): ServiceResponse;
}

/** @param port where it listens */
export function createOperationsAddress(operated: Operated, port: number): OperationsAddress {
  const { model, log } = operated;
  const published = createPublished(createGenerator(model));
  const api = createApi(operated);

  const answer = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const { head, refusal } = judgeRequest(request);
    if (refusal) return plain(refusal.status, refusal.problem);
    const { method, remoteAddress } = request;
    if (!isLetIn({ method, remoteAddress, headers: head.headers }, port)) return plain(403, "");
    if (head.segments[0] === "api") return guarded(await api.fetch(request, head));
    if (method === "GET" || method === "HEAD") {
      // Addresses in a page are read from its own, which therefore ends in a slash.
      if (publishedPaths.includes(`${head.path}/`)) return seeOther(`${head.path}/`);
      const file = await published.file(head.path, new URLSearchParams(head.query));
      if (file)
        return { status: 200, headers: [["Content-Type", typeOf(file.path)], ...guards], body: file.text };
      if (head.path === "/") return seeOther("/docs/");
      // Browsers ask for one on their own.
      if (head.path === "/favicon.ico") return plain(204, "");
    }
    return plain(404, `Here are /api, ${publishedPaths.join(", ")}.`);
  };

  return {
    async fetch(request) {
      try {
        return await answer(request);
      } catch (error) {
        if (error instanceof WrongWish) return plain(400, error.message);
        log.error(
          { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
          "a fault",
        );
        return plain(500, "Something went wrong inside; the log has it.");
      }
    },
    refuse: ({ status, problem }) => plain(status, problem),
  };
}

/** What every answer says: nothing is loaded from elsewhere, shown inside of other pages, kept, or taken for what it isn't. */
const guards: ServiceResponse["headers"] = [
  [
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cache-Control", "no-store"],
];

function guarded(answer: ServiceResponse): ServiceResponse {
  return { ...answer, headers: [...answer.headers, ...guards] };
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  yaml: "application/yaml",
};

function typeOf(path: string): string {
  return types[path.slice(path.lastIndexOf(".") + 1)] ?? "text/plain; charset=utf-8";
}

function plain(status: number, text: string): ServiceResponse {
  return {
    status,
    headers: [...(text === "" ? [] : [["Content-Type", "text/plain; charset=utf-8"] as const]), ...guards],
    body: text === "" ? "" : `${text}\n`,
  };
}

function seeOther(path: string): ServiceResponse {
  return { status: 303, headers: [["Location", path], ...guards], body: "" };
}
