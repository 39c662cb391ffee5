/**
 * Published exports on the operations address, each under its own path: `/openapi.json`,
 * `/schemas/Parcel.json`, `/docs/`. Query parameters are the options of the command line:
 * `/openapi.json?openapi=3.2&version=2026-05-01`.
 */
import { nonNull } from "../support/non-null.ts";
import type { Model } from "../model/model.ts";
import { outputs } from "../outputs/index.ts";
import {
  type Generated,
  type Output,
  type OutputOption,
  type OutputOptions,
  sandboxOption,
  spaceHeaderOption,
  urlOption,
  WrongOption,
} from "../outputs/output.ts";

/** An export and its path. A path that ends in a slash has the files of a folder. */
interface PublishedPath {
  readonly path: string;
  readonly output: string;
  readonly fixedOptions?: OutputOptions;
}

const publishedFiles: readonly PublishedPath[] = [
  { path: "/openapi.json", output: "openapi", fixedOptions: { format: "json" } },
  { path: "/openapi.yaml", output: "openapi", fixedOptions: { format: "yaml" } },
  { path: "/asyncapi.json", output: "asyncapi", fixedOptions: { format: "json" } },
  { path: "/asyncapi.yaml", output: "asyncapi", fixedOptions: { format: "yaml" } },
  { path: "/postman.json", output: "postman" },
  { path: "/schemas/", output: "jsonschema" },
  { path: "/docs/", output: "docs" },
];

/** The available paths, for listing. */
export const publishedPaths: readonly string[] = publishedFiles.map((publishedPath) => publishedPath.path);

/** Whether a path belongs to an export, even if no such file exists. */
export function isPublished(path: string): boolean {
  return publishedFiles.some(
    (publishedPath) => isAt(publishedPath, path) || publishedPath.path === `${path}/`,
  );
}

function isAt(publishedPath: PublishedPath, path: string): boolean {
  return publishedPath.path.endsWith("/") ? path.startsWith(publishedPath.path) : path === publishedPath.path;
}

export interface PublishedFile {
  readonly path: string;
  readonly text: string;
}

export interface Published {
  /** Undefined if the export has no such file. @throws WrongOption */
  file(path: string, query: URLSearchParams): Promise<PublishedFile | undefined>;
}

/** The maximum number of cached exports. Each version and form is an export of its own. */
const rememberedMax = 16;

/** @param generate runs the output with this name, off the thread that serves requests */
export function createPublished(
  generate: (output: string, optionValues: OutputOptions) => Promise<Generated>,
  /** The address of the service. */
  origin: () => string,
  /** The header that names the data space of a sandbox. */
  spaceHeader?: string,
): Published {
  const remembered = new Map<string, Promise<ReadonlyMap<string, string>>>();

  const filesOf = (output: string, optionValues: OutputOptions): Promise<ReadonlyMap<string, string>> => {
    const key = JSON.stringify([output, optionValues]);
    let files = remembered.get(key);
    if (!files) {
      files = generate(output, optionValues).then(
        (made) => new Map(made.files.map(({ path, text }) => [path, text])),
      );
      remembered.set(key, files);
      files.catch(() => remembered.delete(key));
      if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value as string);
    }
    return files;
  };

  return {
    async file(path, query) {
      const publishedPath = publishedFiles.find((candidate) => isAt(candidate, path));
      const output = publishedPath && outputs.find((output) => output.name === publishedPath.output);
      if (!publishedPath || !output) return undefined;
      const fixed = {
        ...publishedPath.fixedOptions,
        [urlOption.name]: origin(),
        // Documentation can send requests only to a sandbox.
        [sandboxOption.name]: spaceHeader === undefined ? undefined : origin(),
        [spaceHeaderOption.name]: spaceHeader,
      };
      const files = await filesOf(output.name, optionValuesOf(output, fixed, query, path));
      if (!publishedPath.path.endsWith("/")) return { path, text: [...files.values()][0] ?? "" };
      const inside = path.slice(publishedPath.path.length);
      const names =
        inside === "" || inside.endsWith("/") ? [`${inside}index.html`, `${inside}index.json`] : [inside];
      const name = names.find((name) => files.has(name));
      return name === undefined ? undefined : { path: name, text: nonNull(files.get(name)) };
    },
  };
}

/** @throws WrongOption */
function optionValuesOf(
  { options }: Output,
  fixed: OutputOptions,
  query: URLSearchParams,
  path: string,
): OutputOptions {
  const accepted = options.filter((option) => !(option.name in fixed));
  for (const name of query.keys()) {
    if (!accepted.some((option) => option.name === name))
      throw new WrongOption(
        `${path} takes ${accepted.map((option) => option.name).join(", ") || "nothing"} in its query, not "${name.slice(0, 100)}".`,
      );
  }
  return Object.fromEntries(
    options.map((option) => [
      option.name,
      option.name in fixed ? fixed[option.name] : optionValueOf(option, query.get(option.name)),
    ]),
  );
}

/** @throws WrongOption */
function optionValueOf(
  { name, values, unpublished = [] }: OutputOption,
  sent: string | null,
): string | undefined {
  const published = values?.filter((value) => !unpublished.includes(value));
  if (sent === null) return published?.[0];
  if (published && !published.includes(sent))
    throw new WrongOption(`${name} must be one of ${published.join(", ")}.`);
  return sent;
}

/** Generates the files of an output for a model in this thread. @throws WrongOption */
export async function generateHere(
  model: Model,
  name: string,
  optionValues: OutputOptions,
): Promise<Generated> {
  const output = outputs.find((output) => output.name === name) as Output;
  return output.generate(model, optionValues);
}
