/** What a document must say before it is served to other machines. What the service itself does with gaps is the engine's. */
import type { Model } from "../../model/model.ts";
import { Trouble } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/** A gap in authentication serves this machine alone, until the document says who may call, or that anybody may. */
export function refuseOpenGap(model: Model, host: string): void {
  const { gap } = model.authentication;
  if (!gap || isLoopback(host)) return;
  throw new Trouble(
    `The document does not show who may call (part "Authentication", line ${gap.position.start.line}: ${gap.subject}), so it is served on 127.0.0.1 only, not on ${host}. ` +
      "State the scheme, its credentials and their placement, or write `- Scheme: none`.",
  );
}

/** An unset `env` secret is a key of the engine's own on loopback; elsewhere somebody must have chosen it. */
export function refuseOwnSecrets(model: Model, host: string, terminal: Terminal): void {
  if (isLoopback(host)) return;
  for (const { signedWith, name } of model.authentication.schemes) {
    if (!signedWith || !("secretEnv" in signedWith) || terminal.environment[signedWith.secretEnv]) continue;
    throw new Trouble(
      `The scheme "${name}" signs with the environment variable ${signedWith.secretEnv} (line ${signedWith.position.start.line}), and it is not set. ` +
        `Set it, or serve on 127.0.0.1, where a key of the engine's own is used.`,
    );
  }
}

function isLoopback(host: string): boolean {
  return host === "::1" || host === "localhost" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Every address of the machine is listened at, and none of them is one that others could follow: links would lead nowhere. */
export function warnOfLinks(host: string, url: string | undefined, origin: string, terminal: Terminal): void {
  if (url !== undefined || (host !== "0.0.0.0" && host !== "::")) return;
  terminal.complain(
    `ninefold serve: addresses in answers begin with ${origin}, where nobody else finds them. Say the public address with --url.\n`,
  );
}
