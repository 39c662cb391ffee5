/**
 * Operations address: serves the operator on its own address, next to the service. This handler
 * authorizes a request and routes it to the console, the operations API or the exports of the
 * document. It never handles the service's own paths.
 */
import { isLoopback } from "../engine/http/loopback.ts";
import {
  BodyRefusal,
  type RequestRefusal,
  type ServiceRequest,
  type ServiceResponse,
} from "../engine/http/message.ts";
import type { Log } from "../engine/ports.ts";
import { validateHead, type ParsedHead } from "../engine/http/strict-request.ts";
import { WrongOption } from "../outputs/output.ts";
import {
  docsPolicy,
  fileResponse,
  withSecurityHeaders,
  plainResponse,
  seeOther,
  strictPolicy,
} from "./responses.ts";
import { createApi } from "./api/api.ts";
import { type ConsoleFiles, createConsoleFiles } from "./console-files.ts";
import { createGenerator } from "./generate-in-worker.ts";
import { createGuard, type AdminEndpoint } from "./guard.ts";
import { commitsOf, metricsText } from "./metrics.ts";
import type { AdminContext } from "./context.ts";
import { attemptsOf, hourlyTrafficOf, trafficOf } from "./overview/live.ts";
import { createReceiver } from "./receiver/receive.ts";
import { metricsType } from "./prometheus-text.ts";
import { createPublished, isPublished, publishedPaths } from "./published-files.ts";
import { stackOf } from "../support/failure.ts";

export interface AdminHandler {
  fetch(request: ServiceRequest): Promise<ServiceResponse>;
  refuse(refusal: RequestRefusal): ServiceResponse;
}

export function createAdminHandler(
  admin: AdminContext,
  endpoint: AdminEndpoint,
  consoleFiles: ConsoleFiles = createConsoleFiles(),
): AdminHandler {
  const { model, log } = admin;
  const published = createPublished(
    createGenerator(model),
    () => admin.origin(),
    admin.spaces?.options.spaceHeader,
  );
  const api = createApi(admin);
  const receive = createReceiver(admin);
  const guard = createGuard(endpoint);
  const isOpen = isLoopback(endpoint.host);
  // Counting starts here, so that a console opened later has figures.
  void admin.space().then(
    (space) => {
      trafficOf(space);
      hourlyTrafficOf(space);
      attemptsOf(space);
    },
    () => {},
  );
  commitsOf(admin);

  const respond = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const { head, refusal } = validateHead(request);
    if (refusal) return plainResponse(refusal.status, refusal.problem);
    const { method, remoteAddress } = request;
    const adminRequest = { method, remoteAddress, headers: head.headers };
    if (!guard.isAllowed(adminRequest)) return forbidden;
    // Webhooks have no token; their address contains a secret.
    if (head.segments[0] === "receiver") return withSecurityHeaders(await receive(request, head));
    if (needsToken(head, isOpen) && !guard.hasToken(adminRequest)) return forbidden;
    if (head.segments[0] === "api") return withSecurityHeaders(await api.fetch(request, head));
    if (method !== "GET" && method !== "HEAD") return plainResponse(405, "This route accepts GET.");
    if (head.path === "/metrics")
      return withSecurityHeaders({
        status: 200,
        headers: [["Content-Type", metricsType]],
        body: await metricsText(admin),
      });
    return (await publishedAt(head)) ?? (await consoleAt(head, consoleFiles));
  };

  const publishedAt = async ({ path, query }: ParsedHead): Promise<ServiceResponse | undefined> => {
    // Relative links resolve against the address of the page, so it must end in a slash.
    if (publishedPaths.includes(`${path}/`)) return seeOther(`${path}/`);
    const file = await published.file(path, new URLSearchParams(query));
    if (file)
      return fileResponse(
        file.path,
        file.text,
        path.startsWith("/docs/") ? docsPolicy(admin.spaces && admin.origin()) : strictPolicy,
      );
    return isPublished(path) ? plainResponse(404, `There is no ${path}.`) : undefined;
  };

  return {
    fetch: (request) => respond(request).catch((error: unknown) => responseOfError(error, log)),
    refuse: ({ status, problem }) => plainResponse(status, problem),
  };
}

function responseOfError(error: unknown, log: Log): ServiceResponse {
  if (error instanceof BodyRefusal && error.aborted) throw error;
  if (error instanceof BodyRefusal) return plainResponse(error.status, error.problem);
  if (error instanceof WrongOption) return plainResponse(400, error.message);
  log.error({ error: stackOf(error) }, "a fault");
  return plainResponse(500, "Internal error. The log has the details.");
}

const forbidden = plainResponse(403, "");

/**
 * Whether a request shows or changes something of the service. On loopback, exports need no token,
 * because they derive from the document alone.
 */
function needsToken({ segments, path }: ParsedHead, isOpen: boolean): boolean {
  const [first] = segments;
  return first === "api" || first === "metrics" || (!isOpen && isPublished(path));
}

/** Returns the shell for the address of any console page. The shell does the routing. */
async function consoleAt({ path, headers }: ParsedHead, files: ConsoleFiles): Promise<ServiceResponse> {
  const file = await files.file(path);
  if (file) return fileResponse(file.path, file.bytes);
  // Browsers request an icon automatically.
  if (path === "/favicon.ico") return plainResponse(204, "");
  if (!(headers["accept"] ?? "").includes("text/html") && path !== "/")
    return plainResponse(404, `The addresses are /, /api, ${publishedPaths.join(", ")}.`);
  const shell = await files.shell();
  if (shell) return fileResponse(shell.path, shell.bytes);
  return plainResponse(
    503,
    "The console isn't built: run `npm run build:console`, and load this page again. The documentation is at /docs/.",
  );
}
