/** Resource lookup: finds the resource that a request to the operations API names. */
import type { Model } from "../../../model/model.ts";
import { nearest } from "../../../support/nearest.ts";
import { OperationRefusal } from "./refusal.ts";
import { storedResources } from "./shared-responses.ts";

/** @throws OperationRefusal if the document has no such resource */
export function resourceNamed({ resources }: Pick<Model, "resources">, name: string): string {
  const known = storedResources(resources).map((resource) => resource.name);
  if (known.includes(name)) return name;
  const suggestion = nearest(name, known);
  throw new OperationRefusal(
    404,
    "No such resource",
    `The document has no resource ${name.slice(0, 100)}.${suggestion === undefined ? ` It has ${known.join(", ")}.` : ` Did you mean ${suggestion}?`}`,
  );
}
