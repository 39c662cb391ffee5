/**
 * Record keys (`expressions/key.ts`) by the model's resources: their identifying fields and the
 * form of a key.
 */
import { type Identified, type KeyForm, keyForms } from "../expressions/key.ts";
import type { ResourceSpec } from "./field-reader.ts";
import { hasRule } from "./rule.ts";

type ResourceNamed = (name: string) => ResourceSpec | undefined;

/** The names of the identifying fields. Empty for a value, and if the document doesn't show them. */
export function identifyingFields({ identifier }: Pick<ResourceSpec, "identifier">): readonly string[] {
  return identifier.fields ?? (identifier.field === undefined ? [] : [identifier.field]);
}

/** The forms of a resource's identifying fields in its keys, in order. */
export function keyFormsOf(resource: string, resourceNamed: ResourceNamed): readonly KeyForm[] {
  return keyForms(resource, (name) => identified(resourceNamed(name)));
}

function identified(spec: ResourceSpec | undefined): Identified | undefined {
  return (
    spec && {
      identifier: identifyingFields(spec),
      field(name) {
        const field = spec.fields.find((field) => field.name === name);
        return (
          field && {
            anyCase: hasRule(field.rules, "any case"),
            refersTo: field.type.kind === "reference" ? field.type.resource : undefined,
          }
        );
      },
    }
  );
}
