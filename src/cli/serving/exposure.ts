/**
 * Conditions for serving other machines: what the document and its operator must state. The engine
 * decides how gaps behave.
 */
import { isLoopback } from "../../engine/http/loopback.ts";
import type { Model } from "../../model/model.ts";
import { CliError } from "../command.ts";
import { type Terminal, warn } from "../terminal.ts";
import type { UnsetSecret } from "./greeting.ts";

/**
 * With a gap in authentication, the service listens on loopback only, until the document states who
 * may call or that anyone may.
 */
export function refuseOpenGap(model: Model, host: string): void {
  const { gap } = model.authentication;
  if (!gap || isLoopback(host)) return;
  throw new CliError(
    `The document does not show who may call (part "Authentication", line ${gap.position.start.line}: ${gap.subject}), so it is served on 127.0.0.1 only, not on ${host}. ` +
      "State the scheme, its credentials and their placement, or write `- Scheme: none`.",
  );
}

/**
 * RFC 7518, 3.2: a key has at least as many bytes as the algorithm's hash. A shorter key can be
 * guessed by brute force.
 */
const keyBytesMin: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/**
 * On loopback the engine generates a key for an unset `env` secret; elsewhere the operator must
 * have set it. With a guessable key an attacker can sign in as any caller: on loopback that is a
 * warning, elsewhere the service doesn't start.
 */
export function judgeSecrets(model: Model, host: string, terminal: Terminal): void {
  for (const { signedWith, name } of model.authentication.schemes) {
    if (!signedWith || !("secretEnv" in signedWith)) continue;
    const { secretEnv, algorithm, position } = signedWith;
    const secret = terminal.environment[secretEnv];
    const start = `The scheme "${name}" signs with the environment variable ${secretEnv} (line ${position.start.line}), `;
    if (!secret) {
      if (isLoopback(host)) continue;
      throw new CliError(
        `${start}and it is not set. Set it, or serve on 127.0.0.1, where the engine uses a generated key.`,
      );
    }
    const bytes = Buffer.byteLength(secret);
    const bytesMin = keyBytesMin[algorithm] ?? 0;
    if (bytes >= bytesMin) continue;
    const weak = `${start}which holds ${bytes * 8} bits, and ${algorithm} needs ${bytesMin * 8}: an attacker who guesses it can sign in as any caller. Set it to what \`openssl rand -base64 ${bytesMin}\` gives`;
    if (!isLoopback(host)) throw new CliError(`${weak}, or serve on 127.0.0.1.`);
    warn(terminal, `ninefold serve: ${weak}.\n`);
  }
}

/**
 * Variables of signing keys that have no value. @param environment the variables of the process and
 * of `--env-file`
 */
export function unsetSecrets(model: Model, environment: Terminal["environment"]): readonly UnsetSecret[] {
  return model.authentication.schemes.flatMap(({ signedWith }) => {
    if (!signedWith || !("secretEnv" in signedWith) || environment[signedWith.secretEnv]) return [];
    return [{ variable: signedWith.secretEnv, line: signedWith.position.start.line }];
  });
}

/** Warns if the service listens at all addresses of the machine: none of them works in links. */
export function warnOfLinks(host: string, url: string | undefined, origin: string, terminal: Terminal): void {
  if (url !== undefined || (host !== "0.0.0.0" && host !== "::")) return;
  warn(
    terminal,
    `ninefold serve: URLs in responses begin with ${origin}, which other machines cannot reach. Set the public address with --url.\n`,
  );
}
