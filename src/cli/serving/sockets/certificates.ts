/**
 * `--tls-cert` and `--tls-key`: both files are read and checked before the service starts, and
 * again when they change or on SIGHUP. A pair that doesn't match changes nothing: the previous
 * certificate stays in use, and the log has the reason. The server does the TLS.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { type FSWatcher, readFileSync, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Certificate } from "../../../engine/http/server.ts";
import type { Log } from "../../../engine/ports.ts";
import { CliError, WrongUsage } from "../../command.ts";
import { type Terminal, warn } from "../../terminal.ts";
import { codeOf } from "../../../support/failure.ts";

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Undefined without TLS. @throws WrongUsage */
export function readTlsFlags(values: {
  readonly "tls-cert"?: string | undefined;
  readonly "tls-key"?: string | undefined;
}): CertificateFiles | undefined {
  const { "tls-cert": cert, "tls-key": key } = values;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new WrongUsage(
      `TLS needs both --tls-cert and --tls-key: ${cert ? "the key" : "the certificate"} is missing.`,
    );
  return { cert, key };
}

/** Both files, if they match each other. @throws CliError */
export function readCertificate(files: CertificateFiles): Certificate & { readonly validTo: Date } {
  const cert = textOf("--tls-cert", files.cert);
  const key = textOf("--tls-key", files.key);
  const certificate = parsed(
    () => new X509Certificate(cert),
    `--tls-cert ${files.cert} is not a certificate in PEM.`,
  );
  if (/^-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(key))
    throw new CliError(
      `--tls-key ${files.key} is encrypted with a password. Use an unencrypted key that only this user may read.`,
    );
  const privateKey = parsed(
    () => createPrivateKey(key),
    `--tls-key ${files.key} is not a private key in PEM.`,
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new CliError(
      `The certificate ${files.cert} belongs to another key than ${files.key}. Name the two files of one pair.`,
    );
  return { cert, key, validTo: new Date(certificate.validTo) };
}

/**
 * Clients that verify certificates reject an expired one; a running service still serves those that
 * don't.
 */
export function warnOfExpiry(files: CertificateFiles, validTo: Date, terminal: Terminal): void {
  if (validTo.getTime() < Date.now())
    warn(
      terminal,
      `ninefold serve: the certificate ${files.cert} was valid until ${validTo.toISOString()}.\n`,
    );
}

/**
 * Debounce time: how long the files must stay unchanged before they are read, in milliseconds; they
 * are written one after the other.
 */
const settledMs = 300;

export interface WatchedCertificate {
  /** The current certificate. */
  current(): Certificate;
  /** Called with each certificate that replaces the previous one; one listener at a time. */
  onRenewed(listener: (certificate: Certificate) => void): void;
  /** Reads both files again. */
  renew(): void;
  close(): void;
}

/**
 * Watches the folders of both files, because renewal tools replace the files or links. @throws
 * CliError
 */
export function watchCertificate(files: CertificateFiles, log: Log): WatchedCertificate {
  let current: Certificate = readCertificate(files);
  let reported = "";
  let report: (certificate: Certificate) => void = () => {};
  let pause: NodeJS.Timeout | undefined;
  const renew = () => {
    try {
      const { validTo, ...next } = readCertificate(files);
      reported = "";
      if (next.cert === current.cert && next.key === current.key) return;
      current = next;
      report(current);
      log.info({ validTo: validTo.toISOString() }, "the certificate was renewed");
    } catch (error) {
      const { message } = error as Error;
      // Reported once, however often the folder changes.
      if (message !== reported) log.error({ error: message }, "the previous certificate stays in use");
      reported = message;
    }
  };
  const scheduleRenewal = () => {
    clearTimeout(pause);
    pause = setTimeout(renew, settledMs);
  };
  const folders = new Set([files.cert, files.key].map((file) => dirname(resolve(file))));
  const watchers: readonly FSWatcher[] = [...folders].map((folder) => watch(folder, scheduleRenewal));
  return {
    current: () => current,
    onRenewed(listener) {
      report = listener;
    },
    renew,
    close() {
      clearTimeout(pause);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function textOf(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(`${option} ${file} can't be read: ${codeOf(error)}.`);
  }
}

function parsed<T>(read: () => T, otherwise: string): T {
  try {
    return read();
  } catch {
    throw new CliError(otherwise);
  }
}
