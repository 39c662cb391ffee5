/**
 * Address of a PostgreSQL store: `postgres://user@host/database?schema=…`.
 *
 * Ninefold reads its own parameters and passes all others to the driver.
 */
import { StoreRefused } from "../../errors.ts";
import { type Tls, tlsOf } from "./tls.ts";

export interface PostgresAddress {
  readonly way: ConnectionRoute;
  /** The address of the server itself, if `way` leads to a pooler in transaction mode. */
  readonly listen?: ConnectionRoute;
  /** Whether that pooler keeps the names of prepared statements per client. */
  readonly keepsNames?: boolean;
  /** Whether advisory locks of the server work. */
  readonly hasAdvisoryLocks?: boolean;
  /** A standby of the server, for reads that may be slightly old. */
  readonly replica?: Replicated;
  readonly schema: string;
  /** The address without its password, as messages contain it. */
  readonly shown: string;
  /** The maximum number of connections of this process for quick reads, and for slow ones. */
  readonly quickReaders: number;
  readonly slowReaders: number;
}

/** The part of an address that the driver receives. */
export interface ConnectionRoute {
  readonly url: string;
  /** Undefined: the driver reads the settings from its environment. */
  readonly tls?: Tls | undefined;
}

export interface Replicated {
  readonly way: ConnectionRoute;
  readonly host: string;
  /** The maximum age of its results, in milliseconds. */
  readonly behindMs: number;
}

const defaultSchema = "ninefold";
const readersUsual = { quick: 2, slow: 4 };
const readersMax = 100;
const behindUsual = 5;
const behindMax = 3_600;

/** Whether a store's path is the address of a PostgreSQL store. */
export function isPostgres(path: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(path);
}

/**
 * Parses the address of a PostgreSQL store.
 * @throws StoreRefused if the address or one of its parameters is invalid
 */
export function addressOf(path: string): PostgresAddress {
  const url = URL.canParse(path) ? new URL(path) : undefined;
  if (!url) {
    throw new StoreRefused(
      `Cannot read the address of the PostgreSQL store.`,
      "Write it as postgres://user@host:5432/database?schema=name; write special characters of a password in percent-encoding, such as %40.",
    );
  }
  const schema = takeParameter(url, "schema") ?? defaultSchema;
  if (schema === "" || Buffer.byteLength(schema) > 63 || schema.startsWith("pg_")) {
    throw new StoreRefused(
      `"${schema}" is not a valid schema name.`,
      "Name one of 1 to 63 bytes that doesn't begin with pg_.",
    );
  }
  const slowReaders = numberNamed(url, "readers", readersUsual.slow, readersMax);
  const quickReaders = numberNamed(url, "quickreaders", readersUsual.quick, readersMax);
  const behind = numberNamed(url, "behind", behindUsual, behindMax);
  const shown = new URL(url);
  if (shown.password !== "") shown.password = "…";
  if (shown.searchParams.has("password")) shown.searchParams.set("password", "…");
  shown.searchParams.set("schema", schema);
  const listen = takeParameter(url, "listen");
  const host = takeParameter(url, "replica");
  const direct =
    listen === undefined
      ? undefined
      : wayOf(atHost(url, "listen", listen, "the server itself, in addition to the pooler of the address"));
  const replica =
    host === undefined
      ? undefined
      : wayOf(atHost(url, "replica", host, "a standby that follows the server of the address"));
  return {
    way: wayOf(url),
    ...(direct !== undefined && { listen: direct }),
    ...(replica !== undefined &&
      host !== undefined && { replica: { way: replica, host, behindMs: behind * 1000 } }),
    schema,
    shown: decodeURI(shown.href),
    quickReaders,
    slowReaders,
  };
}

function numberNamed(url: URL, name: string, usual: number, max: number): number {
  const count = Number(takeParameter(url, name) ?? usual);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw new StoreRefused(
    `${name} in the store's address must be a number from 1 to ${max}.`,
    `Leave it out for ${usual}.`,
  );
}

function wayOf(url: URL): ConnectionRoute {
  const plain = new URL(url);
  const tls = tlsOf((name) => takeParameter(plain, name));
  return { url: plain.href, tls };
}

/**
 * The same address with another host, which the parameter `name` contains.
 * @param what the required kind of host, for the message
 */
function atHost(url: URL, name: string, host: string, what: string): URL {
  const direct = new URL(url);
  direct.port = "";
  direct.host = host;
  if (!/^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(host) || direct.host === "")
    throw new StoreRefused(
      `${name} in the store's address is not a host: "${host}".`,
      `Write it as ?${name}=db.example.com:5432: ${what}.`,
    );
  return direct;
}

function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name);
  url.searchParams.delete(name);
  return value ?? undefined;
}
