/**
 * Decision 13: where nobody says who is calling, an endpoint whose expressions ask for the caller can't be answered. Its expressions are
 * its own and those that run when it does: of the records it works on, of the shapes it answers with, of the transition it takes.
 */
import type { Endpoint, Field, Model, Resource } from "../../model/model.ts";
import { NotShown } from "../problem.ts";

export function callerGap(model: Model, endpoint: Endpoint): NotShown | undefined {
  const { gap } = model.authentication;
  return gap && readsCaller(model, endpoint) ? new NotShown(gap) : undefined;
}

function readsCaller(model: Model, endpoint: Endpoint): boolean {
  const kinds = new Set<string>(endpoint.does.map((does) => does.kind));
  const names = new Set([endpoint.resource, ...endpoint.records.map((record) => record.resource)]);
  const resources = model.resources.filter((resource) => names.has(resource.name));
  const parts = [endpoint, ...resources.map((resource) => partsInUse(resource, kinds))];
  return parts.some(mentionsCaller) || shapesOf(model, parts).some(mentionsCaller);
}

/** What is asked of a record by the kinds of things that are done. */
function partsInUse(resource: Resource, kinds: ReadonlySet<string>): unknown {
  const creates = kinds.has("create") || kinds.has("upsert");
  const changes = creates || ["update", "replace", "transition"].some((kind) => kinds.has(kind));
  const inUse = (rule: Field["rules"][number]): boolean => {
    if (rule.rule === "computed") return true;
    if (rule.rule === "on update") return changes;
    return creates && (rule.rule === "on create" || rule.rule === "default");
  };
  return [
    resource.visible,
    resource.fields.map((field) => field.rules.filter(inUse)),
    changes ? [resource.fails, resource.always, resource.states] : [],
    creates ? resource.identifier : [],
  ];
}

/** The shapes that stand in the parts, and in those shapes. */
function shapesOf(model: Model, parts: readonly unknown[]): readonly unknown[] {
  const found = new Set<Model["shapes"][number]>();
  const look = (part: unknown): void => {
    const text = JSON.stringify(part) ?? "";
    for (const shape of model.shapes) {
      if (found.has(shape) || !text.includes(`"shape":${JSON.stringify(shape.name)}`)) continue;
      found.add(shape);
      look(shape);
    }
  };
  look(parts);
  return [...found];
}

function mentionsCaller(part: unknown): boolean {
  return (JSON.stringify(part) ?? "").includes('"op":"fixed","name":"caller"');
}
