/**
 * Preflight of `verify`: is there a service at the URL, does it implement the document, and are
 * there credentials? Each check sends at most one request.
 */
import { hasCallers } from "../../explore/stories/callers.ts";
import type { HandlerModule } from "../../engine/handler-module.ts";
import { createReference, type GivenStep } from "../../explore/comparison/implementation.ts";
import { firstRequest } from "../../explore/requests/first-request.ts";
import { jsonOf } from "../../explore/stories/story.ts";
import type { Model } from "../../model/model.ts";
import type { HttpTarget } from "../../verify/http-target.ts";
import type { SentRequest } from "../../verify/scenario-failure.ts";
import { ServiceFailed } from "../../verify/service-failed.ts";
import { CliError, WrongUsage } from "../command.ts";

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The URL of `--against`. @throws WrongUsage */
export function serviceUrl(text: string, isConfirmed: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new WrongUsage(`--against takes a URL such as http://127.0.0.1:4545, not "${text}".`);
  if (url.username !== "" || url.password !== "")
    throw new WrongUsage(
      "--against takes a URL without credentials. Put credentials into the file of --setup.",
    );
  if (!isLoopback(url) && !isConfirmed)
    throw new WrongUsage(
      `${url.host} is not this machine. \`verify\` creates, changes and deletes records there: add --yes if that is intended.`,
    );
  return url;
}

/** Whether the service is on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return loopback.test(hostname);
}

/** The URL of `--receiver`. @throws WrongUsage */
export function receiverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.search !== "" || url.hash !== "")
    throw new WrongUsage(`--receiver takes a URL such as https://tunnel.example.com, not "${text}".`);
  return url;
}

interface Checked {
  readonly model: Model;
  readonly given: readonly GivenStep[];
  readonly handlers: HandlerModule | undefined;
}

/** @throws CliError */
export async function checkService(
  { model, given, handlers }: Checked,
  target: HttpTarget,
  url: URL,
): Promise<void> {
  if (!hasCallers(model, given))
    throw new CliError(
      `${model.name} needs credentials, and no endpoint gives them. Name a file with \`- Given:\` items of ${model.authentication.schemes
        .flatMap(({ credentials }) => credentials?.resource ?? [])
        .join(" or ")} with --setup.`,
    );
  const probe = firstRequest(model, given);
  if (!probe) return;
  try {
    const { status, headers, body } = await target.send(probe.request);
    const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
    const { method, target: path } = probe.request;
    const answers = `${url.href} answers ${method} ${path} with ${status}${type === "" ? "" : ` (${type})`}`;
    const location = headers.find(([name]) => name.toLowerCase() === "location")?.[1];
    if (status >= 300 && status < 400 && location !== undefined)
      throw new CliError(`${answers}, which leads to ${location}. Name the URL behind it with --against.`);
    if ([502, 503, 504].includes(status))
      throw new CliError(`${answers}, so the service, or a proxy before it, isn't ready.`);
    if (status === 404 || status === 405 || /^text\/html/.test(type))
      throw new CliError(`${answers}, so it is not ${model.name}, or it has another base path.`);
    if (status === 401 && probe.isKnown)
      throw new CliError(
        `${url.href} rejects the credentials of ${probe.caller} with 401. The records of --setup must be in the service.`,
      );
    if (status === 200 && !(await isAlike({ model, given, handlers }, probe.request, body)))
      throw new CliError(
        `${url.href} answers ${method} ${path} with another body than ${model.name}: ${body.slice(0, 80).replaceAll(/\p{C}|\uFFFD/gu, "·")}`,
      );
  } catch (error) {
    if (error instanceof ServiceFailed) throw new CliError(`${url.href} can't be reached: ${error.message}.`);
    throw error;
  }
}

/**
 * Whether a body may be of the document's service: both are objects or both lists, and they share a
 * key.
 */
async function isAlike(
  { model, given, handlers }: Checked,
  request: SentRequest,
  body: string,
): Promise<boolean> {
  const reference = await createReference(model, { given, handlers });
  try {
    const expected = await reference.send(request);
    const [wanted, actual] = [jsonOf(expected.body), jsonOf(body)];
    if (expected.status !== 200 || wanted === undefined || wanted === null) return true;
    // A truncated body is a fault of the service; it doesn't mean another service.
    if (actual === undefined) return /^\s*[[{]/.test(body);
    if (actual === null) return false;
    if (Array.isArray(wanted) || Array.isArray(actual)) return Array.isArray(wanted) && Array.isArray(actual);
    if (typeof wanted !== "object" || typeof actual !== "object") return typeof wanted === typeof actual;
    const keys = Object.keys(wanted);
    return keys.length === 0 || keys.some((key) => Object.hasOwn(actual, key));
  } finally {
    await reference.close();
  }
}
