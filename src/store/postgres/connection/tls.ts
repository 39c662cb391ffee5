/**
 * TLS to a PostgreSQL server, as its address requires:
 * `?sslmode=verify-full&sslrootcert=/path/ca.pem`.
 *
 * The server's identity is verified, unless the address says `no-verify`.
 */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { StoreRefused } from "../../errors.ts";

/** Modes for which libpq verifies less are verified in full here. */
const modes: Readonly<Record<string, "off" | "verified" | "unverified">> = {
  disable: "off",
  "no-verify": "unverified",
  require: "verified",
  "verify-ca": "verified",
  "verify-full": "verified",
};

export type Tls = ConnectionOptions | false;

/**
 * Reads the TLS parameters of an address; undefined if there are none.
 * @param takeParameter returns a parameter, and removes it from the address
 * @throws StoreRefused
 */
export function tlsOf(takeParameter: (name: string) => string | undefined): Tls | undefined {
  const mode = takeParameter("sslmode");
  const files = { ca: "sslrootcert", cert: "sslcert", key: "sslkey" } as const;
  const read = Object.entries(files).flatMap(([part, name]) => {
    const path = takeParameter(name);
    return path === undefined ? [] : [[part, contentOf(path, name)] as const];
  });
  if (mode === undefined && read.length === 0) return undefined;
  const kind = modes[mode ?? "verify-full"];
  if (kind === undefined)
    throw new StoreRefused(
      `sslmode=${mode} in the store's address is unknown.`,
      "Write verify-full (with sslrootcert=FILE if the server has your own CA), or disable if the network is trusted.",
    );
  if (kind === "off") return false;
  return {
    ...Object.fromEntries(read),
    rejectUnauthorized: kind === "verified",
  };
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StoreRefused(
      `The file that ${name} in the store's address names can't be read: ${path}.`,
      "Name a PEM file that this user may read.",
      error,
    );
  }
}

/** The refusal for a TLS error; undefined for another error. */
export function tlsRefusal(error: Error, shown: string): StoreRefused | undefined {
  const { code, reason } = error as { code?: unknown; reason?: unknown };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return new StoreRefused(
      `The certificate of ${shown} is for another host: ${String(reason ?? error.message)}`,
      "Name the host of the certificate, or give the server a certificate for this host.",
      error,
    );
  if (typeof code === "string" && /CERT|ISSUER|SIGNATURE/.test(code))
    return new StoreRefused(
      `The certificate of ${shown} isn't trusted: ${error.message}.`,
      "Name the file of the CA that signed it: ?sslmode=verify-full&sslrootcert=/path/ca.pem.",
      error,
    );
  if (/does not support SSL/.test(error.message))
    return new StoreRefused(
      `${shown} doesn't support TLS, which the address requires.`,
      "Enable ssl in the server's settings, or write sslmode=disable if the network is trusted.",
      error,
    );
  return undefined;
}
