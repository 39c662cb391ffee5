/**
 * Kubernetes API schemas, from the package `kubernetes-models`. Its own validator accepts unknown
 * members. Here objects are closed, as in `kubectl apply --validate=strict`.
 */
import { globSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";

interface Schema {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Replaces the package's validator and collects the registered schemas. */
const registry = `
const schemas = new Map();
exports.schemas = schemas;
exports.register = (id, schema) => schemas.set(id, schema);`;

const hooks = registerHooks({
  load: (url, context, next) =>
    url.includes("/@kubernetes-models/validate/")
      ? { format: "commonjs", shortCircuit: true, source: registry }
      : next(url, context),
});
const require = createRequire(import.meta.url);
for (const name of ["kubernetes-models", "@kubernetes-models/apimachinery"]) {
  const folder = dirname(require.resolve(`${name}/package.json`));
  for (const path of globSync("_schemas/*.js", { cwd: folder })) require(join(folder, path)).addSchema();
}
const models = createRequire(require.resolve("kubernetes-models/package.json"));
const schemas: ReadonlyMap<string, Schema> = models("@kubernetes-models/validate").schemas;
hooks.deregister();

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
for (const [id, schema] of schemas) ajv.addSchema(closed(schema), id);

function closed(schema: Schema): Schema {
  return schema.properties === undefined ? schema : { ...schema, additionalProperties: false };
}

/**
 * The violations of a manifest.
 * @param manifest with its `apiVersion` and `kind`
 */
export function faultsOf(manifest: {
  readonly apiVersion: string;
  readonly kind: string;
}): readonly string[] {
  const [group, version] = manifest.apiVersion.includes("/")
    ? manifest.apiVersion.split("/")
    : ["core", manifest.apiVersion];
  const id = `io.k8s.api.${group?.replace(/\.k8s\.io$/, "").split(".")[0]}.${version}.${manifest.kind}`;
  const fits = ajv.getSchema(id);
  if (!fits) return [`no schema ${id}`];
  if (fits(manifest)) return [];
  return (fits.errors ?? [])
    .filter(({ keyword, message }) => keyword !== "oneOf" && message !== "must be null")
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}
