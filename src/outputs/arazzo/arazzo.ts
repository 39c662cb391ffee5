/**
 * `export arazzo`: the document's scenarios as workflows of Arazzo 1.0.1, over the operations of
 * the OpenAPI file next to it. They use the current version, as scenarios do. What Arazzo can't
 * express (existing records, time that passes, events) is neither invented nor turned into steps
 * that would fail: it is listed under `x-ninefold-given` and `x-ninefold-left-out`, whose schemas
 * are in `docs/extensions/`.
 */
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { fileText } from "../file-text.ts";
import { formatOption, type Generated, type Output, type OutputNote, type OutputOptions } from "../output.ts";
import { gapsExtension } from "../openapi/extensions.ts";
import { createNames } from "../wire/names.ts";
import { wireOf } from "../wire/wire-of.ts";
import { workflowOf } from "./workflow.ts";

export const arazzoOutput: Output = {
  name: "arazzo",
  summary: "Arazzo 1.0: the scenarios as workflows over the OpenAPI file",
  gives: "file",
  options: [
    {
      name: "source",
      placeholder: "URL",
      summary: "where the OpenAPI file is, as seen from this one (default: ./openapi.json)",
    },
    formatOption,
  ],
  generate,
};

function generate(model: Model, { source, format }: OutputOptions): Generated {
  const wire = wireOf(model);
  const names = { workflows: createNames(), steps: createNames() };
  const notes: OutputNote[] = [...wire.notes];
  const workflows = model.scenarios.flatMap(
    (scenario) => workflowOf(wire, model, scenario, names, notes) ?? [],
  );
  // Arazzo requires at least one workflow; one that no scenario shows would be invented.
  if (workflows.length === 0)
    notes.push({
      message: "No scenario can become a workflow, and Arazzo requires at least one.",
      position: model.scenarios[0]?.position ?? documentStart,
    });
  const gaps = gapsExtension(wire.gaps);
  const document: Json = {
    arazzo: "1.0.1",
    info: {
      title: wire.title,
      version: wire.version?.name ?? "unversioned",
      ...(wire.purpose === undefined ? {} : { description: wire.purpose }),
    },
    sourceDescriptions: [{ name: "openapi", type: "openapi", url: source ?? "./openapi.json" }],
    workflows,
    ...(gaps.length === 0 ? {} : { "x-ninefold-gaps": gaps }),
  };
  return {
    files: [{ path: `arazzo.${format ?? "json"}`, text: fileText(document, format) }],
    notes: [...notes, ...names.workflows.notes],
  };
}

const start = { line: 1, column: 1, offset: 0 };
const documentStart = { start, end: start };
