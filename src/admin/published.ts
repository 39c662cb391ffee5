/**
 * What the operations address gives of the exports, each under a path of its own: `/openapi.json`, `/schemas/Parcel.json`, `/docs/`. What
 * an export is made of is asked in the query as it is on the command line: `/openapi.json?openapi=3.2&version=2026-05-01`.
 */
import { nonNull } from "../support/non-null.ts";
import type { Model } from "../model/model.ts";
import { outputs } from "../outputs/index.ts";
import {
  type Generated,
  type Output,
  type OutputOption,
  type OutputOptions,
  WrongWish,
} from "../outputs/output.ts";

/** A path that ends in a slash holds the files of a folder. */
interface PublishedPath {
  readonly path: string;
  readonly output: string;
  readonly wishes?: OutputOptions;
}

const places: readonly PublishedPath[] = [
  { path: "/openapi.json", output: "openapi", wishes: { format: "json" } },
  { path: "/openapi.yaml", output: "openapi", wishes: { format: "yaml" } },
  { path: "/asyncapi.json", output: "asyncapi", wishes: { format: "json" } },
  { path: "/asyncapi.yaml", output: "asyncapi", wishes: { format: "yaml" } },
  { path: "/arazzo.json", output: "arazzo", wishes: { format: "json", source: "./openapi.json" } },
  { path: "/arazzo.yaml", output: "arazzo", wishes: { format: "yaml", source: "./openapi.yaml" } },
  { path: "/postman.json", output: "postman" },
  { path: "/schemas/", output: "jsonschema" },
  { path: "/docs/", output: "docs" },
];

/** The paths that are given, for whoever asks what there is. */
export const publishedPaths: readonly string[] = places.map((place) => place.path);

/** Whether a path is one of theirs, whatever is there. */
export function isPublished(path: string): boolean {
  return places.some((place) => isAt(place, path) || place.path === `${path}/`);
}

function isAt(place: PublishedPath, path: string): boolean {
  return place.path.endsWith("/") ? path.startsWith(place.path) : path === place.path;
}

export interface PublishedFile {
  readonly path: string;
  readonly text: string;
}

export interface Published {
  /** Undefined where nothing is at the path. @throws WrongWish */
  file(path: string, query: URLSearchParams): Promise<PublishedFile | undefined>;
}

/** How many exports are remembered: each in each version and form. */
const rememberedMax = 16;

/** @param generate makes what the output of this name gives, off the thread that answers requests */
export function createPublished(
  generate: (output: string, wishes: OutputOptions) => Promise<Generated>,
): Published {
  const remembered = new Map<string, Promise<ReadonlyMap<string, string>>>();

  const filesOf = (output: string, wishes: OutputOptions): Promise<ReadonlyMap<string, string>> => {
    const key = JSON.stringify([output, wishes]);
    let files = remembered.get(key);
    if (!files) {
      files = generate(output, wishes).then(
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
      const place = places.find((one) => isAt(one, path));
      const output = place && outputs.find((one) => one.name === place.output);
      if (!place || !output) return undefined;
      const files = await filesOf(output.name, wishesOf(output, place, query));
      if (!place.path.endsWith("/")) return { path, text: [...files.values()][0] ?? "" };
      const inside = path.slice(place.path.length);
      const names =
        inside === "" || inside.endsWith("/") ? [`${inside}index.html`, `${inside}index.json`] : [inside];
      const name = names.find((one) => files.has(one));
      return name === undefined ? undefined : { path: name, text: nonNull(files.get(name)) };
    },
  };
}

/** @throws WrongWish */
function wishesOf({ options }: Output, place: PublishedPath, query: URLSearchParams): OutputOptions {
  const asked = options.filter((option) => place.wishes?.[option.name] === undefined);
  for (const name of query.keys()) {
    if (!asked.some((option) => option.name === name))
      throw new WrongWish(
        `${place.path} takes ${asked.map((one) => one.name).join(", ") || "nothing"} in its query, not "${name.slice(0, 100)}".`,
      );
  }
  return Object.fromEntries(
    options.map((option) => [
      option.name,
      place.wishes?.[option.name] ?? wishOf(option, query.get(option.name)),
    ]),
  );
}

/** @throws WrongWish */
function wishOf({ name, values }: OutputOption, asked: string | null): string | undefined {
  if (asked === null) return values?.[0];
  if (values && !values.includes(asked)) throw new WrongWish(`${name} is one of ${values.join(", ")}.`);
  return asked;
}

/** What an output gives of a model, made on the spot. @throws WrongWish */
export async function generateHere(model: Model, name: string, wishes: OutputOptions): Promise<Generated> {
  const output = outputs.find((one) => one.name === name) as Output;
  return output.generate(model, wishes);
}
