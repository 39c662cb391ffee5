/**
 * Remote references (`--fetch`). An import reads synchronously, so it is repeated with the fetched
 * files until none is missing.
 */
import type { ReadRemote } from "../../inputs/openapi/description/files.ts";
import { messageOf } from "../../support/failure.ts";
import { CliError } from "../command.ts";

export interface FetchLimits {
  readonly bytesMax: number;
  readonly filesMax: number;
  readonly timeoutMs: number;
}

/** @throws CliError if an address has no file, or too many files are needed */
export async function withFetched<T>(attempt: (read: ReadRemote) => T, limits: FetchLimits): Promise<T> {
  const fetched = new Map<string, string>();
  for (;;) {
    const missing = new Set<string>();
    const result = attempt((url) => {
      const text = fetched.get(url);
      if (text === undefined) missing.add(url);
      return text;
    });
    if (missing.size === 0) return result;
    if (fetched.size + missing.size > limits.filesMax)
      throw new CliError(`The description refers to more than ${limits.filesMax} files of the network.`);
    const texts = await Promise.all([...missing].map((url) => textAt(url, limits)));
    for (const [index, url] of [...missing].entries()) fetched.set(url, texts[index] ?? "");
  }
}

async function textAt(url: string, { bytesMax, timeoutMs }: FetchLimits): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body ?? []) {
      bytes += piece.byteLength;
      if (bytes > bytesMax) throw new Error(`longer than ${bytesMax / 1024 / 1024} MiB`);
      pieces.push(piece);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
  } catch (error) {
    throw new CliError(`${url} can't be fetched: ${messageOf(error)}. Nothing is written.`);
  }
}
