/** The resource that a request to the operations API names. */
import { nearest } from "../../../support/nearest.ts";
import { SandboxRefusal } from "../refusal.ts";
import type { Space } from "../space.ts";
import { badRequest } from "./call.ts";
import { storedResources } from "./tell.ts";

/** @throws SandboxRefusal */
export function resourceNamed(space: Space, name: string | undefined): string {
  const known = storedResources(space.service.model.resources).map((one) => one.name);
  if (name === undefined) throw badRequest(`"resource" says which records: ${known.join(", ")}.`);
  if (known.includes(name)) return name;
  const meant = nearest(name, known);
  throw new SandboxRefusal(
    404,
    "No such resource",
    `The document has no resource ${name}.${meant === undefined ? ` It has ${known.join(", ")}.` : ` Did you mean ${meant}?`}`,
  );
}
