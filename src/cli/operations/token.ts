/**
 * The token of the operations address. It comes from the environment, or from a file in the store's
 * folder that only the owner can read, so that a link stays valid over restarts. If no file can be
 * stored, each start generates another token.
 */
import { storeKind } from "../../store/index.ts";
import { randomBytes } from "node:crypto";
import { chmod, lstat, readFile, rename, rm, writeFile } from "node:fs/promises";
import { CliError, WrongUsage } from "../command.ts";
import { isOwnersOnly } from "./owner.ts";
import { codeOf, messageOf } from "../../support/failure.ts";

/** The environment variable of the token, for servers and for their clients. */
export const tokenVariable = "NINEFOLD_OPERATIONS_TOKEN";

export interface OperationsToken {
  readonly token: string;
  /** The file with the token; undefined if it is not stored. */
  readonly file?: string;
  /** The environment variable that the token comes from, if one is set. */
  readonly variable?: string;
}

/** 256 bits, as text. */
const tokenBytes = 32;
/** Shorter tokens can be guessed, however they were generated. */
const lengthMin = 32;
const form = /^[\x21-\x7e]+$/;
const keptForm = /^[A-Za-z0-9_-]{43}$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws WrongUsage */
export function tokenOfEnvironment(environment: Environment): string | undefined {
  const token = environment[tokenVariable];
  if (token === undefined || token === "") return undefined;
  if (!form.test(token))
    throw new WrongUsage(
      `${tokenVariable} must be one line of visible ASCII characters. Set it to what \`openssl rand -base64 ${tokenBytes}\` gives.`,
    );
  if (token.length < lengthMin)
    throw new WrongUsage(
      `${tokenVariable} has ${token.length} characters, and needs at least ${lengthMin}. Set it to what \`openssl rand -base64 ${tokenBytes}\` gives.`,
    );
  return token;
}

/** @throws WrongUsage | CliError */
export async function operationsToken(environment: Environment, store: string): Promise<OperationsToken> {
  const given = tokenOfEnvironment(environment);
  if (given !== undefined) return { token: given, variable: tokenVariable };
  if (storeKind(store) !== "file") return { token: newToken() };
  const file = `${store}.token`;
  try {
    return { token: (await keptToken(file)) ?? (await keepToken(file)), file };
  } catch (error) {
    throw new CliError(
      `The token of the operations address can't be stored in ${file} (${messageOf(error)}). Set ${tokenVariable}, or disable the address with --no-operations.`,
    );
  }
}

function newToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

/** Undefined if there is no token, or if other users may have read it. */
async function keptToken(file: string): Promise<string | undefined> {
  try {
    const found = await lstat(file);
    if (!found.isFile() || !isOwnersOnly(found)) return undefined;
    const token = (await readFile(file, "utf8")).trim();
    return keptForm.test(token) ? token : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Written atomically, and never readable for other users. */
async function keepToken(file: string): Promise<string> {
  const token = newToken();
  const partFile = `${file}.${process.pid}`;
  await rm(partFile, { force: true });
  await writeFile(partFile, `${token}\n`, { mode: 0o600, flag: "wx" });
  await chmod(partFile, 0o600);
  await rename(partFile, file);
  return token;
}
