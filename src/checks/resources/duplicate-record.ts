/** Part 2, `Records of`: the initial records have unique identifiers. */
import type { Resource } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const duplicateRecord: Check = ({ resources }, reporter) => {
  for (const resource of resources) {
    const names = identifying(resource);
    const identifierOf = ({ fields }: Resource["records"][number]) =>
      names.map((name) => String(fields[name])).join(", ");
    reportRepeated(resource.records, identifierOf, (record, related) => {
      const params = { resource: resource.name, identifier: identifierOf(record) };
      reporter.report("resources/duplicate-record", record.position, params, related);
    });
  }
};

function identifying({ identifier, fields }: Resource): readonly string[] {
  if (identifier.kind === "joint") return identifier.fields;
  return fields.flatMap(({ name, role }) => (role === "identifier" ? [name] : []));
}
