/**
 * Fault loader: loads the modules of the export code again under different URLs, with one of them
 * changed.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { pathOf } from "../repository/repository.ts";
import { faults } from "./faults.ts";
import type { Exporter } from "./versions-of.ts";

const outputs = pathToFileURL(`${pathOf("src/outputs")}/`).href;
const mark = "?fault=";

registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context);
    const number = context.parentURL?.split(mark)[1];
    const isCopied = number !== undefined && found.url.startsWith(outputs) && !found.url.includes(mark);
    return isCopied ? { ...found, url: found.url + mark + number } : found;
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const [plain = "", number] = url.split(mark);
    const fault = number === undefined ? undefined : faults[Number(number)];
    if (!fault || plain !== pathToFileURL(pathOf(fault.file)).href) return loaded;
    const text = String(loaded.source);
    if (text.split(fault.from).length !== 2)
      throw new Error(`${fault.file} doesn't have it once: ${fault.from}`);
    return { ...loaded, source: text.replace(fault.from, () => fault.to) };
  },
});

export async function exporterWithFault(at: number): Promise<Exporter> {
  const [wire, openapi] = await Promise.all([
    import(`${outputs}wire/build-wire.ts${mark}${at}`),
    import(`${outputs}openapi/openapi.ts${mark}${at}`),
  ]);
  return { wireOf: wire.wireOf, openapiDocument: openapi.openapiDocument };
}
