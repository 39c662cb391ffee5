/** Part 2, `Records of`: a record is known by its identifier, so no two that are there from the start have the same. */
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
