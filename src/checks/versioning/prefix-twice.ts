/**
 * Part 9: the version prefix is prepended to every path. A path that has it already would have it
 * twice.
 */
import type { Version } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const prefixTwice: Check = ({ versioning, endpointsPart, endpoints }, reporter) => {
  const { scheme, versions } = versioning;
  if (scheme?.kind !== "path prefix") return;
  const { basePath, basePathAt } = endpointsPart;
  const inBase = versionBefore(versions, basePath.text);
  if (inBase && basePathAt) {
    const instead = `- Base path: ${without(inBase, basePath.text)}`;
    const params = { version: inBase.name, path: basePath.text, instead };
    reporter.report("versioning/prefix-twice", basePathAt, params);
  }
  if (basePath.text !== "") return;
  const first = endpoints.find(({ path }) => versionBefore(versions, path.text));
  const version = first && versionBefore(versions, first.path.text);
  if (!version) return;
  const instead = `### ${first.method} ${without(version, first.path.text)}`;
  reporter.report("versioning/prefix-twice", first.position, {
    version: version.name,
    path: first.path.text,
    instead,
  });
};

function versionBefore(versions: readonly Version[], path: string): Version | undefined {
  return versions.find(({ name }) => `${path}/`.toLowerCase().startsWith(`/${name.toLowerCase()}/`));
}

function without({ name }: Version, path: string): string {
  return path.slice(name.length + 1) || "/";
}
