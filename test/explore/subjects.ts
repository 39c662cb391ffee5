/** Documents for verification, each with the records of its scenarios as setup. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { compile } from "../../src/compile.ts";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import { importHandlers } from "../../src/engine/handlers/import-module.ts";
import { DrawnRecords, givenOfScenarios } from "../../src/explore/requests/given-records.ts";
import type { GivenStep } from "../../src/explore/comparison/implementation.ts";
import { isCreating, pageBound, sizeParameter } from "../../src/explore/stories/lists.ts";
import { literalsOf } from "../../src/explore/stories/literals.ts";
import type { Model, Resource } from "../../src/model/model.ts";
import { pathOf } from "../repository/repository.ts";

export interface Subject {
  readonly file: string;
  readonly model: Model;
  readonly given: readonly GivenStep[];
  readonly handlers: HandlerModule | undefined;
}

export async function subjectOf(file: string): Promise<Subject> {
  const { model, diagnostics } = compile(readFileSync(pathOf(file), "utf8"), { file: basename(file) });
  if (!model) throw new Error(`${file}: ${diagnostics.map(({ message }) => message).join(" ")}`);
  const module = pathOf(file.replace(/\.md$/, ".ts"));
  const handlers = existsSync(module) ? await importHandlers(pathToFileURL(module).href, module) : undefined;
  const drawn = await DrawnRecords.open({ model, handlers, literals: literalsOf(model), seed: 1 });
  // Two scenarios may have records that the rules don't accept together.
  const given = [...(await drawn.complete(givenOfScenarios(model), 4))];
  for (const resource of unfilledResources(model)) {
    const parents = lastOfEach(given);
    for (let made = 0; made < pageBound(model) + 2; made += 1) {
      const step = await drawn.extra(resource, parents);
      if (step) given.push(step);
    }
  }
  await drawn.close();
  return { file, model, given, handlers };
}

/** Resources with a list in pages of a fixed size that no request fills. */
function unfilledResources({ resources, endpoints }: Model): readonly Resource[] {
  return resources.filter(
    ({ name }) =>
      endpoints.some(
        (endpoint) =>
          endpoint.resource === name &&
          endpoint.does.some(({ kind }) => kind === "list") &&
          endpoint.pagination !== undefined &&
          endpoint.pagination.kind !== "none" &&
          sizeParameter(endpoint) === undefined,
      ) && !endpoints.some((endpoint) => isCreating(endpoint, name)),
  );
}

/** The last record of each resource, so that all further records refer to the same ones. */
function lastOfEach(given: readonly GivenStep[]): readonly GivenStep[] {
  return [...new Map(given.map((step) => [step.resource, step])).values()];
}
