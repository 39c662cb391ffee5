/** Identifiers of several fields don't fit into a single text: a path parameter, a header or the cursor of a page. */
import type { FieldType } from "../../fields/type.ts";
import { jointlyIdentified } from "../../expressions/evaluate.ts";
import { meaningOf, identifierFields } from "../../model/meaning.ts";
import type { Endpoint, Model, Resource } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";

type Location = "input" | "path" | "page";

export const identifiedInOneText: Check = (model, reporter) => {
  const { vocabulary } = meaningOf(model);
  const named = (name: string) => model.resources.find((resource) => resource.name === name);
  const report = (name: string, resource: Resource, location: Location, position: Position) =>
    reporter.report("endpoints/identified-in-one-text", position, {
      name,
      resource: resource.name,
      fields: identifierFields(resource),
      location,
    });
  /** The resource with several identifying fields that a value of this type refers to. */
  const together = (type: FieldType | undefined): Resource | undefined => {
    const target = type?.kind === "list" ? type.of : type;
    const joint = target?.kind === "reference" ? jointlyIdentified(target.resource, vocabulary) : undefined;
    return joint === undefined ? undefined : named(joint);
  };
  for (const endpoint of model.endpoints) {
    const picking = new Set<string>();
    for (const { by, resource, position } of endpoint.records) {
      const found = by && together(named(resource)?.fields.find((field) => field.name === by.field)?.type);
      if (!by || !found) continue;
      picking.add(by.parameter);
      report(by.parameter, found, "path", position);
    }
    for (const { in: location, name, type, asJson, separator, position } of endpoint.inputs) {
      const isText = location === "path" || location === "header" || separator !== undefined;
      const found = isText && !asJson && !picking.has(name.join(".")) ? together(type) : undefined;
      if (found) report(name.join("."), found, "input", position);
    }
    const page = pagedBy(endpoint, model);
    if (page?.fields.length !== 1) {
      if (page && page.fields.length > 0) report(page.parameter, page.resource, "page", page.position);
      continue;
    }
    const found = together(page.resource.fields.find((field) => field.name === page.fields[0])?.type);
    if (found) report(page.parameter, found, "page", page.position);
  }
};

/** The parameter that names the last record of the previous page, and the identifying fields that are missing in the path. */
function pagedBy({ pagination, resource: name, scope }: Endpoint, { resources }: Model) {
  if (pagination?.kind !== "identifier") return undefined;
  const resource = resources.find((resource) => resource.name === name);
  if (!resource) return undefined;
  const fields = identifierFields(resource);
  return {
    resource,
    fields: fields.length > 1 ? fields.filter((field) => field !== scope?.field) : fields,
    parameter: pagination.after ?? pagination.before ?? "",
    position: pagination.position,
  };
}
