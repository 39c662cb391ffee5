/**
 * `export client`: a package for Node and browsers that calls the service. Its runtime (`assets/`)
 * is written by hand and the same for every document. The generated part lists the operations, as
 * plain data and a function each, so that bundlers omit unused ones. Modules come with their
 * declarations: nothing has to be built.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Model } from "../../model/model.ts";
import {
  type Generated,
  type Output,
  type OutputFile,
  versionOption,
  type OutputOptions,
} from "../output.ts";
import { typesText } from "../typescript/typescript.ts";
import type { Wire } from "../wire/wire.ts";
import { wireOf } from "../wire/build-wire.ts";
import { type ClientPlan, planClient } from "./client-plan.ts";
import { errorsCode, errorsTypes } from "./errors-module.ts";
import { indexCode, indexTypes } from "./index-module.ts";
import { moduleCode, moduleTypes } from "./operations-module.ts";
import { readmeText } from "./readme.ts";
import { packageName } from "./package-name.ts";

export const clientOutput: Output = {
  name: "client",
  summary: "a typed client for Node and browsers",
  gives: "folder",
  options: [versionOption],
  generate,
};

function generate(model: Model, { version }: OutputOptions): Generated {
  const wire = wireOf(model, version);
  const plan = planClient(wire);
  return { files: clientFiles(wire, plan), notes: [...wire.notes, ...plan.notes] };
}

function clientFiles(wire: Wire, plan: ClientPlan): readonly OutputFile[] {
  return [
    { path: "README.md", text: readmeText(wire, plan) },
    { path: "errors.d.ts", text: errorsTypes(plan) },
    { path: "errors.js", text: errorsCode(plan) },
    { path: "index.d.ts", text: indexTypes(wire, plan) },
    { path: "index.js", text: indexCode(wire, plan) },
    ...plan.modules.flatMap((module) => [
      { path: `${module.name}.d.ts`, text: moduleTypes(module) },
      { path: `${module.name}.js`, text: moduleCode(plan, module) },
    ]),
    { path: "package.json", text: packageText(wire) },
    ...runtimeFiles(),
    { path: "types.d.ts", text: typesText(wire) },
  ];
}

/** The package has no version, because a document doesn't state how often its client changed. */
function packageText({ title }: Wire): string {
  const manifest = {
    name: packageName(title),
    description: `A client for ${title}.`,
    type: "module",
    sideEffects: false,
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

function runtimeFiles(): readonly OutputFile[] {
  const folder = join(import.meta.dirname, "assets");
  return readdirSync(folder)
    .sort()
    .map((name) => ({ path: `runtime/${name}`, text: readFileSync(join(folder, name), "utf8") }));
}
