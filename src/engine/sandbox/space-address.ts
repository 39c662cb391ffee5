/**
 * Data space of a request: stated by a header, by the host (`t-1.localhost:4545`), or by the start
 * of the path (`/~t-1/v1/parcels`). Links, redirects and cookies of a response lead back to the
 * same data space.
 */
import type { Model } from "../../model/model.ts";
import { defaultSpace } from "../defaults.ts";
import { hostName } from "../http/loopback.ts";
import type { HeaderLine, ServiceRequest, ServiceResponse } from "../http/message.ts";
import { sandboxLimits } from "./limits.ts";
import { SandboxRefusal } from "./refusal.ts";

/** A request with its data space. */
export interface AddressedRequest {
  readonly space: string;
  /**
   * The request that the service of the data space receives: without the data space in its path.
   */
  readonly request: ServiceRequest;
  /** The start of its path, `/~t-1`; empty if the path did not state the data space. */
  readonly prefix: string;
}

export interface AddressOptions {
  readonly model: Model;
  readonly spaceHeader: string;
  /** Returns the address of the sandbox, which may be known late. */
  readonly origin: () => string;
}

/**
 * Determines the data space of a request.
 * @throws SandboxRefusal
 */
export type ReadAddress = (request: ServiceRequest) => AddressedRequest;

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** An optional origin, `/~`, a name, and the rest of the target. */
const pathForm = /^(https?:\/\/[^/?#]*)?\/~([^/?#]*)(.*)$/is;

/**
 * Returns the address of a data space below that of the sandbox. The default data space has the
 * sandbox's own.
 */
export function originOfSpace(origin: string, space: string): string {
  return space === defaultSpace ? origin : `${origin}/~${space}`;
}

export function createAddressReader({ model, spaceHeader, origin }: AddressOptions): ReadAddress {
  const headerName = spaceHeader.toLowerCase();
  const readsPaths = !servesTildes(model);
  return (request) => {
    const byHeader = headerOf(request.rawHeaders, headerName);
    const own = new URL(origin());
    // A proxy states what the client requested.
    const requested = request.origin ?? hostOrigin(own, headerOf(request.rawHeaders, "host"));
    const byHost = requested && spaceOfHost(requested, own.hostname);
    const path = readsPaths ? pathForm.exec(request.target) : null;
    const byPath = path?.[2];
    const space = agreed({ header: byHeader, host: byHost, path: byPath });
    const outer = (byHost === undefined ? request.origin : requested) ?? own.origin;
    if (path) {
      const prefix = `/~${byPath}`;
      const target = `${path[1] ?? ""}${rooted(path[3] ?? "")}`;
      return { space, request: redirected(request, target, outer + prefix), prefix };
    }
    if (byHost !== undefined)
      return { space, request: redirected(request, request.target, outer), prefix: "" };
    if (request.origin === undefined || space === defaultSpace) return { space, request, prefix: "" };
    return { space, request: redirected(request, request.target, originOfSpace(outer, space)), prefix: "" };
  };
}

/**
 * Rewrites the response to a request whose path stated its data space: root-relative links and
 * cookies stay in it.
 */
export function keepInSpace(prefix: string, response: ServiceResponse): ServiceResponse {
  if (prefix === "") return response;
  return { ...response, headers: response.headers.map((line) => prefixed(prefix, line)) };
}

function prefixed(prefix: string, [name, value]: HeaderLine): HeaderLine {
  switch (name.toLowerCase()) {
    case "location":
    case "content-location":
      return [name, isRooted(value) ? prefix + value : value];
    case "link":
      return [name, value.replace(/<(\/(?!\/)[^>]*)>/g, (_, target: string) => `<${prefix}${target}>`)];
    case "set-cookie":
      // A cookie of this form has the path `/` by definition: browsers reject any other.
      return [name, value.startsWith("__Host-") ? value : value.replace(/(;\s*path=)(?=\/)/i, `$1${prefix}`)];
    default:
      return [name, value];
  }
}

/** Whether a target is a path on the same host; `//other` is another host. */
function isRooted(target: string): boolean {
  return target.startsWith("/") && !target.startsWith("//");
}

function rooted(rest: string): string {
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Wraps a request with another target. A request's methods belong to its class, so it can't be
 * copied.
 */
function redirected(request: ServiceRequest, target: string, origin: string): ServiceRequest {
  const { method, rawHeaders, remoteAddress } = request;
  return {
    method,
    target,
    rawHeaders,
    remoteAddress,
    origin,
    ...(request.httpVersion === undefined ? {} : { httpVersion: request.httpVersion }),
    get isBodyComplete() {
      return request.isBodyComplete;
    },
    body: (bytesMax, isFromCaller) => request.body(bytesMax, isFromCaller),
    ...(request.reserve
      ? {
          reserve: (...args: Parameters<NonNullable<ServiceRequest["reserve"]>>) =>
            request.reserve?.(...args) ?? true,
        }
      : {}),
    get signal() {
      return request.signal;
    },
  };
}

function hostOrigin({ protocol }: URL, host: string | undefined): string | undefined {
  return host === undefined ? undefined : `${protocol}//${host}`;
}

/**
 * Returns undefined if the host states no data space: the host of the sandbox itself, or an IP
 * address.
 */
function spaceOfHost(origin: string, ownHost: string): string | undefined {
  const name = hostName(origin.slice(origin.indexOf("//") + 2)).toLowerCase();
  const parent = ["localhost", ownHost].find((host) => name.endsWith(`.${host}`));
  return parent && name.slice(0, -parent.length - 1);
}

/** Whether the document has paths that begin with `~`: no path states a data space then. */
function servesTildes({ endpoints, endpointsPart }: Model): boolean {
  return endpoints.some(({ path }) => {
    const [first] = [...endpointsPart.basePath.segments, ...path.segments];
    return first?.kind === "literal" && first.text.startsWith("~");
  });
}

/**
 * Returns the data space that the header, the host and the path state.
 * @throws SandboxRefusal if two of them differ, or a name is invalid
 */
function agreed(stated: Readonly<Record<"header" | "host" | "path", string | undefined>>): string {
  const all = Object.entries(stated).filter((pair): pair is [string, string] => pair[1] !== undefined);
  for (const [, name] of all) checkSpaceName(name);
  const [first, ...others] = all;
  if (!first) return defaultSpace;
  const other = others.find(([, name]) => name !== first[1]);
  if (other)
    throw badName(
      `The ${first[0]} names the data space "${first[1]}", and the ${other[0]} names "${other[1]}". Name one.`,
    );
  return first[1];
}

/**
 * Returns the value of a header.
 * @throws SandboxRefusal if it occurs twice
 */
function headerOf(rawHeaders: readonly string[], headerName: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if ((rawHeaders[at] as string).toLowerCase() !== headerName) continue;
    // A second host is reported by the service, in the document's format.
    if (found !== undefined && headerName === "host") return undefined;
    if (found !== undefined) throw badName(`The header ${rawHeaders[at]} occurs twice.`);
    found = rawHeaders[at + 1] as string;
  }
  return found;
}

/**
 * Validates the name of a data space.
 * @throws SandboxRefusal
 */
export function checkSpaceName(name: string): void {
  if (nameForm.test(name) && name.length <= sandboxLimits.spaceNameMax) return;
  throw badName(
    `The name of a data space has letters, digits, ".", "_" and "-", starts with a letter or a digit, and has at most ${sandboxLimits.spaceNameMax} of them.`,
  );
}

function badName(detail: string): SandboxRefusal {
  return new SandboxRefusal(400, "Invalid name of a data space", detail);
}
